//! Help comes from the command table, and a key never does nothing silently.

use frontdesk::inbox::command::{self, VERBS, VERBS_HEADING};
use frontdesk::inbox::keymap::KeyMap;
use frontdesk::inbox::keys::KeyPress;
use frontdesk::inbox::plain::help::help;

use crate::desk::Desk;

#[test]
fn help_shows_the_keys_of_this_place() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys("?").shows("Keys").shows("Next conversation");
    photographs!(desk, "help");
    desk.keys("G").shows("Leave the composer").keys("<Esc>").hides("Leave the composer");
}

#[test]
fn an_unknown_key_and_a_disabled_key_say_why() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys("'").shows("' is not a key here; ? shows the keys");
    desk.keys("p").shows("pause AI: no conversation is selected");
    desk.keys("gy").shows("g y is not a key here");
    desk.keys("z").shows("undo: nothing is held that could be taken back");
    desk.keys("9").shows("there is no tab 9");
}

#[test]
fn quitting_says_what_is_left_open() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("p").settle().keys("q");
    desk.shows("Quit frontdesk?").shows("the AI is paused by you in 1 conversation: no one answers");
    photographs!(desk, "quitting_says_what_is_left_open", Overlay);
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
fn help_is_searched_and_no_key_reaches_what_lies_behind() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
    desk.settle().keys("?").shows("/ finds · j k scroll · Esc back");
    // Words that are no keys of the help do nothing, and say so.
    for key in ["p", "a", "u", "s", "e", "<Enter>"] {
        desk.keys(key).shows("Keys").shows("does nothing in the help; / finds a key").hides("Snooze Maria");
    }
    desk.keys("/pau").shows("find / pau").shows("Pause the AI: take the conversation over");
    desk.hides("Put aside until").hides("does nothing");
    photographs!(desk, "searched", Overlay);
    desk.keys("<Backspace><Backspace><Backspace>").types("zzz");
    desk.shows("No key, name or explanation has all these words.");
    desk.keys("<Esc>").shows("/ finds").shows("Next conversation");
    desk.keys("/pau<Enter>").keys("p").shows("p does nothing in the help");
    desk.keys("<Esc>").shows("/ finds").keys("<Esc>").hides("Keys");
    desk.keys("?").shows("Keys").keys("?").hides("Keys").keys("?q").hides("Keys");
    assert!(!desk.quit);
    desk.hides("AI OFF").hides("pausing");
}

#[test]
fn help_shows_every_word_of_an_explanation() {
    for size in [(80, 24), (60, 20)] {
        let mut desk = Desk::new(size.0, size.1);
        desk.settle().keys("?/filter-list").shows("Filter the list as you type: words,");
        desk.shows("window: from: tag: has:").shows("-not, \"a phrase\"").hides("…");
    }
}

#[test]
fn palette_and_help_list_what_is_typed_after_a_colon() {
    let mut desk = Desk::new(100, 40);
    desk.settle();
    for verb in VERBS {
        let (typed, doc) = (format!(":{}", verb.name), verb.doc.chars().take(16).collect::<String>());
        desk.keys("<Ctrl-P>").types(&typed).shows(&format!("{typed} · {doc}"));
        desk.keys("<Esc>?/").types(&typed).shows(VERBS_HEADING).shows(&doc).keys("<Esc><Esc>");
    }
    // Enter asks for what follows, or does it where nothing must.
    desk.keys("<Ctrl-P>:filter<Enter>")
        .shows(":filter")
        .shows("WORDS · Filter the list")
        .hides("Go to or do")
        .keys("<Esc>");
    desk.keys("<Ctrl-P>:tutor<Enter>").shows("customers of your own are no exercise");
    let said = help(&desk.app, Some("all")).join("\n");
    for verb in VERBS {
        assert!(said.contains(&format!("{}: {}", &verb.typed()[1..], verb.doc)), "{said}");
    }
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
            let all = keymap.continuations(&desk.app.desk.places(), &begun);
            if all.is_empty() {
                continue;
            }
            desk.keys(first).shows("Esc cancels");
            for (key, command) in all {
                // Where there is no room for all of it, the name goes first. The least screen has
                // room for the first words only.
                let (doc, word) = (keymap.doc(command), command::row(command).word);
                let begins = |words: &str| {
                    let start: String = words.chars().take(if columns < 80 { 12 } else { 16 }).collect();
                    desk.picture().contains(&format!("{key} {start}"))
                };
                let named = format!("{word}: {doc}");
                assert!(begins(&doc) || begins(&named), "{key} {named}:\n{}", desk.picture());
            }
            desk.keys("<Esc>").hides("Esc cancels");
        }
    }
}

#[test]
fn what_the_status_line_said_can_be_read_again() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys(":said<Enter>").shows("nothing was said yet");
    desk.keys(":filter<Enter>").shows("filter needs WORDS").keys(":sort wrong<Enter>");
    desk.keys(":said<Enter>").shows("What was said here").shows("filter needs WORDS");
    desk.keys("<Esc>").hides("What was said here");
}
