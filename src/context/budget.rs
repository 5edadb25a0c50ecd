//! Who gets how many characters. Pure; every number is a count of Unicode characters.

use crate::model::pack::SectionId;

/// What one section asks of the shared room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    pub id: SectionId,
    /// Length of all it could say.
    pub len_chars: usize,
    /// Weight in tenths: 15 stands for 1.5. Zero counts as one tenth.
    pub weight_tenths: u32,
    /// Below this the section is not worth its place.
    pub min_chars: usize,
    /// It never gets more than this.
    pub max_chars: usize,
}

impl Ask {
    /// What it can use: its length, but no more than its maximum.
    pub fn want_chars(&self) -> usize {
        self.len_chars.min(self.max_chars)
    }

    /// What it must get when it takes part.
    pub fn floor_chars(&self) -> usize {
        self.min_chars.min(self.want_chars())
    }

    fn weight(&self) -> u64 {
        u64::from(self.weight_tenths.max(1))
    }
}

/// What one section got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub id: SectionId,
    /// `None`: it had to leave, since not even the minima fitted.
    pub chars: Option<usize>,
}

/// Shares `total_chars` among the asking sections; the answer has their order.
///
/// When all wants fit, nobody is cut. Otherwise the floors are covered first, and the rest goes out by weight; what a
/// section cannot use flows on to the others.
///
/// When the minima do not fit, the lightest sections leave, of equals the one later in the pack. Who leaves
/// follows from the declared minima and not from lengths, so that a section that grows cannot push out
/// another and thereby make room for a third. When those that stayed are full and room is left, those that
/// left come back, last out first in, until one does not fit.
pub fn allocate(total_chars: usize, asks: &[Ask]) -> Vec<Share> {
    let wants: usize = sum(asks.iter().map(Ask::want_chars));
    if wants <= total_chars {
        return asks.iter().map(|ask| Share { id: ask.id, chars: Some(ask.want_chars()) }).collect();
    }
    let mut staying: Vec<Ask> = asks.to_vec();
    // Heaviest first; ids break ties, so that the order of the input plays no part.
    staying.sort_by_key(|ask| (std::cmp::Reverse(ask.weight()), ask.id));
    let mut left: Vec<Ask> = Vec::new();
    while sum(staying.iter().map(|ask| ask.min_chars.min(ask.max_chars))) > total_chars {
        match staying.pop() {
            Some(ask) => left.push(ask),
            None => break,
        }
    }
    let mut given: Vec<(SectionId, usize)> =
        staying.iter().map(|ask| ask.id).zip(fill(total_chars, &staying)).collect();
    let mut rest = total_chars.saturating_sub(given.iter().map(|(_, chars)| chars).sum());
    let full = staying.iter().zip(&given).all(|(ask, (_, chars))| *chars == ask.want_chars());
    if full {
        while let Some(ask) = left.pop() {
            if ask.floor_chars() > rest || rest == 0 {
                break;
            }
            let chars = ask.want_chars().min(rest);
            rest -= chars;
            given.push((ask.id, chars));
        }
    }
    asks.iter()
        .map(|ask| Share {
            id: ask.id,
            chars: given.iter().find(|(id, _)| *id == ask.id).map(|(_, chars)| *chars),
        })
        .collect()
}

/// Shares `total` in equal parts: none gets more than it wants, what one cannot use flows on to the others.
pub fn allocate_evenly(total_chars: usize, wants_chars: &[usize]) -> Vec<usize> {
    let takers: Vec<Taker> =
        wants_chars.iter().map(|want| Taker { base: 0, cap: *want, weight: 1 }).collect();
    pour(total_chars, &takers)
}

fn fill(total: usize, asks: &[Ask]) -> Vec<usize> {
    let takers: Vec<Taker> = asks
        .iter()
        .map(|ask| {
            let base = ask.floor_chars();
            Taker { base, cap: ask.want_chars() - base, weight: ask.weight() }
        })
        .collect();
    pour(total, &takers)
}

#[derive(Clone, Copy)]
struct Taker {
    base: usize,
    /// How much more than its base it can use.
    cap: usize,
    weight: u64,
}

/// Steps of the water level for one character of a taker of weight 1; above every weight in use, so that
/// no taker gets two characters in one step.
const STEP: u64 = 1_000;

impl Taker {
    fn at(&self, level: u64) -> usize {
        let risen = u128::from(self.weight.min(STEP)) * u128::from(level) / u128::from(STEP);
        usize::try_from(risen).unwrap_or(usize::MAX).min(self.cap)
    }
}

/// Water-filling in whole characters.
///
/// Think of each taker's k-th character as arriving at time k / weight: the first arrivals get the room,
/// earlier positions first among equals. With one more character in one taker's hands the others' arrivals
/// can only come later in the row, which is why nobody's share grows when another's want does.
fn pour(total: usize, takers: &[Taker]) -> Vec<usize> {
    let room = total.saturating_sub(sum(takers.iter().map(|taker| taker.base)));
    let most = sum(takers.iter().map(|taker| taker.cap));
    let used = |level: u64| sum(takers.iter().map(|taker| taker.at(level)));
    let mut got: Vec<usize>;
    if most <= room {
        got = takers.iter().map(|taker| taker.cap).collect();
    } else {
        let (mut low, mut high) = (0_u64, (room as u64).saturating_add(1).saturating_mul(STEP));
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if used(middle) <= room { low = middle } else { high = middle }
        }
        got = takers.iter().map(|taker| taker.at(low)).collect();
        let mut next: Vec<usize> = (0..takers.len())
            .filter(|&at| takers.get(at).is_some_and(|taker| taker.at(low + 1) > taker.at(low)))
            .collect();
        let due = |at: usize| -> (u128, u128) {
            let chars = got.get(at).copied().unwrap_or(0) as u128 + 1;
            (chars, takers.get(at).map_or(1, |taker| u128::from(taker.weight.min(STEP))))
        };
        next.sort_by(|a, b| {
            let ((chars_a, weight_a), (chars_b, weight_b)) = (due(*a), due(*b));
            (chars_a * weight_b).cmp(&(chars_b * weight_a)).then(a.cmp(b))
        });
        let left = room.saturating_sub(sum(got.iter().copied()));
        for at in next.into_iter().take(left) {
            if let Some(chars) = got.get_mut(at) {
                *chars += 1;
            }
        }
    }
    got.iter().zip(takers).map(|(chars, taker)| chars + taker.base).collect()
}

fn sum(values: impl Iterator<Item = usize>) -> usize {
    values.fold(0, usize::saturating_add)
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
