//! Reports of runs that nobody measured. What the page does in a browser is tested by `tests/page`, with the files that
//! these tests leave in `target/tmp/report`.

mod command_line;
mod fixture;
mod rendering;
