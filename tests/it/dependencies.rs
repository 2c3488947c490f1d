//! Dependencies follow `.cargo/deny.toml` and `.cargo/proc-macros.toml`, checked without network.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A crate from outside that is built in, or used by tests and benches.
struct Dependency {
    name: String,
    version: String,
    licence: String,
    source: String,
    kinds: BTreeSet<String>,
}

fn cargo(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).args(["--locked", "--offline"]);
    let ended = command.output().expect("cargo runs");
    assert!(ended.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).expect("text")
}

/// The tree has the enabled features, the metadata the rest.
static ALL: LazyLock<Vec<Dependency>> = LazyLock::new(|| {
    let tree = cargo(&[
        "tree",
        "--workspace",
        "--all-features",
        "--target",
        TARGET,
        "--edges",
        "normal,build,dev",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]);
    let used: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, rest)| (name, rest.split(' ').next().unwrap_or("").trim_start_matches('v')))
        .collect();
    let metadata =
        cargo(&["metadata", "--format-version", "1", "--all-features", "--filter-platform", TARGET]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let outside = packages.filter(|package| !package["source"].is_null()).map(|package| Dependency {
        name: text(&package["name"]),
        version: text(&package["version"]),
        licence: text(&package["license"]),
        source: text(&package["source"]),
        kinds: package["targets"]
            .as_array()
            .expect("targets")
            .iter()
            .map(|value| text(&value["kind"][0]))
            .collect(),
    });
    let all: Vec<Dependency> =
        outside.filter(|outside| used.contains(&(outside.name.as_str(), outside.version.as_str()))).collect();
    assert!(all.len() > 100, "{} crates", all.len());
    all
});

fn rules(name: &str) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cargo").join(name);
    std::fs::read_to_string(path).expect("the file").parse().expect("TOML")
}

fn texts(list: &toml::Value) -> BTreeSet<String> {
    list.as_array().expect("a list").iter().map(|value| value.as_str().expect("a text").to_owned()).collect()
}

/// True if a licence expression is satisfied. `OR` binds less than `AND`; `/` is an older `OR`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let fine = alternatives(&mut words, allowed);
    assert_eq!(words.next(), None, "{expression} cannot be read");
    fine
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn alternatives(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut fine = together(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        fine |= together(words, allowed);
    }
    fine
}

fn together(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut fine = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        fine &= one(words, allowed);
    }
    fine
}

fn one(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let word = words.next().unwrap_or("");
    if word == "(" {
        let fine = alternatives(words, allowed);
        assert_eq!(words.next(), Some(")"), "a bracket is open");
        return fine;
    }
    match words.next_if_eq(&"WITH").and_then(|_| words.next()) {
        Some(exception) => allowed.contains(&format!("{word} WITH {exception}")),
        None => allowed.contains(word),
    }
}

#[test]
fn licence_expressions_are_read() {
    let allowed: BTreeSet<String> = ["MIT", "ISC"].map(str::to_owned).into();
    for (expression, fine) in [
        ("MIT", true),
        ("GPL-2.0-only", false),
        ("Apache-2.0/MIT", true),
        ("GPL-2.0-only OR MIT AND ISC", true),
        ("GPL-2.0-only AND MIT OR BSD-3-Clause", false),
        ("(GPL-2.0-only OR MIT) AND ISC", true),
        ("(GPL-2.0-only OR MIT) AND Unicode-3.0", false),
        ("MIT WITH LLVM-exception", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), fine, "{expression}");
    }
}

#[test]
fn every_licence_is_allowed_and_every_crate_is_from_the_registry() {
    let allowed = texts(&rules("deny.toml")["licenses"]["allow"]);
    let mut wrong = Vec::new();
    for package in ALL.iter() {
        if !is_allowed(&package.licence, &allowed) {
            wrong.push(format!("{} {}: {:?}", package.name, package.version, package.licence));
        }
        if package.source != "registry+https://github.com/rust-lang/crates.io-index" {
            wrong.push(format!("{} {} comes from {}", package.name, package.version, package.source));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Older versions of duplicate crates as `name:version`, compared to the precision of the rules.
#[test]
fn two_versions_of_a_crate_have_a_reason() {
    let rules = rules("deny.toml");
    let mut known = BTreeSet::new();
    for exception in rules["bans"]["skip"].as_array().expect("a list") {
        let (name, version) =
            exception["crate"].as_str().and_then(|text| text.split_once(':')).expect("name:version");
        assert!(!exception["reason"].as_str().unwrap_or("").is_empty(), "{name} needs a reason");
        known.insert((name.to_owned(), format!("{version}.")));
    }
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in ALL.iter() {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    let mut wrong = Vec::new();
    for (name, versions) in versions.iter().filter(|(_, version)| version.len() > 1) {
        let reasons = known.extract_if(.., |(which, version)| {
            which == name && versions.iter().any(|text| text.starts_with(version.as_str()))
        });
        if reasons.count() + 1 < versions.len() {
            wrong.push(format!("{name} is there as {}", versions.join(" and ")));
        }
    }
    wrong
        .extend(known.iter().map(|(name, version)| format!("{name}:{version} is there once, or not at all")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_crate_runs_a_program_of_its_own_unnamed() {
    let of_kind = |kind: &str| -> BTreeSet<String> {
        ALL.iter()
            .filter(|dependency| dependency.kinds.contains(kind))
            .map(|dependency| dependency.name.clone())
            .collect()
    };
    let mut scripts = texts(&rules("deny.toml")["bans"]["build"]["allow-build-scripts"]);
    assert!(scripts.remove(env!("CARGO_PKG_NAME")), "the script of this crate is allowed");
    assert_eq!(of_kind("custom-build"), scripts, "crates with a build script, and those named");
    let macros = texts(&rules("proc-macros.toml")["allow"]);
    assert_eq!(of_kind("proc-macro"), macros, "crates with procedural macros, and those named");
}

/// Allowed files at the top, besides dot files.
const TOP: [&str; 13] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "assets",
    "benches",
    "build.rs",
    "docs",
    "src",
    "target",
    "tests",
];

#[test]
fn the_top_level_stays_short() {
    let entries = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let more: Vec<String> =
        names.filter(|name| !name.starts_with('.') && !TOP.contains(&name.as_str())).collect();
    assert!(more.is_empty(), "{more:?}");
}
