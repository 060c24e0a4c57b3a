//! Axes of pictures.

/// Figures that lie farther apart than this need a logarithmic axis.
const WIDE: f64 = 20.0;

/// From a figure to its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    /// Whether equal distances mean equal ratios.
    pub logarithmic: bool,
}

impl Scale {
    /// From zero.
    #[must_use]
    pub fn linear(figures: &[f64]) -> Self {
        let high = figures.iter().copied().fold(0.0, f64::max);
        Self {
            low: 0.0,
            high: if high > 0.0 { high * 1.02 } else { 1.0 },
            logarithmic: false,
        }
    }

    /// From zero, or logarithmic where the smallest figures could not be told apart otherwise.
    #[must_use]
    pub fn fitting(figures: &[f64]) -> Self {
        let linear = Self::linear(figures);
        let smallest = figures
            .iter()
            .copied()
            .filter(|figure| *figure > 0.0)
            .fold(f64::INFINITY, f64::min);
        if !smallest.is_finite() || linear.high / smallest < WIDE {
            return linear;
        }
        Self {
            low: smallest * 0.9,
            logarithmic: true,
            ..linear
        }
    }

    /// Place of a figure, 0 to 1.
    #[must_use]
    pub fn place(&self, figure: f64) -> f64 {
        let place = if self.logarithmic {
            (figure.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            figure / self.high
        };
        place.clamp(0.0, 1.0)
    }

    /// Round figures along the axis.
    #[must_use]
    pub fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let first = self.low.log10().floor() as i32;
            return (first..first + 12)
                .flat_map(|power| [1.0, 3.0].map(|digit| digit * 10f64.powi(power)))
                .filter(|tick| (self.low..=self.high).contains(tick))
                .collect();
        }
        let step = step(self.high / 4.0);
        (0..=5)
            .map(|n| f64::from(n) * step)
            .filter(|tick| *tick <= self.high)
            .collect()
    }
}

/// The largest of 1, 2, 2.5 and 5 times a power of ten that is not above `size`, or else the next power.
fn step(size: f64) -> f64 {
    let power = 10f64.powf(size.log10().floor());
    [5.0, 2.5, 2.0, 1.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|step| *step <= size)
        .unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_begins_at_zero_unless_figures_lie_too_far_apart() {
        let near = Scale::fitting(&[5.0, 20.0]);
        assert!(!near.logarithmic);
        assert_eq!(near.place(0.0), 0.0);
        assert_eq!(near.ticks(), [0.0, 5.0, 10.0, 15.0, 20.0]);
        let far = Scale::fitting(&[5.0, 2_000.0]);
        assert!(far.logarithmic && far.place(5.0) < 0.05 && far.place(2_000.0) > 0.95);
        assert_eq!(far.ticks(), [10.0, 30.0, 100.0, 300.0, 1_000.0]);
    }

    #[test]
    fn figures_that_are_all_zero_have_an_axis() {
        assert_eq!(Scale::fitting(&[0.0, 0.0]).place(0.0), 0.0);
        assert_eq!(Scale::linear(&[]).place(0.0), 0.0);
    }
}
