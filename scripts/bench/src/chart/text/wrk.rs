//! One block of wrk's text, word by word: line breaks and padding do not matter, every word does.

use crate::model::{MeanSpread, Percentile, SocketErrors, WrkFigures};
use anyhow::{Context, bail, ensure};

/// Whether a block begins here: `Running 1m test @ URL`.
pub(super) fn begins(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    matches!(words[..], ["Running", _, "test", "@"])
}

/// The figures of the block that `text` begins with, and its length.
///
/// # Errors
/// When a word is not the one that wrk 4 prints there.
pub(super) fn parse(text: &str) -> anyhow::Result<(WrkFigures, usize)> {
    let mut words = Words { text, at: 0 };
    words.expect("Running")?;
    let duration_s = Some(words.time_us()? / 1e6);
    words.expect("test @")?;
    let url = Some(words.next()?.to_owned());
    let threads = words.whole()?;
    words.expect("threads and")?;
    let connections = words.whole()?;
    words.expect("connections Thread Stats Avg Stdev Max +/- Stdev Latency")?;
    let latency_us = words.spread(Words::time_us)?;
    words.expect("Req/Sec")?;
    let thread_requests_per_second = words.spread(Words::metric)?;
    let latency_distribution_us = words.distribution()?;
    let requests = words.whole()?;
    words.expect("requests in")?;
    let elapsed_s = words.time_us()? / 1e6;
    let read_bytes = words.bytes()?;
    words.expect("read")?;
    let socket_errors = words.socket_errors()?;
    let non_2xx_or_3xx = words.non_2xx_or_3xx()?;
    words.expect("Requests/sec:")?;
    let requests_per_second = words.number()?;
    words.expect("Transfer/sec:")?;
    let transfer_bytes_per_second = words.bytes()?;
    let figures = WrkFigures {
        duration_s,
        url,
        threads,
        connections,
        latency_us,
        thread_requests_per_second,
        latency_distribution_us,
        requests,
        elapsed_s,
        read_bytes,
        socket_errors,
        non_2xx_or_3xx,
        requests_per_second,
        transfer_bytes_per_second,
    };
    Ok((figures, words.at))
}

/// The text, word by word.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn peek(&self) -> &'a str {
        self.text[self.at..]
            .split_whitespace()
            .next()
            .unwrap_or_default()
    }

    fn next(&mut self) -> anyhow::Result<&'a str> {
        let word = self.peek();
        ensure!(!word.is_empty(), "wrk's text ends too early");
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len() + word.len();
        Ok(word)
    }

    fn expect(&mut self, words: &str) -> anyhow::Result<()> {
        for expected in words.split(' ') {
            let word = self.next()?;
            ensure!(
                word == expected,
                "wrk's text: `{expected}` expected, found `{word}`"
            );
        }
        Ok(())
    }

    /// A number and its unit; wrk prints `us`, `ms`, `s`, `m`, `h` for times, `k`, `M`, `G` for counts, `KB`, … for bytes.
    fn with_unit(&mut self) -> anyhow::Result<(f64, &'a str)> {
        let word = self.next()?.trim_end_matches(',');
        let digits = word
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(word.len());
        let number = word[..digits]
            .parse()
            .with_context(|| format!("wrk's text: a number expected, found `{word}`"))?;
        Ok((number, &word[digits..]))
    }

    fn scaled(&mut self, units: &[(&str, f64)]) -> anyhow::Result<f64> {
        let (number, unit) = self.with_unit()?;
        match units.iter().find(|(name, _)| *name == unit) {
            // A product of decimals is not rounded to the nearest decimal: 8.45 x 1,024 x 1,024 is 8,860,467.2.
            Some((_, scale)) => Ok((number * scale * 1000.0).round() / 1000.0),
            None => bail!("wrk's text: unknown unit `{unit}`"),
        }
    }

    fn time_us(&mut self) -> anyhow::Result<f64> {
        self.scaled(&[
            ("us", 1.0),
            ("ms", 1e3),
            ("s", 1e6),
            ("m", 60e6),
            ("h", 3600e6),
        ])
    }

    fn metric(&mut self) -> anyhow::Result<f64> {
        self.scaled(&[("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)])
    }

    fn bytes(&mut self) -> anyhow::Result<f64> {
        const KB: f64 = 1024.0;
        self.scaled(&[
            ("B", 1.0),
            ("KB", KB),
            ("MB", KB * KB),
            ("GB", KB * KB * KB),
            ("TB", KB * KB * KB * KB),
        ])
    }

    fn number(&mut self) -> anyhow::Result<f64> {
        self.scaled(&[("", 1.0)])
    }

    fn percent(&mut self) -> anyhow::Result<f64> {
        self.scaled(&[("%", 1.0)])
    }

    fn whole<T: std::str::FromStr>(&mut self) -> anyhow::Result<T> {
        let word = self.next()?.trim_end_matches(',');
        word.parse()
            .map_err(|_| anyhow::anyhow!("wrk's text: a whole number expected, found `{word}`"))
    }

    fn spread(
        &mut self,
        figure: fn(&mut Self) -> anyhow::Result<f64>,
    ) -> anyhow::Result<MeanSpread> {
        Ok(MeanSpread {
            mean: figure(self)?,
            stdev: figure(self)?,
            max: figure(self)?,
            within_stdev_percent: self.percent()?,
        })
    }

    /// With `--latency`.
    fn distribution(&mut self) -> anyhow::Result<Vec<Percentile>> {
        let mut percentiles = Vec::new();
        if self.peek() == "Latency" {
            self.expect("Latency Distribution")?;
            while self.peek().ends_with('%') {
                percentiles.push(Percentile {
                    percent: self.percent()?,
                    value: self.time_us()?,
                });
            }
        }
        Ok(percentiles)
    }

    fn socket_errors(&mut self) -> anyhow::Result<Option<SocketErrors>> {
        if self.peek() != "Socket" {
            return Ok(None);
        }
        let mut errors = SocketErrors::default();
        self.expect("Socket errors: connect")?;
        errors.connect = self.whole()?;
        self.expect("read")?;
        errors.read = self.whole()?;
        self.expect("write")?;
        errors.write = self.whole()?;
        self.expect("timeout")?;
        errors.timeout = self.whole()?;
        Ok(Some(errors))
    }

    fn non_2xx_or_3xx(&mut self) -> anyhow::Result<Option<u64>> {
        if self.peek() != "Non-2xx" {
            return Ok(None);
        }
        self.expect("Non-2xx or 3xx responses:")?;
        self.whole().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Running 10s test @ http://127.0.0.1:3000
  4 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.31ms  533.41us   1.93s    90.57%
    Req/Sec    76.67k     9.04k   86.46k    84.25%
  Latency Distribution
     50%    1.15ms
     99%    2.94ms
  3052064 requests in 10.02s, 462.80MB read
  Socket errors: connect 0, read 135, write 1, timeout 28
  Non-2xx or 3xx responses: 7
Requests/sec: 304601.19
Transfer/sec:     46.19MB
and more";

    #[test]
    fn every_figure_of_a_block_is_read() {
        let (wrk, length) = parse(TEXT).unwrap();
        assert_eq!(&TEXT[length..], "\nand more");
        assert_eq!(
            (wrk.duration_s, wrk.threads, wrk.connections),
            (Some(10.0), 4, 400)
        );
        let latency = MeanSpread {
            mean: 1310.0,
            stdev: 533.41,
            max: 1_930_000.0,
            within_stdev_percent: 90.57,
        };
        assert_eq!(wrk.latency_us, latency);
        assert_eq!(wrk.thread_requests_per_second.mean, 76_670.0);
        assert_eq!(
            wrk.latency_distribution_us[1],
            Percentile {
                percent: 99.0,
                value: 2940.0
            }
        );
        assert_eq!(
            (wrk.requests, wrk.elapsed_s, wrk.read_bytes),
            (3_052_064, 10.02, 485_280_972.8)
        );
        assert_eq!(
            wrk.socket_errors,
            Some(SocketErrors {
                connect: 0,
                read: 135,
                write: 1,
                timeout: 28
            })
        );
        assert_eq!(
            (wrk.non_2xx_or_3xx, wrk.requests_per_second),
            (Some(7), 304_601.19)
        );
        assert_eq!(wrk.transfer_bytes_per_second, 48_433_725.44);
    }

    #[test]
    fn line_breaks_do_not_matter() {
        let one_line = TEXT.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(parse(&one_line).unwrap().0, parse(TEXT).unwrap().0);
    }

    #[test]
    fn a_changed_format_is_an_error_not_a_zero() {
        for (old, new) in [
            ("Stdev     Max", "Max     Stdev"),
            ("1.93s", "1.93days"),
            ("3052064 requests", "many requests"),
            ("timeout 28", "timeouts 28"),
            ("Requests/sec: 304601.19", ""),
            ("90.57%", "90.57"),
        ] {
            assert!(parse(&TEXT.replace(old, new)).is_err(), "{old} -> {new}");
        }
    }
}
