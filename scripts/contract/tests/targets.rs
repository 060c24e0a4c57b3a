//! targets.toml: the real one, and what is said of wrong ones.

use std::path::Path;

use contract::targets::{Class, Contract};
use contract::{Target, Targets, Values};

fn real() -> Targets {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../servers/targets.toml");
    Targets::load(&path).unwrap()
}

#[test]
fn the_ten_servers_are_the_quick_run_and_the_variants_are_not() {
    let targets = real();
    let quick: Vec<&str> = targets
        .targets
        .iter()
        .filter(|target| target.quick)
        .map(|target| &*target.name)
        .collect();
    let ours = [
        "floor",
        "raw",
        "tokio",
        "may",
        "tpc",
        "uring",
        "may-minihttp",
        "hyper",
        "axum",
        "actix",
    ];
    assert_eq!(quick, ours.map(|name| format!("srv-{name}")));
    for name in ["srv-hyper-flush", "srv-hyper-percore", "srv-axum-percore"] {
        let variant = targets.get(name).unwrap();
        assert!(
            targets
                .get(variant.variant_of.as_deref().unwrap())
                .is_some()
        );
    }
    assert_eq!(targets.get("srv-floor").unwrap().class, Class::Control);
    assert!(targets.get("srv-floor").unwrap().judge("x").is_none());
}

#[test]
fn every_source_is_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../servers");
    for target in &real().targets {
        assert!(
            folder.join(&target.source).is_file(),
            "{}: {}",
            target.name,
            target.source
        );
        assert!(
            target.dir.is_dir(),
            "{}: {}",
            target.name,
            target.dir.display()
        );
    }
}

#[test]
fn the_engines_have_no_deviations() {
    for target in real()
        .targets
        .iter()
        .filter(|target| target.class == Class::Engine)
    {
        assert!(target.deviations.is_empty(), "{}", target.name);
    }
}

const RIGHT: &str = r#"
[[target]]
name = "a"
class = "library"
language = "Go"
stack = "x"
source = "a/main.go"
dir = "a"
run = ["{bin}/a", "{port}"]
"#;

fn parse(text: &str) -> Result<Targets, String> {
    Targets::parse(text, Path::new("f/targets.toml")).map_err(|error| error.to_string())
}

#[test]
fn defaults_and_folders() {
    let targets = parse(RIGHT).unwrap();
    let target = targets.get("a").unwrap();
    assert_eq!(target.contract, Contract::Foreign);
    assert_eq!(target.dir, Path::new("f/a"));
    assert!(!target.quick && target.build.is_empty());
    let filled = target
        .fill(&["{dir}/x".into(), "{threads}".into()], &Values::new("/b"))
        .unwrap();
    assert_eq!(filled, ["f/a/x", "1"]);
}

#[test]
fn build_is_one_command_or_several() {
    let built = |line: &str| {
        parse(&format!("{RIGHT}{line}")).map(|targets| targets.targets[0].build.clone())
    };
    assert_eq!(
        built(r#"build = ["go", "build"]"#).unwrap(),
        [["go", "build"]]
    );
    assert_eq!(
        built(r#"build = [["a"], ["b", "c"]]"#).unwrap(),
        [vec!["a"], vec!["b", "c"]]
    );
    assert!(
        built(r#"build = "go build""#)
            .unwrap_err()
            .contains("must be a command (a list of words)")
    );
}

#[test]
fn each_error_is_one_line_that_names_the_place() {
    let with = |line: &str| format!("{RIGHT}{line}\n");
    let cases = [
        (
            with("colour = 1"),
            "f/targets.toml:10: unknown field `colour`",
        ),
        (
            with("quick = 1"),
            "f/targets.toml:10: invalid type: integer `1`, expected a boolean",
        ),
        (
            with("[target.deviations]\nhost-mising = \"x\""),
            "f/targets.toml: target `a`: deviations: unknown case `host-mising`",
        ),
        (
            with("unavailable = \"\""),
            "f/targets.toml: target `a`: `unavailable` is empty",
        ),
        (
            with("[target.reliability]\nsoak = { fails_with = [\"\"], why = \"x\" }"),
            "f/targets.toml: target `a`: reliability: `soak`: `fails_with` has no words",
        ),
        (
            RIGHT.replace("{port}", "{prot}"),
            "f/targets.toml: target `a`: unknown placeholder {prot} in `{prot}`; there are {bin}",
        ),
        (RIGHT.repeat(2), "f/targets.toml: target `a` is there twice"),
        (
            RIGHT.replace("library", "libary"),
            "f/targets.toml:4: unknown variant `libary`",
        ),
        (
            RIGHT.replace("\"a\"\nclass", "\"a b\"\nclass"),
            "f/targets.toml: target `a b`: a name is made of",
        ),
        (
            RIGHT.replace("run = [\"{bin}/a\", \"{port}\"]", "run = []"),
            "f/targets.toml: target `a`: `run` is empty",
        ),
        (
            RIGHT.replace("language = \"Go\"\n", ""),
            "f/targets.toml:2: missing field `language`",
        ),
        (
            with("variant_of = \"b\""),
            "f/targets.toml: target `a`: variant_of names `b`, which is not there",
        ),
        (
            with("extra_fields = [\"Server\"]"),
            "f/targets.toml: target `a`: extra_fields: `Server` is not `Name: value`",
        ),
        ("[[target".into(), "f/targets.toml:1: "),
    ];
    for (text, start) in cases {
        let error = parse(&text).unwrap_err();
        assert!(
            error.starts_with(start),
            "{error}\nshould start with\n{start}"
        );
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Targets::load(Path::new("no/targets.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("cannot read no/targets.toml: "),
        "{error}"
    );
}

#[test]
fn the_users_own_server_is_a_target() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect();
    let target = Target::yours("mine", words("./server --port {port}")).unwrap();
    assert_eq!(
        (target.class, target.contract),
        (Class::Yours, Contract::Foreign)
    );
    let error = Target::yours("mine", words("./server {prt}"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("target `mine`: unknown placeholder {prt}"),
        "{error}"
    );
}
