//! Stolen time, temperature and clock.

use super::{heat_file, text};
use crate::os::Throttle;
use procfs::{CurrentSI, KernelStats};

/// Seconds that the hypervisor has taken from `cpus` since boot.
#[must_use]
pub fn stolen_s(cpus: &[u32]) -> Option<f64> {
    let stats = KernelStats::current().ok()?;
    let ticks: u64 = cpus
        .iter()
        .filter_map(|cpu| stats.cpu_time.get(*cpu as usize)?.steal)
        .sum();
    Some(ticks as f64 / procfs::ticks_per_second() as f64)
}

/// Seconds that `cpus` have worked since boot, for whomever.
#[must_use]
pub fn busy_s(cpus: &[u32]) -> Option<f64> {
    let stats = KernelStats::current().ok()?;
    let times = cpus
        .iter()
        .filter_map(|cpu| stats.cpu_time.get(*cpu as usize));
    let ticks: u64 = times
        .map(|time| {
            let interrupts = time.irq.unwrap_or(0) + time.softirq.unwrap_or(0);
            time.user + time.nice + time.system + interrupts
        })
        .sum();
    Some(ticks as f64 / procfs::ticks_per_second() as f64)
}

/// Degrees Celsius of the first thermal zone.
#[must_use]
pub fn celsius() -> Option<f64> {
    let millidegrees: f64 = heat_file("class/thermal/thermal_zone0/temp")?
        .parse()
        .ok()?;
    Some(millidegrees / 1000.0)
}

/// Clock of `cpu` in MHz.
#[must_use]
pub fn mhz(cpu: u32) -> Option<f64> {
    let khz: f64 = heat_file(&format!(
        "devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq"
    ))?
    .parse()
    .ok()?;
    Some(khz / 1000.0)
}

/// Governor of `cpu`.
#[must_use]
pub fn governor(cpu: u32) -> Option<String> {
    heat_file(&format!(
        "devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"
    ))
}

/// Whether the machine slows itself down: a Raspberry Pi's firmware tells, x86 counts.
#[must_use]
pub fn throttle(cpu: u32) -> Option<Throttle> {
    if let Some(bits) = get_throttled() {
        return Some(Throttle {
            now: bits & 0xf != 0,
            count: u64::from((bits >> 16 & 0xf).count_ones()),
            firmware: Some(bits),
        });
    }
    let count = text(&format!(
        "/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count"
    ))?;
    Some(Throttle {
        now: false,
        count: count.parse().ok()?,
        firmware: None,
    })
}

/// `vcgencmd get_throttled`: bits 0 to 3 are about now (under-voltage, clock capped, throttled, soft limit of the
/// temperature), bits 16 to 19 say the same of the time since boot.
fn get_throttled() -> Option<u32> {
    let output = std::process::Command::new("vcgencmd")
        .arg("get_throttled")
        .output()
        .ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    u32::from_str_radix(said.trim().strip_prefix("throttled=0x")?, 16).ok()
}
