//! What is rendered.

use crate::fixture::{Size, run, troubled};
use bench::model::{Document, Run};
use bench::report::{Options, files};
use std::path::Path;

fn text(run: &Run, name: &str) -> String {
    let files = files(run, &Options::default()).unwrap();
    files
        .into_iter()
        .find(|file| file.name == name)
        .unwrap()
        .text
}

/// Leaves the run and its page for the test in a browser.
fn leave(run: &Run) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("report")
        .join(&run.name);
    bench::store::write_json(
        &folder.join("run.json"),
        &Document::Run(Box::new(run.clone())),
    )
    .unwrap();
    std::fs::write(folder.join("report.html"), text(run, "report.html")).unwrap();
}

/// The line of Markdown about a target in the first table.
fn line<'a>(markdown: &'a str, target: &str) -> &'a str {
    markdown
        .lines()
        .find(|line| line.starts_with('|') && line.contains(target))
        .unwrap()
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let run = troubled();
    assert_eq!(
        files(&run, &Options::default()).unwrap(),
        files(&run.clone(), &Options::default()).unwrap()
    );
}

#[test]
fn every_cell_is_shown_as_what_it_is() {
    let mut run = troubled();
    run.name = "troubled".into();
    leave(&run);
    let markdown = text(&run, "report.md");
    for (target, words) in [
        ("srv-number-1]", "ok, noisy"),
        ("srv-number-2]", "starved: rate x mean latency is 20 of 64"),
        ("srv-number-3", "errors: 3 timeout, 1 reset"),
        ("srv-number-4]", "wrong-bytes: 7 wrong bytes"),
        ("srv-number-5]", "throttled: the machine lowered its clock"),
        ("srv-number-6]", "generator-bound: server 80 %"),
        ("srv-number-7", "latency-bound: server 30 %"),
        ("srv-number-8]", "skipped: Go is not installed"),
    ] {
        assert!(
            line(&markdown, target).contains(words),
            "{}",
            line(&markdown, target)
        );
    }
    let ranks = |target: &str| {
        line(&markdown, target)
            .split(" | ")
            .skip(3)
            .step_by(2)
            .take(2)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(ranks("srv-number-1]"), "1 1");
    assert_eq!(ranks("srv-number-2]"), "– –", "starved cells never rank");
    assert!(
        ranks("srv-number-6]").starts_with("– "),
        "the generator's limit is not the server's"
    );
    assert_ne!(
        ranks("srv-number-6]"),
        "– –",
        "CPU per request ranks all the same"
    );
    assert_eq!(ranks("(A/A)"), "– –", "controls never rank");
}

#[test]
fn what_targets_say_of_themselves_cannot_break_the_page() {
    let run = troubled();
    let html = text(&run, "report.html");
    assert!(!html.contains("<many>") && html.contains("of &lt;many&gt;"));
    assert!(html.contains("run &lt;scripts&#x2f;peers.sh&gt; &amp; try <code>again</code>"));
    assert!(text(&run, "report.md").contains("stack 1 \\| of <many>"));
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let html = text(&troubled(), "report.html");
    for outside in ["src=", "http:", "https:", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn a_large_run_stays_under_two_megabytes() {
    let mut run = run(&Size {
        targets: 30,
        connections: vec![1, 8, 64, 256, 1024],
        rounds: 10,
    });
    run.name = "large".into();
    assert_eq!(run.cells.len(), 450);
    leave(&run);
    let size = text(&run, "report.html").len();
    assert!(size < 2_000_000, "{size} bytes");
}

#[test]
fn pictures_draw_every_round_once() {
    let run = troubled();
    for file in files(&run, &Options::default())
        .unwrap()
        .iter()
        .filter(|file| file.name.ends_with(".svg"))
    {
        assert_eq!(
            file.text.matches("22h0").count(),
            9 * 6,
            "{}: nine cells of six rounds",
            file.name
        );
    }
}

#[test]
fn a_run_where_nothing_could_be_measured_is_still_a_report() {
    let mut run = troubled();
    for cell in &mut run.cells {
        *cell = bench::model::Cell::skipped(cell.key.clone(), "no toolchain");
    }
    crate::fixture::judge(&mut run);
    let markdown = text(&run, "report.md");
    assert!(
        markdown.contains("nobody could be ranked") && markdown.contains("nothing to compute"),
        "{markdown}"
    );
}
