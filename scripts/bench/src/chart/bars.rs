//! Bars of text: a square stands for a round number of requests per second.

use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// No bar is longer than this many squares.
const LONGEST: u64 = 62;

/// What a square may stand for, times a power of ten.
const STEPS: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.5];

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bar {
    /// What it shows.
    pub(super) label: String,
    /// Requests per second.
    pub(super) rate: f64,
    /// What limited it; empty for figures that do not say.
    pub(super) limit: String,
    /// The figure that a document gives for the same load: drawn under it.
    pub(super) published: Option<f64>,
}

/// Bars that may be compared, under a heading.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Its heading, without the colon.
    pub(super) heading: String,
    /// Its bars.
    pub(super) bars: Vec<Bar>,
    /// What has no bar, and why.
    pub(super) notes: Vec<String>,
}

/// How to tell a published bar from today's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// By an open square alone.
    Plain,
    /// Dimmed as well.
    Terminal,
}

/// Requests per second for each square: the smallest step with which the largest rate stays within 62 squares.
pub(super) fn square(rates: impl Iterator<Item = f64>) -> f64 {
    let largest = rates.fold(0.0, f64::max);
    if largest <= 0.0 {
        return 1.0;
    }
    // The result lies above largest / 63, so its power of ten is known but for one.
    let first = (largest / (LONGEST + 1) as f64).log10().floor() as i32;
    (first..)
        .flat_map(|power| STEPS.map(|step| step * 10f64.powi(power)))
        .find(|step| squares(largest, *step) <= LONGEST)
        .unwrap_or(largest)
}

/// Whole squares of a rate.
fn squares(rate: f64, square: f64) -> u64 {
    (rate / square) as u64
}

/// Draws a group, the largest rate first.
pub(super) fn draw(group: &Group, square: f64, style: Style) -> String {
    let mut bars: Vec<&Bar> = group.bars.iter().collect();
    bars.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    let label_width = bars.iter().map(|bar| bar.label.width()).max().unwrap_or(0);
    let rate_width = bars
        .iter()
        .map(|bar| format!("{:.1}", bar.rate).len())
        .max()
        .unwrap_or(0)
        .max(5);

    let mut text = format!("{}:\n\n", group.heading);
    for bar in bars {
        let squares =
            |rate, glyph: &str| glyph.repeat(usize::try_from(squares(rate, square)).unwrap_or(0));
        let indent = " ".repeat(label_width - bar.label.width());
        let line = format!(
            "{indent}{}: {:>rate_width$.1} {}",
            bar.label,
            bar.rate,
            squares(bar.rate, "■")
        );
        let _ = writeln!(
            text,
            "{}",
            if bar.limit.is_empty() {
                line
            } else {
                format!("{line} {}", bar.limit)
            }
        );
        if let Some(rate) = bar.published {
            let line = format!(
                "{:>label_width$}: {rate:>rate_width$.1} {}",
                "published",
                squares(rate, "□")
            );
            let _ = writeln!(text, "{}", dimmed(line.trim_end(), style));
        }
    }
    for note in &group.notes {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn dimmed(line: &str, style: Style) -> String {
    match style {
        Style::Plain => line.to_owned(),
        Style::Terminal => format!("\u{1b}[2m{line}\u{1b}[0m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, rate: f64) -> Bar {
        Bar {
            label: label.into(),
            rate,
            limit: String::new(),
            published: None,
        }
    }

    #[test]
    fn a_square_is_the_smallest_step_with_which_no_bar_is_longer_than_62() {
        let square = |rate: f64| square([rate, rate / 2.0].into_iter());
        assert_eq!(square(929.98), 15.0);
        assert_eq!(square(62.9), 1.0);
        assert_eq!(square(63.0), 1.5);
        assert_eq!(square(30.0), 0.5);
        assert_eq!(square(304_601.19), 5_000.0);
        assert_eq!(square(470_000.0), 7_500.0);
        assert_eq!(square(480_000.0), 10_000.0);
        assert_eq!(square(0.0), 1.0);
    }

    #[test]
    fn bars_are_sorted_aligned_and_rounded_down() {
        let bars = vec![
            bar("b (10 thr)", 44.99),
            bar("long name ( 2 thr)", 929.98),
            bar("c ( 2 thr)", 14.9),
        ];
        let group = Group {
            heading: "All".into(),
            bars,
            notes: vec![],
        };
        let expected = format!(
            "All:\n\nlong name ( 2 thr): 930.0 {}\n        b (10 thr):  45.0 ■■\n        c ( 2 thr):  14.9 \n",
            "■".repeat(61)
        );
        assert_eq!(draw(&group, 15.0, Style::Plain), expected);
    }

    #[test]
    fn a_bar_ends_with_its_limit_and_stands_over_the_published_one() {
        let bar = Bar {
            limit: "server".into(),
            published: Some(31.0),
            ..bar("x ( 2 thr)", 60.0)
        };
        let group = Group {
            heading: "All".into(),
            bars: vec![bar],
            notes: vec!["y: skipped".into()],
        };
        assert_eq!(
            draw(&group, 15.0, Style::Plain),
            "All:\n\nx ( 2 thr):  60.0 ■■■■ server\n published:  31.0 □□\ny: skipped\n"
        );
        assert!(
            draw(&group, 15.0, Style::Terminal)
                .contains("\u{1b}[2m published:  31.0 □□\u{1b}[0m\n")
        );
    }
}
