//! Memory that the kernel holds for sockets, of which the whole machine has but one amount.
//!
//! A peer that never reads lets the kernel keep for it what the server's send buffer takes. On loopback, with segments
//! of 64 KiB, that is 3 to 4 MB for each connection: 500 of them would exhaust `net.ipv4.tcp_mem`, and with it TCP for
//! the whole machine. So slow clients ask for an Ethernet's segments, as a peer over a network would have, for which
//! the kernel keeps a quarter of a megabyte; and they stop asking where that would still be too much.

use std::fs;

/// Maximum segment size (TCP_MAXSEG) of an Ethernet.
pub(super) const SEGMENT: u32 = 1460;

/// tcp(7): `tcp_mem` and sockstat count pages.
const PAGE: u64 = 4096;

/// Bytes that the kernel now holds for TCP, on the whole machine; 0 where it does not tell.
pub(super) fn held() -> u64 {
    let stat = fs::read_to_string("/proc/net/sockstat").unwrap_or_default();
    pages_in(&stat).unwrap_or(0) * PAGE
}

/// Bytes that slow clients may make it hold: half of what it gives out before it begins to save.
pub(super) fn budget() -> u64 {
    let limits = fs::read_to_string("/proc/sys/net/ipv4/tcp_mem").unwrap_or_default();
    let low = limits
        .split_ascii_whitespace()
        .next()
        .and_then(|low| low.parse::<u64>().ok());
    low.map_or(u64::MAX, |low| low * PAGE / 2)
}

/// `TCP: inuse 5 orphan 0 tw 2 alloc 7 mem 3`
fn pages_in(stat: &str) -> Option<u64> {
    let line = stat.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    let mut words = line
        .split_ascii_whitespace()
        .skip_while(|word| *word != "mem");
    words.nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_words() {
        let stat =
            "sockets: used 14\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 19\nUDP: inuse 0 mem 7\n";
        assert_eq!(pages_in(stat), Some(19));
        assert_eq!(pages_in("UDP: inuse 0 mem 7\n"), None);
    }
}
