//! The longest common subsequence of two lists. Pure.

/// Pairs of places of equal values, in order, as many as there can be. Time and memory grow with the product of both
/// lengths: the caller bounds it.
#[must_use]
pub fn common<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut table = vec![0_u32; (a.len() + 1) * width];
    let cell = |table: &[u32], x: usize, y: usize| table.get(x * width + y).copied().unwrap_or(0);
    for (x, one) in a.iter().enumerate().rev() {
        for (y, other) in b.iter().enumerate().rev() {
            let best = if one == other {
                cell(&table, x + 1, y + 1) + 1
            } else {
                cell(&table, x + 1, y).max(cell(&table, x, y + 1))
            };
            if let Some(slot) = table.get_mut(x * width + y) {
                *slot = best;
            }
        }
    }
    let (mut x, mut y) = (0, 0);
    let mut pairs = Vec::new();
    while x < a.len() && y < b.len() {
        if a.get(x) == b.get(y) {
            pairs.push((x, y));
            (x, y) = (x + 1, y + 1);
        } else if cell(&table, x + 1, y) >= cell(&table, x, y + 1) {
            x += 1;
        } else {
            y += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_pairs_as_there_can_be() {
        assert_eq!(common(&[1, 2, 3, 4], &[2, 9, 4, 3]), [(1, 0), (3, 2)]);
        assert_eq!(common(&["a"], &["b"]), []);
        assert_eq!(common::<u8>(&[], &[]), []);
    }
}
