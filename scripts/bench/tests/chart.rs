//! `bench chart` on the published figures, and on the documents they come from where those are there.

use assert_cmd::Command;
use bench::model::{Document, Published};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn seed(name: &str) -> PathBuf {
    root().join("results/seeds").join(name)
}

fn chart(arguments: &[&Path]) -> String {
    let output = Command::cargo_bin("bench")
        .unwrap()
        .arg("chart")
        .args(arguments)
        .assert()
        .success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

fn published(json: &str) -> Published {
    match serde_json::from_str(json).unwrap() {
        Document::Published(published) => *published,
        Document::Run(_) => panic!("a run"),
    }
}

/// The document whose name starts so, next to the checkout.
fn document(number: &str) -> Option<PathBuf> {
    let folder = root().join("../shared/seeds");
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let found = files.map(|file| file.path()).find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(number))
    });
    if found.is_none() {
        println!("skipped: {} has no document {number}", folder.display());
    }
    found
}

/// Lines with a bar, leading blanks apart.
fn bars(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.contains('■'))
        .map(str::trim_start)
        .collect()
}

#[test]
fn the_published_figures_are_drawn_as_the_document_drew_them() {
    let text = chart(&[&seed("raspberry-pi-2016.json")]);
    let (_, ten_threads) = text.split_once("Run in 10 threads:\n\n").unwrap();
    let squares = |n| "■".repeat(n);
    let expected = [
        format!("Go/fasthttp (10 thr): 930.0 {}", squares(61)),
        format!("      Nginx (10 thr): 826.1 {}", squares(55)),
        format!("         Go (10 thr): 621.1 {}", squares(41)),
        format!("      Caddy (10 thr): 199.1 {}", squares(13)),
        format!("    Node.js (10 thr): 195.1 {}", squares(13)),
        format!("     Python (10 thr):  95.5 {}", squares(6)),
    ];
    assert_eq!(ten_threads.lines().take(6).collect::<Vec<_>>(), expected);
    let headings: Vec<&str> = text.lines().filter(|line| line.ends_with(':')).collect();
    assert_eq!(
        headings,
        ["All:", "Run in 10 threads:", "Run in 2 threads:"]
    );
    assert_eq!(bars(&text).len(), 16 + 6 + 9);
    assert!(text.ends_with("One square is 15 requests per second.\n"));
}

#[test]
fn the_charts_equal_the_documents_line_by_line() {
    let Some(document) = document("001") else {
        return;
    };
    let original = std::fs::read_to_string(&document).unwrap();
    assert_eq!(
        bars(&chart(&[&seed("raspberry-pi-2016.json")])),
        bars(&original)
    );
    assert_eq!(
        bars(&chart(&[&document])),
        bars(&original),
        "from its own Markdown"
    );
}

#[test]
fn the_published_files_hold_what_the_documents_print() {
    for (number, name) in [
        ("000", "zap-httpz.json"),
        ("001", "raspberry-pi-2016.json"),
        ("002", "crystal-go-2015.json"),
    ] {
        let Some(document) = document(number) else {
            return;
        };
        let read = published(&chart(&[&document, Path::new("--json")]));
        let kept = published(&std::fs::read_to_string(seed(name)).unwrap());
        let figures = |published: &Published| -> Vec<_> {
            published
                .rows
                .iter()
                .map(|row| (row.label.clone(), row.figures.clone()))
                .collect()
        };
        assert_eq!(figures(&read), figures(&kept), "{name}");
    }
}

#[test]
fn published_files_are_written_as_bench_writes_them() {
    for name in [
        "zap-httpz.json",
        "raspberry-pi-2016.json",
        "crystal-go-2015.json",
    ] {
        let kept = std::fs::read_to_string(seed(name)).unwrap();
        assert_eq!(chart(&[&seed(name), Path::new("--json")]), kept, "{name}");
    }
}

#[test]
fn what_is_no_result_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "Running late\n").unwrap();
    let output = Command::cargo_bin("bench")
        .unwrap()
        .arg("chart")
        .arg(&file)
        .assert()
        .code(1);
    let told = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert_eq!(
        told,
        format!(
            "bench: {}: neither JSON of bench nor text of wrk or ab\n",
            file.display()
        )
    );
}
