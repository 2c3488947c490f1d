//! Gives `frontdesk --version` the commit of the git checkout that it is built from.
//!
//! The commit is read from the files of the checkout, so git need not be installed. `FRONTDESK_COMMIT`, which packages
//! set, has precedence; a source without a checkout has no commit. Only builds with optimisations get one: in others
//! each commit would compile the program and its tests again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Digits of a commit in the version.
const COMMIT_DIGITS: usize = 12;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=FRONTDESK_COMMIT");
    let is_given = env::var("FRONTDESK_COMMIT").is_ok_and(|commit| !commit.is_empty());
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_given || !is_release {
        return;
    }
    let source = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    if let Some(commit) = git_folders(&source).and_then(|(own, shared)| read_commit(&own, &shared)) {
        println!("cargo:rustc-env=FRONTDESK_COMMIT={commit}");
    }
}

/// Folder of the checkout, and the folder of its branches, which worktrees share.
fn git_folders(source: &Path) -> Option<(PathBuf, PathBuf)> {
    let entry = source.join(".git");
    let own = if entry.is_dir() {
        entry
    } else {
        let text = fs::read_to_string(&entry).ok()?;
        source.join(text.trim_end().strip_prefix("gitdir: ")?)
    };
    let shared = fs::read_to_string(own.join("commondir"));
    let shared = shared.map_or_else(|_| own.clone(), |path| own.join(path.trim_end()));
    Some((own, shared))
}

/// Reads the commit of `HEAD`, and makes cargo run this again when it changes.
fn read_commit(own: &Path, shared: &Path) -> Option<String> {
    let head = own.join("HEAD");
    watch(&head);
    let head = fs::read_to_string(head).ok()?;
    let Some(branch) = head.trim_end().strip_prefix("ref: ") else { return shorten(&head) };
    let file = shared.join(branch);
    watch(&file);
    if let Ok(commit) = fs::read_to_string(&file) {
        return shorten(&commit);
    }
    // The next commit makes the file.
    file.ancestors().skip(1).find(|folder| folder.is_dir()).into_iter().for_each(watch);
    let packed = shared.join("packed-refs");
    watch(&packed);
    let packed = fs::read_to_string(packed).ok()?;
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, name)| *name == branch).and_then(|(commit, _)| shorten(commit))
}

/// A path that does not exist would make every build run this.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}

fn shorten(commit: &str) -> Option<String> {
    let digits = commit.get(..COMMIT_DIGITS)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| digits.to_owned())
}
