//! `bench report` as users call it.

use crate::fixture::{Size, empty, troubled};
use assert_cmd::Command;
use bench::model::{Document, Mode, Run};
use bench::report::readme::{BEGIN, END};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// A checkout with a list of targets, a README and results.
struct Checkout(TempDir);

impl Checkout {
    fn new() -> Self {
        let checkout = Self(tempfile::tempdir().unwrap());
        checkout.write("servers/targets.toml", "");
        checkout.write("README.md", &format!("# Title\n\n{BEGIN}\n{END}\n\nrest\n"));
        checkout
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn keep(&self, name: &str, run: &Run) {
        let file = self.path().join(format!("results/{name}/run.json"));
        bench::store::write_json(&file, &Document::Run(Box::new(run.clone()))).unwrap();
    }

    fn report(&self, arguments: &[&str]) -> Output {
        let mut command = Command::cargo_bin("bench").unwrap();
        command
            .current_dir(self.path())
            .arg("report")
            .args(arguments)
            .output()
            .unwrap()
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// The one line that an error is.
fn error(output: &Output) -> String {
    assert_eq!(code(output), Some(1));
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[test]
fn a_report_lies_beside_its_run() {
    let checkout = Checkout::new();
    checkout.keep("t", &troubled());
    let output = checkout.report(&[
        "t",
        "--note",
        "on batteries",
        "--source",
        "https://example.org/blob/main/",
    ]);
    assert_eq!(code(&output), Some(0), "{output:?}");
    assert!(
        checkout
            .read("results/t/report.html")
            .contains("on batteries")
    );
    let markdown = checkout.read("results/t/report.md");
    assert!(
        markdown.contains("on batteries")
            && markdown
                .contains("(https://example.org/blob/main/servers/srv-number-1/src/main.rs)")
    );
    assert!(
        checkout
            .read("results/t/pictures/keepalive-64-1t-embedded-cpu.svg")
            .starts_with("<svg ")
    );
}

#[test]
fn a_check_tells_what_differs_and_writes_nothing() {
    let checkout = Checkout::new();
    checkout.keep("t", &troubled());
    assert_eq!(code(&checkout.report(&["t", "--check"])), Some(3));
    assert!(!checkout.path().join("results/t/report.md").exists());
    checkout.report(&["t"]);
    assert_eq!(code(&checkout.report(&["t", "--check"])), Some(0));
}

#[test]
fn what_is_no_run_of_this_schema_is_refused_in_one_line() {
    let checkout = Checkout::new();
    let size = Size {
        targets: 0,
        connections: vec![1],
        rounds: 1,
    };
    checkout.keep("empty", &empty(&size, &[Mode::Keepalive]));
    assert!(error(&checkout.report(&["empty"])).contains("is empty: nothing was measured"));
    checkout.write(
        "results/future/run.json",
        r#"{"kind": "run", "schema_version": 99}"#,
    );
    assert!(
        error(&checkout.report(&["future"]))
            .contains("schema version 99; this bench reads version 1")
    );
    checkout.write("results/other/run.json", "{}");
    assert!(error(&checkout.report(&["other"])).contains("no schema_version"));
    checkout.write("results/half/run.json", "{\"schema_ver");
    assert!(error(&checkout.report(&["half"])).contains("is not JSON"));
    assert!(error(&checkout.report(&["missing"])).contains("there is no run `missing`"));
    assert_eq!(code(&checkout.report(&[])), Some(2));
}

#[test]
fn readme_is_what_the_reference_run_renders() {
    let checkout = Checkout::new();
    let nothing = checkout.report(&["--readme", "--check"]);
    assert_eq!(code(&nothing), Some(0));
    assert!(
        String::from_utf8_lossy(&nothing.stderr)
            .contains("there is no results/reference/run.json yet")
    );

    checkout.keep("reference", &troubled());
    assert_eq!(code(&checkout.report(&["--readme", "--check"])), Some(3));
    assert_eq!(code(&checkout.report(&["--readme"])), Some(0));
    assert_eq!(code(&checkout.report(&["--readme", "--check"])), Some(0));
    let readme = checkout.read("README.md");
    assert!(
        readme.starts_with("# Title\n") && readme.ends_with("\n\nrest\n"),
        "{readme}"
    );
    assert!(
        readme.contains("(servers/srv-number-1/src/main.rs)") && !readme.contains("close, 64"),
        "{readme}"
    );
    let picture = "results/reference/pictures/keepalive-64-1t-embedded-requests.svg";
    assert!(readme.contains(picture));

    checkout.write(
        "README.md",
        &readme.replacen("srv-number-1", "srv-number-0", 1),
    );
    assert_eq!(
        code(&checkout.report(&["--readme", "--check"])),
        Some(3),
        "a changed table"
    );
    checkout.write("README.md", &readme);
    checkout.write(picture, "<svg/>");
    assert_eq!(
        code(&checkout.report(&["--readme", "--check"])),
        Some(3),
        "a changed picture"
    );
}

#[test]
fn a_readme_without_marks_is_an_error() {
    let checkout = Checkout::new();
    checkout.keep("reference", &troubled());
    checkout.write("README.md", "# Title\n");
    assert!(error(&checkout.report(&["--readme"])).contains("put it, and `<!-- results:end -->`"));
}
