//! Requests under way, sampled evenly over a run of unknown length.

/// Samples that are kept, at most.
const MOST: usize = 200;
/// Nanoseconds between the first samples; twice as long each time that there are too many.
const SHORTEST: u64 = 10_000_000;

/// Evenly spaced samples. All threads start at the same time, so samples of the same index belong together.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    interval: u64,
    values: Vec<u64>,
}

impl Samples {
    pub(crate) fn new() -> Self {
        Self {
            interval: SHORTEST,
            values: Vec::with_capacity(MOST),
        }
    }

    /// Takes the value for every sample that is due `elapsed` nanoseconds after the start. The first one is
    /// due an interval after it, when connections have been opened.
    pub(crate) fn take(&mut self, elapsed: u64, value: u64) {
        while (self.values.len() as u64 + 1) * self.interval <= elapsed {
            if self.values.len() == MOST {
                self.thin_out();
            } else {
                self.values.push(value);
            }
        }
    }

    /// Leaves every other sample out, the first one too.
    fn thin_out(&mut self) {
        let mut keep = true;
        self.values.retain(|_| {
            keep = !keep;
            keep
        });
        self.interval *= 2;
    }

    /// Adds another thread's, which ran at the same time.
    pub(crate) fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        while self.interval < other.interval {
            self.thin_out();
        }
        while other.interval < self.interval {
            other.thin_out();
        }
        if self.values.len() < other.values.len() {
            self.values.resize(other.values.len(), 0);
        }
        for (value, more) in self.values.iter_mut().zip(&other.values) {
            *value += more;
        }
    }

    /// Mean of the samples, 0 where there is none.
    pub(crate) fn mean(&self) -> f64 {
        self.values.iter().sum::<u64>() as f64 / self.values.len().max(1) as f64
    }

    /// Every sample with its time in seconds.
    pub(crate) fn by_time(&self) -> impl Iterator<Item = (f64, u64)> {
        let seconds = self.interval as f64 / 1e9;
        let times = (1..).map(move |count| f64::from(count) * seconds);
        times.zip(self.values.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_thinned_out() {
        let mut samples = Samples::new();
        for step in 1..=1000 {
            samples.take(step * SHORTEST, step);
        }
        assert!(samples.values.len() <= MOST && samples.values.len() > MOST / 2);
        let spacing = samples.interval / SHORTEST;
        for (index, value) in samples.values.iter().enumerate() {
            assert_eq!(*value, (index as u64 + 1) * spacing);
        }
    }

    #[test]
    fn threads_add_up() {
        let mut long = Samples::new();
        let mut short = Samples::new();
        for step in 1..=300 {
            long.take(step * SHORTEST, 2);
            if step <= 100 {
                short.take(step * SHORTEST, 1);
            }
        }
        let mut merged = Samples::new();
        merged.merge(&short);
        merged.merge(&long);
        assert_eq!(merged.values[..50], [3; 50]);
        assert_eq!(merged.values[50..], [2; 100]);
        assert_eq!(merged.by_time().nth(1), Some((0.04, 3)));
    }
}
