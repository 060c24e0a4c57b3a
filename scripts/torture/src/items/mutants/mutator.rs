//! Mutations of what the contract's cases send.

use std::fs;
use std::path::Path;

use rand::RngExt;
use rand::rngs::StdRng;

use crate::outcome::Trouble;

/// Where those are, seen from the checkout's root; one file a connection.
const SEEDS: &str = "common/fuzz/seeds";

/// Bytes of a mutant, at most.
const MAX: usize = 20 * 1024;

/// What matters to a parser of HTTP.
const TOKENS: [&[u8]; 24] = [
    b"\r\n",
    b"\r\n\r\n",
    b"\n",
    b"\r",
    b"\0",
    b" ",
    b"\t",
    b":",
    b";",
    b",",
    b"0\r\n\r\n",
    b"\x7f",
    b"\xff",
    b"GET ",
    b"HEAD ",
    b"CONNECT ",
    b" HTTP/1.0",
    b" HTTP/1.1",
    b"Host: x\r\n",
    b"Connection: close\r\n",
    b"Content-Length: 18446744073709551615\r\n",
    b"Content-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Expect: 100-continue\r\n",
];

/// Makes mutants, always the same from the same chance.
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    rng: StdRng,
}

impl Mutator {
    /// Reads the seeds of the checkout at `root`.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn new(root: &Path, rng: StdRng) -> Result<Self, Trouble> {
        let folder = root.join(SEEDS);
        let read = || -> std::io::Result<Vec<Vec<u8>>> {
            let mut files = fs::read_dir(&folder)?
                .map(|entry| Ok(entry?.path()))
                .collect::<std::io::Result<Vec<_>>>()?;
            files.sort();
            files.iter().map(fs::read).collect()
        };
        match read() {
            Ok(seeds) if !seeds.is_empty() => Ok(Self { seeds, rng }),
            Ok(_) => Err(Trouble::Skip(format!(
                "{} is empty: start torture in a whole checkout",
                folder.display()
            ))),
            Err(error) => Err(Trouble::Skip(format!(
                "{}: {error}: start torture in a whole checkout",
                folder.display()
            ))),
        }
    }

    /// The next mutant.
    pub fn next(&mut self) -> Vec<u8> {
        let mut bytes = self.seed();
        for _ in 0..self.rng.random_range(1..=6) {
            self.mutate(&mut bytes);
            bytes.truncate(MAX);
        }
        bytes
    }

    fn seed(&mut self) -> Vec<u8> {
        self.seeds[self.rng.random_range(0..self.seeds.len())].clone()
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        let at = self.rng.random_range(0..=bytes.len());
        let end = self.rng.random_range(at..=bytes.len().min(at + 64));
        match self.rng.random_range(0..8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = self.rng.random(),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].repeat(self.rng.random_range(1..=40));
                bytes.splice(at..at, part);
            }
            4 => bytes.truncate(at),
            5 => {
                let other = self.seed();
                let from = self.rng.random_range(0..=other.len());
                bytes.splice(at.., other[from..].iter().copied());
            }
            6 => bytes.extend(self.seed()),
            _ => {
                let token = TOKENS[self.rng.random_range(0..TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn the_same_chance_gives_the_same_mutants_and_no_two_are_alike() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mutants = || {
            let mut mutator = Mutator::new(&root, StdRng::seed_from_u64(5)).unwrap();
            (0..1000).map(|_| mutator.next()).collect::<Vec<_>>()
        };
        let first = mutants();
        assert_eq!(first, mutants());
        assert!(first.iter().all(|mutant| mutant.len() <= MAX));
        let mut distinct = first.clone();
        distinct.sort();
        distinct.dedup();
        assert!(distinct.len() > 950, "{} distinct", distinct.len());
    }
}
