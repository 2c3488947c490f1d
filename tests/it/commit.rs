//! The commit in `frontdesk --version`: `build.rs` reads it from the files of a checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER_COMMIT: &str = "fedcba9876543210fedcba9876543210fedcba98";

/// The compiler beside cargo, or that of the path.
fn rustc() -> PathBuf {
    let beside = Path::new(env!("CARGO")).with_file_name("rustc");
    if beside.exists() { beside } else { PathBuf::from("rustc") }
}

fn compile(folder: &Path) -> PathBuf {
    let program = folder.join("build-script");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let mut command = Command::new(rustc());
    let compiled = command.args(["--edition", "2024", "-o"]).arg(&program).arg(script).output();
    let compiled = compiled.expect("rustc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    program
}

/// The build script and a source folder.
struct Source {
    folder: tempfile::TempDir,
    script: PathBuf,
}

impl Source {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let script = compile(folder.path());
        Self { folder, script }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Lines that the script prints for the source folder `of`.
    fn lines(&self, of: &str, profile: &str, given: &str) -> Vec<String> {
        let mut command = Command::new(&self.script);
        command.env("CARGO_MANIFEST_DIR", self.folder.path().join(of));
        let printed = command.env("PROFILE", profile).env("FRONTDESK_COMMIT", given).output().expect("runs");
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        String::from_utf8_lossy(&printed.stdout).lines().map(str::to_owned).collect()
    }

    fn commit(&self, of: &str) -> Option<String> {
        let lines = self.lines(of, "release", "");
        lines
            .iter()
            .find_map(|line| line.strip_prefix("cargo:rustc-env=FRONTDESK_COMMIT=").map(str::to_owned))
    }

    #[track_caller]
    fn watches(&self, of: &str, path: &str) {
        let lines = self.lines(of, "release", "");
        let is_watched = |line: &String| line.starts_with("cargo:rerun-if-changed=") && line.ends_with(path);
        assert!(lines.iter().any(is_watched), "{path} is not in {lines:?}");
    }
}

#[test]
fn commit_of_a_checkout_is_in_optimised_builds() {
    let source = Source::new();
    source.write("plain/Cargo.toml", "");
    assert_eq!(source.commit("plain"), None, "no checkout");
    source.write("main/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(source.commit("main"), None, "no commit yet");
    source.write("main/.git/refs/heads/main", &format!("{COMMIT}\n"));
    assert_eq!(source.commit("main").as_deref(), Some(&COMMIT[..12]));
    source.watches("main", "/HEAD");
    source.watches("main", "/refs/heads/main");
    let has_commit = |profile: &str, given: &str| {
        source.lines("main", profile, given).iter().any(|line| line.contains(&COMMIT[..12]))
    };
    assert!(!has_commit("debug", ""), "each commit would compile the tests again");
    assert!(!has_commit("release", "0000aaaa1111"), "a given commit has precedence");
    source.write("main/.git/HEAD", &format!("{OTHER_COMMIT}\n"));
    assert_eq!(source.commit("main").as_deref(), Some(&OTHER_COMMIT[..12]), "no branch");
    source.write("main/.git/HEAD", "ref: refs/heads/.invalid\n");
    assert_eq!(source.commit("main"), None, "branches in a form of their own");
}

#[test]
fn commit_of_a_packed_branch_and_of_a_worktree_is_read() {
    let source = Source::new();
    source.write("main/.git/HEAD", "ref: refs/heads/main\n");
    source.write("main/.git/refs/heads/other", &format!("{OTHER_COMMIT}\n"));
    let packed =
        format!("# pack-refs with: peeled\n{OTHER_COMMIT} refs/heads/ma\n{COMMIT} refs/heads/main\n");
    source.write("main/.git/packed-refs", &packed);
    assert_eq!(source.commit("main").as_deref(), Some(&COMMIT[..12]));
    source.watches("main", "/packed-refs");
    source.watches("main", "/refs/heads");
    source.write("main/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n");
    source.write("main/.git/worktrees/tree/commondir", "../..\n");
    source.write("tree/.git", "gitdir: ../main/.git/worktrees/tree\n");
    assert_eq!(source.commit("tree").as_deref(), Some(&OTHER_COMMIT[..12]));
}
