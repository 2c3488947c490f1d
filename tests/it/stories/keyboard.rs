//! Fast typing answers no question, and nothing covers a text being written.

use std::collections::BTreeSet;

use frontdesk::inbox::command::{TABLE, VERBS};

use crate::desk::{Desk, direct};

/// A tenth of a second between letters.
const FAST: i64 = 100_000;

fn with_customer(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
    desk.settle();
    desk
}

#[test]
fn typing_on_over_the_question_answers_nothing_and_loses_nothing() {
    let mut desk = with_customer(100, 24);
    desk.keys("<Enter>r").types("Hi Maria,").keys("<Enter>").shows("[y] pause the AI and send");
    desk.types_at("please say yes", FAST);
    desk.shows("[y] pause the AI and send").shows("was typed too early");
    desk.wait(1_000_000);
    desk.keys("y").hides("[y] pause the AI").shows("please say yes");
    desk.wait(6_000_000);
    desk.settle();
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0]["content"], "Hi Maria,");
}

#[test]
fn a_question_names_its_own_keys_in_the_last_line_and_to_who_pressed_another() {
    let mut desk = with_customer(100, 24);
    desk.keys("<Enter>r").types("Hi Maria,").keys("<Enter>").shows("[y] pause the AI and send");
    desk.hides("Enter send").shows("y pause the AI and send · s send only · Esc back");
    // Enter is never an answer, even if repeated.
    desk.keys("<Enter>").shows("y, s or Esc answers this");
    desk.wait(1_000_000);
    desk.keys("<Enter>").shows("y, s or Esc answers this").shows("[y] pause the AI and send");
    desk.keys("<Esc>").hides("answers this").shows("Hi Maria,");
}

#[test]
fn on_a_small_screen_a_question_keeps_its_answers() {
    let mut desk = with_customer(40, 10);
    desk.keys("<Enter>r").types("Hi Maria,").keys("<Enter>");
    desk.shows("[y] pause the AI").shows("[Esc] back");
}

#[test]
fn typing_on_and_going_back_goes_on_with_the_text() {
    let mut desk = with_customer(100, 24);
    desk.keys("<Enter>r").types("Hi Maria,").keys("<Enter>");
    desk.types_at(" sorry", FAST).keys("<Esc>").hides("[y] pause the AI").shows("Hi Maria, sorry");
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_letter_that_is_no_answer_means_that_someone_is_writing() {
    let mut desk = with_customer(100, 24);
    desk.keys("<Enter>r").types("Hi Maria,").keys("<Enter>");
    // Slower than the first guard, as many people type.
    desk.types_at("please", 300_000)
        .shows("[y] pause the AI and send")
        .keys("<Esc>")
        .shows("Hi Maria,please");
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_question_is_not_answered_before_it_was_drawn() {
    let mut desk = with_customer(100, 24);
    desk.keys("<Enter>r").types("Hi").keys_before_the_disk("");
    desk.wait(1_000_000);
    desk.keys("<Enter>").shows("[y] pause the AI");
    desk.types("y").shows("[y] pause the AI").shows("too early");
}

#[test]
fn keys_that_came_before_the_question_do_not_answer_it_on_a_slow_machine() {
    let mut desk = with_customer(100, 24);
    desk.keys("<Enter>r").types("Hi").keys("<Enter>").shows("[y] pause the AI");
    desk.wait(1_000_000);
    desk.types_late("yes please", 1_000_000).shows("[y] pause the AI").shows("typed too early");
    desk.wait(1_000_000);
    desk.keys("y").hides("[y] pause the AI");
}

#[test]
fn nothing_covers_what_is_written() {
    for columns in [60, 80, 100] {
        for over in ["", "I", "f<Esc>", "If<Esc>", "forder<Enter>", "I<Tab>"] {
            for (key, shown) in [("r", "├ Reply"), ("i", "├ Reply"), (";", "Note ·"), ("t", "")] {
                let mut desk = Desk::with(columns, 24, direct);
                desk.customer("whatsapp", "+34600111222", "Maria Lopez", "where is my order?");
                desk.settle().keys("<Enter>").keys(over);
                if desk.app.desk.is_typing() {
                    desk.keys("<Esc>");
                }
                desk.keys(key).settle();
                let told = format!("{columns} columns, {over:?}, then {key}:\n{}", desk.picture());
                if key == "t" {
                    // The picker shows the names; the price is on the form.
                    assert!(desk.picture().contains("order"), "{told}");
                    continue;
                }
                desk.types("hello there");
                let picture = desk.picture();
                assert!(picture.contains(shown) && picture.contains("hello there"), "{told}\n{picture}");
                assert!(key == ";" || picture.contains("1 credit"), "{told}\n{picture}");
            }
        }
    }
}

#[test]
fn a_mail_that_is_written_is_not_covered_either() {
    for columns in [60, 80, 100] {
        for over in ["", "I", "f<Esc>", "If<Esc>"] {
            for key in ["r", "R"] {
                let mut desk = Desk::demo(columns, 24);
                desk.settle().keys("3").settle().keys("<Enter>").settle().keys(over).keys(key).settle();
                desk.types("hello there");
                let picture = desk.picture();
                assert!(picture.contains("hello there"), "{columns} {over} {key}:\n{picture}");
                assert!(
                    picture.contains("├ Mail") && picture.contains("credit"),
                    "{columns} {over} {key}:\n{picture}"
                );
            }
        }
    }
}

fn command_words() -> BTreeSet<String> {
    let commands = TABLE.iter().map(|command_row| command_row.word.to_lowercase());
    let own = ["list", "again", "help", "back", "enter", "esc"].map(str::to_owned);
    // The editor returns the person's text.
    let commands = commands.filter(|command| command != "editor");
    commands.chain(VERBS.iter().map(|verb| verb.name.to_owned())).chain(own).collect()
}

/// Places in the inbox, with the keys that lead there.
const PLACES: &[&str] = &[
    "",
    "<Enter>",
    "<Enter>i",
    "<Enter>;",
    "gi",
    "go",
    ":go-to-drafts<Enter>",
    "gp",
    "gt",
    ":go-to-events<Enter>",
    "gw",
    "ga",
    "gb",
    ":go-to-wall<Enter>",
    ":go-to-snoozed<Enter>",
    "gh",
    ":show-done<Enter>",
    ":show-calls<Enter>",
    "$",
    "?",
    "x",
    "v",
    "/",
    ":",
    "s",
    "#",
    "m",
    "Q",
    "d",
    "q",
    "<Enter>t",
    "<Enter>c",
    "<Ctrl-P>",
    "<Enter>ihello<Enter>",
];

#[test]
fn no_word_of_a_command_becomes_a_text() {
    let words = command_words();
    for place in PLACES {
        let mut desk = with_customer(99, 60);
        for word in &words {
            let typed = place.contains("hello");
            desk.keys("<Esc><Esc><Esc><Esc>gi").keys(place);
            desk.says(word);
            for tab in &desk.app.desk.tabs {
                let text = tab.composer.as_ref().map(|composer| composer.text()).unwrap_or_default();
                let left = if typed { text.replace("hello", "") } else { text.clone() };
                // "new line" is a command in a text, and its only result.
                assert_eq!(left.trim(), "", "{word:?} at {place:?} is in a text");
            }
        }
        desk.keys("<Esc><Esc><Esc><Esc>");
        desk.wait(60_000_000);
        desk.settle();
        for sent in desk.outbound() {
            assert_eq!(
                sent["content"].as_str().unwrap_or_default().replace("hello", ""),
                "",
                "from {place:?}"
            );
        }
    }
}

#[test]
fn plain_words_work_everywhere_and_others_say_what_can_be_said() {
    for place in PLACES {
        let mut desk = with_customer(99, 60);
        desk.keys(place);
        assert_eq!(desk.says("credits"), None, "{place:?}");
        desk.shows("redits");
        desk.keys("<Esc><Esc><Esc>gi").keys(place);
        assert_eq!(desk.says("quit"), None, "{place:?}");
        assert!(desk.quit || desk.picture().contains("Quit frontdesk?"), "{place:?}:\n{}", desk.picture());
    }
    let mut desk = with_customer(99, 60);
    desk.keys("q");
    assert!(desk.says("frobnicate").is_some_and(|text| text.contains("is not an answer here")) || desk.quit);
    let mut desk = with_customer(99, 60);
    assert!(desk.says("frobnicate").is_some_and(|text| text.contains("help lists the commands")));
    desk.keys("<Enter>i");
    assert_eq!(desk.says("help take"), None, "it shows help");
    desk.hides("help take").hides("[y] pause the AI and send");
    assert!(desk.says("take").is_some_and(|text| text.contains("`text take`")));
    assert_eq!(desk.says("text take"), None);
    desk.shows("[y] pause the AI and send");
}
