//! Slow clients beside good ones: thousands that drip their request, hundreds that never read a response.

mod client;
mod crowd;
mod kernel;
mod measure;
mod record;
mod trial;

use std::time::{Duration, Instant};

use contract::Target;
use nix::sys::resource::{Resource, getrlimit};

use self::crowd::Size;
use self::trial::Trial;
use crate::context::Context;
use crate::items::Answer;
use crate::outcome::{Figures, Trouble};

/// The item's name.
pub const ID: &str = "slow-clients";

/// The crowd in full.
const DRIPPING: u64 = 5000;
const NEVER_READING: u64 = 500;

/// Good clients are measured so often, without slow ones beside them and with.
const ROUNDS: u64 = 3;

/// Where fewer are wanted, a server that falls behind gets the rest: the machine may have been busy.
const MOST_ROUNDS: usize = 3;

/// In full, for the ten Rust servers.
pub const LENGTH: Duration = Duration::from_secs(12 * 60);

/// The good clients' time in one round, of all servers together: slow ones are closed after 5 to 10 s.
const GOOD: Duration = Duration::from_secs(4);

/// The same for one server, at most.
const GOOD_EACH: Duration = Duration::from_secs(2);

/// From the connect of a dripping client, or the last byte that was taken of one that never reads, until it is closed:
/// the engines' documented 10 s, with room for a busy machine.
const LIMIT: Duration = Duration::from_secs(15);

/// Item `slow-clients`. As many servers at the same time as a whole crowd can be split among: when all is done in full,
/// that is one.
pub fn all(context: &Context, targets: &[&Target]) -> Vec<Answer> {
    let size = Size {
        dripping: context.count(DRIPPING, 50) as usize,
        never_reading: context.count(NEVER_READING, 5) as usize,
    };
    let most = (DRIPPING + NEVER_READING) as usize;
    let room = most.min(descriptors() * 3 / 4) / size.total();
    if room == 0 {
        let trouble = Trouble::Skip(format!(
            "{} connections need as many open files: raise `ulimit -n`",
            size.total()
        ));
        let answer = (Figures::default(), Err(trouble));
        return vec![answer; targets.len()];
    }
    targets
        .chunks(room)
        .flat_map(|together| side_by_side(context, together, size))
        .collect()
}

/// How many this process may have open at the same time.
fn descriptors() -> usize {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(1024, |(_, hard)| hard);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn side_by_side(context: &Context, targets: &[&Target], size: Size) -> Vec<Answer> {
    let mut trials: Vec<Trial> = targets
        .iter()
        .map(|target| Trial::start(context, target))
        .collect();
    let wanted = context.count(ROUNDS, 1) as usize;
    for round in 1..=MOST_ROUNDS {
        if context.go_on().is_err() || (round > wanted && trials.iter().all(Trial::is_known)) {
            break;
        }
        one_round(context, &mut trials, size);
    }
    trials
        .into_iter()
        .map(|trial| trial.judge(context, size))
        .collect()
}

/// Good clients alone, then beside the crowd; then the crowd is waited for. In turn, so that no server is measured
/// while another one is.
fn one_round(context: &Context, trials: &mut [Trial], size: Size) {
    let time = (GOOD / trials.len().max(1) as u32).min(GOOD_EACH);
    for trial in trials.iter_mut() {
        trial.measure_alone(context, time);
    }
    for trial in trials.iter_mut() {
        trial.send_crowd(size);
    }
    for trial in trials.iter_mut() {
        trial.wait_for_crowd();
    }
    for trial in trials.iter_mut() {
        trial.measure_beside(context, time);
    }
    let end = Instant::now() + LIMIT + Duration::from_secs(3);
    while Instant::now() < end
        && context.sleep(Duration::from_millis(250)).is_ok()
        && trials.iter().any(Trial::has_crowd)
    {
        for trial in trials.iter_mut() {
            trial.sample();
        }
    }
    for trial in trials.iter_mut() {
        trial.dismiss_crowd();
    }
}
