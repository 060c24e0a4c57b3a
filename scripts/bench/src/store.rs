//! `results/<name>/run.json`: written anew, as a whole, after every cell.

use crate::exit::Usage;
use crate::model::{Document, Plan, Published, Run, SCHEMA_VERSION};
use crate::padding::LARGEST_BODY;
use crate::session::Keep;
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file of one run.
#[derive(Clone, Debug)]
pub struct Store {
    file: PathBuf,
}

impl Store {
    /// In `results`, under `name`.
    ///
    /// # Errors
    /// When the name is no file name.
    pub fn of(results: &Path, name: &str) -> anyhow::Result<Self> {
        let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
        ensure!(
            plain,
            Usage(format!(
                "a run's name is the name of a folder: {name:?} is none"
            ))
        );
        Ok(Self {
            file: results.join(name).join("run.json"),
        })
    }

    /// Where it is.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl Keep for Store {
    /// Written beside the old one and renamed, so that there is a whole file at every moment.
    fn keep(&mut self, run: &Run) -> anyhow::Result<()> {
        let document = Document::Run(Box::new(run.clone()));
        write_json(&self.file, &document)
    }
}

/// Writes a document, whole or not at all.
///
/// # Errors
/// When it cannot.
pub fn write_json(file: &Path, document: &Document) -> anyhow::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let write = || -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)?;
        let readable = std::fs::Permissions::from_mode(0o644);
        let mut new = tempfile::Builder::new()
            .prefix(".run-")
            .suffix(".json")
            .permissions(readable)
            .tempfile_in(folder)?;
        serde_json::to_writer_pretty(&mut new, document)?;
        new.write_all(b"\n")?;
        new.persist(file)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

/// Writes a text for the user to a file of the user's.
///
/// # Errors
/// When it cannot.
pub fn write_text(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Reads any document of this schema.
///
/// # Errors
/// When it is not there, no such document, or of another version.
pub fn read(file: &Path) -> anyhow::Result<Document> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let value: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))?;
    let Some(version) = value.get("schema_version").and_then(Value::as_u64) else {
        bail!(
            "{} is not a result of bench: it has no schema_version",
            file.display()
        );
    };
    ensure!(
        version == u64::from(SCHEMA_VERSION),
        "{} has schema version {version}; this bench reads version {SCHEMA_VERSION}",
        file.display()
    );
    let document = sensible(&value).and_then(|()| {
        let document = serde_json::from_value(value)?;
        if let Document::Run(run) = &document {
            possible(&run.plan)?;
        }
        Ok(document)
    });
    document.with_context(|| format!("{} does not follow results/schema.json", file.display()))
}

/// No figure of a run is larger than this; figures that are make tables and pictures without end.
const LARGEST: f64 = 1e15;

/// Every number but a seed is one that could have been measured.
fn sensible(value: &Value) -> anyhow::Result<()> {
    match value {
        Value::Number(number) => {
            let figure = number.as_f64().unwrap_or(f64::INFINITY);
            ensure!(
                figure.abs() <= LARGEST,
                "{number} is no figure of a measurement"
            );
            Ok(())
        }
        Value::Array(values) => values.iter().try_for_each(sensible),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "seed")
            .try_for_each(|(name, value)| sensible(value).with_context(|| name.clone())),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

/// What a run could have been asked for: a resumed one is measured so.
fn possible(plan: &Plan) -> anyhow::Result<()> {
    ensure!(plan.warmup_s >= 0.0, "plan: warmup_s is below 0");
    ensure!(plan.duration_s > 0.0, "plan: duration_s is not above 0");
    let counts = [&plan.connections, &plan.sweep, &plan.threads];
    ensure!(
        plan.rounds > 0 && counts.into_iter().flatten().all(|count| *count > 0),
        "plan: rounds, connections and threads are above 0"
    );
    let sizes = [plan.body_size, plan.wire_size];
    ensure!(
        sizes.into_iter().flatten().all(|size| size <= LARGEST_BODY),
        "plan: no body is larger than {LARGEST_BODY} bytes"
    );
    Ok(())
}

/// Reads a run: a file, or a name or folder under `results`.
///
/// # Errors
/// When there is none.
pub fn read_run(results: &Path, name: &str) -> anyhow::Result<Run> {
    match read(&locate(results, name)?)? {
        Document::Run(run) => Ok(*run),
        Document::Published(published) => bail!(
            "{name} holds published figures, not a run: {}",
            title(&published)
        ),
    }
}

fn title(published: &Published) -> &str {
    &published.title
}

/// The file that `name` means: a path, a folder with a run.json, or a name under `results`.
///
/// # Errors
/// When there is none.
pub fn locate(results: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let given = Path::new(name);
    let candidates = [
        given.to_owned(),
        given.join("run.json"),
        results.join(name).join("run.json"),
        results.join(name),
    ];
    let found = candidates.into_iter().find(|path| path.is_file());
    found.with_context(|| {
        format!(
            "there is no run `{name}`, neither as a file nor in {}",
            results.display()
        )
    })
}

/// The run that was written last.
///
/// # Errors
/// When there is none.
pub fn latest(results: &Path) -> anyhow::Result<String> {
    let runs = std::fs::read_dir(results)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let written = entry
                .path()
                .join("run.json")
                .metadata()
                .ok()?
                .modified()
                .ok()?;
            Some((written, entry.file_name().into_string().ok()?))
        });
    let last = runs.max().map(|(_, name)| name);
    last.with_context(|| format!("there is no run in {} to go on with", results.display()))
}
