//! The Debian packages that bring what a peer needs: on a far host there is no scripts/peers.sh.

/// A target's name and its package.
const PACKAGES: [(&str, &str); 9] = [
    ("node", "nodejs"),
    ("python", "python3"),
    ("perl-mojolicious", "libmojolicious-perl"),
    ("perl-dancer", "libdancer-perl"),
    ("perl-http-daemon", "libhttp-daemon-perl"),
    ("perl-http-server-simple", "libhttp-server-simple-perl"),
    ("crystal", "crystal"),
    ("nginx", "nginx-light"),
    ("caddy", "caddy"),
];

/// The command that installs what a target or its variant needs on a host that ssh knows as `destination`.
#[must_use]
pub fn install(target: &contract::Target, destination: &str) -> Option<String> {
    let name = target.variant_of.as_deref().unwrap_or(&target.name);
    let (_, package) = PACKAGES.iter().find(|(target, _)| *target == name)?;
    Some(format!("ssh -t {destination} sudo apt install {package}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// scripts/peers.sh installs the same ones.
    #[test]
    fn every_package_is_the_one_of_the_script() {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let script = std::fs::read_to_string(scripts.join("peers.sh")).unwrap();
        for (target, package) in PACKAGES {
            let line = script.lines().map(str::trim).find(|line| {
                line.starts_with(&format!("{target})")) || line.starts_with(&format!("{target}*)"))
            });
            assert!(
                line.is_some_and(|line| line.contains(package)),
                "{target}: {line:?}"
            );
        }
    }
}
