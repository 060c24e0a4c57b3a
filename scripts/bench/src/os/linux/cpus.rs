//! Which CPUs there are, and who may use which.

use super::text;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// CPUs that the calling thread may use.
#[must_use]
pub fn allowed() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else {
        return vec![0];
    };
    (0..CpuSet::count())
        .filter(|cpu| set.is_set(*cpu).unwrap_or(false))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect()
}

/// CPUs that share a core with `cpu`, itself included.
#[must_use]
pub fn siblings(cpu: u32) -> Vec<u32> {
    text(&format!(
        "/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
    ))
    .map_or_else(|| vec![cpu], |list| parse_list(&list))
}

/// Binds the calling thread, and whatever it starts from now on, to `cpus`; false where that is refused.
#[must_use]
pub fn pin_this_thread(cpus: &[u32]) -> bool {
    let mut set = CpuSet::new();
    let known = cpus.iter().all(|cpu| set.set(*cpu as usize).is_ok());
    known && sched_setaffinity(Pid::from_raw(0), &set).is_ok()
}

/// The kernel's list format: `0-1,4`.
fn parse_list(list: &str) -> Vec<u32> {
    list.split(',')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.trim().parse::<u32>().ok()?..=last.trim().parse().ok()?)
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lists() {
        assert_eq!(parse_list("0"), [0]);
        assert_eq!(parse_list("0-2,5"), [0, 1, 2, 5]);
    }

    #[test]
    fn a_thread_can_be_bound_to_its_first_cpu() {
        let first = allowed()[0];
        std::thread::spawn(move || {
            assert!(pin_this_thread(&[first]));
            assert_eq!(allowed(), [first]);
        })
        .join()
        .unwrap();
    }
}
