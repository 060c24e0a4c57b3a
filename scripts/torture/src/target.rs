//! Which servers are tried, and whether they are there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use contract::targets::Contract;
use contract::{Target, Targets, Values};

/// Where things are in a checkout.
#[derive(Clone, Debug)]
pub struct Checkout {
    /// Its root.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
    /// Folder of the compiled binaries.
    pub bin: PathBuf,
    /// All targets.
    pub targets: Targets,
}

impl Checkout {
    /// Around the current folder.
    ///
    /// # Errors
    /// When there is none.
    pub fn find() -> anyhow::Result<Self> {
        let here = std::env::current_dir()?;
        let list = "servers/targets.toml";
        let Some(root) = here.ancestors().find(|folder| folder.join(list).is_file()) else {
            anyhow::bail!(
                "there is no {list} here or above: start torture in a checkout of the suite"
            );
        };
        let cargo = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let target = root.join(cargo);
        Ok(Self {
            root: root.to_owned(),
            bin: target.join("release"),
            target,
            targets: Targets::load(&root.join(list))?,
        })
    }

    /// The targets that `names` mean: names, `quick` (the ten Rust servers), `variants` (of them), `peers`.
    ///
    /// # Errors
    /// With the name that is none of these.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Target>, String> {
        let all = &self.targets.targets;
        if let Some(name) = names
            .iter()
            .find(|name| !all.iter().any(|target| is(target, name)))
        {
            return Err(format!(
                "there is no server `{name}` in servers/targets.toml; `quick`, `variants` and `peers` are groups"
            ));
        }
        let wanted = |target: &&Target| names.iter().any(|name| is(target, name));
        Ok(all.iter().filter(wanted).collect())
    }

    /// Builds our servers among `targets`, as the list says: with a single call of cargo.
    ///
    /// # Errors
    /// When one cannot be built.
    pub fn build(&self, targets: &[&Target]) -> anyhow::Result<()> {
        let mut words = ["cargo", "build", "--release"].map(str::to_owned).to_vec();
        for target in targets {
            if target.contract != Contract::Foreign
                && let Some(packages) = target
                    .build
                    .iter()
                    .find_map(|command| command.strip_prefix(&words[..3]))
            {
                words.extend_from_slice(packages);
            }
        }
        if words.len() == 3 {
            return Ok(());
        }
        let status = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .status()?;
        anyhow::ensure!(status.success(), "`{}` failed", words.join(" "));
        Ok(())
    }

    /// Why a target cannot be started, with the remedy; `None`: it can. Peers are not built here.
    pub fn missing(&self, target: &Target) -> Option<String> {
        let program = target.fill(&target.run, &Values::new(&self.bin)).ok()?;
        let program = Path::new(program.first()?);
        let needs = target.needs.iter().map(Path::new);
        let Some(missing) = needs
            .chain([program])
            .find(|program| !exists(program, &target.dir))
        else {
            return target.refusal(&target.command(Values::new(&self.bin)));
        };
        let name = missing.file_name().unwrap_or_default().display();
        Some(match &target.install {
            Some(install) => format!(
                "{name} is not there: {install}, then bench check --only {}",
                target.name
            ),
            None => format!("{name} is not there"),
        })
    }
}

fn is(target: &Target, name: &str) -> bool {
    match name {
        "quick" => target.quick,
        "variants" => target.variant_of.is_some() && target.contract == Contract::Exact,
        "peers" => target.contract == Contract::Foreign,
        name => target.name == name,
    }
}

/// As a file, seen from where the target starts, or on PATH.
fn exists(program: &Path, dir: &Path) -> bool {
    if program.components().count() > 1 {
        return dir.join(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        // Debian's servers are here, which is on root's PATH alone.
        .chain(["/usr/sbin".into()])
        .any(|folder| folder.join(program).is_file())
}
