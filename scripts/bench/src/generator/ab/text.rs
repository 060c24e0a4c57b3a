//! Reads what ab prints.

use crate::model::{AbFigures, ConnectionTimes, MinMeanMedianMax, Percentile};
use anyhow::{Context, bail, ensure};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Labels that ab 2.3 puts before a colon.
const LABELS: [&str; 24] = [
    "Server Software",
    "Server Hostname",
    "Server Port",
    "Document Path",
    "Document Length",
    "Concurrency Level",
    "Time taken for tests",
    "Complete requests",
    "Failed requests",
    "(Connect",
    "Write errors",
    "Non-2xx responses",
    "Keep-Alive requests",
    "Total transferred",
    "Total body sent",
    "HTML transferred",
    "Requests per second",
    "Time per request",
    "Transfer rate",
    "Connect",
    "Processing",
    "Waiting",
    "Total",
    "SSL/TLS Protocol",
];

/// Lines that say nothing: their beginnings.
const TALK: [&str; 14] = [
    "This is ApacheBench, Version 2.3",
    "Copyright 1996",
    "Licensed to The Apache",
    "Benchmarking ",
    "Completed ",
    "Finished ",
    "Connection Times (ms)",
    "min mean[+/-sd] median max",
    "Percentage of the requests served",
    "WARNING: The median and mean",
    "ERROR: The median and mean",
    "These results are",
    "apart. These results",
    "..done",
];

/// One block of ab's text, wrapped or padded in any way.
///
/// # Errors
/// When a line is missing, unknown or not what it should be.
pub fn parse(text: &str) -> anyhow::Result<AbFigures> {
    ensure!(
        text.contains("This is ApacheBench, Version 2.3"),
        "this is not the text of ab 2.3"
    );
    let lines = Lines::of(text)?;
    let failed = lines
        .values
        .get("(Connect")
        .map(|values| kinds(&values[0]))
        .transpose()?;
    Ok(AbFigures {
        server_software: lines
            .words("Server Software")?
            .first()
            .map(|_| lines.values["Server Software"][0].clone()),
        hostname: lines.number("Server Hostname")?,
        port: lines.number("Server Port")?,
        path: lines.number("Document Path")?,
        document_bytes: document_bytes(&lines)?,
        concurrency: lines.number("Concurrency Level")?,
        elapsed_s: lines.number("Time taken for tests")?,
        complete: lines.number("Complete requests")?,
        failed: lines.number("Failed requests")?,
        failed_connect: failed.map(|kinds| kinds[0]),
        failed_receive: failed.map(|kinds| kinds[1]),
        failed_length: failed.map(|kinds| kinds[2]),
        failed_exceptions: failed.map(|kinds| kinds[3]),
        write_errors: lines.optional("Write errors")?,
        non_2xx: lines.optional("Non-2xx responses")?,
        keepalive: lines.optional("Keep-Alive requests")?,
        transferred_bytes: lines.number("Total transferred")?,
        html_bytes: lines.number("HTML transferred")?,
        requests_per_second: lines.number("Requests per second")?,
        request_ms: lines.number("Time per request")?,
        request_across_all_ms: lines.nth("Time per request", 1)?,
        transfer_kbytes_per_second: lines.number("Transfer rate")?,
        connection_times_ms: connection_times(&lines)?,
        percentiles_ms: lines.percentiles,
    })
}

/// The text by its labels.
struct Lines {
    values: BTreeMap<&'static str, Vec<String>>,
    percentiles: Vec<Percentile>,
}

impl Lines {
    fn of(text: &str) -> anyhow::Result<Self> {
        let mut lines = Self {
            values: BTreeMap::new(),
            percentiles: Vec::new(),
        };
        for line in text.lines() {
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            if line.is_empty() || TALK.iter().any(|talk| line.starts_with(talk)) {
                continue;
            }
            if let Some(percentile) = percentile(&line) {
                lines.percentiles.push(percentile);
            } else {
                lines.labelled(&line)?;
            }
        }
        Ok(lines)
    }

    fn labelled(&mut self, line: &str) -> anyhow::Result<()> {
        let (label, value) = line
            .split_once(':')
            .with_context(|| format!("ab printed an unknown line: {line}"))?;
        let known = LABELS.iter().find(|known| **known == label);
        let known = known.with_context(|| format!("ab printed an unknown line: {line}"))?;
        self.values
            .entry(known)
            .or_default()
            .push(value.trim().to_owned());
        Ok(())
    }

    fn words(&self, label: &str) -> anyhow::Result<Vec<&str>> {
        let values = self
            .values
            .get(label)
            .with_context(|| format!("ab did not print `{label}`"))?;
        Ok(values[0]
            .split(' ')
            .filter(|word| !word.is_empty())
            .collect())
    }

    /// First word of the label's n-th line.
    fn nth<T: FromStr>(&self, label: &str, n: usize) -> anyhow::Result<T> {
        let line = self.values.get(label).and_then(|values| values.get(n));
        let line = line.with_context(|| format!("ab did not print `{label}`"))?;
        let word = line.split(' ').next().unwrap_or_default();
        word.parse()
            .map_err(|_| anyhow::anyhow!("ab printed `{label}: {line}`, which cannot be read"))
    }

    fn number<T: FromStr>(&self, label: &str) -> anyhow::Result<T> {
        self.nth(label, 0)
    }

    fn optional<T: FromStr>(&self, label: &str) -> anyhow::Result<Option<T>> {
        self.values
            .contains_key(label)
            .then(|| self.number(label))
            .transpose()
    }

    fn times(&self, label: &str) -> anyhow::Result<MinMeanMedianMax> {
        let numbers: Vec<f64> = self
            .words(label)?
            .iter()
            .filter_map(|word| word.parse().ok())
            .collect();
        match numbers[..] {
            [min, mean, stdev, median, max] => Ok(MinMeanMedianMax {
                min,
                mean,
                stdev,
                median,
                max,
            }),
            _ => bail!(
                "ab printed `{label}: {}`, which cannot be read",
                self.values[label][0]
            ),
        }
    }
}

fn document_bytes(lines: &Lines) -> anyhow::Result<Option<u64>> {
    match lines.words("Document Length")?.first() {
        Some(&"Variable") => Ok(None),
        _ => lines.number("Document Length").map(Some),
    }
}

fn connection_times(lines: &Lines) -> anyhow::Result<Option<ConnectionTimes>> {
    if !lines.values.contains_key("Processing") {
        return Ok(None);
    }
    Ok(Some(ConnectionTimes {
        connect: lines.times("Connect")?,
        processing: lines.times("Processing")?,
        waiting: lines.times("Waiting")?,
        total: lines.times("Total")?,
    }))
}

/// ` 50%      2` and `100%      6 (longest request)`.
fn percentile(line: &str) -> Option<Percentile> {
    let (percent, rest) = line.split_once('%')?;
    let value = rest.trim().split(' ').next()?.parse().ok()?;
    Some(Percentile {
        percent: percent.parse().ok()?,
        value,
    })
}

/// `(Connect: 0, Receive: 0, Length: 99, Exceptions: 0)` without its first label.
fn kinds(value: &str) -> anyhow::Result<[u64; 4]> {
    let unreadable = || format!("ab printed `(Connect: {value}`, which cannot be read");
    let inner = value.strip_suffix(')').with_context(unreadable)?;
    let mut numbers = [0; 4];
    let names = ["Connect", "Receive", "Length", "Exceptions"];
    let parts: Vec<&str> = inner.split(", ").collect();
    ensure!(parts.len() == names.len(), unreadable());
    for ((part, name), number) in parts.iter().zip(names).zip(&mut numbers) {
        let digits = part
            .strip_prefix(&format!("{name}: "))
            .unwrap_or(if name == "Connect" { part } else { "" });
        *number = digits.parse().with_context(unreadable)?;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("text/ab-2.3.txt");

    #[test]
    fn every_line_of_ab_is_read() {
        let figures = parse(TEXT).unwrap();
        assert_eq!((figures.complete, figures.failed), (200, 107));
        let kinds = [
            figures.failed_connect,
            figures.failed_receive,
            figures.failed_length,
            figures.failed_exceptions,
        ];
        assert_eq!(kinds, [Some(1), Some(2), Some(99), Some(5)]);
        assert_eq!(
            (figures.write_errors, figures.non_2xx, figures.keepalive),
            (Some(3), Some(4), Some(150))
        );
        assert_eq!(
            (figures.transferred_bytes, figures.html_bytes),
            (98_400, 58_200)
        );
        assert_eq!(
            (figures.request_ms, figures.request_across_all_ms),
            (2.332, 0.583)
        );
        assert_eq!(figures.connection_times_ms.unwrap().processing.stdev, 0.9);
        assert_eq!(
            figures.percentiles_ms.last(),
            Some(&Percentile {
                percent: 100.0,
                value: 6.0
            })
        );
    }

    #[test]
    fn padding_does_not_matter() {
        let squeezed: Vec<String> = TEXT
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(parse(&squeezed.join("\n")).unwrap(), parse(TEXT).unwrap());
    }

    #[test]
    fn a_changed_format_is_an_error_not_a_zero() {
        for (old, new) in [
            ("Complete requests:", "Completed requests:"),
            ("Complete requests:      200", ""),
            (
                "Requests per second:    1715.56",
                "Requests per second:    fast",
            ),
            ("Length: 99", "Size: 99"),
            (
                "Processing:     0    2   0.9      2       6",
                "Processing:     0    2   0.9      2",
            ),
            ("Version 2.3", "Version 3.0"),
        ] {
            assert!(parse(&TEXT.replace(old, new)).is_err(), "{old} -> {new}");
        }
    }
}
