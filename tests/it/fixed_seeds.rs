//! Random tests take seed and size from `randomized`, which is fresh only in a campaign.

use std::fs;
use std::path::{Path, PathBuf};

/// Sources of randomness without a seed. Split so that this file does not contain them.
const ENTROPY: [(&str, &str); 8] = [
    ("rand::ran", "dom"),
    ("rand::r", "ng()"),
    ("thread_r", "ng("),
    ("from_os_r", "ng("),
    ("from_entr", "opy("),
    ("TestRunner::def", "ault"),
    ("ProptestConfig::def", "ault"),
    ("ProptestConfig::with_", "cases"),
];

/// Uses that do not affect the result.
const HARMLESS: [(&str, &str); 1] = [
    // The first port to try; a used port is skipped.
    ("tests/it/binary.rs", concat!("rand::ran", "dom_range(0..PORTS)")),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Test code of a file: all of `tests`, and in `src` test modules and files of tests.
fn test_lines(path: &str, text: &str) -> impl Iterator<Item = String> {
    let is_test = path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("tests.rs");
    let tests = if is_test { text } else { text.split_once("mod tests {").map_or("", |(_, tests)| tests) };
    tests.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>().into_iter()
}

fn faults(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut lines = test_lines(path, text).peekable();
    while let Some(line) = lines.next() {
        let drawn = ENTROPY.iter().find(|(head, tail)| line.contains(&format!("{head}{tail}")));
        let is_harmless = HARMLESS.iter().any(|(file, code)| *file == path && line.contains(code));
        if drawn.is_some() && !is_harmless && !line.starts_with("//") {
            faults.push(format!("{path}: {line}"));
        }
        let configured = |next: &String| next.starts_with("#![proptest_config(randomized::config(");
        if line == "proptest! {" && !lines.peek().is_some_and(configured) {
            faults.push(format!("{path}: proptest! without randomized::config"));
        }
    }
    faults
}

#[test]
fn random_tests_take_their_seed_from_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found);
    sources(&root.join("tests"), &mut found);
    let mut wrong = Vec::new();
    for path in found {
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        if !name.starts_with("src/randomized/") {
            wrong.extend(faults(&name, &fs::read_to_string(&path).expect("readable")));
        }
    }
    assert!(wrong.is_empty(), "these differ from run to run:\n{}", wrong.join("\n"));
}

#[test]
fn failures_are_kept_as_cases_and_not_in_files_of_their_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = std::process::Command::new("git").current_dir(root).args(["ls-files"]).output();
    let listed = listed.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default();
    let kept: Vec<_> = listed.lines().filter(|path| path.contains("proptest-regressions")).collect();
    assert!(kept.is_empty(), "{kept:?}");
}

#[test]
fn test_that_draws_from_the_system_is_found() {
    let drawing = ["let mut chance = rand::", "rng();"].concat();
    assert_eq!(faults("tests/it/x.rs", &drawing).len(), 1);
    assert_eq!(faults("src/x.rs", &drawing).len(), 0, "the program may");
    assert_eq!(faults("src/x.rs", &format!("mod tests {{\n{drawing}\n}}")).len(), 1);
    assert_eq!(faults("tests/it/x.rs", "proptest! {\n    #[test]").len(), 1);
    let plain = "proptest! {\n    #![proptest_config(randomized::config(9))]";
    assert_eq!(faults("tests/it/x.rs", plain).len(), 0);
}
