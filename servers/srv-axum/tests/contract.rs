//! The whole contract against the real binary, as each of its targets starts it; bodies of all
//! sizes, and the command line.

const BIN: &str = env!("CARGO_BIN_EXE_srv-axum");

/// All targets that start this binary.
const NAMES: [&str; 2] = ["srv-axum", "srv-axum-percore"];

#[test]
fn contract() {
    contract::assert_server(BIN, "srv-axum");
}

#[test]
fn contract_with_a_runtime_per_core() {
    contract::assert_server(BIN, "srv-axum-percore");
}

#[test]
fn bodies() {
    for name in NAMES {
        contract::assert_bodies(BIN, name);
    }
}

#[test]
fn closing_bodies() {
    for name in NAMES {
        contract::assert_closing_bodies(BIN, name);
    }
}

#[test]
fn command_line() {
    contract::assert_command_line(BIN, "srv-axum");
}

#[test]
fn starts_whole_or_not_at_all() {
    contract::assert_starts_whole(BIN, "srv-axum-percore");
}

#[test]
fn refusals_close() {
    contract::assert_refusals_close(BIN, "srv-axum");
}

#[test]
fn half_a_body_at_the_end() {
    contract::assert_half_body_is_finished(BIN, "srv-axum");
}
