//! Help comes from the command table, and no key is ignored silently.

use frontdesk::inbox::command::{self, Command, VERBS};
use frontdesk::inbox::keymap::KeyMap;
use frontdesk::inbox::keys::KeyPress;
use frontdesk::inbox::plain::help::help_lines;

use crate::desk::Desk;

#[test]
fn help_shows_the_keys_of_this_place_on_one_screen() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle()
        .keys("?")
        .shows("Keys · Conversation list")
        .shows("Enter  open")
        .shows("places")
        .shows("g …");
    photographs!(desk, "help");
    desk.keys("<Esc>").hides("Keys ·");
    // Every key of the last line is on it, wherever one is.
    for (size, place) in [((80, 24), ""), ((80, 24), "<Enter>"), ((60, 20), "go"), ((120, 40), "gp")] {
        desk.resize(size);
        desk.keys(place);
        let line = desk.status();
        desk.keys("?");
        for hint in line.split(" · ").filter(|hint| !hint.contains("new")) {
            let (key, word) = hint.split_once(' ').expect("a key and a word");
            let picture = desk.picture();
            let has = |line: &str| line.contains(key) && line.contains(word);
            assert!(picture.lines().any(has), "{hint} at {place}:\n{picture}");
        }
        desk.keys("<Esc><Esc>gi");
    }
}

#[test]
fn help_leads_to_the_palette_and_no_key_reaches_what_lies_behind() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
    desk.settle().keys("?").shows("Ctrl-P all commands · Esc back");
    for key in ["p", "a", "u", "s", "e", "/"] {
        desk.keys(key).shows("Keys ·").shows("does nothing in the help").hides("until tomorrow");
    }
    desk.hides("pausing").keys("<Ctrl-P>").hides("Keys ·").shows("Find a command or place").keys("<Esc>");
    for closes in ["?", "q", "<Enter>", "<Esc>", "<F1>"] {
        desk.keys("?").shows("Keys ·").keys(closes).hides("Keys ·");
    }
    assert!(!desk.quit);
    desk.keys("<Enter>i").types("Hello").keys("<F1>").shows("Keys · Composer").shows("editor");
    desk.keys("<Esc>").hides("Keys ·").shows("Hello");
}

#[test]
fn the_palette_finds_commands_by_synonym_and_shows_the_key() {
    let mut desk = Desk::new(100, 30);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
    desk.settle().keys("p").settle();
    for (typed, command, key) in [
        ("resume", Command::HandBack, "P"),
        ("unpause", Command::HandBack, "P"),
        ("hand back", Command::HandBack, "P"),
        ("assign", Command::Take, "t"),
        ("resolve", Command::Done, "d"),
        ("archive", Command::Done, "d"),
        ("done", Command::Done, "d"),
        ("close", Command::Done, "d"),
        ("claim", Command::Take, "t"),
        ("later", Command::Later, "s"),
        ("remind", Command::Later, "s"),
        ("contacts", Command::GoToPeople, "g p"),
        ("unsent", Command::GoToOutbox, "g o"),
    ] {
        desk.keys("<Ctrl-P>").types(typed);
        let picture = desk.picture();
        let rows = picture.lines().filter(|line| line.contains("command  ")).collect::<Vec<_>>();
        let name = format!(" {} ", command::name(command));
        let row = rows.iter().take(2).find(|line| line.contains(&name));
        let row = row.unwrap_or_else(|| panic!("{typed} does not find {name}:\n{picture}"));
        assert!(row.trim_end_matches(['│', ' ']).ends_with(key), "{typed}: {row}");
        desk.keys("<Esc>");
    }
}

#[test]
fn an_unknown_key_and_a_disabled_key_say_why() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys("'").shows("' is not a key here; ? shows the keys");
    desk.keys("p").shows("pause AI: no conversation is selected");
    desk.keys("gy").shows("g y is not a key here");
    desk.keys("z").shows("undo: nothing to undo");
    desk.keys("9").shows("there is no tab 9");
}

#[test]
fn quitting_says_what_is_left_open() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("p").settle().keys("q");
    desk.shows("Quit frontdesk?").shows("AI paused here in 1 conversation: customers there get no answer");
    desk.keys("<Esc>");
    assert!(!desk.quit);
    desk.keys("qy");
    assert!(desk.quit);
}

#[test]
fn a_desk_that_only_reads_offers_no_hand_back_when_it_is_quit() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("p").settle();
    desk.app.desk.tabs[0].channel.read_only = true;
    desk.keys("q").hides("Quit frontdesk?");
    assert!(desk.quit);
}

#[test]
fn the_palette_lists_what_is_typed_after_a_colon() {
    let mut desk = Desk::new(100, 40);
    desk.settle();
    for verb in VERBS {
        let (typed, doc) = (format!(":{}", verb.name), verb.doc.chars().take(16).collect::<String>());
        desk.keys("<Ctrl-P>").types(&typed).shows(&format!("{typed} · {doc}"));
        desk.keys("<Esc>");
    }
    // Enter asks for the argument, or runs a command without a required one.
    desk.keys("<Ctrl-P>:filter<Enter>")
        .shows(":filter")
        .shows("WORDS · Filter the list")
        .hides("Find a command or place")
        .keys("<Esc>");
    desk.keys("<Ctrl-P>:tutor<Enter>").shows("the tutor runs only in the demo");
    let said = help_lines(&desk.app, Some("all")).join("\n");
    for verb in VERBS {
        assert!(said.contains(&format!("{}: {}", &verb.usage()[1..], verb.doc)), "{said}");
    }
}

#[test]
fn g_opens_eight_places_with_short_labels() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys("g");
    photographs!(desk, "places", Overlay);
    let begun = KeyPress::parse_sequence("g").expect("a key");
    let places = KeyMap::default().continuations(&desk.app.desk.active_scopes(), &begun);
    let mut keys: Vec<&str> = places.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["a", "b", "g", "i", "n", "o", "p", "t", "w"]);
    for (_, command) in &places {
        assert!(command::row(*command).word.split(' ').count() <= 2, "{command:?}");
    }
    // Events are told where they are reached from.
    desk.keys("w").shows("e events").keys("e").shows("Events");
}

#[test]
fn a_sequence_that_was_begun_shows_every_way_it_goes_on() {
    let keymap = KeyMap::default();
    for (columns, rows, goes_to) in
        [(80, 24, ""), (120, 40, ""), (80, 24, "<Enter>"), (80, 24, "go"), (60, 20, "")]
    {
        let mut desk = Desk::new(columns, rows);
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
        desk.settle().keys(goes_to);
        for first in ["g", "y", "V", ","] {
            let begun = KeyPress::parse_sequence(first).expect("a key");
            let all = keymap.continuations(&desk.app.desk.active_scopes(), &begun);
            if all.is_empty() {
                continue;
            }
            desk.keys(first).shows("Esc cancels");
            for (key, command) in all {
                let entry = format!("{key} {}", command::row(command).word);
                assert!(desk.picture().contains(&entry), "{entry}:\n{}", desk.picture());
            }
            desk.keys("<Esc>").hides("Esc cancels");
        }
    }
}

#[test]
fn what_the_status_line_said_can_be_read_again() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys(":said<Enter>").shows("No messages yet");
    desk.keys(":filter<Enter>").shows("filter needs WORDS").keys(":sort wrong<Enter>");
    desk.keys(":said<Enter>").shows("Messages, newest").shows("filter needs WORDS");
    desk.keys("<Esc>").hides("Messages, newest");
}
