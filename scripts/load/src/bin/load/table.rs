//! The report for people.

use std::fmt::Write;

use load::{Errors, Latency, Mode, Rate, Report};

/// The whole report, a line a figure.
pub(crate) fn text(report: &Report) -> String {
    let mut lines = vec![title(report), String::new()];
    lines.push(line("requests", &thousands(report.requests)));
    lines.push(line("responses", &thousands(report.responses)));
    lines.push(line("errors", &errors(&report.errors)));
    lines.push(line("requests/s", &per_second(report)));
    if let Some(figures) = &report.latency {
        lines.extend(latency(figures));
    }
    if let Some(figures) = &report.rate {
        lines.extend(rate(figures));
    }
    lines.push(line("in flight", &in_flight(report)));
    lines.push(line("generator", &generator(report)));
    if let Some(first) = &report.first_response {
        let bytes = format!(
            "{} B sent, {} B received",
            first.request_bytes, first.response_bytes
        );
        lines.push(line("per request", &bytes));
    }
    if let Some(closes) = report.server_closes {
        lines.push(line(
            "server closes",
            if closes {
                "yes"
            } else {
                "no: it ignores `Connection: close`"
            },
        ));
    }
    if report.connections_ended_by_server > 0 {
        let count = format!(
            "{} connections",
            thousands(report.connections_ended_by_server)
        );
        lines.push(line("server ended", &count));
    }
    if report.differing_heads > 0 {
        let count = format!(
            "{} with another head than the first",
            thousands(report.differing_heads)
        );
        lines.push(line("right responses", &count));
    }
    if report.interrupted {
        lines.push(line(
            "interrupted",
            "yes: the figures cover what was done so far",
        ));
    }
    lines.join("\n") + "\n"
}

fn title(report: &Report) -> String {
    let settings = &report.settings;
    let mode = match settings.mode {
        Mode::KeepAlive => "keep-alive".into(),
        Mode::Close => "one request per connection".into(),
        Mode::Pipeline(depth) => format!("pipelined {depth} deep"),
    };
    let plural = |count: usize, name: &str| match count {
        1 => format!("1 {name}"),
        _ => format!("{} {name}s", thousands(count as u64)),
    };
    format!(
        "{} ({}): {}, {}, {mode}, {:.1} s",
        settings.url,
        settings.address,
        plural(settings.connections, "connection"),
        plural(settings.threads, "thread"),
        report.duration_seconds
    )
}

fn line(name: &str, value: &str) -> String {
    format!("{name:<16} {value}")
}

fn errors(errors: &Errors) -> String {
    let classes = errors.by_class();
    let found: Vec<_> = classes
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{name} {}", thousands(*count)))
        .collect();
    match found.len() {
        0 => "0".into(),
        _ => format!("{} ({})", thousands(errors.total()), found.join(", ")),
    }
}

fn per_second(report: &Report) -> String {
    thousands(report.requests_per_second.round() as u64)
}

fn latency(figures: &Latency) -> Vec<String> {
    let rows = [
        ("mean", figures.mean_us),
        ("p50", figures.p50_us as f64),
        ("p75", figures.p75_us as f64),
        ("p90", figures.p90_us as f64),
        ("p99", figures.p99_us as f64),
        ("p99.9", figures.p99_9_us as f64),
        ("p99.99", figures.p99_99_us as f64),
        ("max", figures.max_us as f64),
    ];
    let mut lines = vec![format!("{}:", figures.kind.label())];
    lines.extend(rows.map(|(name, value)| line(&format!("  {name}"), &time(value))));
    lines
}

fn rate(figures: &Rate) -> Vec<String> {
    let mut rate = format!(
        "{:.1} of {:.1} requests/s left in time",
        figures.reached, figures.asked
    );
    if figures.unsent > 0 {
        let _ = write!(rate, "; {} never left", thousands(figures.unsent));
    }
    let late = format!(
        "p50 {}, p99 {}, max {}",
        time(figures.late_p50_us as f64),
        time(figures.late_p99_us as f64),
        time(figures.late_max_us as f64)
    );
    vec![line("rate", &rate), line("late by", &late)]
}

fn in_flight(report: &Report) -> String {
    let figures = &report.in_flight;
    let mut text = format!(
        "{:.1} of {} on average",
        figures.mean,
        thousands(figures.possible)
    );
    if let Some(served) = figures.served_mean {
        let _ = write!(text, ", {served:.1} by rate and latency");
    }
    if figures.connections_unserved > 0 {
        let _ = write!(
            text,
            "; {} connections got no response",
            thousands(figures.connections_unserved)
        );
    }
    text
}

fn generator(report: &Report) -> String {
    let cpu = &report.cpu;
    let mut text = format!(
        "{:.0} % of its CPU time",
        cpu.share(report.duration_seconds) * 100.0
    );
    if report.measured_responses > 0 {
        let each = cpu.seconds() * 1e6 / report.measured_responses as f64;
        let _ = write!(text, ", {each:.2} µs per request");
    }
    if let Some(stolen) = cpu.stolen_seconds.filter(|stolen| *stolen > 0.0) {
        let _ = write!(text, "; {stolen:.2} s stolen from the machine");
    }
    text
}

/// Microseconds in the unit that fits.
fn time(microseconds: f64) -> String {
    match microseconds {
        ..1e3 => format!("{microseconds:.0} µs"),
        ..1e6 => format!("{:.2} ms", microseconds / 1e3),
        _ => format!("{:.2} s", microseconds / 1e6),
    }
}

/// A number with a comma between each three digits.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(time(12.0), "12 µs");
        assert_eq!(time(1_500.0), "1.50 ms");
        assert_eq!(time(2_500_000.0), "2.50 s");
    }
}
