//! What the syntax of targets.toml cannot say about its entries. Each error is one line.

use std::collections::BTreeSet;

use super::{Target, Values, substitute};

/// Checks all entries, each and together.
pub(super) fn targets(targets: &[Target]) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for entry in targets {
        target(entry)?;
        if !names.insert(entry.name.as_str()) {
            return Err(format!("target `{}` is there twice", entry.name));
        }
    }
    for entry in targets {
        if let Some(base) = entry
            .variant_of
            .as_deref()
            .filter(|base| !names.contains(base))
        {
            return Err(format!(
                "target `{}`: variant_of names `{base}`, which is not there",
                entry.name
            ));
        }
    }
    Ok(())
}

/// Checks one entry by itself.
pub(super) fn target(target: &Target) -> Result<(), String> {
    let told = |error: String| Err(format!("target `{}`: {error}", target.name));
    if !is_name(&target.name) {
        return told("a name is made of a-z, A-Z, 0-9, `-`, `_` and `.`".into());
    }
    if target.run.is_empty() {
        return told("`run` is empty".into());
    }
    if target.build.iter().any(Vec::is_empty) {
        return told("`build` holds an empty command".into());
    }
    if target.unavailable.as_deref() == Some("") {
        return told("`unavailable` is empty: any line would have its words".into());
    }
    if let Some(id) = target.deviations.keys().find(|id| !is_case(id)) {
        return told(format!("deviations: unknown case `{id}`"));
    }
    let says_nothing =
        |words: &[String]| words.iter().all(String::is_empty) || words.contains(&String::new());
    if let Some((id, _)) =
        (target.reliability.iter()).find(|(_, known)| says_nothing(&known.fails_with))
    {
        return told(format!(
            "reliability: `{id}`: `fails_with` has no words: any failure would be known"
        ));
    }
    if let Some(line) = target.extra_fields.iter().find(|line| !line.contains(": ")) {
        return told(format!("extra_fields: `{line}` is not `Name: value`"));
    }
    words(target)
        .try_for_each(|word| substitute(word, &Values::new("")).map(drop))
        .or_else(|error| told(error.0))
}

/// Every text in which placeholders are replaced.
fn words(target: &Target) -> impl Iterator<Item = &String> {
    target
        .build
        .iter()
        .flatten()
        .chain(&target.run)
        .chain(&target.version)
        .chain(target.env.values())
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn is_case(id: &str) -> bool {
    crate::cases().iter().any(|case| case.id == id)
}
