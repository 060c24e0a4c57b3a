//! The command of a target with its placeholders filled in.

use contract::targets::TargetError;
use contract::{Target, Values};
use std::path::PathBuf;

/// A command, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Name of the target.
    pub name: String,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Added to the environment.
    pub env: Vec<(String, String)>,
    /// Where it starts.
    pub dir: PathBuf,
}

/// Fills the target's command in.
pub fn launch(target: &Target, values: &Values) -> Result<Launch, TargetError> {
    let values = Values {
        dir: target.dir.clone(),
        ..values.clone()
    };
    let env = target
        .env
        .iter()
        .map(|(name, value)| Ok((name.clone(), contract::targets::substitute(value, &values)?)))
        .collect::<Result<_, TargetError>>()?;
    Ok(Launch {
        name: target.name.clone(),
        argv: target.fill(&target.run, &values)?,
        env,
        dir: target.dir.clone(),
    })
}
