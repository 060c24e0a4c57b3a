//! Which figures of a cell or a target are shown, where they are in the document, and how they are written.

use super::grid::{Column, Entry};
use crate::model::{Summary, Target};
use crate::stats::median;
use crate::view::format;

/// A figure of `T`.
pub struct Field<T> {
    title: &'static str,
    path: &'static str,
    pick: fn(&T) -> Option<f64>,
    write: fn(f64) -> String,
}

impl<T> Field<T> {
    /// Its column.
    #[must_use]
    pub fn column(&self) -> Column {
        Column::figure(self.title, self.path)
    }

    /// Its entry in the row of `of`.
    #[must_use]
    pub fn entry(&self, of: Option<&T>) -> Entry {
        Entry::figure(of.and_then(self.pick), self.write)
    }
}

/// Latency.
pub const LATENCY: [Field<Summary>; 8] = [
    latency("mean", "summary.latency.mean_us", |s| s.latency.mean_us),
    latency("p50", "summary.latency.p50_us", |s| s.latency.p50_us),
    latency("p75", "summary.latency.p75_us", |s| s.latency.p75_us),
    latency("p90", "summary.latency.p90_us", |s| s.latency.p90_us),
    latency("p99", "summary.latency.p99_us", |s| s.latency.p99_us),
    latency("p99.9", "summary.latency.p999_us", |s| s.latency.p999_us),
    latency("p99.99", "summary.latency.p9999_us", |s| s.latency.p9999_us),
    latency("max", "summary.latency.max_us", |s| s.latency.max_us),
];

const fn latency(
    title: &'static str,
    path: &'static str,
    pick: fn(&Summary) -> Option<f64>,
) -> Field<Summary> {
    Field {
        title,
        path,
        pick,
        write: format::time,
    }
}

/// What serving costs: memory, threads and where the CPU time goes.
pub const COST: [Field<Summary>; 9] = [
    Field {
        title: "memory idle",
        path: "summary.pss_idle_bytes",
        pick: |s| float(s.pss_idle_bytes),
        write: memory,
    },
    Field {
        title: "under load",
        path: "summary.pss_load_bytes",
        pick: |s| float(s.pss_load_bytes),
        write: memory,
    },
    Field {
        title: "after",
        path: "summary.pss_after_bytes",
        pick: |s| float(s.pss_after_bytes),
        write: memory,
    },
    Field {
        title: "threads",
        path: "summary.server_threads",
        pick: |s| float(s.server_threads),
        write: format::count,
    },
    Field {
        title: "user µs/request",
        path: "summary.user_us_per_request",
        pick: |s| s.user_us_per_request,
        write: format::micros,
    },
    Field {
        title: "system µs/request",
        path: "summary.system_us_per_request",
        pick: |s| s.system_us_per_request,
        write: format::micros,
    },
    Field {
        title: "switches/request",
        path: "summary.context_switches_per_request",
        pick: |s| s.context_switches_per_request,
        write: |switches| format!("{switches:.3}"),
    },
    Field {
        title: "server busy",
        path: "summary.server_utilisation",
        pick: |s| s.server_utilisation,
        write: format::percent,
    },
    Field {
        title: "generator busy",
        path: "summary.generator_utilisation",
        pick: |s| s.generator_utilisation,
        write: format::percent,
    },
];

/// Sizes on the wire.
pub const WIRE: [Field<Target>; 4] = [
    Field {
        title: "request B",
        path: "request.bytes",
        pick: |t| Some(t.request.as_ref()?.bytes as f64),
        write: format::count,
    },
    Field {
        title: "response B",
        path: "response.bytes",
        pick: |t| Some(t.response.as_ref()?.bytes as f64),
        write: format::count,
    },
    Field {
        title: "head B",
        path: "response.head_bytes",
        pick: |t| Some(t.response.as_ref()?.head_bytes as f64),
        write: format::count,
    },
    Field {
        title: "body B",
        path: "response.body_bytes",
        pick: |t| Some(t.response.as_ref()?.body_bytes as f64),
        write: format::count,
    },
];

/// What is found out once for each target.
pub const ONCE: [Field<Target>; 2] = [
    Field {
        title: "binary",
        path: "binary_bytes",
        pick: |t| float(t.binary_bytes),
        write: memory,
    },
    Field {
        title: "start to first byte",
        path: "",
        pick: |t| median(&t.start_to_first_byte_us),
        write: format::time,
    },
];

fn float(number: Option<u64>) -> Option<f64> {
    number.map(|number| number as f64)
}

fn memory(bytes: f64) -> String {
    format::bytes(bytes as u64)
}
