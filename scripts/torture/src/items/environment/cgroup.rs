//! A control group that may use half a CPU, of version 2 or 1.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::outcome::Trouble;

/// Where controllers are mounted by custom, and what is written where to allow 5 ms of CPU in 10 ms: a server that
/// shares its CPUs with the load seldom uses 50 ms of 100.
const PLACES: [(&str, &[(&str, &str)]); 3] = [
    ("/sys/fs/cgroup", &[("cpu.max", "5000 10000")]),
    (
        "/sys/fs/cgroup/cpu",
        &[("cpu.cfs_period_us", "10000"), ("cpu.cfs_quota_us", "5000")],
    ),
    (
        "/sys/fs/cgroup/cpu,cpuacct",
        &[("cpu.cfs_period_us", "10000"), ("cpu.cfs_quota_us", "5000")],
    ),
];

/// The group; removed when this is dropped.
#[derive(Debug)]
pub struct Group(PathBuf);

/// Makes one.
///
/// # Errors
/// A skip, where none can be made.
pub fn with_half_a_cpu() -> Result<Group, Trouble> {
    let made = PLACES
        .iter()
        .find_map(|(place, settings)| make(place, settings).ok());
    made.ok_or_else(|| {
        Trouble::Skip("needs a cgroup with the cpu controller that it may write: run it as root, not in a container".into())
    })
}

fn make(place: &str, settings: &[(&str, &str)]) -> io::Result<Group> {
    let folder = Path::new(place).join(format!("torture-{}", std::process::id()));
    // Where no cgroup is mounted this makes a folder like any other, without the files that are written next.
    fs::create_dir(&folder)?;
    let group = Group(folder);
    for (name, value) in settings {
        let file = group.0.join(name);
        if !file.exists() {
            return Err(io::ErrorKind::NotFound.into());
        }
        fs::write(file, value)?;
    }
    Ok(group)
}

impl Group {
    /// The file that takes processes in.
    pub fn processes(&self) -> PathBuf {
        self.0.join("cgroup.procs")
    }

    /// Periods in which it was held back, of all there were.
    pub fn throttled(&self) -> u64 {
        let stat = fs::read_to_string(self.0.join("cpu.stat")).unwrap_or_default();
        let mut lines = stat.lines();
        let line = lines.find_map(|line| line.strip_prefix("nr_throttled "));
        line.and_then(|count| count.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Busy for as long as a process in it is being buried.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
