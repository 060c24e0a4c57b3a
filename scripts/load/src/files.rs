//! The limit of open files.

use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

use crate::Error;

/// What a thread opens beside its connections: event queue, waker, timer.
const PER_THREAD: usize = 4;
/// What a process has open anyway.
const ANYWAY: usize = 32;
/// macOS takes no soft limit above its OPEN_MAX, whatever the hard one is.
const OPEN_MAX: rlim_t = 10_240;

/// Raises the soft limit to the hard one and makes sure that it is enough.
pub(crate) fn make_room(connections: usize, threads: usize) -> Result<(), Error> {
    let needed = (connections + threads * PER_THREAD + ANYWAY) as rlim_t;
    let limit = raise();
    if limit < needed {
        return Err(Error::OpenFiles {
            connections,
            needed,
            limit,
        });
    }
    Ok(())
}

/// The soft limit after it was raised as far as possible.
fn raise() -> rlim_t {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return rlim_t::MAX;
    };
    [hard, hard.min(OPEN_MAX)]
        .into_iter()
        .find(|limit| *limit <= soft || setrlimit(Resource::RLIMIT_NOFILE, *limit, hard).is_ok())
        .map_or(soft, |limit| limit.max(soft))
}
