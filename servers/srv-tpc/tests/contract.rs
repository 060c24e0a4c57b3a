//! The whole contract against this server.

#[test]
fn contract() {
    contract::assert_server(env!("CARGO_BIN_EXE_srv-tpc"), "srv-tpc");
}
