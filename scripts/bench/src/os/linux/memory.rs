//! Memory of a process tree.

use procfs::process::Process;

/// Proportional set size in bytes: pages shared by several processes of the tree count once. `None` where the kernel
/// does not tell (`smaps_rollup` needs Linux 4.14).
#[must_use]
pub fn pss(pids: &[i32]) -> Option<u64> {
    let sizes: Vec<u64> = pids.iter().filter_map(|pid| of_process(*pid)).collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum())
}

fn of_process(pid: i32) -> Option<u64> {
    let rollup = Process::new(pid).ok()?.smaps_rollup().ok()?;
    rollup
        .memory_map_rollup
        .into_iter()
        .next()?
        .extension
        .map
        .get("Pss")
        .copied()
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_process_takes_some_memory() {
        let bytes = super::pss(&[std::process::id().cast_signed()]).unwrap();
        assert!((100_000..10_000_000_000).contains(&bytes), "{bytes}");
    }
}
