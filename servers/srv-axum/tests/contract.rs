//! The whole contract against the real binary, as each of its targets starts it.

const BIN: &str = env!("CARGO_BIN_EXE_srv-axum");

#[test]
fn multi_threaded_runtime() {
    contract::assert_server(BIN, "srv-axum");
}

#[test]
fn runtime_per_core() {
    contract::assert_server(BIN, "srv-axum-percore");
}
