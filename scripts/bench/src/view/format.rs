//! Numbers with their units.

use crate::model::Estimate;

/// `184,300`: three significant digits or more, thousands apart.
#[must_use]
pub fn count(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if number < 0.0 {
        format!("-{grouped}")
    } else {
        grouped
    }
}

/// `184,300 ± 1.2 %`.
#[must_use]
pub fn count_with_interval(estimate: &Estimate) -> String {
    format!("{}{}", count(estimate.median), relative(estimate))
}

/// `7.61 ± 1.2 %`.
#[must_use]
pub fn micros_with_interval(estimate: &Estimate) -> String {
    format!("{}{}", micros(estimate.median), relative(estimate))
}

fn relative(estimate: &Estimate) -> String {
    let half = estimate.half_width().filter(|_| estimate.median > 0.0);
    half.map(|half| format!(" ± {}", percent(half / estimate.median)))
        .unwrap_or_default()
}

/// `0.61`, `7.61`, `76.1`, `761`, `7,610`: microseconds, three digits.
#[must_use]
pub fn micros(microseconds: f64) -> String {
    match microseconds {
        x if x < 10.0 => format!("{x:.2}"),
        x if x < 100.0 => format!("{x:.1}"),
        x => count(x),
    }
}

/// `640 µs`, `1.31 ms`, `2.4 s`.
#[must_use]
pub fn time(microseconds: f64) -> String {
    match microseconds {
        x if x < 1000.0 => format!("{x:.0} µs"),
        x if x < 10_000.0 => format!("{:.2} ms", x / 1e3),
        x if x < 1e6 => format!("{:.0} ms", x / 1e3),
        x => format!("{:.1} s", x / 1e6),
    }
}

/// `3.4 MiB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        x if x < 1024.0 => format!("{bytes} B"),
        x if x < 1_048_576.0 => format!("{:.0} KiB", x / 1024.0),
        x => format!("{:.1} MiB", x / 1_048_576.0),
    }
}

/// `1.2 %` of a share.
#[must_use]
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        x if x.abs() < 10.0 => format!("{x:.1} %"),
        x => format!("{x:.0} %"),
    }
}

/// `1.42 ± 0.05`.
#[must_use]
pub fn ratio(estimate: &Estimate) -> String {
    match estimate.half_width() {
        Some(half) => format!("{:.2} ± {half:.2}", estimate.median),
        None => format!("{:.2}", estimate.median),
    }
}

/// `1 round`, `3 rounds`.
#[must_use]
pub fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{} {what}s", count(n as f64)),
    }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        assert_eq!(count(184_300.4), "184,300");
        assert_eq!(count(999.0), "999");
        assert_eq!(
            (micros(7.614), micros(76.14), micros(7614.0)),
            ("7.61".into(), "76.1".into(), "7,614".into())
        );
        assert_eq!(
            (time(640.0), time(1310.0), time(2_400_000.0)),
            ("640 µs".into(), "1.31 ms".into(), "2.4 s".into())
        );
        assert_eq!(bytes(3_565_158), "3.4 MiB");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(
            (counted(1, "round"), counted(3, "round")),
            ("1 round".into(), "3 rounds".into())
        );
        let estimate = Estimate {
            median: 1.42,
            low: Some(1.37),
            high: Some(1.47),
            confidence: Some(0.95),
        };
        assert_eq!(ratio(&estimate), "1.42 ± 0.05");
    }
}
