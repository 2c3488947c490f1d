//! Rules for mail: made from a thread, reviewed, listed and undone. They act on new mail only.

use frontdesk::model::time::SECOND;
use serde_json::Value;

use crate::desk::Desk;
use crate::stories::mail::{calm, letter};

fn mail(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    calm(&mut desk);
    desk.keys("3").settle();
    desk
}

/// Reads new mail and lets rules act.
fn acts(desk: &mut Desk) {
    for _ in 0..3 {
        calm(desk);
    }
}

fn newsletter(desk: &Desk, number: usize) -> String {
    letter(desk, "news@shop.example", "Shop news", &format!("Issue {number:02}"), Some("Buy now"), None)
}

fn folder(desk: &Desk, name: &str) -> Vec<String> {
    let told = desk.get("email", &format!("/email/threads?folder={name}&limit=100"));
    let all = told["data"].as_array().expect("a list").iter();
    let mut all: Vec<String> =
        all.filter_map(|value: &Value| value["subject"].as_str().map(str::to_owned)).collect();
    all.retain(|entry| entry.starts_with("Issue"));
    all.sort();
    all
}

fn archives(desk: &mut Desk, answer: &str) {
    desk.keys("f").types("\"Issue\"").keys("<Enter>").settle();
    desk.keys("gg\"").shows("New rule for this sender").types("archive").keys("<Enter>");
    desk.shows("ALWAYS ARCHIVE news@shop.example?").keys(answer).settle();
}

#[test]
fn a_rule_is_made_from_a_thread_looked_over_and_acts_on_what_arrives() {
    let mut desk = mail(120, 40);
    newsletter(&desk, 1);
    acts(&mut desk);
    newsletter(&desk, 2);
    acts(&mut desk);
    desk.keys("f").types("\"Issue\"").keys("<Enter>").settle().keys("gg\"");
    photographs!(desk, "a_rule_is_begun", Overlay);
    desk.types("archive").keys("<Enter>").shows("the rule matches the address");
    desk.shows("2 of the 2 here now would be archived.").shows("Issue 02, Issue 01");
    photographs!(desk, "what_a_rule_would_match", Overlay);
    desk.keys("y").shows("made a rule: always archive news@shop.example").settle();
    acts(&mut desk);
    assert!(folder(&desk, "archive").is_empty(), "what lay here stays");
    newsletter(&desk, 3);
    // Another address with the same display name does not match.
    letter(&desk, "sly@mail.example", "news@shop.example", "Issue 04", Some("Hi"), None);
    acts(&mut desk);
    assert_eq!(folder(&desk, "archive"), ["Issue 03"]);
    desk.shows("Issue 04").hides("Issue 03");
    desk.keys("f<Esc>f").types("status:any \"Issue 03\"").keys("<Enter>").settle().shows("by rule");
    desk.keys("gg<Enter>").settle().shows("archived by a rule");
    photographs!(desk, "a_thread_says_that_a_rule_did_it", History);
    desk.keys("<Esc>f<Esc>f")
        .types("\"Issue\"")
        .keys("<Enter>")
        .run_command("show-rules")
        .settle()
        .shows("news@shop.example  always archive · 1 thread");
    photographs!(desk, "the_rules_are_listed", Overlay);
    // A disabled rule does nothing, and does not act on that mail later.
    desk.keys("<Enter>").settle().shows("off  news@shop.example").keys("<Esc>");
    newsletter(&desk, 5);
    acts(&mut desk);
    desk.run_command("show-rules")
        .settle()
        .keys("<Enter>")
        .settle()
        .shows("on   news@shop.example")
        .keys("<Esc>");
    newsletter(&desk, 6);
    acts(&mut desk);
    assert_eq!(folder(&desk, "archive"), ["Issue 03", "Issue 06"]);
    // Its actions can be undone and are not repeated.
    desk.run_command("show-rules").settle().keys("u").settle();
    acts(&mut desk);
    assert!(folder(&desk, "archive").is_empty());
    // Undo restores a removed rule.
    desk.run_command("show-rules").settle().keys("d").settle().shows("No rules yet").keys("z").settle();
    desk.shows("always archive").keys("<Esc>");
}

#[test]
fn a_rule_leaves_alone_what_a_person_has_touched_or_is_needed_for() {
    let mut desk = mail(80, 24);
    newsletter(&desk, 1);
    acts(&mut desk);
    archives(&mut desk, "y");
    let read = newsletter(&desk, 2);
    let starred = newsletter(&desk, 3);
    let urgent = newsletter(&desk, 4);
    let plain = newsletter(&desk, 5);
    for (thread, change) in [
        (&read, serde_json::json!({"isRead": true})),
        (&starred, serde_json::json!({"isStarred": true})),
        (&urgent, serde_json::json!({"priority": "urgent"})),
        (&plain, serde_json::json!({})),
    ] {
        desk.elsewhere("email", "PATCH", &format!("/email/threads/{thread}"), change);
    }
    acts(&mut desk);
    assert_eq!(folder(&desk, "archive"), ["Issue 05"]);
    // Opening the thread counts as touching it, also for later mail.
    let opened = newsletter(&desk, 6);
    desk.settle().keys("f<Esc>f").types("\"Issue 06\"").keys("<Enter>").settle();
    assert!(!opened.is_empty());
    acts(&mut desk);
    assert_eq!(folder(&desk, "archive"), ["Issue 05", "Issue 06"], "looking at the list is no touch");
    desk.keys("f<Esc>f").types("\"Issue 01\"").keys("<Enter>").settle().keys("gg;").types("ours");
    desk.keys("<Enter>").settle().keys("<Esc>");
    newsletter(&desk, 1);
    acts(&mut desk);
    assert_eq!(folder(&desk, "archive"), ["Issue 05", "Issue 06"], "it has a note");
}

#[test]
fn a_rule_takes_what_lies_here_with_it_if_wanted_and_a_minute_bounds_it() {
    let mut desk = mail(80, 24);
    for number in 1..=3 {
        newsletter(&desk, number);
    }
    acts(&mut desk);
    archives(&mut desk, "a");
    acts(&mut desk);
    assert_eq!(folder(&desk, "archive").len(), 3);
    for number in 10..=39 {
        newsletter(&desk, number);
    }
    // All mail is read within a minute; the rule's actions take longer.
    for _ in 0..3 {
        desk.wait(SECOND);
        desk.settle();
    }
    assert!(folder(&desk, "archive").len() <= 23, "{:?}", folder(&desk, "archive"));
    for _ in 0..8 {
        desk.pass(40);
        calm(&mut desk);
    }
    assert_eq!(folder(&desk, "archive").len(), 33);
}
