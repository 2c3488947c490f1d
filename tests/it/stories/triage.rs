//! Triage of forty mail threads with one key each, also without a network.

use frontdesk::inbox::layout::SIDE_BY_SIDE_MIN_WIDTH;
use serde_json::json;

use crate::desk::Desk;
use crate::stories::mail::{calm, letter};

/// Forty unread threads, thirteen of them from one shop.
fn forty() -> Desk {
    let mut desk = Desk::demo(80, 24);
    for number in (1..=40).rev() {
        let (from, name) = match number {
            1..=13 => ("news@shop.example".to_owned(), "Shop news"),
            _ => (format!("person{number}@mail.example"), "Person"),
        };
        letter(&desk, &from, name, &format!("Subject {number:02}"), Some(&format!("Text {number:02}")), None);
    }
    for _ in 0..4 {
        calm(&mut desk);
    }
    desk.keys("3f").types("\"Subject\"").keys("<Enter>").settle();
    desk
}

fn cut(desk: &Desk) {
    let fault = json!({"path_prefix": "/v1", "count": 100_000, "drop": "before"});
    desk.dev("fault", fault);
}

#[test]
fn forty_threads_are_gone_through_with_one_key_each() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>").shows("TRIAGE 1/40 · 00:00").shows("Text");
    photographs!(desk, "a_thread_is_decided_over");
    cut(&desk);
    // After the third newsletter, the same for the rest of the sender is offered.
    for key in ["d", "d", "d"] {
        desk.keys(key);
    }
    desk.shows("10 more from news@shop.example · A same for all").keys("A");
    desk.shows("archive 10 threads from news@shop.example");
    photographs!(desk, "the_same_for_all_is_offered", Overlay);
    desk.keys("y").shows("TRIAGE 14/40");
    // One key undoes all of them.
    desk.keys("z").shows("TRIAGE 4/40").keys("Ay").shows("TRIAGE 14/40");
    // The hold of a quick answer continues while the next thread is shown.
    desk.keys("r").types("Thanks, passed on to Ana.").keys("<Ctrl-X>").shows("held 10 s here").keys("y");
    desk.shows("TRIAGE 15/40").shows("sending in 10 s");
    desk.keys("st").shows("TRIAGE 16/40").keys("*").shows("starred").keys("d<Space>").shows("shown again");
    desk.keys("u").keys("J").keys("z").keys("u");
    for _ in 0..30 {
        desk.keys("d");
    }
    desk.shows("40 seen in").shows("1 answered, 1 snoozed, 1 starred, 2 left");
    photographs!(desk, "what_came_of_it", Page);
    desk.dev("fault", json!({"path_prefix": "/v1", "count": 0}));
    desk.keys("<Esc>").pass(60);
    for _ in 0..6 {
        desk.pass(40).settle();
    }
    let archived = desk.get("email", "/email/threads?folder=archive&limit=100");
    let subjects = archived["data"].as_array().expect("a list").iter();
    let count = subjects
        .filter(|subject| subject["subject"].as_str().is_some_and(|text| text.starts_with("Subject")))
        .count();
    assert_eq!(count, 36);
}

#[test]
fn no_key_of_a_triage_waits_for_the_network() {
    let mut desk = forty();
    // Requests to the server wait from here on.
    desk.far(true).keys("<Ctrl-T>").shows("TRIAGE 1/40").shows("Text 01");
    for number in 2..=40 {
        let keys = match number % 8 {
            2 => "u",
            4 => "*d",
            6 => "st",
            0 => "r",
            _ => "d",
        };
        desk.keys(keys);
        if keys == "r" {
            desk.shows("Re: Subject").types("Thanks.").shows("Thanks.");
            desk.keys("<Ctrl-X>").shows("Send this mail?").keys("y");
        }
        // The next thread is shown with its text, and nothing was sent yet.
        desk.shows(&format!("TRIAGE {number}/40")).shows(&format!("Text {number:02}")).hides("loading");
    }
    desk.keys("d").shows("40 seen in").has_queued(40);
    let archived = |desk: &Desk| {
        let told = desk.get("email", "/email/threads?folder=archive&limit=100");
        let all = told["data"].as_array().expect("a list").clone();
        all.iter()
            .filter(|value| value["subject"].as_str().is_some_and(|text| text.starts_with("Subject")))
            .count()
    };
    assert_eq!(archived(&desk), 0, "not one key asked the server");
    desk.far(false).keys("<Esc>").pass(60);
    for _ in 0..6 {
        desk.pass(40).settle();
    }
    assert_eq!(archived(&desk), 25);
}

#[test]
fn a_star_is_taken_back_where_one_is() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>").shows("TRIAGE 1/40").keys("z").shows("no decisions yet");
    desk.keys("*").shows("starred").keys("z").shows("undone: starred").shows("TRIAGE 1/40");
    desk.keys("d").shows("TRIAGE 2/40").keys("*").shows("starred").keys("z").shows("undone: starred");
    desk.shows("TRIAGE 2/40").keys("z").shows("TRIAGE 1/40").settle().settle();
    let archived = desk.get("email", "/email/threads?folder=archive&limit=100");
    assert!(!archived.to_string().contains("Subject"), "{archived}");
}

#[test]
fn each_decision_is_taken_back_to_its_thread() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>").shows("TRIAGE 1/40").keys("d").keys("d").shows("TRIAGE 3/40");
    desk.settle().keys("zz").shows("TRIAGE 1/40").settle().settle();
    let archived = desk.get("email", "/email/threads?folder=archive&limit=100");
    let subjects = archived["data"].as_array().expect("a list");
    assert!(
        !subjects
            .iter()
            .any(|subject| subject["subject"].as_str().is_some_and(|text| text.starts_with("Subject")))
    );
    desk.keys("r")
        .types("Yes")
        .keys("<Ctrl-X>y")
        .shows("TRIAGE 2/40")
        .keys("z")
        .shows("Yes")
        .keys("<Esc><Esc>");
    desk.shows("Ctrl-T continue").shows("0 of 40 · Ctrl-T continue");
}

#[test]
fn a_triage_that_is_left_early_tells_what_came_of_it() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>*ddu").shows("TRIAGE 4/40").keys("<Esc>");
    desk.shows("3 of 40: 2 archived, 1 starred, 1 left · Ctrl-T continue");
}

#[test]
fn a_star_counts_although_something_else_of_its_thread_is_taken_back() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>*")
        .shows("starred")
        .keys("&")
        .types("billing")
        .keys("<Enter>")
        .shows("category billing");
    desk.keys("z").shows("undone: category billing").shows("TRIAGE 1/40");
    for _ in 0..40 {
        desk.keys("d");
    }
    desk.shows("40 seen in").shows("1 starred");
}

fn archived(desk: &mut Desk) -> Vec<String> {
    for _ in 0..4 {
        desk.pass(3).settle();
    }
    let told = desk.get("email", "/email/threads?folder=archive&limit=100");
    let all = told["data"].as_array().expect("a list").iter();
    let mut some: Vec<String> = all
        .filter_map(|value| value["subject"].as_str())
        .filter(|text| text.starts_with("Subject"))
        .map(str::to_owned)
        .collect();
    some.sort();
    some
}

#[test]
fn a_mail_that_has_left_stays_decided_over() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>").shows("Text 01").keys("r").types("Yes").keys("<Ctrl-X>y").shows("TRIAGE 2/40");
    calm(&mut desk);
    desk.pass(15).settle();
    for _ in 0..2 {
        desk.keys("z").shows("sent; cannot be unsent").shows("TRIAGE 2/40").shows("Text 02");
    }
    // The key acts on the thread on screen.
    desk.keys("d").shows("TRIAGE 3/40");
    assert_eq!(archived(&mut desk), ["Subject 02"]);
    // Older decisions can be undone again.
    desk.keys("r").types("No").keys("<Ctrl-X>y").shows("Text 04");
    calm(&mut desk);
    desk.pass(15).settle();
    desk.keys("z").shows("sent; cannot be unsent").shows("undo again").shows("Text 04");
    desk.keys("z").shows("undone: archived").shows("Text 02");
    assert_eq!(archived(&mut desk), [""; 0]);
    desk.keys("d").shows("Text 04").keys("<Esc>").shows("3 of 40: 1 archived, 2 answered");
}

#[test]
fn a_decision_is_taken_back_although_something_else_was_done_since() {
    let mut desk = forty();
    // Changes made before the triage are not undone in it.
    desk.keys("*").shows("starred").keys("<Ctrl-T>").shows("Text 01");
    desk.keys("z").shows("no decisions yet");
    desk.keys("d").shows("Text 02").keys("st").shows("Text 03").keys("*").shows("starred");
    desk.keys("<Space>").shows("shown again").shows("Text 04");
    desk.keys("z").shows("undone: snoozed").shows("Text 02").shows("TRIAGE 2/40");
    desk.keys("z").shows("undone: archived").shows("Text 01").shows("TRIAGE 1/40");
    desk.keys("z").shows("no decisions yet").keys("<Esc>").shows("0 of 40: 1 starred");
    assert_eq!(archived(&mut desk), [""; 0]);
    let told = desk.get("email", "/email/threads?limit=100");
    let starred = told["data"].as_array().expect("a list").iter().filter(|value| value["isStarred"] == true);
    let starred: Vec<&str> = starred.filter_map(|value| value["subject"].as_str()).collect();
    assert!(starred.contains(&"Subject 01") && starred.contains(&"Subject 03"), "{starred:?}");
    desk.keys("f").types("is:snoozed").keys("<Enter>").hides("Subject 02");
}

#[test]
fn a_triage_shows_the_mail_although_the_card_was_on() {
    let mut desk = forty();
    for columns in [80, 120, 170] {
        desk.resize((columns, 30));
        desk.keys("gg<Enter>").settle().keys("I").settle().shows("Card").keys("<Esc>");
        // Opening read the first one.
        desk.keys("<Ctrl-T>").shows("TRIAGE 1/39").shows("Text 02");
        desk.keys("I").shows("not available in triage").shows("Text 02").keys("<Esc>");
        desk.keys("gg<Enter>").settle();
        if columns < SIDE_BY_SIDE_MIN_WIDTH {
            // Esc had closed the card, which fills the pane.
            desk.hides("Card").keys("I").settle();
        }
        desk.shows("Card").keys("I<Esc>");
    }
}

/// Presses keys and counts them; a text counts each of its letters.
fn press(desk: &mut Desk, count: &mut usize, keys: &[&str]) {
    for key in keys {
        desk.keys(key);
        *count += 1;
    }
}

#[test]
fn twelve_mails_are_decided_with_five_keys_in_at_most_thirty() {
    let mut desk = Desk::demo(120, 40);
    for number in (1..=12).rev() {
        let from = format!("person{number}@mail.example");
        letter(&desk, &from, "Person", &format!("Subject {number:02}"), Some("Hello"), None);
    }
    for _ in 0..3 {
        calm(&mut desk);
    }
    desk.keys("3f").types("\"Subject\"").keys("<Enter>").settle();
    let mut count = 0;
    press(&mut desk, &mut count, &["<Ctrl-T>"]);
    desk.shows("TRIAGE 1/12");
    for hint in ["t answer", "z undo", "d archive", "s later", "/ search"] {
        assert!(desk.status().contains(hint), "{hint}: {}", desk.status());
    }
    press(&mut desk, &mut count, &["d", "d", "d", "z", "d", "s", "t"]);
    desk.shows("TRIAGE 5/12");
    press(&mut desk, &mut count, &["t", "O", "k", "<Ctrl-X>", "y", "r", "N", "o", "<Ctrl-X>", "y"]);
    desk.shows("TRIAGE 7/12");
    press(&mut desk, &mut count, &["d", "d", "d", "d", "d", "d"]);
    desk.shows("12 seen in").shows("9 archived, 2 answered, 1 snoozed");
    assert!(count <= 30, "{count} keys");
}

#[test]
fn a_search_leaves_the_triage_and_keeps_what_was_decided() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>").shows("TRIAGE 1/40").keys("dd").shows("TRIAGE 3/40").keys("/");
    desk.types("Subject 09").settle().keys("<Enter>").settle();
    desk.hides("TRIAGE").shows("Text 09");
    assert_eq!(archived(&mut desk).len(), 2);
}

#[test]
fn a_triage_asks_before_a_mail_with_an_unsent_draft_is_archived() {
    let mut desk = forty();
    desk.keys("<Ctrl-T>").shows("TRIAGE 1/40").keys("r").types("Thanks, I will").keys("<Alt-d>");
    desk.shows("Unsent draft to Shop news").shows("[d] archive anyway").keys("<Esc>");
    desk.shows("TRIAGE 1/40").shows("Thanks, I will").keys("<Esc>");
    desk.keys("d").shows("Unsent draft to Shop news").keys("d").shows("TRIAGE 2/40").keys("<Esc>");
    desk.run_command("go-to-drafts").shows("Thanks, I will");
}
