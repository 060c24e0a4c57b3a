//! The whole contract against the real binary.

#[test]
fn contract() {
    contract::assert_server(env!("CARGO_BIN_EXE_srv-actix"), "srv-actix");
}
