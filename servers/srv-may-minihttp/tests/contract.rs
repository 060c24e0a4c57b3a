//! The whole contract against the real binary.

#[test]
fn contract() {
    contract::assert_server(env!("CARGO_BIN_EXE_srv-may-minihttp"), "srv-may-minihttp");
}
