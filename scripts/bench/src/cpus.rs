//! Which CPUs the server gets and which the generator.

use crate::model::CpuPlan;
use crate::os;

/// The first half of the allowed CPUs to the server (rounded down, at least one), the rest to the generator.
/// CPUs that share a core stay on one side.
#[must_use]
pub fn plan() -> CpuPlan {
    let allowed = os::allowed();
    let mut plan = split(&allowed, os::siblings);
    // Tried and undone: builds may use all of them.
    plan.pinned = os::pin_this_thread(&plan.generator) && os::pin_this_thread(&allowed);
    plan.shared |= !plan.pinned;
    plan
}

fn split(allowed: &[u32], siblings: impl Fn(u32) -> Vec<u32>) -> CpuPlan {
    let cores = cores(allowed, siblings);
    if cores.len() < 2 {
        return CpuPlan {
            server: allowed.to_vec(),
            generator: allowed.to_vec(),
            pinned: false,
            shared: true,
        };
    }
    let (server, generator) = cores.split_at(cores.len() / 2);
    CpuPlan {
        server: server.concat(),
        generator: generator.concat(),
        pinned: false,
        shared: false,
    }
}

/// Groups of allowed CPUs that share a core, in the order of their first CPU.
fn cores(allowed: &[u32], siblings: impl Fn(u32) -> Vec<u32>) -> Vec<Vec<u32>> {
    let mut cores: Vec<Vec<u32>> = Vec::new();
    for &cpu in allowed {
        if cores.iter().any(|core| core.contains(&cpu)) {
            continue;
        }
        let mut core = siblings(cpu);
        core.retain(|sibling| allowed.contains(sibling));
        cores.push(core);
    }
    cores
}

/// The CPUs of a server with so many threads: one each while there are enough.
#[must_use]
pub fn of_server(plan: &CpuPlan, threads: u32) -> &[u32] {
    let count = (threads as usize).clamp(1, plan.server.len());
    &plan.server[..count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_rounded_down_for_the_server() {
        let alone = |cpu| vec![cpu];
        let plan = split(&[0, 1, 2], alone);
        assert_eq!(
            (plan.server, plan.generator, plan.shared),
            (vec![0], vec![1, 2], false)
        );
    }

    #[test]
    fn siblings_stay_together() {
        let pairs = |cpu| vec![cpu % 4, cpu % 4 + 4];
        let plan = split(&[0, 1, 2, 3, 4, 5, 6, 7], pairs);
        assert_eq!(
            (plan.server, plan.generator),
            (vec![0, 4, 1, 5], vec![2, 6, 3, 7])
        );
    }

    #[test]
    fn one_core_is_shared_and_said_to_be() {
        let plan = split(&[3], |cpu| vec![cpu]);
        assert_eq!(
            (&plan.server, &plan.generator, plan.shared),
            (&vec![3], &vec![3], true)
        );
        assert!(
            split(&[0, 1], |_| vec![0, 1]).shared,
            "two threads of one core are no two cores"
        );
    }
}
