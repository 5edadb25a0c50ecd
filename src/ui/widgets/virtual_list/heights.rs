use std::ops::Range;

/// Heights of rows with their running sums (a Fenwick tree): setting one and finding a place take log(n) steps.
#[derive(Clone, Debug, Default)]
pub struct Heights {
    heights: Vec<f32>,
    /// Sums in double precision: a hundred thousand rows of fractions must not drift.
    sums: Vec<f64>,
}

impl Heights {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heights.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heights.is_empty()
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.heights.clear();
        self.sums.clear();
    }

    /// Adds a row at the end.
    pub fn push(&mut self, height: f32) {
        let height = tidy(height);
        self.heights.push(height);
        let place = self.heights.len();
        let span = place & place.wrapping_neg();
        let below = self.prefix(place - 1) - self.prefix(place - span);
        self.sums.push(below + f64::from(height));
    }

    /// Sums all heights anew, in one pass.
    pub fn rebuild(&mut self) {
        let count = self.heights.len();
        self.sums = self.heights.iter().map(|height| f64::from(*height)).collect();
        for place in 1..=count {
            let parent = place + (place & place.wrapping_neg());
            let own = self.sums.get(place - 1).copied().unwrap_or(0.0);
            if let Some(sum) = self.sums.get_mut(parent - 1) {
                *sum += own;
            }
        }
    }

    /// Height of a row, 0 beyond the end.
    #[must_use]
    pub fn get(&self, index: usize) -> f32 {
        self.heights.get(index).copied().unwrap_or(0.0)
    }

    /// Changes a row's height.
    pub fn set(&mut self, index: usize, height: f32) {
        let height = tidy(height);
        let Some(old) = self.heights.get_mut(index) else { return };
        let change = f64::from(height) - f64::from(*old);
        *old = height;
        if change == 0.0 {
            return;
        }
        let mut place = index + 1;
        while let Some(sum) = self.sums.get_mut(place - 1) {
            *sum += change;
            place += place & place.wrapping_neg();
        }
    }

    /// Sum of the first `count` heights.
    fn prefix(&self, count: usize) -> f64 {
        let mut sum = 0.0;
        let mut place = count;
        while place > 0 {
            sum += self.sums.get(place - 1).copied().unwrap_or(0.0);
            place &= place - 1;
        }
        sum
    }

    /// Top of a row, points from the list's top.
    #[must_use]
    pub fn top(&self, index: usize) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "a place on a list drawn in single precision")]
        {
            self.prefix(index.min(self.heights.len())) as f32
        }
    }

    /// Height of all rows.
    #[must_use]
    pub fn total(&self) -> f32 {
        self.top(self.heights.len())
    }

    /// The row at `y`; the first or last one beyond the ends.
    #[must_use]
    pub fn at(&self, y: f32) -> usize {
        let mut left = f64::from(y.max(0.0));
        let mut place = 0;
        let mut step = self.sums.len().checked_ilog2().map_or(0, |bits| 1_usize << bits);
        while step > 0 {
            if let Some(sum) = self.sums.get(place + step - 1)
                && *sum <= left
            {
                left -= sum;
                place += step;
            }
            step >>= 1;
        }
        place.min(self.heights.len().saturating_sub(1))
    }

    /// Rows that touch the stretch from `top` to `bottom`.
    #[must_use]
    pub fn range(&self, top: f32, bottom: f32) -> Range<usize> {
        if self.is_empty() || bottom <= 0.0 {
            return 0..0;
        }
        self.at(top)..(self.at(bottom) + 1).min(self.heights.len())
    }
}

fn tidy(height: f32) -> f32 {
    if height.is_finite() { height.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_and_places_agree_with_adding_up(
            start in prop::collection::vec(0_u16..200, 1..120),
            changes in prop::collection::vec((0_usize..120, 0_u16..200), 0..40),
            y in 0_u16..20_000,
        ) {
            let mut plain: Vec<f32> = start.iter().map(|h| f32::from(*h)).collect();
            let mut heights = Heights::default();
            for (index, height) in plain.iter().enumerate() {
                heights.push(*height);
                if index == plain.len() / 2 {
                    heights.rebuild();
                }
            }
            for (index, height) in changes {
                heights.set(index, f32::from(height));
                if let Some(own) = plain.get_mut(index) {
                    *own = f32::from(height);
                }
            }
            for index in 0..=plain.len() {
                prop_assert_eq!(heights.top(index), plain[..index].iter().sum::<f32>());
            }
            let y = f32::from(y);
            let at = heights.at(y);
            let end = heights.top(at) + heights.get(at);
            prop_assert!(heights.top(at) <= y);
            prop_assert!(y < end || at == plain.len() - 1);
        }
    }
}
