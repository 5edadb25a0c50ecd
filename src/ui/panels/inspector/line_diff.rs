//! Which lines two texts share.

use crate::ui::subsequence::common;

/// One line of the comparison; numbers are places in the left and the right text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Same(usize, usize),
    /// Left and right differ here; one side may have no line.
    Differs(Option<usize>, Option<usize>),
}

/// Cells of the table beyond which the middle of both texts counts as different.
const CELLS_MAX: usize = 4_000_000;

/// Compares line by line: what both begin and end with first, the longest common subsequence between.
///
/// Beyond [`CELLS_MAX`] the middle is not looked into, so that the time stays bounded.
#[must_use]
pub fn compare(left: &[&str], right: &[&str]) -> Vec<Line> {
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let rest = left.len().min(right.len()) - head;
    let tail = left.iter().rev().zip(right.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut lines: Vec<Line> = (0..head).map(|at| Line::Same(at, at)).collect();
    let (left_end, right_end) = (left.len() - tail, right.len() - tail);
    let (a, b) = (left.get(head..left_end).unwrap_or(&[]), right.get(head..right_end).unwrap_or(&[]));
    for (x, y) in middle(a, b) {
        let (x, y) = (x.map(|at| at + head), y.map(|at| at + head));
        lines.push(match (x, y) {
            (Some(x), Some(y)) if left.get(x) == right.get(y) => Line::Same(x, y),
            _ => Line::Differs(x, y),
        });
    }
    lines.extend((0..tail).map(|at| Line::Same(left_end + at, right_end + at)));
    lines
}

/// Places side by side: equal lines in one row, what lies between paired up as far as it goes.
fn middle(a: &[&str], b: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
    let common = if a.len().saturating_mul(b.len()) > CELLS_MAX { Vec::new() } else { common(a, b) };
    let mut out = Vec::new();
    let (mut x, mut y) = (0, 0);
    for (to_x, to_y) in common.into_iter().chain([(a.len(), b.len())]) {
        for step in 0..(to_x - x).max(to_y - y) {
            let left = (x + step < to_x).then_some(x + step);
            let right = (y + step < to_y).then_some(y + step);
            out.push((left, right));
        }
        if to_x < a.len() && to_y < b.len() {
            out.push((Some(to_x), Some(to_y)));
        }
        (x, y) = (to_x + 1, to_y + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn changed_added_and_removed_lines_stand_side_by_side() {
        let left = ["a", "b", "c", "d"];
        let right = ["a", "x", "c", "d", "e"];
        let lines = compare(&left, &right);
        assert_eq!(
            lines,
            [
                Line::Same(0, 0),
                Line::Differs(Some(1), Some(1)),
                Line::Same(2, 2),
                Line::Same(3, 3),
                Line::Differs(None, Some(4)),
            ]
        );
        assert_eq!(compare(&[], &[]), []);
        assert_eq!(compare(&["a"], &[]), [Line::Differs(Some(0), None)]);
        assert_eq!(compare(&["a"], &["a"]), [Line::Same(0, 0)]);
    }

    proptest! {
        #[test]
        fn every_line_stands_once_and_in_order(
            left in proptest::collection::vec("[abc]", 0..24),
            right in proptest::collection::vec("[abc]", 0..24),
        ) {
            let a: Vec<&str> = left.iter().map(String::as_str).collect();
            let b: Vec<&str> = right.iter().map(String::as_str).collect();
            let lines = compare(&a, &b);
            let side = |pick: fn(&Line) -> Option<usize>| lines.iter().filter_map(pick).collect::<Vec<_>>();
            let lefts = side(|line| match line {
                Line::Same(x, _) => Some(*x),
                Line::Differs(x, _) => *x,
            });
            let rights = side(|line| match line {
                Line::Same(_, y) => Some(*y),
                Line::Differs(_, y) => *y,
            });
            prop_assert_eq!(lefts, (0..a.len()).collect::<Vec<_>>());
            prop_assert_eq!(rights, (0..b.len()).collect::<Vec<_>>());
            for line in lines {
                if let Line::Same(x, y) = line {
                    prop_assert_eq!(a[x], b[y]);
                }
            }
        }
    }
}
