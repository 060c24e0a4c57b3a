//! Values with a unit.

use std::time::Duration;

/// `2`, `2s`, `500ms`, `1m`: seconds unless it says otherwise.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        _ => return Err(format!("`{text}` is not a duration: write 2s, 500ms or 1m")),
    };
    let seconds = number
        .parse::<f64>()
        .map_err(|_| format!("`{text}` is not a duration: write 2s, 500ms or 1m"))?;
    Duration::try_from_secs_f64(seconds * scale).map_err(|_| format!("`{text}` is too long"))
}

/// As [`duration`], but not nothing.
pub(super) fn some_duration(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("it has to be longer than 0".into()),
        some => Ok(some),
    }
}

/// `3%` or `3`: percent, more than 0.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%');
    match number.trim().parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent.is_finite() => Ok(percent),
        _ => Err(format!("`{text}` is not a percentage above 0: write 3%")),
    }
}

/// `/`, `/a?b=c`: what stands in a request line (RFC 9112, section 3.2.1).
pub(super) fn path(text: &str) -> Result<String, String> {
    if text.starts_with('/') && text.chars().all(|c| c.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "`{text}` is no path: it begins with / and has no spaces"
        ))
    }
}

/// `60`: degrees Celsius.
pub(super) fn celsius(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches("°C").trim_end().parse::<f64>() {
        Ok(celsius) if celsius > 0.0 && celsius < 150.0 => Ok(celsius),
        _ => Err(format!(
            "`{text}` is no temperature of a running machine: write 60"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("2"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        for wrong in ["", "s", "2h", "-1", "1e99"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(some_duration("0").is_err());
    }

    #[test]
    fn temperatures() {
        assert_eq!(celsius("60"), Ok(60.0));
        assert_eq!(celsius("60 °C"), Ok(60.0));
        for wrong in ["", "0", "-5", "1000", "hot"] {
            assert!(celsius(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn percentages() {
        assert_eq!(percent("3%"), Ok(3.0));
        assert_eq!(percent("0.5"), Ok(0.5));
        for wrong in ["", "0", "-1%", "x%", "inf"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
