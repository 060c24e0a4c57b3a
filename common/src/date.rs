//! The Date header field (RFC 9110 6.6.1), formatted once a second and thread, and the clock of
//! the engines' deadlines.
//!
//! One thread of the process ticks at every full second, so a request costs a load of an atomic
//! and no system call, also on machines where reading the clock is one.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of a date: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 5.6.7).
pub const LEN: usize = 29;

static UNIX_SECONDS: AtomicU64 = AtomicU64::new(0);
static TICKS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static FORMATTED: Cell<(u64, [u8; LEN])> = const { Cell::new((u64::MAX, [0; LEN])) };
}

/// Starts the clock. Later calls do nothing.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        UNIX_SECONDS.store(since_epoch().as_secs(), Relaxed);
        thread::spawn(|| {
            loop {
                // From now to the next full second: the Date moves when the second does.
                thread::sleep(Duration::from_nanos(
                    1_000_000_000 - u64::from(since_epoch().subsec_nanos()),
                ));
                UNIX_SECONDS.store(since_epoch().as_secs(), Relaxed);
                TICKS.fetch_add(1, Relaxed);
            }
        });
    });
}

/// The date of now, right to a second; the clock must have been started.
pub fn now() -> [u8; LEN] {
    let second = UNIX_SECONDS.load(Relaxed);
    if FORMATTED.get().0 != second {
        format(second);
    }
    FORMATTED.get().1
}

/// Seconds since the clock was started, in which deadlines are counted: a step of the system's clock
/// moves the date by as much, but this by one at most.
pub fn ticks() -> u32 {
    TICKS.load(Relaxed)
}

#[cold]
fn format(second: u64) {
    let text = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(second));
    let mut date = [b' '; LEN];
    date.copy_from_slice(text.as_bytes());
    FORMATTED.set((second, date));
}

fn since_epoch() -> Duration {
    // A clock before 1970 is a machine that has not set it yet.
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_formatted_as_the_rfc_writes_it() {
        format(784_111_777);
        assert_eq!(&FORMATTED.get().1, b"Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn the_date_moves_with_the_second() {
        start();
        let first = (now(), ticks());
        thread::sleep(Duration::from_millis(2100));
        let second = (now(), ticks());
        let seconds = |date: &[u8]| {
            let text = std::str::from_utf8(date).unwrap();
            httpdate::parse_http_date(text).unwrap()
        };
        let moved = seconds(&second.0)
            .duration_since(seconds(&first.0))
            .unwrap();
        assert!((2..=4).contains(&moved.as_secs()), "{moved:?}");
        assert!(second.1 - first.1 >= 2);
    }
}
