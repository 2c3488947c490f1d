//! The README's picture is a frame, its key table the command table, and its
//! example configuration one that reads. `UPDATE_README=1` writes picture and
//! table anew. The pages of `docs` name only commands and files there are.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use frontdesk::config::Config;
use frontdesk::inbox::commands::{CommandScope, TABLE, name};
use frontdesk::inbox::keymap::KeyMap;

use crate::binary::Binary;
use crate::desk::Desk;

fn readme() -> (std::path::PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).expect("the README is there");
    (path, text)
}

fn key_table() -> String {
    let keymap = KeyMap::default();
    let mut table = String::from("\n| where | key | does | name |\n|---|---|---|---|\n");
    for place in CommandScope::ALL {
        for row in TABLE.iter().filter(|it| it.place == place) {
            let keys = keymap.all(row.command);
            let keys: Vec<String> = keys.iter().map(|it| format!("`{}`", it.replace('|', "\\|"))).collect();
            let (keys, doc) = (keys.join(" "), keymap.doc(row.command));
            writeln!(table, "| {} | {keys} | {doc} | `{}` |", place.heading(), name(row.command))
                .expect("a string");
        }
    }
    table
}

/// Compares what stands between two marks, or writes it anew.
fn holds(mark: &str, wanted: &str) {
    // Two tests must not write at the same time.
    static WRITING: Mutex<()> = Mutex::new(());
    let _one = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (path, text) = readme();
    let (open, close) = (format!("<!-- {mark} -->"), format!("<!-- /{mark} -->"));
    let (before, rest) = text.split_once(&open).expect("the mark before it");
    let (found, after) = rest.split_once(&close).expect("the mark after it");
    if found != wanted && std::env::var_os("UPDATE_README").is_some() {
        return std::fs::write(path, format!("{before}{open}{wanted}{close}{after}"))
            .expect("it can be written");
    }
    assert_eq!(found, wanted, "run the tests with UPDATE_README=1");
}

#[test]
fn the_key_table_is_the_command_table() {
    holds("keys", &key_table());
}

#[test]
fn the_picture_is_a_frame_of_the_demo() {
    let mut desk = Desk::demo(120, 30);
    // Histories are read a few at a time, as the rate allows.
    for _ in 0..12 {
        desk.settle();
        desk.wait(5_000_000);
    }
    for _ in 0..40 {
        if desk.picture().contains("Maria Lopez · +34600111222") {
            break;
        }
        desk.keys("j");
    }
    desk.settle().shows("Maria Lopez · +34600111222").shows("AI ON");
    desk.keys("r").types("Hi Maria, Ana here, a person. Order 1041 left this morning.").settle();
    holds("picture", &format!("\n```text\n{}\n```\n", desk.picture()));
}

#[test]
fn the_example_configuration_reads() {
    let (_, text) = readme();
    let (_, rest) = text.split_once("```toml").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let config = Config::parse("README.md", example).expect("the example is valid");
    assert_eq!(config.channels.len(), 1);
}

/// A line's words; quotes hold some together.
fn words(line: &str) -> Vec<String> {
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

#[test]
fn every_command_of_the_readme_is_one_the_binary_knows() {
    use clap::CommandFactory;
    let (_, text) = readme();
    let mut checked = 0;
    for line in text.lines().filter_map(|it| it.strip_prefix("cargo run --release -- ")) {
        let words = std::iter::once("frontdesk".to_owned()).chain(words(line));
        let parsed = frontdesk::cli::Cli::command().try_get_matches_from(words);
        assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|it| it.to_string()).unwrap_or_default());
        checked += 1;
    }
    assert!(checked >= 2, "the README has lost its commands");
}

#[test]
fn every_command_of_the_pages_is_one_the_binary_knows() {
    use clap::CommandFactory;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut checked = 0;
    for page in std::fs::read_dir(folder).expect("the pages").map(|it| it.expect("a page").path()) {
        let text = std::fs::read_to_string(&page).expect("text");
        for line in text.lines().filter(|it| it.starts_with("frontdesk ")) {
            let parsed = frontdesk::cli::Cli::command().try_get_matches_from(words(line));
            assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|it| it.to_string()).unwrap_or_default());
            checked += 1;
        }
    }
    assert!(checked >= 3, "the pages have lost their commands");
}

/// The files and folders a page names between backticks, from the root on; in
/// a name that is not meant as it stands, NAME is.
fn named(page: &str) -> impl Iterator<Item = &str> {
    const TOPS: [&str; 6] = ["src/", "tests/", "docs/", "assets/", "benches/", ".ci/"];
    let quoted = page.split('`').skip(1).step_by(2);
    quoted.filter(|it| {
        TOPS.iter().any(|top| it.starts_with(top)) && !it.contains([' ', '\n']) && !it.contains("NAME")
    })
}

#[test]
fn every_file_the_pages_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut missing, mut checked) = (Vec::new(), 0);
    for page in std::fs::read_dir(root.join("docs")).expect("the pages").map(|it| it.expect("a page").path())
    {
        let text = std::fs::read_to_string(&page).expect("text");
        for file in named(&text) {
            checked += 1;
            if !root.join(file).exists() {
                missing.push(format!("{}: {file}", page.display()));
            }
        }
    }
    assert!(checked >= 100, "the pages have lost their files");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// All that the tests and benches are made of, one file after another.
fn sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("tests/it"), root.join("benches")];
    let mut all = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                all.push_str(&std::fs::read_to_string(path).expect("text"));
            }
        }
    }
    all
}

#[test]
fn every_campaign_of_the_readme_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (manifest, sources) =
        (std::fs::read_to_string(root.join("Cargo.toml")).expect("the manifest"), sources());
    let (_, text) = readme();
    let (_, campaigns) = text.split_once("### Campaigns").expect("the campaigns");
    let (campaigns, _) = campaigns.split_once("\n## ").expect("their end");
    let mut checked = 0;
    let lines = campaigns.lines().filter(|it| it.contains("cargo ") && !it.contains('`'));
    for line in lines {
        let (settings, command) = line.split_once("cargo ").expect("a command");
        for (name, _) in settings.split_whitespace().filter_map(|it| it.split_once('=')) {
            assert!(sources.contains(&format!("\"{name}\"")), "nothing reads {name}: {line}");
        }
        match command.split_whitespace().collect::<Vec<_>>()[..] {
            ["test", filter] => {
                let file = format!("tests/it/{}", filter.replace("::", "/"));
                let there = ["", ".rs", "s.rs"].iter().any(|end| root.join(format!("{file}{end}")).exists());
                assert!(there, "no test is called so: {line}");
            }
            ["bench", "--bench", name] => {
                assert!(manifest.contains(&format!("name = \"{name}\"")), "no bench is called so: {line}");
            }
            ["run", "--release", "--", "dev", name] => {
                let mut asked = std::process::Command::new(env!("CARGO_BIN_EXE_frontdesk"));
                let told = asked.args(["dev", name, "--help"]).output().expect("it runs");
                assert!(told.status.success(), "no command is called so: {line}");
            }
            _ => panic!("an unknown command: {line}"),
        }
        checked += 1;
    }
    assert!(checked >= 5, "the README has lost its campaigns");
}

/// Puts a word in place of what stands between two others, wherever it does.
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
    // What differs from run to run.
    let out = out.replace(&binary.folder().display().to_string(), "~/frontdesk");
    let out = between(&out, "answered in ", " ms", "4");
    let out = between(&out, "svc_live_…", ",", "x7Qm");
    let out = between(&out, ", +", ", ", "34600000001");
    let out = between(&out, " of 300", " reads", "");
    let out = between(&out, "here it is ", "\n", "2026-11-20 11:00:00 +01:00");
    let out = between(&out, "clock is ", " this one", "3600 s behind");
    holds("doctor", &format!("\n```text\n{out}```\n"));
}
