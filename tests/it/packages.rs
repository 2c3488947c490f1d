//! Packages: each is made by its one command, of the binary under test, opened
//! again, and what is in it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::book::{commands, page, root};

/// Makes a package; the folder it lies in, and its path.
fn package(what: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let made = run(Command::new(root().join(".ci/package"))
        .arg(what)
        .env("FRONTDESK_BINARY", env!("CARGO_BIN_EXE_frontdesk"))
        .env("FRONTDESK_PACKAGES", folder.path()));
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

/// What a package has below its root.
#[track_caller]
fn is_whole(root: &Path) {
    let version = text(&run(Command::new(root.join("bin/frontdesk")).arg("--version")));
    assert_eq!(version.trim(), concat!("frontdesk ", env!("CARGO_PKG_VERSION")));
    for (page, title) in
        [("man1/frontdesk.1.gz", ".TH frontdesk 1"), ("man5/frontdesk-config.5.gz", ".TH frontdesk-config 5")]
    {
        let shown = text(&run(Command::new("gzip").arg("-dc").arg(root.join("share/man").join(page))));
        assert!(shown.contains(title), "{page}");
    }
    for file in [
        "share/bash-completion/completions/frontdesk",
        "share/fish/vendor_completions.d/frontdesk.fish",
        "share/zsh/site-functions/_frontdesk",
        "share/doc/frontdesk/config.schema.json",
        "share/doc/frontdesk/README.md",
        "share/doc/frontdesk/LICENSE-MIT",
    ] {
        let length = root.join(file).metadata().map(|it| it.len()).unwrap_or(0);
        assert!(length > 100, "{file}");
    }
}

#[test]
fn an_archive_is_made_opened_and_run() {
    let (folder, archive) = package("archive");
    run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(folder.path()));
    let name = archive.file_name().expect("a name").to_string_lossy().replace(".tar.gz", "");
    is_whole(&folder.path().join(name));
}

#[test]
fn a_debian_package_is_made_opened_and_run() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        println!("skipped: dpkg-deb is not installed");
        return;
    }
    let (folder, package) = package("deb");
    let field = |name: &str| text(&run(Command::new("dpkg-deb").arg("--field").arg(&package).arg(name)));
    assert_eq!((field("Package").trim(), field("Version").trim()), ("frontdesk", env!("CARGO_PKG_VERSION")));
    assert!(field("Depends").contains("libc6 (>= 2."), "{}", field("Depends"));
    let opened = folder.path().join("opened");
    run(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&opened));
    is_whole(&opened.join("usr"));
    assert!(opened.join("usr/share/doc/frontdesk/copyright").exists());
    // Where it is installed, its root is the machine's.
    let listed = text(&run(Command::new("dpkg-deb").arg("--contents").arg(&package)));
    let folders: Vec<&str> = listed.lines().filter(|it| it.ends_with('/')).collect();
    assert!(folders[0].ends_with(" ./"), "{listed}");
    assert!(folders.iter().all(|it| it.starts_with("drwxr-xr-x root/root ")), "{listed}");
}

#[test]
fn the_container_serves_with_switches_that_there_are() {
    let text = page("assets/Containerfile");
    let entry = text.lines().find_map(|it| it.strip_prefix("ENTRYPOINT ")).expect("an entry point");
    let words: Vec<String> = serde_json::from_str(entry).expect("a list");
    let (program, arguments) = words.split_first().expect("a program");
    assert_eq!(
        (program.as_str(), commands("Containerfile", [arguments.join(" ").as_str()].into_iter())),
        ("frontdesk", 1)
    );
    let built = text.lines().find(|it| it.contains("cargo build")).expect("it is built");
    assert!(built.contains("--profile packaged") && page("Cargo.toml").contains("[profile.packaged]"));
    let rust = format!("rust:{}-", env!("CARGO_PKG_RUST_VERSION"));
    assert!(text.contains(&rust), "{rust}");
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
