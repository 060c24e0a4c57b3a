//! What is to be measured: the entries of the target list, the user's own servers, and the A/A twin.

use crate::exit::Usage;
use crate::model;
use anyhow::{Context, bail, ensure};
use contract::targets::Class;
use contract::{Target, Targets};
use std::path::Path;

/// A target under the name by which it is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its key in the results.
    pub name: String,
    /// What is started.
    pub target: Target,
    /// The candidate that this is a second measurement of.
    pub twin_of: Option<String>,
}

impl Candidate {
    fn of(target: Target) -> Self {
        Self {
            name: target.name.clone(),
            target,
            twin_of: None,
        }
    }

    /// The A/A twin.
    #[must_use]
    pub fn twin(&self) -> Self {
        Self {
            name: format!("{} (A/A)", self.name),
            target: self.target.clone(),
            twin_of: Some(self.name.clone()),
        }
    }

    /// Whether it was given on the command line.
    #[must_use]
    pub fn is_yours(&self) -> bool {
        self.target.class == Class::Yours
    }

    /// Its entry in the results, nothing measured yet.
    #[must_use]
    pub fn describe(&self) -> model::Target {
        model::Target {
            name: self.name.clone(),
            class: class(self.target.class),
            language: self.target.language.clone(),
            stack: self.target.stack.clone(),
            source: Some(self.target.source.clone()).filter(|source| !source.is_empty()),
            variant_of: self.target.variant_of.clone(),
            twin_of: self.twin_of.clone(),
            skipped: None,
            version: None,
            run: self.target.run.clone(),
            build: self.target.build.concat(),
            settings: self.target.settings.clone(),
            binary_bytes: None,
            binary_sha256: None,
            start_to_first_byte_us: Vec::new(),
            request: None,
            response: None,
            capabilities: None,
            contract: Vec::new(),
        }
    }
}

fn class(class: Class) -> model::Class {
    match class {
        Class::Control => model::Class::Control,
        Class::Engine => model::Class::Engine,
        Class::Library => model::Class::Library,
        Class::Framework => model::Class::Framework,
        Class::Server => model::Class::Server,
        Class::Yours => model::Class::Yours,
    }
}

/// Which targets were asked for.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only these names and groups, in the order of the list, and the user's own.
    pub only: Vec<String>,
    /// Not these.
    pub skip: Vec<String>,
    /// All of the list, not only the quick ones.
    pub all: bool,
    /// The user's own, as `NAME=COMMAND`.
    pub with: Vec<String>,
}

/// The candidates of a choice. Without a list only the user's own are there.
///
/// # Errors
/// When a name is unknown or twice, or a command cannot be read.
pub fn choose(list: Option<&Targets>, choice: &Choice) -> anyhow::Result<Vec<Candidate>> {
    let yours: Vec<Target> = choice
        .with
        .iter()
        .map(|spec| yours(spec))
        .collect::<anyhow::Result<_>>()?;
    let listed = list.map(|list| list.targets.as_slice()).unwrap_or_default();
    let unknown = |word: &&String| {
        !listed
            .iter()
            .chain(&yours)
            .any(|target| is_meant(target, word))
    };
    if let Some(word) = choice.only.iter().chain(&choice.skip).find(unknown) {
        bail!(Usage(format!(
            "there is no target or group `{word}`: `bench list` shows them all"
        )));
    }
    // Whoever names a command wants it measured, whatever else --only names.
    let wanted = |target: &Target| match choice.only.is_empty() {
        _ if target.class == Class::Yours => true,
        false => choice.only.iter().any(|word| is_meant(target, word)),
        true => choice.all || target.quick,
    };
    let skipped = |target: &Target| choice.skip.iter().any(|word| is_meant(target, word));
    let chosen: Vec<Target> = listed
        .iter()
        .chain(&yours)
        .filter(|target| wanted(target) && !skipped(target))
        .cloned()
        .collect();
    for (index, target) in chosen.iter().enumerate() {
        ensure!(
            !chosen[..index]
                .iter()
                .any(|other| other.name == target.name),
            Usage(format!("there are two targets `{}`", target.name))
        );
    }
    ensure!(
        !chosen.is_empty(),
        Usage("no target is left: name some with --only, or --with 'NAME=COMMAND {port}'".into())
    );
    Ok(chosen.into_iter().map(Candidate::of).collect())
}

/// Whether a word of --only or --skip means this target: its name, class or language, or one of two groups.
fn is_meant(target: &Target, word: &str) -> bool {
    target.name == word
        || class(target.class).to_string() == word
        || target.language.eq_ignore_ascii_case(word)
        || (word == "quick" && target.quick)
        || (word == "peers"
            && !target.language.eq_ignore_ascii_case("rust")
            && target.class != Class::Yours)
}

/// `NAME=COMMAND`, the command split into words as a shell would.
fn yours(spec: &str) -> anyhow::Result<Target> {
    let wrong = |reason: &str| Usage(format!("--with '{spec}'{reason}"));
    let (name, command) = spec
        .split_once('=')
        .ok_or_else(|| wrong(" is not NAME=COMMAND"))?;
    let mut words = shlex::split(command).ok_or_else(|| wrong(": a quote is not closed"))?;
    ensure!(!words.is_empty(), wrong(": the command is empty"));
    ensure!(
        words.iter().any(|word| word.contains("{port}")),
        wrong(": the command has no {port}, so it cannot be told where to listen")
    );
    absolute(&mut words[0])?;
    Ok(Target::yours(name.trim(), words)?)
}

/// A program given by a path is meant from where bench was started.
fn absolute(program: &mut String) -> anyhow::Result<()> {
    if program.contains('/') && !program.starts_with(['/', '{']) {
        let path = std::path::absolute(Path::new(program))?;
        *program = path
            .to_str()
            .context("the current folder's name is not UTF-8")?
            .to_owned();
    }
    Ok(())
}

/// The first candidate that competes, once more: what the two differ by is noise.
#[must_use]
pub fn with_twin(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    if let Some(first) = candidates
        .iter()
        .find(|candidate| candidate.target.class != Class::Control)
    {
        let twin = first.twin();
        candidates.push(twin);
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(with: &[&str]) -> Choice {
        Choice {
            with: with.iter().map(|spec| (*spec).to_owned()).collect(),
            ..Choice::default()
        }
    }

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        let candidates = choose(
            None,
            &choice(&["mine='/my server' --port {port} --say 'a b'"]),
        )
        .unwrap();
        assert_eq!(
            candidates[0].target.run,
            ["/my server", "--port", "{port}", "--say", "a b"]
        );
        assert_eq!(candidates[0].target.class, Class::Yours);
    }

    #[test]
    fn what_is_given_with_is_measured_whatever_only_names_unless_skipped() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../servers/targets.toml");
        let list = Targets::load(&file).unwrap();
        let names = |only: &str, skip: &[&str], with: &[&str]| {
            let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            let choice = Choice {
                only: only.split(',').map(str::to_owned).collect(),
                skip: words(skip),
                ..choice(with)
            };
            let chosen = choose(Some(&list), &choice).unwrap();
            chosen.into_iter().map(|it| it.name).collect::<Vec<_>>()
        };
        let gate = ["base=x {port}", "head=y {port}"];
        assert_eq!(
            names("srv-hyper", &[], &["mine=x {port}"]),
            ["srv-hyper", "mine"]
        );
        assert_eq!(names("base,head", &[], &gate), ["base", "head"]);
        assert_eq!(
            names("srv-hyper,yours", &["head"], &gate),
            ["srv-hyper", "base"]
        );
    }

    #[test]
    fn what_cannot_be_started_is_refused_with_the_reason() {
        for (specs, reason) in [
            (&["mine"][..], "not NAME=COMMAND"),
            (&["mine=server"], "no {port}"),
            (&["mine=server '{port}"], "quote"),
            (&["mine="], "empty"),
            (&["a=x {port}", "a=y {port}"], "two targets"),
            (&[], "no target is left"),
        ] {
            let error = choose(None, &choice(specs)).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn the_twin_is_of_the_first_that_competes() {
        let candidates = with_twin(choose(None, &choice(&["a=x {port}", "b=y {port}"])).unwrap());
        let names: Vec<&str> = candidates
            .iter()
            .map(|candidate| candidate.name.as_str())
            .collect();
        assert_eq!(names, ["a", "b", "a (A/A)"]);
        assert_eq!(candidates[2].twin_of.as_deref(), Some("a"));
    }
}
