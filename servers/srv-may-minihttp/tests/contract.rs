//! The whole contract against the real binary, bodies of all sizes on kept connections (the crate
//! cuts a large one on a connection that closes), and the command line.

const BIN: &str = env!("CARGO_BIN_EXE_srv-may-minihttp");
const NAME: &str = "srv-may-minihttp";

#[test]
fn contract() {
    contract::assert_server(BIN, NAME);
}

#[test]
fn bodies() {
    contract::assert_bodies(BIN, NAME);
}

#[test]
fn command_line() {
    contract::assert_command_line(BIN, NAME);
}

#[test]
fn half_a_body_at_the_end() {
    contract::assert_half_body_is_finished(BIN, NAME);
}
