//! The book in `docs`: contents, links, commands and generated parts match the program.
//! `UPDATE_DOCS=1` rewrites the generated parts.

mod json;
mod links;

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use frontdesk::cli::manual::{ENVIRONMENT, FILES};
use frontdesk::config::Config;
use frontdesk::config::settings::TABLES;
use frontdesk::inbox::command::{CommandScope, TABLE, VERBS, name};
use frontdesk::inbox::keymap::KeyMap;

use crate::binary::Binary;
use crate::desk::Desk;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
pub(crate) fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn pages() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("docs")).expect("the book");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect()
}

/// Compares the text between two marks of a page, or rewrites it.
#[track_caller]
pub(crate) fn holds(path: &str, mark: &str, wanted: &str) {
    // Tests must not write at the same time.
    static WRITING: Mutex<()> = Mutex::new(());
    let _one = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let text = page(path);
    let (open, close) = (format!("<!-- {mark} -->"), format!("<!-- /{mark} -->"));
    let (before, rest) = text.split_once(&open).expect("the mark before it");
    let (found, after) = rest.split_once(&close).expect("the mark after it");
    if found != wanted && std::env::var_os("UPDATE_DOCS").is_some() {
        return std::fs::write(root().join(path), format!("{before}{open}{wanted}{close}{after}"))
            .expect("it can be written");
    }
    assert_eq!(found, wanted, "{path}: run the tests with UPDATE_DOCS=1");
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A Markdown table with an empty line around it.
fn table(heading: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = format!("\n| {} |\n|{}\n", heading.join(" | "), "---|".repeat(heading.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        writeln!(out, "| {} |", cells.join(" | ")).expect("a string");
    }
    out
}

#[test]
fn the_keys_are_the_command_table() {
    let keymap = KeyMap::default();
    let mut out = String::from("\n");
    for place in CommandScope::ALL {
        let rows = TABLE.iter().filter(|command_row| command_row.place == place).map(|row| {
            let keys: Vec<String> =
                keymap.key_names(row.command).iter().map(|text| format!("`{text}`")).collect();
            vec![keys.join(" "), keymap.doc_with_keys(row.command), format!("`{}`", name(row.command))]
        });
        write!(out, "## {}\n{}\n", place.heading(), table(&["key", "does", "name"], rows)).expect("a string");
    }
    holds("docs/keys.md", "keys", &out);
    let rows = VERBS.iter().map(|verb| vec![format!("`{}`", verb.usage()), verb.doc.to_owned()]);
    holds("docs/keys.md", "verbs", &table(&["typed", "does"], rows));
}

#[test]
fn the_settings_are_those_that_are_read() {
    let mut out = String::from("\n");
    for of in TABLES {
        write!(out, "### `{}`\n\n{}\n", of.heading(), of.doc).expect("a string");
        if !of.settings.is_empty() {
            let rows = of.settings.iter().map(|setting| {
                let default = match setting.describe_default() {
                    word @ ("required" | "none") => word.to_owned(),
                    default => format!("`{default}`"),
                };
                vec![format!("`{}`", setting.key), setting.describe_value(), default, setting.doc.to_owned()]
            });
            out.push_str(&table(&["key", "takes", "without it", "does"], rows));
        }
        out.push('\n');
    }
    holds("docs/configuration.md", "settings", &out);
}

#[test]
fn files_and_variables_are_those_of_the_manual() {
    let rows = |all: &'static [(&str, &str)]| {
        all.iter().map(|(name, doc)| {
            let names: Vec<String> = name.split(", ").map(|part| format!("`{part}`")).collect();
            vec![names.join(", "), (*doc).to_owned()]
        })
    };
    holds("docs/configuration.md", "files", &table(&["file", "holds"], rows(FILES)));
    holds("docs/configuration.md", "environment", &table(&["variable", "does"], rows(ENVIRONMENT)));
}

#[test]
fn the_example_configuration_reads() {
    let text = page("docs/configuration.md");
    let (_, rest) = text.split_once("```toml").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let config = Config::parse("configuration.md", example).expect("the example is valid");
    assert_eq!(config.channels.len(), 1);
}

/// Splits a line into words; quotes group.
pub(crate) fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (count, part) in line.split('"').enumerate() {
        if count % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Parses each command line with the real parser; returns their number.
#[track_caller]
pub(crate) fn commands<'a>(path: &str, lines: impl Iterator<Item = &'a str>) -> usize {
    use clap::CommandFactory;
    let mut checked = 0;
    for line in lines {
        let words = std::iter::once("frontdesk".to_owned()).chain(split_words(line));
        let parsed = frontdesk::cli::Cli::command().try_get_matches_from(words);
        assert!(
            parsed.is_ok(),
            "{path}: {line}: {}",
            parsed.err().map(|entry| entry.to_string()).unwrap_or_default()
        );
        checked += 1;
    }
    checked
}

/// Lines of a page's shell blocks.
pub(crate) fn typed(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split("```sh\n").skip(1).filter_map(|part| part.split_once("```"));
    blocks.flat_map(|(block, _)| block.lines())
}

#[test]
fn every_command_of_the_book_is_one_the_binary_knows() {
    let mut checked = 0;
    for path in pages() {
        // Commands of a list are indented, long ones go on in the next line.
        let text = page(&path).replace("\\\n", " ");
        let lines = typed(&text).map(str::trim_start);
        checked += commands(&path, lines.filter_map(|line| line.strip_prefix("frontdesk ")));
    }
    assert!(checked >= 40, "the book has lost its commands: {checked}");
}

#[test]
fn the_page_for_contributors_names_all_that_the_ci_installs() {
    let (run, told) = (page(".ci/run"), page("docs/CONTRIBUTING.md"));
    let named = run.lines().filter_map(|line| line.split_once("--no-install-recommends ")).map(|pair| pair.1);
    let lists = run.lines().filter_map(|line| line.strip_prefix("mail=(")?.strip_suffix(')'));
    let packages: Vec<&str> =
        named.chain(lists).flat_map(str::split_whitespace).filter(|text| !text.starts_with('"')).collect();
    assert!(packages.len() >= 9, "{packages:?}");
    for package in packages {
        assert!(told.contains(&format!("`{package}`")), "{package}");
    }
}

/// Files and folders in backticks, as paths from the root; a placeholder contains NAME.
fn named(page: &str) -> impl Iterator<Item = &str> {
    const TOPS: [&str; 8] = ["src/", "tests/", "docs/", "assets/", "benches/", ".ci/", ".cargo/", "Cargo"];
    let quoted = page.split('`').skip(1).step_by(2);
    quoted.filter(|text| {
        TOPS.iter().any(|top| text.starts_with(top)) && !text.contains([' ', '\n']) && !text.contains("NAME")
    })
}

#[test]
fn every_file_the_pages_name_is_there() {
    let (mut missing, mut checked) = (Vec::new(), 0);
    for path in pages() {
        let text = page(&path);
        for file in named(&text) {
            checked += 1;
            if !root().join(file).exists() {
                missing.push(format!("{path}: {file}"));
            }
        }
    }
    assert!(checked >= 100, "the pages have lost their files");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|text: char| !text.is_alphanumeric() && text != '_').filter(|part| part.len() > 3)
}

#[test]
fn every_name_of_the_architecture_is_in_the_code() {
    let sources = sources(&["src", "tests", "benches"]);
    let known: HashSet<&str> = identifiers(&sources).collect();
    let text = page("docs/architecture.md");
    let prose: String = text.split("```").step_by(2).collect();
    let (mut missing, mut checked) = (Vec::new(), 0);
    // A placeholder contains an ellipsis or NAME.
    let quoted =
        prose.split('`').skip(1).step_by(2).filter(|part| !part.contains('…') && !part.contains("NAME"));
    for quote in quoted.filter(|text| !text.contains('/') && !text.ends_with(".md")) {
        checked += 1;
        missing.extend(identifiers(quote).filter(|identifier| !known.contains(identifier)));
    }
    assert!(checked >= 60, "the page has lost its names: {checked}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

pub(crate) fn sources(folders: &[&str]) -> String {
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut all = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "sql") {
                all.push_str(&std::fs::read_to_string(path).expect("text"));
            }
        }
    }
    all
}

#[test]
fn every_campaign_of_the_book_is_there() {
    let (manifest, program) = (page("Cargo.toml"), sources(&["src"]));
    let settings_read = sources(&["tests/it", "benches", "src/randomized", "src/shell"]);
    let campaigns = page("docs/campaigns.md");
    let mut checked = 0;
    let lines = campaigns.lines().filter(|line| line.contains("cargo ") && !line.contains('`'));
    for line in lines {
        let (settings, command) = line.split_once("cargo ").expect("a command");
        for (name, _) in settings.split_whitespace().filter_map(|word| word.split_once('=')) {
            assert!(settings_read.contains(&format!("\"{name}\"")), "nothing reads {name}: {line}");
        }
        match command.split_whitespace().collect::<Vec<_>>()[..] {
            ["test", filter] | ["test", filter, "--", ..] | ["test", "--release", filter] => {
                let file = format!("tests/it/{}", filter.replace("::", "/"));
                let of_shell = format!("src/shell/{}/tests", filter.replace("::", "/"));
                let there = root().join(of_shell).exists()
                    || ["", ".rs", "s.rs"].iter().any(|end| root().join(format!("{file}{end}")).exists());
                assert!(there, "no test is called so: {line}");
            }
            // A test, or the tests of a module in any crate.
            ["test", "--lib", filter, ..] => {
                let forms = [format!("mod {filter};"), format!("fn {filter}")];
                assert!(forms.iter().any(|form| program.contains(form)), "no test is called so: {line}");
            }
            // Tests of one crate.
            ["test", "-p", package, filter] => {
                let floor = package.trim_start_matches("frontdesk-");
                let file = root().join(format!("src/{floor}/tests/{filter}.rs"));
                assert!(file.exists(), "no test is called so: {line}");
            }
            ["bench", "--bench", name] => {
                assert!(manifest.contains(&format!("name = \"{name}\"")), "no bench is called so: {line}");
            }
            ["doc", ..] => {}
            ["run", "--release", "--", "dev", name] => {
                let mut asked = Command::new(env!("CARGO_BIN_EXE_frontdesk"));
                let told = asked.args(["dev", name, "--help"]).output().expect("it runs");
                assert!(told.status.success(), "no command is called so: {line}");
            }
            _ => panic!("an unknown command: {line}"),
        }
        checked += 1;
    }
    assert!(checked >= 12, "the book has lost its campaigns: {checked}");
}

#[test]
fn every_campaign_of_the_book_is_run_by_the_script() {
    let text = page("docs/campaigns.md");
    let (campaigns, _) = text.split_once("\n## Benches\n").expect("the benches at the end");
    let told: Vec<&str> = typed(campaigns).filter(|line| *line != ".ci/campaigns").collect();
    let listing = Command::new(root().join(".ci/campaigns")).arg("--list").output().expect("it runs");
    assert!(listing.status.success(), "{listing:?}");
    let listing = String::from_utf8(listing.stdout).expect("text");
    let run: Vec<&str> =
        listing.lines().map(|line| line.split_once(' ').expect("a name and a command").1.trim()).collect();
    assert_eq!(run, told);
}

fn between(text: &str, before: &str, after: &str, word: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once(before) {
        let end = tail.find(after).unwrap_or(tail.len());
        out.push_str(&format!("{head}{before}{word}"));
        rest = &tail[end..];
    }
    out + rest
}

#[test]
fn the_doctor_s_words_are_its_own() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.set("HARBOR_CHAT_KEY", &desk.key_of("whatsapp"));
    binary.set("TZ", "Europe/Berlin");
    let channel = format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"HARBOR_CHAT_KEY\"\n",
        desk.base_url
    );
    binary.configure(&channel);
    binary.ok(&["list"], "");
    binary.configure(&format!("{channel}\n[behavior]\npause_on_reply = \"ask\"\n"));
    let ended = binary.run(&["doctor"], "");
    let out = ended.out + &ended.err;
    // Values that differ from run to run.
    let out = out.replace(&binary.folder().display().to_string(), "~/frontdesk");
    let out = between(&out, "answered in ", " ms", "4");
    let out = between(&out, "svc_live_…", ",", "x7Qm");
    let out = between(&out, ", +", ", ", "34600000001");
    let out = between(&out, " of 300", " reads", "");
    let out = between(&out, "local time ", "\n", "2026-11-20 11:00:00 +01:00");
    let out = between(&out, "clock is ", " this one", "1h behind");
    holds("docs/troubleshooting.md", "doctor", &format!("\n```text\n{out}```\n"));
}
