//! Mutated requests: whatever bytes come, the server lives, its memory is bounded, and it answers the next
//! good request.

mod connection;
mod mutator;

use std::time::Duration;

use contract::Target;
use contract::sample::Usage;
use contract::targets::Contract;

use self::connection::send;
use self::mutator::Mutator;
use super::growth::{none_lost, settle};
use crate::context::Context;
use crate::outcome::{Figures, Trouble};
use crate::server::Server;

/// Mutants in full.
const MUTANTS: u64 = 100_000;

/// Mutants between two good requests.
const BATCH: u64 = 100;

/// What a server keeps for later requests it has allocated after this share of the mutants.
const WARM_UP: u64 = 5;

/// Bytes that ours may hold more at the end, whatever the number of mutants: buffers and stacks that are kept for later
/// connections take some.
const GROWTH: u64 = 2 << 20;

/// The same of others: garbage collectors let memory grow before they look.
const GROWTH_OF_OTHERS: u64 = 16 << 20;

/// And for each mutant, as heaps are split up: twice as much would be found.
const GROWTH_EACH: u64 = 128;

/// Servers of one connection at a time first have to get rid of the mutants'.
const BACK_IN_SERVICE: Duration = Duration::from_secs(10);

/// Item `mutants`: 100,000 mutations of what the contract sends.
pub fn mutants(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    let mut mutator = Mutator::new(&context.root, context.rng("mutants", &target.name))?;
    let mut server = Server::start(context, target)?;
    let idle = server.usage()?.descriptors;
    let batches = context.count(MUTANTS, 2000) / BATCH;
    let mut before = Usage::default();
    for number in 0..batches {
        context.go_on()?;
        let batch: Vec<_> = (0..BATCH).map(|_| mutator.next()).collect();
        try_batch(&mut server, target, &batch)
            .map_err(|trouble| blame(context, target, &batch, trouble))?;
        figures.add("mutants", BATCH as f64);
        if number == batches / WARM_UP {
            before = settle(context, target, &mut server, idle)?;
            figures.set("rss_before_bytes", before.rss as f64);
            figures.set("descriptors_before", before.descriptors as f64);
        }
    }
    let after = settle(context, target, &mut server, idle)?;
    figures.set("rss_after_bytes", after.rss as f64);
    figures.set("descriptors_after", after.descriptors as f64);
    none_lost(before.descriptors.max(idle), after.descriptors)?;
    let growth = match target.contract {
        Contract::Foreign => GROWTH_OF_OTHERS,
        Contract::Exact | Contract::Exempt => GROWTH,
    };
    if after.rss > before.rss + growth + GROWTH_EACH * batches * BATCH {
        let (before, after) = (before.rss >> 10, after.rss >> 10);
        return Err(Trouble::fail(format!(
            "memory grew from {before} to {after} KiB"
        )));
    }
    server.stop().map(drop)
}

/// Sends a batch; then a good request is answered.
fn try_batch(server: &mut Server, target: &Target, batch: &[Vec<u8>]) -> Result<(), Trouble> {
    // Another server may answer HTTP/0.9, whose responses have no head.
    let speaks_http1 = target.contract != Contract::Foreign;
    let sent = send(server.addr(), batch, speaks_http1);
    server.expect_alive()?;
    sent?;
    server.expect_service_within(BACK_IN_SERVICE)
}

/// Looks for the one mutant of a batch that repeats its trouble.
fn blame(context: &Context, target: &Target, batch: &[Vec<u8>], trouble: Trouble) -> Trouble {
    let Trouble::Fail { .. } = trouble else {
        return trouble;
    };
    match culprit(context, target, batch, &trouble) {
        Ok(Some(mutant)) => trouble.repeated_by(shown(mutant)),
        Ok(None) => {
            let all: Vec<_> = batch.iter().map(|mutant| shown(mutant)).collect();
            trouble.repeated_by(format!("all of these, none alone:\n{}", all.join("\n")))
        }
        Err(interrupted) => interrupted,
    }
}

fn culprit<'a>(
    context: &Context,
    target: &Target,
    batch: &'a [Vec<u8>],
    trouble: &Trouble,
) -> Result<Option<&'a [u8]>, Trouble> {
    let mut server = Server::start(context, target)?;
    for mutant in batch {
        context.go_on()?;
        // Once with an end of the stream behind it, once without.
        match try_batch(&mut server, target, &[mutant.clone(), mutant.clone()]) {
            Err(again) if again == *trouble => return Ok(Some(mutant)),
            // Another trouble: that is for another time.
            Err(_) => server = Server::start(context, target)?,
            Ok(()) => {}
        }
    }
    Ok(None)
}

/// Bytes of a run of the same one that are shown in full.
const RUN: usize = 32;

/// Bytes as text, escaped; long runs of the same byte by their number.
fn shown(bytes: &[u8]) -> String {
    bytes
        .chunk_by(|one, next| one == next)
        .map(|run| match run.len() {
            ..=RUN => run.escape_ascii().to_string(),
            len => format!("{{{} x {len}}}", run[..1].escape_ascii()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_shown_by_their_number() {
        let bytes = [b"GET /\r\n", &b"a".repeat(1000)[..], b"\xff"].concat();
        assert_eq!(shown(&bytes), r"GET /\r\n{a x 1000}\xff");
    }
}
