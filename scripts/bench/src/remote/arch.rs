//! Which binaries a far system can run, and where they are.

use anyhow::{Context, bail};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What `uname` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// `uname -s`.
    pub name: String,
    /// `uname -m`.
    pub machine: String,
}

/// Compiled programs for a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// Their folder.
    pub folder: PathBuf,
    /// The command that makes them.
    pub remedy: String,
    /// They are this machine's own, which are built as for a local run.
    pub own: bool,
    machine: String,
}

impl Binaries {
    /// This checkout's `release` folder where both systems are the same, else what scripts/cross.sh made.
    ///
    /// # Errors
    /// When nothing can be made for the system.
    pub fn of(system: &System, release: &Path) -> anyhow::Result<Self> {
        let machine = system.machine.clone();
        if *system == here() {
            return Ok(Self {
                folder: release.to_owned(),
                remedy: "cargo build --release --workspace".into(),
                own: true,
                machine,
            });
        }
        let name = match machine.as_str() {
            "armv6l" => "armv6",
            "armv7l" | "armv8l" => "armv7",
            "aarch64" | "arm64" => "aarch64",
            other => bail!(
                "there are no binaries for {other}: scripts/cross.sh makes those for armv6, armv7 and aarch64"
            ),
        };
        Ok(Self {
            folder: release.parent().unwrap_or(release).join("pi").join(name),
            remedy: format!("scripts/cross.sh {name}"),
            own: false,
            machine,
        })
    }

    /// A program, if it is there and made for the system.
    ///
    /// # Errors
    /// One line with the command that makes it.
    pub fn program(&self, name: &str) -> anyhow::Result<PathBuf> {
        let file = self.folder.join(name);
        self.fits(&file)
            .with_context(|| self.remedy.clone())
            .map_err(|error| anyhow::anyhow!("{}: {error}", error.root_cause()))?;
        Ok(file)
    }

    /// Whether the system can run this file; one without an ELF head is a script.
    ///
    /// # Errors
    /// When it is not there, or made for something else.
    pub fn fits(&self, file: &Path) -> anyhow::Result<()> {
        let shown = shown(file);
        if !file.is_file() {
            bail!("{shown} is missing");
        }
        let found = elf_machine(file).with_context(|| format!("{shown} cannot be read"))?;
        let wanted = match self.machine.as_str() {
            "x86_64" => 62,
            "aarch64" | "arm64" => 183,
            "riscv64" => 243,
            arm if arm.starts_with("arm") => 40,
            _ => return Ok(()),
        };
        match found {
            Some(found) if found != wanted => {
                bail!(
                    "{shown} is made for {}, not for {}",
                    name_of(found),
                    self.machine
                )
            }
            _ => Ok(()),
        }
    }
}

/// As it is seen from the checkout: where that stands on this machine is nobody's business.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    file.strip_prefix(here)
        .unwrap_or(file)
        .display()
        .to_string()
}

/// `e_machine` of an ELF head (System V ABI, chapter 4): bytes 18 and 19, in the order that byte 5 says.
fn elf_machine(file: &Path) -> std::io::Result<Option<u16>> {
    let mut head = Vec::new();
    std::fs::File::open(file)?.take(20).read_to_end(&mut head)?;
    if head.len() < 20 || !head.starts_with(b"\x7fELF") {
        return Ok(None);
    }
    let bytes = [head[18], head[19]];
    Ok(Some(match head[5] {
        2 => u16::from_be_bytes(bytes),
        _ => u16::from_le_bytes(bytes),
    }))
}

fn name_of(machine: u16) -> String {
    match machine {
        3 => "i386".into(),
        40 => "arm".into(),
        62 => "x86_64".into(),
        183 => "aarch64".into(),
        243 => "riscv".into(),
        other => format!("ELF machine {other}"),
    }
}

fn here() -> System {
    let told = nix::sys::utsname::uname().ok();
    let text = |word: Option<&std::ffi::OsStr>| {
        word.map(|word| word.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    System {
        name: text(told.as_ref().map(|told| told.sysname())),
        machine: text(told.as_ref().map(|told| told.machine())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(machine: &str) -> System {
        System {
            name: "Linux".into(),
            machine: machine.into(),
        }
    }

    fn program(folder: &Path, machine: u8) {
        let mut head = vec![0; 20];
        head[..6].copy_from_slice(b"\x7fELF\x01\x01");
        head[18] = machine;
        std::fs::write(folder.join("srv"), head).unwrap();
    }

    #[test]
    fn boards_have_their_folders() {
        for (machine, folder) in [
            ("armv6l", "armv6"),
            ("armv7l", "armv7"),
            ("armv8l", "armv7"),
        ] {
            let binaries = Binaries::of(&far(machine), Path::new("/x/target/release")).unwrap();
            assert_eq!(binaries.folder, Path::new("/x/target/pi").join(folder));
            assert!(!binaries.own);
        }
        let own = Binaries::of(&here(), Path::new("/x/target/release")).unwrap();
        assert_eq!(
            (own.folder.as_path(), own.own),
            (Path::new("/x/target/release"), true)
        );
        let error = Binaries::of(&far("s390x"), Path::new("/x")).unwrap_err();
        assert!(error.to_string().contains("armv6, armv7 and aarch64"));
    }

    #[test]
    fn what_is_missing_or_made_for_another_machine_is_one_line_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let binaries = Binaries {
            folder: folder.path().to_owned(),
            ..Binaries::of(&far("armv7l"), Path::new("/x/release")).unwrap()
        };
        let error = binaries.program("srv").unwrap_err().to_string();
        assert!(
            error.ends_with("srv is missing: scripts/cross.sh armv7"),
            "{error}"
        );
        program(folder.path(), 62);
        let error = binaries.program("srv").unwrap_err().to_string();
        assert!(
            error.ends_with("srv is made for x86_64, not for armv7l: scripts/cross.sh armv7"),
            "{error}"
        );
        program(folder.path(), 40);
        binaries.program("srv").unwrap();
    }
}
