//! Places to split a stream at, chosen by its bytes: the stream alone repeats what was found.

/// Up to `count` places in `stream`, in order.
pub fn splits(stream: &[u8], count: usize) -> Vec<usize> {
    let mut seed = stream.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3) // FNV-1a
    });
    let mut places: Vec<_> = (0..count)
        .filter(|_| stream.len() > 1)
        .map(|_| {
            1 + usize::try_from(next(&mut seed) >> 33).unwrap_or_default() % (stream.len() - 1)
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The next of a linear congruential sequence (Knuth's MMIX).
fn next(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed
}
