//! The whole contract against the real binary, bodies of all sizes, and the command line.

const BIN: &str = env!("CARGO_BIN_EXE_srv-tpc");
const NAME: &str = "srv-tpc";

#[test]
fn contract() {
    contract::assert_server(BIN, NAME);
}

#[test]
fn contract_with_deferred_accept() {
    contract::assert_server(BIN, "srv-tpc-defer");
}

#[test]
fn bodies() {
    contract::assert_bodies(BIN, NAME);
}

#[test]
fn closing_bodies() {
    contract::assert_closing_bodies(BIN, NAME);
}

#[test]
fn command_line() {
    contract::assert_command_line(BIN, NAME);
}
