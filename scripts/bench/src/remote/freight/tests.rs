use super::*;
use crate::candidate::{Choice, choose};
use crate::remote::arch::System;

fn place() -> Place {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../servers/targets.toml");
    Place::find(Some(&list)).unwrap()
}

/// The folder lives as long as its files are read.
fn freight(only: &[&str], with: &[String]) -> (tempfile::TempDir, Freight, Vec<Candidate>) {
    let place = place();
    let choice = Choice {
        only: only.iter().map(|name| (*name).to_owned()).collect(),
        with: with.to_vec(),
        ..Choice::default()
    };
    let candidates = choose(place.targets.as_ref(), &choice).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut head = b"\x7fELF\x01\x01".to_vec();
    head.resize(20, 0);
    head[18] = 40;
    std::fs::create_dir_all(folder.path().join("pi/armv7")).unwrap();
    for name in ["bench", "srv-hyper"] {
        std::fs::write(folder.path().join("pi/armv7").join(name), &head).unwrap();
    }
    let system = System {
        name: "Linux".into(),
        machine: "armv7l".into(),
    };
    let binaries = Binaries::of(&system, &folder.path().join("release")).unwrap();
    let freight = Freight::servers(&binaries, &candidates, &place).unwrap();
    (folder, freight, candidates)
}

#[test]
fn what_was_not_cross_built_is_missing_with_the_command_that_does() {
    let (_folder, freight, _) = freight(&["srv-hyper", "srv-tpc", "go-nethttp"], &[]);
    assert!(
        freight
            .files
            .contains_key(Path::new("target/release/srv-hyper"))
    );
    let missing: Vec<&str> = freight.missing.keys().map(String::as_str).collect();
    assert_eq!(missing, ["go-nethttp", "srv-tpc"]);
    let told = &freight.missing["srv-tpc"];
    let remedy = "is missing: scripts/cross.sh armv7, unless that architecture cannot run it";
    assert!(told.ends_with(remedy), "{told}");
}

#[test]
fn scripts_keep_their_places_and_what_is_built_here_needs_nothing_there() {
    let (_folder, freight, candidates) = freight(&["nginx", "zig-std", "go-nethttp"], &[]);
    for file in [
        "servers/peers/nginx/run.sh",
        "servers/peers/zig.sh",
        "servers/peers/zig-std/main.zig",
    ] {
        assert!(freight.files.contains_key(Path::new(file)), "{file}");
    }
    let over_there = |name: &str| {
        let found = candidates.iter().find(|candidate| candidate.name == name);
        freight.over_there(&found.unwrap().target, None)
    };
    assert_eq!(over_there("nginx").dir, Path::new("servers/peers/nginx"));
    assert_eq!(over_there("nginx").needs, ["nginx"]);
    assert!(over_there("go-nethttp").needs.is_empty() && over_there("go-nethttp").build.is_empty());
    assert!(!over_there("zig-std").build.is_empty());
}

#[test]
fn the_users_own_program_is_copied_where_it_lies_here() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "#!/bin/sh\n").unwrap();
    let name = file
        .path()
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let with = [
        format!("mine={} {{port}}", file.path().display()),
        "theirs=/opt/none/there {port}".to_owned(),
    ];
    let (_folder, freight, candidates) = freight(&["yours"], &with);
    assert!(
        freight
            .files
            .contains_key(&Path::new("yours/mine").join(&name))
    );
    let mine = freight.over_there(&candidates[0].target, None);
    assert_eq!(
        (mine.run[0].clone(), mine.dir),
        (format!("./{name}"), "yours/mine".into())
    );
    let theirs = freight.over_there(&candidates[1].target, None);
    assert_eq!(theirs.run[0], "/opt/none/there");
    assert!(freight.archive().is_ok());
}
