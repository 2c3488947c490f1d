//! The README is short, its commands are the binary's, and what it holds of the
//! program is the program's. `UPDATE_DOCS=1` writes that anew.

use std::path::Path;

use frontdesk::inbox::command::{Command, name};
use frontdesk::inbox::keymap::KeyMap;

use crate::book::{commands, holds, page};

/// Lines it may have.
const LINES: usize = 150;

/// The commands it teaches, and what they are for.
const TAUGHT: [(Command, &str); 5] = [
    (Command::PauseAi, "pause the AI: take the conversation over"),
    (Command::Reply, "write an answer; Enter sends it"),
    (Command::Undo, "take it back while it is held"),
    (Command::HandBack, "hand the conversation back to the AI"),
    (Command::Close, "close the conversation"),
];

#[test]
fn it_is_short_and_shows_a_picture() {
    let text = page("README.md");
    assert!(text.lines().count() <= LINES, "{} lines", text.lines().count());
    let (_, picture) = text.split_once("](docs/pictures/").expect("a picture");
    let picture = picture.split(')').next().expect("its name");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(root.join("docs/pictures").join(picture).exists(), "{picture}");
}

#[test]
fn its_five_keys_are_the_command_table_s() {
    let mut table = "\n| key | does |\n|---|---|\n".to_owned();
    for (command, doc) in TAUGHT {
        table.push_str(&format!("| `{}` | {doc} |\n", KeyMap::default().first(command)));
        assert!(!name(command).is_empty());
    }
    holds("README.md", "keys", &table);
}

#[test]
fn every_command_of_the_readme_is_one_the_binary_knows() {
    let text = page("README.md");
    let count =
        commands("README.md", text.lines().filter_map(|line| line.strip_prefix("cargo run --release -- ")));
    assert!(count >= 2, "the README has lost its commands");
}
