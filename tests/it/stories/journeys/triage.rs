//! A morning's mail: forty threads, most of them decided with one key; the keys are counted.

use serde_json::Value;

use crate::desk::Desk;
use crate::stories::mail::{calm, letter};

const KEYS_A_SECOND: f64 = 3.0;
/// Seconds of reading before a decision.
const READING: f64 = 4.0;

/// Threads looked at, without those decided together with others of their sender.
const SEEN: f64 = 31.0;

/// Presses keys and counts them; a name in angle brackets is one.
pub(super) fn press(desk: &mut Desk, count: &mut u32, keys: &str) {
    let mut rest = keys;
    while let Some(character) = rest.chars().next() {
        *count += 1;
        rest = match rest.split_once('>') {
            Some((_, after)) if character == '<' => after,
            _ => &rest[character.len_utf8()..],
        };
    }
    desk.keys(keys);
}

fn folder(desk: &Desk, name: &str) -> usize {
    let told = desk.get("email", &format!("/email/threads?folder={name}&limit=100"));
    let all = told["data"].as_array().expect("a list").iter();
    all.filter(|value: &&Value| value["subject"].as_str().is_some_and(|text| text.starts_with("Subject")))
        .count()
}

#[test]
fn forty_threads_take_less_than_five_minutes_of_keys() {
    let mut desk = Desk::demo(80, 24);
    for number in (1..=40).rev() {
        let (from, name) = match number {
            1..=12 => ("news@shop.example".to_owned(), "Shop news"),
            13..=15 => ("win@prize.example".to_owned(), "Prize"),
            _ => (format!("person{number}@mail.example"), "Person"),
        };
        let (subject, text) = (format!("Subject {number:02}"), format!("Text {number:02}"));
        letter(&desk, &from, name, &subject, Some(&text), None);
    }
    for _ in 0..4 {
        calm(&mut desk);
    }
    desk.keys("3").settle();
    let mut keys = 0;
    press(&mut desk, &mut keys, "f");
    desk.types("\"Subject\"").settle();
    keys += 9;
    press(&mut desk, &mut keys, "<Enter><Ctrl-T>");
    desk.settle().shows("TRIAGE 1/40");
    // Three newsletters are seen, the rest is decided with them.
    press(&mut desk, &mut keys, "dddAy");
    desk.shows("TRIAGE 13/40");
    press(&mut desk, &mut keys, "%%%");
    desk.shows("TRIAGE 16/40");
    // Five short answers.
    for number in 0..5 {
        press(&mut desk, &mut keys, "r");
        let words = "Thank you, we look into it today.";
        desk.types(words);
        keys += u32::try_from(words.chars().count()).expect("few");
        press(&mut desk, &mut keys, "<Ctrl-X>y");
        desk.shows(&format!("TRIAGE {}/40", 17 + number));
    }
    // The others: archived, starred, snoozed, deleted, marked as unread.
    for number in 21..=40 {
        press(&mut desk, &mut keys, ["d", "*d", "st", "D", "u"][number % 5]);
    }
    desk.shows("40 seen in");
    photographs!(desk, "forty_threads_were_gone_through", Page);
    let seconds = f64::from(keys) / KEYS_A_SECOND + SEEN * READING;
    assert!(seconds < 300.0, "{keys} keys: {seconds} s");
    assert!(keys < 260, "{keys} keys");
    desk.keys("<Esc>").pass(60);
    for _ in 0..6 {
        desk.pass(40).settle();
    }
    assert_eq!((folder(&desk, "archive"), folder(&desk, "spam"), folder(&desk, "trash")), (20, 3, 4));
    assert_eq!(desk.outbound().iter().filter(|value| value["channel"] == "email").count(), 5);
}
