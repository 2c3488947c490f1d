//! Importing people from a file: checked, confirmed, followed, and continued after a crash.

use std::fmt::Write;

use crate::desk::{Desk, direct};
use crate::regions::Region;

fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.settle();
    desk
}

/// A file of this many people, one invalid, one duplicate.
fn file(desk: &Desk, count: usize) -> String {
    let mut text = "phone,name,tags\n".to_owned();
    for number in 0..count {
        writeln!(text, "+34600{number:06},Person {number},import").expect("text");
    }
    text.push_str("600,Wrong,\n+34600000000,Again,\n");
    desk.file("people.csv", text.as_bytes())
}

/// Runs the import to its end, within the rate limits.
fn go_on(desk: &mut Desk) {
    for _ in 0..40 {
        desk.wait(3_000_000);
        desk.settle();
        if desk.picture().contains("imported:") {
            return;
        }
    }
}

fn contacts(desk: &Desk) -> usize {
    desk.get("whatsapp", "/contacts?limit=100")["data"].as_array().expect("a list").len()
}

#[test]
fn a_file_is_looked_through_asked_about_and_followed() {
    let mut desk = desk();
    let file = file(&desk, 45);
    desk.keys("gp:").types(&format!("import {file}")).keys("<Enter>");
    desk.shows("47 rows").shows("45  to be imported").shows("line 47, phone: \"600\" is not a number");
    desk.shows("merged with what the server has");
    // The folder's name differs each time.
    let place = file.trim_end_matches("people.csv");
    let picture = desk.photograph(&[Region::Overlay]).replace(place, "/home/ana/");
    insta::assert_snapshot!(
        "ask",
        picture.lines().filter(|line| !line.contains("/home/ana/")).collect::<Vec<_>>().join("\n")
    );
    desk.keys("y").shows("importing in the background").settle().shows("import ");
    go_on(&mut desk);
    desk.shows("45 saved, 2 left out").hides("import 4").shows("Person 0").shows("#import");
    assert_eq!(contacts(&desk), 45);
    desk.keys(":").types(&format!("import {file}")).keys("<Enter>").shows("47  already imported, left out");
}

#[test]
fn an_import_is_stopped_and_gone_on_with_after_a_crash() {
    let mut desk = desk();
    let file = file(&desk, 45);
    desk.keys(":").types(&format!("import {file}")).keys("<Enter>y").settle().settle();
    let so_far = contacts(&desk);
    assert!((1..45).contains(&so_far), "{so_far}");
    desk.keys(":")
        .types(&format!("import {file}"))
        .keys("<Enter>")
        .shows("is being imported; :import stop stops it");
    let mut desk = desk.crash_and_reopen();
    desk.settle()
        .keys(":")
        .types(&format!("import {file}"))
        .keys("<Enter>")
        .shows("already imported, left out")
        .keys("y");
    go_on(&mut desk);
    desk.shows("45 saved, 2 left out");
    assert_eq!(contacts(&desk), 45);
    let results = std::fs::read_to_string(format!("{file}.results.csv")).expect("results");
    assert_eq!(results.lines().count(), 48, "one line each:\n{results}");
}

#[test]
fn what_cannot_be_imported_says_why() {
    let mut desk = desk();
    let file = desk.file("names.csv", b"name\nMaria\n");
    desk.keys(":").types(&format!("import {file}")).keys("<Enter>").shows("import:");
    desk.keys(":").types("import stop").keys("<Enter>").shows("nothing is being imported");
    desk.keys("2:").types("import x.csv").keys("<Enter>").shows("needs a business chat channel");
}

#[test]
fn a_refused_row_stands_in_the_results_and_asks_nobody() {
    let mut desk = desk();
    let text = format!("phone,tags\n+34600000001,{}\n+34600000002,ok\n", "x".repeat(70));
    let file = desk.file("people.csv", text.as_bytes());
    desk.keys(":").types(&format!("import {file}")).keys("<Enter>y").settle().settle().settle();
    desk.shows("1 saved, 1 refused").hides("needs you").has_queued(0);
    let results = std::fs::read_to_string(format!("{file}.results.csv")).expect("results");
    assert!(results.contains("2,+34600000001,refused,tags must hold"), "{results}");
}

#[test]
fn rows_with_tags_are_imported_as_fast_as_the_interface_allows() {
    let mut desk = desk();
    let file = file(&desk, 300);
    desk.keys(":").types(&format!("import {file}")).keys("<Enter>y").settle();
    let mut seconds = 0;
    while !desk.picture().contains("imported:") {
        assert!(seconds < 120, "300 rows at 200 a minute:\n{}", desk.picture());
        desk.pass(3);
        desk.settle();
        seconds += 3;
    }
    desk.shows("300 saved");
}
