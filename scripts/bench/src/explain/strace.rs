//! Reads what `strace -f -ttt -T -y -a 1` writes.
//!
//! A call that another process or thread interrupts takes two lines: `name(… <unfinished ...>` and
//! `<... name resumed>…`. They are one [`Call`] here.

use std::collections::HashMap;

/// A system call that has returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The process or thread.
    pub pid: i32,
    /// When it was entered: seconds since 1970.
    pub at_s: f64,
    /// How long it took, in seconds.
    pub took_s: f64,
    /// Its name.
    pub name: String,
    /// Its arguments, as strace shows them.
    pub args: String,
    /// What it returned; -1 for an error, `None` where there is no value (`exit`, a restarted call).
    pub value: Option<i64>,
    /// Name of the error.
    pub error: Option<String>,
    /// What the descriptor that it returned stands for: `socket:[4805656]`.
    pub opened: Option<String>,
}

/// What a call does to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Takes bytes from it.
    Read,
    /// Gives bytes to it.
    Write,
    /// Accepts one.
    Accept,
    /// Ends it, or one direction of it.
    Close,
    /// Nothing of these.
    Other,
}

impl Call {
    /// When it returned: seconds since 1970.
    #[must_use]
    pub fn returned_s(&self) -> f64 {
        self.at_s + self.took_s
    }

    /// What it does to a connection.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.name.as_str() {
            "read" | "readv" | "recv" | "recvfrom" | "recvmsg" => Kind::Read,
            "write" | "writev" | "send" | "sendto" | "sendmsg" | "sendfile" | "sendfile64" => {
                Kind::Write
            }
            "accept" | "accept4" => Kind::Accept,
            "close" | "shutdown" => Kind::Close,
            _ => Kind::Other,
        }
    }

    /// What the descriptor in its first argument stands for: a path, `socket:[4805656]`, `anon_inode:[eventpoll]`.
    #[must_use]
    pub fn object(&self) -> Option<&str> {
        object(&self.args)
    }

    /// Whether its buffer begins like this, as far as strace shows it.
    #[must_use]
    pub fn begins_with(&self, text: &str) -> bool {
        self.args
            .split_once('"')
            .is_some_and(|(_, buffer)| buffer.starts_with(text))
    }

    /// Whether it came back because there was nothing for it.
    #[must_use]
    pub fn found_nothing(&self) -> bool {
        self.error.as_deref() == Some("EAGAIN")
    }

    /// Bytes moved, where some were.
    #[must_use]
    pub fn moved(&self) -> Option<u64> {
        self.value
            .and_then(|value| u64::try_from(value).ok())
            .filter(|bytes| *bytes > 0)
    }
}

/// All calls of a log that returned. Signals, exits and lines that are no calls are left out.
#[must_use]
pub fn parse(log: &str) -> Vec<Call> {
    let mut unfinished = HashMap::new();
    log.lines()
        .filter_map(|line| parse_line(line, &mut unfinished))
        .collect()
}

/// When a call began, and how its line does.
type Unfinished = HashMap<i32, (f64, String)>;

fn parse_line(line: &str, unfinished: &mut Unfinished) -> Option<Call> {
    let (pid, rest) = line.trim_start().split_once(' ')?;
    let (time, rest) = rest.trim_start().split_once(' ')?;
    let (pid, now_s) = (pid.parse().ok()?, time.parse().ok()?);
    if let Some(begin) = rest.strip_suffix("<unfinished ...>") {
        unfinished.insert(pid, (now_s, begin.trim_end().to_owned()));
        return None;
    }
    match rest
        .strip_prefix("<... ")
        .and_then(|rest| rest.split_once(" resumed>"))
    {
        Some((_, end)) => {
            let (at_s, begin) = unfinished.remove(&pid)?;
            parse_call(pid, at_s, &(begin + end))
        }
        None => parse_call(pid, now_s, rest),
    }
}

fn parse_call(pid: i32, at_s: f64, text: &str) -> Option<Call> {
    let (text, took_s) = split_took(text);
    let (call, returned) = text.rsplit_once(" = ")?;
    let (name, args) = call.trim_end().strip_suffix(')')?.split_once('(')?;
    let (first, rest) = returned.split_once(' ').unwrap_or((returned, ""));
    let digits = first.split('<').next().unwrap_or(first);
    let value = digits.parse().ok();
    Some(Call {
        pid,
        at_s,
        took_s,
        name: name.to_owned(),
        args: args.to_owned(),
        value,
        error: (value == Some(-1)).then(|| rest.split(' ').next().unwrap_or_default().to_owned()),
        opened: object(first).map(str::to_owned),
    })
}

/// Takes ` <0.000012>` off the end.
fn split_took(text: &str) -> (&str, f64) {
    let took = || {
        let (rest, took) = text.strip_suffix('>')?.rsplit_once(" <")?;
        Some((rest, took.parse().ok()?))
    };
    took().unwrap_or((text, 0.0))
}

/// `socket:[4805656]` of `11<socket:[4805656]>, …`.
fn object(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let (object, _) = rest.strip_prefix('<')?.split_once('>')?;
    (rest.len() < text.len()).then_some(object)
}

#[cfg(test)]
mod tests;
