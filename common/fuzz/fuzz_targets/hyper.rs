//! Where hyper and `common::http1` both see a request, it is the same one, with the same answer.

#![no_main]

use std::sync::LazyLock;

use common::http1::Response;
use common_fuzz::differential::{difference, hypers, ours};
use libfuzzer_sys::fuzz_target;

static RESPONSE: LazyLock<Response> = LazyLock::new(|| Response::new(b"Hello, World!"));

fuzz_target!(|stream: &[u8]| {
    if let Some(difference) = difference(stream, &ours(stream, &RESPONSE), &hypers(stream)) {
        panic!("{difference}");
    }
});
