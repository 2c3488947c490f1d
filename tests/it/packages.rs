//! Packages: each is built by its command from the binary under test, unpacked and run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::book::{commands, page, root};
use crate::skipping::skip;

fn package(what: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let made = run(Command::new(root().join(".ci/package"))
        .arg(what)
        .env("FRONTDESK_BINARY", env!("CARGO_BIN_EXE_frontdesk"))
        .env("FRONTDESK_PACKAGES", folder.path())
        // The binary under test is large.
        .env("DPKG_DEB_COMPRESSOR_TYPE", "gzip")
        .env("DPKG_DEB_COMPRESSOR_LEVEL", "1"));
    let path = PathBuf::from(text(&made).lines().last().expect("its path"));
    assert!(path.starts_with(folder.path()), "{}", path.display());
    (folder, path)
}

#[track_caller]
fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// `zsh` is the folder in which zsh looks for completions.
#[track_caller]
fn is_whole(root: &Path, zsh: &str) {
    let version = text(&run(Command::new(root.join("bin/frontdesk")).arg("--version")));
    let known = concat!("frontdesk ", env!("CARGO_PKG_VERSION"));
    // An optimised binary names its commit, too.
    assert!(version.trim() == known || version.starts_with(&format!("{known} (")), "{version}");
    for (page, title) in
        [("man1/frontdesk.1.gz", ".TH frontdesk 1"), ("man5/frontdesk-config.5.gz", ".TH frontdesk-config 5")]
    {
        let shown = text(&run(Command::new("gzip").arg("-dc").arg(root.join("share/man").join(page))));
        assert!(shown.contains(title), "{page}");
    }
    for file in [
        "share/bash-completion/completions/frontdesk",
        "share/fish/vendor_completions.d/frontdesk.fish",
        &format!("share/zsh/{zsh}/_frontdesk"),
        "share/doc/frontdesk/config.schema.json",
        "share/doc/frontdesk/README.md",
        "share/doc/frontdesk/LICENSE-MIT",
        "share/doc/frontdesk/docs/install.md",
        "share/doc/frontdesk/assets/frontdesk.service",
    ] {
        let length = root.join(file).metadata().map(|metadata| metadata.len()).unwrap_or(0);
        assert!(length > 100, "{file}");
    }
}

#[test]
fn an_archive_is_made_opened_and_run() {
    let (folder, archive) = package("archive");
    run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(folder.path()));
    let name = archive.file_name().expect("a name").to_string_lossy().replace(".tar.gz", "");
    is_whole(&folder.path().join(name), "site-functions");
}

#[test]
fn a_debian_package_is_made_opened_and_run() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        skip("dpkg-deb is not installed");
        return;
    }
    let (folder, package) = package("deb");
    let field = |name: &str| text(&run(Command::new("dpkg-deb").arg("--field").arg(&package).arg(name)));
    assert_eq!((field("Package").trim(), field("Version").trim()), ("frontdesk", env!("CARGO_PKG_VERSION")));
    assert!(field("Depends").contains("libc6 (>= 2."), "{}", field("Depends"));
    let opened = folder.path().join("opened");
    run(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&opened));
    // Debian's zsh does not look into `site-functions` below `/usr/share`.
    is_whole(&opened.join("usr"), "vendor-completions");
    assert!(opened.join("usr/share/doc/frontdesk/copyright").exists());
    for unit in ["system/frontdesk.service", "user/frontdesk-engine.service"] {
        let unit = std::fs::read_to_string(opened.join("usr/lib/systemd").join(unit)).expect("a unit");
        assert!(unit.contains("ExecStart=/usr/bin/frontdesk "), "{unit}");
    }
    // Its root is the root of the machine.
    let listed = text(&run(Command::new("dpkg-deb").arg("--contents").arg(&package)));
    let folders: Vec<&str> = listed.lines().filter(|line| line.ends_with('/')).collect();
    assert!(folders[0].ends_with(" ./"), "{listed}");
    assert!(folders.iter().all(|folder| folder.starts_with("drwxr-xr-x root/root ")), "{listed}");
}

#[track_caller]
fn instruction(name: &str) -> Vec<String> {
    let text = page("assets/Containerfile");
    let words = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    serde_json::from_str(words.unwrap_or_else(|| panic!("no {name}"))).expect("a list")
}

/// The real parser reads the container's arguments.
#[track_caller]
fn is_served(of: &str, given: &[String]) {
    let entry = instruction("ENTRYPOINT");
    assert_eq!(entry, ["frontdesk", "serve"]);
    assert!(["--listen", "--db"].iter().all(|text| given.iter().any(|word| word == text)), "{of}: {given:?}");
    let line = [&entry[1..], given].concat().join(" ");
    assert_eq!(commands(of, [line.as_str()].into_iter()), 1);
}

#[test]
fn the_container_serves_with_switches_that_there_are() {
    is_served("assets/Containerfile", &instruction("CMD"));
    let text = page("assets/Containerfile");
    let built = text.lines().find(|line| line.contains("cargo build")).expect("it is built");
    assert!(built.contains("--profile packaged") && page("Cargo.toml").contains("[profile.packaged]"));
    let rust = format!("rust:{}-", env!("CARGO_PKG_RUST_VERSION"));
    assert!(text.contains(&rust), "{rust}");
    // The one name docker and podman both read.
    assert!(page(".dockerignore").lines().any(|line| line == "/target"));
    assert!(!root().join(".containerignore").exists());
}

/// A section of a compose file: the lines indented below a heading.
fn part<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let depth = |text: &str| text.len() - text.trim_start().len();
    let mut lines = text.lines().skip_while(|line| *line != heading).skip(1);
    lines.by_ref().take_while(|line| line.trim().is_empty() || depth(line) > depth(heading)).collect()
}

/// A value of a compose file with the defaults of its variables.
fn unset(value: &str) -> String {
    let (before, rest) = value.split_once("${").unwrap_or((value, ""));
    rest.split_once('}').map_or_else(
        || value.to_owned(),
        |(variable, after)| {
            let (_, otherwise) = variable.split_once(":-").expect("what holds without it");
            format!("{before}{otherwise}{}", unset(after))
        },
    )
}

#[test]
fn each_service_of_compose_serves_with_switches_that_there_are() {
    let text = page("assets/compose.yaml");
    let shared = part(&text, "x-serve: &serve").join("\n");
    let command = part(&shared, "  command:");
    let given: Vec<String> =
        command.iter().map(|text| unset(text.trim().strip_prefix("- ").expect("a word"))).collect();
    let services = part(&text, "services:");
    let names: Vec<&str> = services
        .iter()
        .filter_map(|service| service.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|text| !text.starts_with(' '))
        .collect();
    assert_eq!(names, ["postgres", "one", "other"]);
    for name in &names[1..] {
        let own = part(&text, &format!("  {name}:")).join("\n");
        assert!(
            own.contains("<<: *serve") && !own.contains("command:") && !own.contains("entrypoint:"),
            "{own}"
        );
        is_served(&format!("assets/compose.yaml, {name}"), &given);
    }
    assert!(shared.contains("dockerfile: assets/Containerfile") && !shared.contains("entrypoint:"));
    // Variables the shell reserves cannot be set.
    let kept = ["UID", "EUID", "PPID", "GROUPS"];
    let variables = text.split("${").skip(1).filter_map(|part| part.split([':', '}']).next());
    assert!(
        variables.clone().count() >= 3 && variables.clone().all(|variable| !kept.contains(&variable)),
        "{text}"
    );
    for name in variables.filter(|variable| variable.ends_with("ID")) {
        assert!(text.contains(&format!(" {name}=$(id ")), "{name} is not told how to set");
    }
}

#[test]
fn what_is_no_package_is_refused_with_those_there_are() {
    let refused = Command::new(root().join(".ci/package")).arg("rpm").output().expect("it runs");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2));
    for what in ["archive", "deb", "image"] {
        assert!(said.contains(&format!(".ci/package {what}")), "{said}");
    }
}
