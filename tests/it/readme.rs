//! The README is short, and its generated parts match the program. `UPDATE_DOCS=1` rewrites them.

use std::path::Path;

use frontdesk::inbox::command::{Command, name};
use frontdesk::inbox::keymap::KeyMap;

use crate::book::{commands, holds, page};
use crate::contract::killing::KILLS;
use crate::faults::reads::READS;
use crate::faults::writes::WRITES;
use crate::proxy::fault::Fault;
use crate::simulation::seeds::{HOURS, SEEDS};
use crate::simulation::takeover::ORDERS;

/// Maximum lines.
const LINES: usize = 150;

/// Commands it teaches, with their purpose.
const TAUGHT: [(Command, &str); 5] = [
    (Command::NextUrgent, "go to the customer who needs a person most"),
    (Command::Take, "take over: the AI pauses and you write; Enter sends"),
    (Command::Undo, "undo what was done last"),
    (Command::Done, "done: back to the AI, closed, and on to the next"),
    (Command::Later, "later: put off until a time or a reply"),
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
fn its_promises_have_the_figures_of_the_tests() {
    let text = page("README.md");
    let operations = READS.len() + WRITES.len();
    let faults = Fault::ALL.len();
    for figure in [
        format!("{operations} operations under each of {faults} network faults, and {KILLS} `kill -9`"),
        format!("{} simulated hours in each test run", SEEDS * HOURS),
        format!("{ORDERS} orders of events"),
    ] {
        assert!(text.contains(&figure), "README.md does not say {figure:?}");
    }
}

#[test]
fn its_five_keys_are_the_command_table_s() {
    let mut table = "\n| key | does |\n|---|---|\n".to_owned();
    for (command, doc) in TAUGHT {
        table.push_str(&format!("| `{}` | {doc} |\n", KeyMap::default().first_key_name(command)));
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
