//! `check` on the user's own server.

use crate::support::{Folder, stderr};
use bench::model::Target;

/// A server in an emulator can be asked, but neither signalled nor limited.
#[test]
fn wire_is_every_wire_must_and_no_process_case() {
    let folder = Folder::new();
    let with = format!("honest={}", crate::server::command("honest"));
    let output = folder.bench(&[
        "check",
        "--wire",
        "--with",
        &with,
        "--export-json",
        "c.json",
    ]);
    let json = std::fs::read(folder.path().join("c.json"));
    let json = json.unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let targets: Vec<Target> = serde_json::from_slice(&json).unwrap();
    let tried: Vec<&str> = targets[0]
        .contract
        .iter()
        .map(|result| result.case.as_str())
        .collect();
    for case in contract::cases() {
        let wire = case.kind == contract::Kind::Wire;
        let must = case.level == contract::Level::Must;
        let right = wire && (must || !case.waits);
        assert_eq!(tried.contains(&case.id), right, "{}: {tried:?}", case.id);
    }
}
