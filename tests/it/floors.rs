//! Rules checked in the source: dependencies, exhaustive matches, rows read by column name.

use std::fs;
use std::path::{Path, PathBuf};

/// Each crate of a floor and the crates it may depend on. The root crate may depend on all.
const FLOORS: &[(&str, &[&str])] = &[
    ("model", &[]),
    // Private files and folders, for all crates that touch a disk.
    ("disk", &[]),
    ("api", &["model"]),
    // Rows by name, for both databases.
    ("sqlite", &["model"]),
    ("inbox", &["model"]),
    ("client", &["model", "api"]),
    // Requests to hosts a customer or a configuration named, always through the SSRF guard, and to
    // models. A crate of its own: both the service and the desk need this code, and the desk may
    // not import the service.
    ("net", &["model", "api", "disk"]),
    // Receives webhooks of the service.
    ("receiver", &["model", "api"]),
    ("store", &["model", "sqlite", "disk"]),
    ("sync", &["model", "client", "store", "disk"]),
    // Pure of the database, so that each platform can be read and tested alone.
    ("platforms", &["model", "api", "net"]),
    ("service", &["model", "api", "net", "platforms", "sqlite", "disk"]),
    (TESTS_ONLY, &[]),
];

/// Crate that tests of every floor may use, and the program may not.
const TESTS_ONLY: &str = "randomized";

/// Outside crates and the only crates that may depend on them.
const CRATES: &[(&str, &[&str])] = &[
    ("serde", &["model", "api", "sqlite", "store"]),
    ("schemars", &["api"]),
    ("ratatui", &["inbox"]),
    ("reqwest", &["client"]),
    ("rusqlite", &["model", "sqlite", "store", "sync", "service"]),
    ("tokio_postgres", &["service"]),
    ("axum", &["service"]),
    ("async_imap", &["platforms"]),
    // HTTP at the lowest level; the webhook receiver answers two requests and needs no router.
    ("hyper", &["service", "platforms", "net", "receiver"]),
    ("crossterm", &[]),
    ("clap", &[]),
    ("tui_textarea", &["inbox"]),
    ("nucleo_matcher", &["inbox"]),
    ("csv", &["sync"]),
    ("image", &[]),
];

fn files_below(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_below(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files_below(&root, "rs", &mut found);
    found.sort();
    assert!(found.len() > 50, "the walk has lost its way");
    let read = |path: PathBuf| {
        let relative = path.strip_prefix(&root).expect("below src");
        let first = relative.components().next().expect("a name").as_os_str().to_string_lossy();
        let floor = first.trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&path).expect("readable");
        (floor, path, text)
    };
    found.into_iter().map(read).collect()
}

/// The code of a file without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).filter(|text| !text.trim().is_empty())
}

/// The crates a manifest names, including dev-dependencies.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut wanted = false;
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            wanted = line.ends_with("dependencies]");
            return None;
        }
        let end = line.find(['.', ' ', '='])?;
        wanted.then_some(&line[..end])
    })
}

/// Violations in the dependencies of a crate. The compiler enforces the rest.
fn wrong_dependencies(floor: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = FLOORS.iter().find(|(name, _)| *name == floor) else {
        return vec![format!("{floor} is on no floor")];
    };
    let mut wrong = Vec::new();
    let (program, _) = manifest.split_once("[dev-dependencies]").unwrap_or((manifest, ""));
    if dependencies(program).any(|name| name == TESTS_ONLY) {
        wrong.push(format!("{floor} depends on {TESTS_ONLY}, which is only for tests"));
    }
    for name in dependencies(manifest).filter(|name| *name != TESTS_ONLY) {
        if FLOORS.iter().any(|(floor, _)| *floor == name) && !allowed.contains(&name) {
            wrong.push(format!("{floor} may not import {name}"));
        }
        let outside = CRATES.iter().find(|(outside, _)| *outside == name.replace('-', "_"));
        if let Some((_, floors)) = outside.filter(|(_, floors)| !floors.contains(&floor)) {
            wrong.push(format!("{floor} depends on {name}, which is only for {floors:?}"));
        }
    }
    wrong
}

#[test]
fn floors_depend_only_downward() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (floor, _) in FLOORS {
        let path = root.join("src").join(floor).join("Cargo.toml");
        wrong.extend(wrong_dependencies(floor, &fs::read_to_string(path).expect("a floor is a crate")));
    }
    let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("the manifest");
    let members = workspace.lines().find(|line| line.starts_with("members")).expect("members");
    let unlisted = FLOORS.iter().filter(|(floor, _)| !members.contains(&format!("src/{floor}\"")));
    wrong.extend(unlisted.map(|(floor, _)| format!("{floor} is no member of the workspace")));
    assert_eq!(members.matches('"').count(), 2 * FLOORS.len(), "a member is on no floor");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_dependency_upward_is_found() {
    for (floor, manifest, count) in [
        ("model", "[dependencies]\napi.workspace = true\n", 1),
        ("api", "[dependencies]\nmodel.workspace = true\n", 0),
        ("inbox", "[package]\nname = \"store\"\n[dev-dependencies]\nstore = { path = \"x\" }\n", 1),
        ("service", "[dependencies]\nclient.workspace = true\naxum.workspace = true\n", 1),
        ("sync", "[dependencies]\nreqwest = \"1\"\n", 1),
        ("upstairs", "", 1),
    ] {
        assert_eq!(wrong_dependencies(floor, manifest).len(), count, "{floor}: {manifest}");
    }
    assert!(starts_a_word("    let it: reqwest::Client;", "reqwest::"));
    assert!(!starts_a_word("my_serde::x, a::serde::y", "serde::"));
}

/// Modules of the root crate and the crates each may not name.
const ROOMS: &[(&str, &[&str])] = &[
    ("shell", &["service", "clap"]),
    ("cli", &["crossterm", "ratatui", "ratatui_image", "image", "rusqlite", "reqwest", "axum"]),
    ("config", &["clap", "crossterm", "ratatui", "rusqlite", "reqwest", "store", "sync"]),
];

#[test]
fn rooms_of_the_edge_keep_apart() {
    let mut wrong = Vec::new();
    for (floor, path, text) in sources() {
        let Some((_, banned)) = ROOMS.iter().find(|(name, _)| *name == floor) else { continue };
        for line in code(&text) {
            let named = banned.iter().filter(|text| starts_a_word(line, &format!("{text}::")));
            wrong.extend(named.map(|text| format!("{}: {floor} may not name {text}", path.display())));
            if line.contains("super::super") {
                wrong.push(format!("{}: name the module from the crate on", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn starts_a_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(|line: char| line.is_alphanumeric() || line == '_' || line == ':')
    })
}

/// Closed enums that must be matched exhaustively, so that a forgotten variant does not compile.
const CLOSED: [&str; 9] = [
    "Effect::",
    "FileWrite::",
    "SyncOrder::",
    "TerminalOrder::",
    "Event::",
    "Load::",
    "Loaded::",
    "News::",
    "Pane::",
];

/// Catch-all arms of matches over closed enums, in formatted code.
fn catch_alls(text: &str, closed: &[&str]) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !line.contains("match ") || !line.ends_with('{') {
            continue;
        }
        let arms = lines[at + 1..].iter().take_while(|text| text.is_empty() || indent(text) > indent(line));
        let arms: Vec<&str> =
            arms.filter(|arm| indent(arm) == indent(line) + 4).map(|arm| arm.trim_start()).collect();
        let closed = |text: &&&str| closed.iter().any(|name| text.trim_start_matches("| ").starts_with(name));
        let names = |text: &str| text.chars().all(|letter| letter.is_lowercase() || letter == '_');
        let catches = |text: &&&str| text.split_once(" =>").is_some_and(|(pattern, _)| names(pattern));
        if arms.iter().any(|arm| closed(&arm)) {
            found.extend(arms.iter().filter(catches).map(|arm| format!("{}: {arm}", at + 1)));
        }
    }
    found
}

#[test]
fn a_command_is_done_where_its_row_says() {
    let mut wrong = Vec::new();
    for (floor, path, text) in sources() {
        if floor == "inbox" {
            let found = catch_alls(&text, &["C::", "Command::"]).into_iter();
            wrong.extend(found.map(|text| format!("{}:{text}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_happens_is_matched_without_a_catch_all() {
    let mut wrong = Vec::new();
    for (floor, path, text) in sources() {
        let here = matches!(floor.as_str(), "inbox" | "shell");
        // Other crates have enums with these names.
        let ours =
            ["crate::event::", "inbox::event::", "model::news::"].iter().any(|entry| text.contains(entry));
        if here && ours {
            wrong.extend(
                catch_alls(&text, &CLOSED)
                    .into_iter()
                    .map(|catch_all| format!("{}:{catch_all}", path.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_catch_all_is_found() {
    let of = |arm: &str| format!("    match it {{\n        Effect::Bell => ring(),\n        {arm}\n    }}\n");
    for (arm, count) in [
        ("_ => (),", 1),
        ("other => self.hands.perform(other),", 1),
        ("Effect::Quit => (),", 0),
        ("it @ (Effect::Quit | Effect::Redraw) => drop(it),", 0),
    ] {
        assert_eq!(catch_alls(&of(arm), &CLOSED).len(), count, "{arm}");
    }
    assert!(
        catch_alls("    match it {\n        Some(it) => it,\n        _ => 0,\n    }\n", &CLOSED).is_empty()
    );
}

/// True if a line reads a column of a row by index. Arguments of SQL functions have no names.
fn reads_by_place(line: &str) -> bool {
    line.match_indices(".get").any(|(at, _)| {
        let rest = line[at + 4..].trim_start_matches("_ref").trim_start_matches("_unwrap");
        let call = match rest.strip_prefix("::<") {
            Some(kind) => kind.split_once(">(").map(|pair| pair.1),
            None => rest.strip_prefix('('),
        };
        let place = call.is_some_and(|call| call.starts_with(|first: char| first.is_ascii_digit()));
        place && !line[..at].ends_with("arguments") && !call.is_some_and(|call| call.contains(".."))
    })
}

#[test]
fn rows_are_read_by_name() {
    let mut wrong = Vec::new();
    for (floor, path, text) in sources() {
        if !matches!(floor.as_str(), "sqlite" | "store" | "service") {
            continue;
        }
        // Only `sqlite` hands out rows.
        let maps = |text: &&str| text.contains("query_row(") || text.contains("query_map(");
        let found = code(&text).filter(|code| reads_by_place(code) || (floor != "sqlite" && maps(code)));
        wrong.extend(found.map(|text| format!("{}: {}", path.display(), text.trim())));
    }
    assert!(wrong.is_empty(), "read these by name, as src/sqlite does:\n{}", wrong.join("\n"));
}

#[test]
fn a_cell_read_by_its_place_is_found() {
    for (line, found) in [
        ("let id: String = row.get(0)?;", true),
        ("let id = it.get::<_, Option<String>>(12)?;", true),
        (".map(|row| row.get_ref(3))", true),
        ("let id: String = row.get(\"id\")?;", false),
        ("let text = arguments.get(2)?;", false),
        ("iso.as_str().get(11..19)", false),
    ] {
        assert_eq!(reads_by_place(line), found, "{line}");
    }
}

#[test]
fn every_mutation_fits_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("tests/mutations/table.toml")).expect("readable");
    let table: toml::Table = table.parse().expect("TOML");
    let mut wrong = Vec::new();
    for entry in table["mutation"].as_array().expect("a list") {
        let of = |key: &str| entry[key].as_str().expect("a text");
        let source = fs::read_to_string(root.join(of("file"))).unwrap_or_default();
        let times = source.matches(of("find")).count();
        if times != 1 {
            wrong.push(format!("{}: what it changes is {times} times in {}", of("name"), of("file")));
        }
    }
    assert!(wrong.is_empty(), "follow the source in tests/mutations/table.toml:\n{}", wrong.join("\n"));
}
