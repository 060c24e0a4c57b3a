//! The whole contract against the real binary, as each of its targets starts it.

const BIN: &str = env!("CARGO_BIN_EXE_srv-hyper");

#[test]
fn multi_threaded_runtime() {
    contract::assert_server(BIN, "srv-hyper");
}

#[test]
fn pipeline_flush() {
    contract::assert_server(BIN, "srv-hyper-flush");
}

#[test]
fn runtime_per_core() {
    contract::assert_server(BIN, "srv-hyper-percore");
}
