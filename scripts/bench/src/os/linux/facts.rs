//! What about this machine spoils measurements, each with its remedy.

use super::{allowed, celsius, siblings, text, throttle};
use crate::model::{Fact, Machine, Severity};
use nix::sys::resource::{Resource, getrlimit};
use std::path::Path;

/// The machine and everything that [`facts`] says of it.
#[must_use]
pub fn machine() -> Machine {
    let cpus_allowed = allowed();
    Machine {
        os: os_name().unwrap_or_else(|| "Linux".into()),
        kernel: text("/proc/sys/kernel/osrelease").unwrap_or_default(),
        arch: std::env::consts::ARCH.into(),
        model: text("/proc/device-tree/model")
            .or_else(|| text("/sys/class/dmi/id/product_name"))
            .map(|model| model.trim_end_matches('\0').to_owned()),
        cpu: cpuinfo("model name").or_else(|| cpuinfo("Model")),
        cpus_online: online(),
        cpus_allowed,
        memory_bytes: memory(),
        facts: facts(),
    }
}

/// Id of this boot of this machine.
#[must_use]
pub fn boot_id() -> Option<String> {
    text("/proc/sys/kernel/random/boot_id")
}

/// Everything that matters to measurements.
#[must_use]
pub fn facts() -> Vec<Fact> {
    vec![
        cpus(&allowed()),
        shared_cores(&allowed()),
        governor(text(
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        )),
        turbo(),
        load(text("/proc/loadavg"), online()),
        number(
            "somaxconn",
            text("/proc/sys/net/core/somaxconn"),
            1024,
            "sudo sysctl -w net.core.somaxconn=4096",
        ),
        port_range(text("/proc/sys/net/ipv4/ip_local_port_range")),
        reuse(text("/proc/sys/net/ipv4/tcp_tw_reuse")),
        open_files(),
        number(
            "loopback-mtu",
            text("/sys/class/net/lo/mtu"),
            65536,
            "sudo ip link set lo mtu 65536",
        ),
        throttling(),
        virtual_machine(),
        stolen_time(),
        cpu_quota(),
    ]
}

fn fact(name: &str, value: impl Into<String>, severity: Severity, remedy: &str) -> Fact {
    let wrong = matches!(severity, Severity::Warning | Severity::Bad);
    Fact {
        name: name.into(),
        value: value.into(),
        severity,
        remedy: wrong.then(|| remedy.to_owned()),
    }
}

fn unknown(name: &str) -> Fact {
    fact(name, "not told by this system", Severity::Unknown, "")
}

fn cpus(allowed: &[u32]) -> Fact {
    let severity = if allowed.len() < 2 {
        Severity::Bad
    } else {
        Severity::Good
    };
    let remedy = "server and generator share one CPU: compare CPU per request only, or use a machine with more";
    fact(
        "cpus",
        format!("{} allowed", allowed.len()),
        severity,
        remedy,
    )
}

fn shared_cores(allowed: &[u32]) -> Fact {
    let pairs = allowed
        .iter()
        .filter(|cpu| siblings(**cpu).len() > 1)
        .count();
    let severity = if pairs > 0 {
        Severity::Warning
    } else {
        Severity::Good
    };
    let value = format!(
        "{pairs} of {} CPUs share a core with another",
        allowed.len()
    );
    fact(
        "shared-cores",
        value,
        severity,
        "switch SMT off: echo off | sudo tee /sys/devices/system/cpu/smt/control",
    )
}

fn governor(value: Option<String>) -> Fact {
    match value {
        None => unknown("governor"),
        Some(value) => {
            let severity = if value == "performance" {
                Severity::Good
            } else {
                Severity::Warning
            };
            let remedy =
                "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
            fact("governor", value, severity, remedy)
        }
    }
}

fn turbo() -> Fact {
    let intel = text("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|off| off == "0");
    let on = intel.or_else(|| text("/sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1"));
    let remedy = "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo (or 0 into .../cpufreq/boost)";
    match on {
        None => unknown("turbo"),
        Some(true) => fact("turbo", "on", Severity::Warning, remedy),
        Some(false) => fact("turbo", "off", Severity::Good, remedy),
    }
}

fn load(loadavg: Option<String>, cpus: u32) -> Fact {
    let average = loadavg.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let Some(average) = average else {
        return unknown("load");
    };
    let severity = if average > 0.25 * f64::from(cpus) {
        Severity::Warning
    } else {
        Severity::Good
    };
    fact(
        "load",
        format!("{average:.2} on {cpus} CPUs"),
        severity,
        "something else runs here: stop it, or wait",
    )
}

fn number(name: &str, value: Option<String>, least: u64, remedy: &str) -> Fact {
    match value.and_then(|value| value.parse::<u64>().ok()) {
        None => unknown(name),
        Some(value) => {
            let severity = if value < least {
                Severity::Warning
            } else {
                Severity::Good
            };
            fact(name, value.to_string(), severity, remedy)
        }
    }
}

fn port_range(value: Option<String>) -> Fact {
    let ports = value.as_deref().and_then(|value| {
        let (first, last) = value.split_once(char::is_whitespace)?;
        last.trim()
            .parse::<u32>()
            .ok()?
            .checked_sub(first.trim().parse().ok()?)
    });
    let Some(ports) = ports else {
        return unknown("port-range");
    };
    let severity = if ports < 20_000 {
        Severity::Warning
    } else {
        Severity::Good
    };
    let remedy = "sudo sysctl -w net.ipv4.ip_local_port_range='1024 65000'";
    fact(
        "port-range",
        format!("{} ephemeral ports", ports + 1),
        severity,
        remedy,
    )
}

fn reuse(value: Option<String>) -> Fact {
    match value.as_deref() {
        None => unknown("tcp-tw-reuse"),
        Some("0") => {
            let remedy = "mode close can run out of ports: sudo sysctl -w net.ipv4.tcp_tw_reuse=2";
            fact("tcp-tw-reuse", "0", Severity::Warning, remedy)
        }
        Some(value) => fact("tcp-tw-reuse", value, Severity::Good, ""),
    }
}

fn open_files() -> Fact {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Err(_) => unknown("open-files"),
        Ok((_, hard)) => {
            let severity = if hard < 4096 {
                Severity::Warning
            } else {
                Severity::Good
            };
            fact(
                "open-files",
                format!("hard limit {hard}"),
                severity,
                "raise it: ulimit -Hn 65536 as root",
            )
        }
    }
}

fn throttling() -> Fact {
    let Some(throttle) = throttle(0) else {
        return unknown("throttling");
    };
    let degrees = celsius()
        .map(|celsius| format!(", {celsius:.0} °C"))
        .unwrap_or_default();
    match (throttle.now, throttle.count) {
        (true, _) => {
            let remedy = "cool it, and use a stronger power supply";
            fact(
                "throttling",
                format!("slowed down now{degrees}"),
                Severity::Bad,
                remedy,
            )
        }
        (false, 1..) if throttle.firmware.is_some() => fact(
            "throttling",
            format!(
                "it was slowed down since boot (get_throttled {:#x}){degrees}",
                throttle.firmware.unwrap_or(0)
            ),
            Severity::Warning,
            "cool it, and use a stronger power supply",
        ),
        (false, 0) => fact("throttling", format!("none{degrees}"), Severity::Good, ""),
        (false, count) => fact(
            "throttling",
            format!("{count} times since boot{degrees}"),
            Severity::Warning,
            "cool it",
        ),
    }
}

fn virtual_machine() -> Fact {
    let guest =
        cpuinfo("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let remedy = "others share the hardware: more rounds, and trust only pairs of one run; or use a real machine";
    match guest {
        true => fact("virtual-machine", "yes", Severity::Warning, remedy),
        false => fact("virtual-machine", "none seen", Severity::Good, ""),
    }
}

fn stolen_time() -> Fact {
    let shares = text("/proc/stat").and_then(|stat| {
        let ticks: Vec<f64> = stat
            .lines()
            .next()?
            .split_whitespace()
            .skip(1)
            .filter_map(|n| n.parse().ok())
            .collect();
        Some(100.0 * ticks.get(7)? / ticks.iter().take(8).sum::<f64>())
    });
    let Some(percent) = shares else {
        return unknown("stolen-time");
    };
    let severity = if percent > 1.0 {
        Severity::Warning
    } else {
        Severity::Good
    };
    let remedy = "the host is overbooked: use another, or more rounds";
    fact(
        "stolen-time",
        format!("{percent:.1} % since boot"),
        severity,
        remedy,
    )
}

/// A quota (cgroup v2 `cpu.max`, v1 `cpu.cfs_quota_us`) stops all processes of a container in the middle of a load.
fn cpu_quota() -> Fact {
    let v2 = text("/sys/fs/cgroup/cpu.max").map(|max| !max.starts_with("max"));
    let limited =
        v2.or_else(|| text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").map(|quota| quota != "-1"));
    match limited {
        Some(true) => {
            let remedy =
                "give the container whole CPUs (docker run --cpuset-cpus) instead of a quota";
            fact("cpu-quota", "limited", Severity::Bad, remedy)
        }
        _ => fact("cpu-quota", "none", Severity::Good, ""),
    }
}

fn online() -> u32 {
    let present = |cpu: u32| Path::new(&format!("/sys/devices/system/cpu/cpu{cpu}")).exists();
    let known = (0..).take_while(|cpu| present(*cpu)).count();
    u32::try_from(known.max(1)).unwrap_or(1)
}

fn os_name() -> Option<String> {
    let release = text("/etc/os-release")?;
    let line = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

fn cpuinfo(key: &str) -> Option<String> {
    let info = text("/proc/cpuinfo")?;
    let line = info.lines().find(|line| {
        line.split(':')
            .next()
            .is_some_and(|name| name.trim() == key)
    })?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn memory() -> Option<u64> {
    let info = text("/proc/meminfo")?;
    let kib = info
        .lines()
        .next()?
        .split_whitespace()
        .nth(1)?
        .parse::<u64>()
        .ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spoils_measurements_comes_with_a_remedy() {
        for fact in [
            cpus(&[0]),
            governor(Some("powersave".into())),
            load(Some("1.90 1.0 1.0 1/2 3".into()), 2),
            port_range(Some("50000\t51000".into())),
            reuse(Some("0".into())),
            number("somaxconn", Some("128".into()), 1024, "raise it"),
        ] {
            assert!(fact.severity >= Severity::Warning, "{fact:?}");
            assert!(fact.remedy.is_some(), "{fact:?}");
        }
    }

    #[test]
    fn what_is_right_or_unknown_has_none() {
        for fact in [
            cpus(&[0, 1]),
            governor(Some("performance".into())),
            port_range(Some("32768\t60999".into())),
        ] {
            assert_eq!(
                (fact.severity, &fact.remedy),
                (Severity::Good, &None),
                "{fact:?}"
            );
        }
        assert_eq!(governor(None).severity, Severity::Unknown);
    }
}
