//! `report`: a page, pictures and a text from a run; or the part of README that comes from one.

use super::output;
use crate::checkout::Place;
use crate::cli::ReportArgs;
use crate::model::{Document, Run};
use crate::report::{File, Links, Options, files, readme};
use crate::{exit, store};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// Writes them, or checks that they are what they should be.
///
/// # Errors
/// When the run cannot be read, is empty or of another schema version, or a file cannot be written.
pub fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    let place = Place::find(None)?;
    match &args.run {
        Some(name) => report(args, &place, name),
        None => of_readme(args, &place),
    }
}

fn report(args: &ReportArgs, place: &Place, name: &str) -> anyhow::Result<u8> {
    let file = store::locate(&place.results, name)?;
    let run = read(&file)?;
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => file.parent().map(Path::to_owned).unwrap_or_default(),
    };
    let links = args.source.as_ref().map(|url| Links {
        base: format!("{}/", url.trim_end_matches('/')),
    });
    let options = Options {
        note: args.note.clone(),
        links: links.unwrap_or_default(),
    };
    settle(&folder, &files(&run, &options)?, args.check)
}

fn of_readme(args: &ReportArgs, place: &Place) -> anyhow::Result<u8> {
    let root = place
        .root
        .as_ref()
        .context("--readme works in a checkout of this suite: there is none here")?;
    let source = root.join(readme::FOLDER).join("run.json");
    if args.check && !source.exists() {
        eprintln!(
            "bench: there is no {}/run.json yet, so README.md has nothing to be checked against",
            readme::FOLDER
        );
        return Ok(exit::OK);
    }
    let options = Options {
        note: args.note.clone(),
        links: Links {
            base: String::new(),
        },
    };
    let (block, mut files) = readme::block(&read(&source)?, &options)?;
    let path = root.join("README.md");
    let old = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    files.push(File {
        name: "README.md".into(),
        text: readme::replace(&old, &block)?,
    });
    settle(root, &files, args.check)
}

fn read(file: &Path) -> anyhow::Result<Run> {
    match store::read(file)? {
        Document::Run(run) => Ok(*run),
        Document::Published(published) => bail!(
            "{} holds published figures, not a run: {}",
            file.display(),
            published.title
        ),
    }
}

fn settle(folder: &Path, files: &[File], check: bool) -> anyhow::Result<u8> {
    if check {
        differences(folder, files)
    } else {
        write(folder, files)
    }
}

fn write(folder: &Path, files: &[File]) -> anyhow::Result<u8> {
    for file in files {
        let path = folder.join(&file.name);
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            std::fs::write(&path, &file.text)
        };
        write().with_context(|| format!("cannot write {}", path.display()))?;
        output::line(path.display())?;
    }
    Ok(exit::OK)
}

fn differences(folder: &Path, files: &[File]) -> anyhow::Result<u8> {
    let differs = |file: &&File| {
        std::fs::read_to_string(folder.join(&file.name))
            .ok()
            .as_ref()
            != Some(&file.text)
    };
    let different: Vec<PathBuf> = files
        .iter()
        .filter(differs)
        .map(|file| folder.join(&file.name))
        .collect();
    for path in &different {
        eprintln!(
            "bench: {} is not what the run renders: repeat this command without --check",
            path.display()
        );
    }
    Ok(if different.is_empty() {
        exit::OK
    } else {
        exit::CHECK_FAILED
    })
}
