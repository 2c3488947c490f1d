//! Done: hands back, releases and closes as one held act, and goes on to the most urgent.

use crate::desk::Desk;
use crate::stories::mail::{calm, letter};

const SECOND: i64 = 1_000_000;
const MARIA: &str = "+34600111222";

/// Maria waits longer than João; she is the most urgent.
fn desk(columns: u16) -> Desk {
    let mut desk = Desk::new(columns, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Never mind, found it.");
    desk.settle();
    desk.wait(60 * SECOND);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the shop open?");
    desk.settle();
    desk
}

fn current(desk: &Desk) -> String {
    let row = desk.app.desk.current_conversation().expect("a conversation");
    row.conversation.title().to_string()
}

fn claims(desk: &Desk) -> usize {
    let rows = desk.app.desk.tabs.iter().flat_map(|tab| &tab.list.page.rows);
    rows.filter(|row| row.local.claim.is_some()).count()
}

fn closed(desk: &Desk) -> usize {
    let closed = desk.get("whatsapp", "/conversations?status=closed");
    closed["data"].as_array().map_or(0, Vec::len)
}

/// Opens Maria, takes her over and answers; the text has left.
fn answered(columns: u16) -> Desk {
    let mut desk = desk(columns);
    desk.keys(":open maria<Enter>").settle().keys("t").settle();
    desk.types("All right!").keys("<Enter><Ctrl-X><Esc>").settle();
    assert_eq!(desk.outbound().len(), 1);
    desk
}

#[test]
fn done_closes_hands_back_and_releases_after_the_hold() {
    let mut desk = answered(120);
    desk.shows("you have it");
    desk.keys("d").shows("Maria Lopez closes in 5 s · z undo");
    assert_eq!((closed(&desk), claims(&desk)), (0, 0));
    desk.pass(6).settle();
    assert_eq!(closed(&desk), 1);
    let id = desk.get("whatsapp", "/conversations?status=closed")["data"][0]["id"].clone();
    let id = id.as_str().expect("an id");
    assert_eq!(desk.get("whatsapp", &format!("/conversations/{id}"))["automationEnabled"], true);
    desk.keys("<Esc>v4").settle().shows("Inbox · closed").shows("Maria Lopez");
}

#[test]
fn done_opens_the_most_urgent_and_not_the_neighbour() {
    let mut desk = answered(120);
    desk.customer("telegram", "48211", "Oksana", "Can I speak to a human please");
    desk.customer("telegram", "48211", "Oksana", "Can I speak to a human please!");
    desk.settle();
    desk.keys("d");
    assert_eq!(current(&desk), "Oksana");
    desk.shows("Oksana · 48211").hides("João Pereira · +351");
}

#[test]
fn done_from_the_composer_leaves_its_tab_with_the_list() {
    let mut desk = desk(120);
    desk.keys(":open maria<Enter>").settle().keys("t").settle();
    desk.types("All right!").keys("<Enter><Ctrl-X>").settle();
    desk.customer("telegram", "48211", "Oksana", "I want to talk to a human");
    desk.settle().settle().keys("<Alt-d>").settle();
    assert_eq!(current(&desk), "Oksana");
    desk.pass(6).keys("<Esc>1").settle();
    assert_eq!(current(&desk), "João Pereira");
    desk.wait(SECOND);
    desk.keys("t").settle().types("Yes, until six").shows("Yes, until six").keys("<Enter><Ctrl-X>").settle();
    let sent: Vec<_> = desk.outbound().iter().map(|sent| sent["to"].clone()).collect();
    assert_eq!(sent, [MARIA, "+351910000111"]);
}

#[test]
fn done_stays_in_the_list_when_nobody_else_waits() {
    let mut desk = Desk::new(120, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Never mind, found it.");
    desk.settle().keys("<Enter>dd").shows("Maria Lopez closes in 5 s");
    desk.pass(6).settle();
    assert_eq!(closed(&desk), 1);
    desk.keys("w").shows("no one is waiting on any channel");
}

#[test]
fn z_undoes_all_of_done_wherever_the_cursor_is() {
    let mut desk = answered(120);
    assert_eq!(claims(&desk), 1);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "I want to talk to a human");
    desk.wait(SECOND);
    desk.settle().settle().keys("d");
    assert_eq!(current(&desk), "João Pereira");
    desk.keys("z").shows("undone: done · Maria Lopez").settle();
    desk.pass(60).settle();
    assert_eq!((closed(&desk), claims(&desk)), (0, 1));
    assert_eq!(current(&desk), "João Pereira");
    desk.keys(":open maria<Enter>").settle().shows("you have it");
}

#[test]
fn done_again_after_undo_closes() {
    let mut desk = answered(120);
    desk.keys("d").settle().keys("z").shows("undone: done").settle();
    desk.keys(":open maria<Enter>").settle().keys("d").shows("Maria Lopez closes in 5 s");
    desk.pass(6).settle();
    assert_eq!((closed(&desk), claims(&desk)), (1, 0));
}

#[test]
fn done_is_one_entry_of_what_was_done() {
    let mut desk = answered(80);
    desk.keys("d").run_command("show-done").shows("done · Maria Lopez").shows("taken · Maria Lopez");
    desk.hides("handed back ·").hides("closed ·").hides("claimed ·").hides("released ·");
}

#[test]
fn done_and_undo_faster_than_the_disk() {
    let mut desk = answered(80);
    desk.keys_before_the_disk("dz").settle();
    desk.pass(60).settle();
    assert_eq!((closed(&desk), claims(&desk)), (0, 1));
    desk.has_queued(0);
}

#[test]
fn done_asks_for_an_unanswered_message() {
    let mut desk = desk(120);
    desk.keys(":open maria<Enter>").settle().keys("d");
    desk.shows("No answer to Maria Lopez").shows("Never mind, found it.");
    desk.shows("[d] close anyway   [r] write   [Esc] stay");
    desk.keys("<Esc>").hides("No answer to").keys("dr").shows("Reply · ").types("Fine");
    desk.keys("<Enter>").shows("The AI is on").keys("y").shows("Sending in").keys("<Esc>");
    // The held text answers it.
    desk.keys("d").shows("Maria Lopez closes in 5 s").pass(12).settle();
    assert_eq!((desk.outbound().len(), closed(&desk)), (1, 1));
}

#[test]
fn done_asks_for_an_unsent_draft() {
    let mut desk = answered(120);
    desk.keys("i").types("And one more").keys("<Esc>d").shows("Unsent draft to Maria Lopez");
    desk.shows("The draft is kept.").keys("<Esc>i").shows("And one more").keys("<Ctrl-U><Esc>");
    desk.keys("d").shows("Maria Lopez closes in 5 s");
}

#[test]
fn done_asks_for_the_draft_of_a_mail() {
    let mut desk = Desk::demo(120, 40);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Hi"), None);
    calm(&mut desk);
    desk.keys("3").settle().keys(":open ana@ruiz.example<Enter>").settle();
    desk.keys("r").settle().types("Dear Ana").keys("<Esc>").settle();
    desk.keys("d").shows("Unsent draft to Ana Ruiz").shows("[d] archive anyway");
    let archived = |desk: &Desk| {
        let told = desk.get("email", "/email/threads?folder=archive");
        told["data"].as_array().is_some_and(|all| all.iter().any(|thread| thread["subject"] == "Order 2001"))
    };
    desk.keys("<Esc>").settle();
    assert!(!archived(&desk));
    desk.keys("dd").settle();
    assert!(archived(&desk));
}

#[test]
fn done_archives_a_mail_and_z_brings_it_back() {
    let mut desk = Desk::demo(120, 40);
    let thread = letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Hi"), None);
    calm(&mut desk);
    desk.keys("3").settle().keys(":open ana@ruiz.example<Enter>").settle().keys("d").settle();
    let folder = |desk: &Desk| desk.get("email", &format!("/email/threads/{thread}"))["folder"].clone();
    assert_eq!(folder(&desk), "archive");
    desk.keys("z").settle().settle();
    assert_eq!(folder(&desk), "inbox");
}

#[test]
fn done_on_a_bot_puts_away_until_they_write() {
    let mut desk = Desk::new(120, 24);
    desk.customer("telegram", "48211", "Oksana", "Hello?");
    desk.settle().keys("2<Enter>d").shows("[d] put away anyway").keys("d");
    desk.shows("put away until they write · Oksana · z undo").settle();
    assert!(desk.app.desk.tabs[1].list.page.rows.is_empty());
    desk.keys("z").settle().shows("undone: done · Oksana");
    assert_eq!(desk.app.desk.tabs[1].list.page.rows.len(), 1);
    desk.keys("dd").settle();
    assert!(desk.app.desk.tabs[1].list.page.rows.is_empty());
    desk.customer("telegram", "48211", "Oksana", "Still there?");
    desk.wait(SECOND);
    desk.settle();
    assert_eq!(desk.app.desk.tabs[1].list.page.rows.len(), 1);
}

#[test]
fn done_on_the_phone_puts_away_until_they_write() {
    let mut desk = Desk::with_all_tabs(120, 40);
    let listed = |desk: &Desk| desk.app.desk.tabs[3].list.page.rows.len();
    desk.customer("voip", MARIA, "Maria Lopez", "Is my bike ready?");
    desk.settle().keys("4").settle();
    desk.keys("ggd").shows("[d] put away anyway").keys("d").shows("put away until they write").settle();
    assert_eq!(listed(&desk), 0);
    desk.wait(60 * SECOND);
    desk.customer("voip", MARIA, "Maria Lopez", "Hello?");
    desk.pass(60).settle().settle();
    assert_eq!(listed(&desk), 1);
    desk.keys("4gg<Enter>i").types("It is").keys("<Enter><Ctrl-X><Esc>").settle();
    desk.keys("d").hides("put away anyway").shows("put away until they write");
}

#[test]
fn done_on_marks_asks_once_and_stays() {
    let mut desk = desk(120);
    desk.keys("gg  d").shows("Done with 2 conversations").shows("2 of 2 without an answer");
    desk.keys("d").shows("finish: 2 of 2 apply, in 5 s · z undo");
    desk.pass(6).settle();
    assert_eq!(closed(&desk), 2);
}

#[test]
fn a_close_that_has_left_is_said_before_z_undoes_what_was_done_before() {
    let mut desk = desk(80);
    desk.keys("gg:claim<Enter>").shows("claimed").keys("jdd").shows("closes in 5 s · z undo");
    // The notice counts down to the close.
    desk.wait(2 * SECOND);
    desk.shows("closes in 3 s · z undo");
    desk.wait(3 * SECOND);
    desk.settle().hides("closes in");
    desk.keys("z").shows("sent; cannot be reopened · z undo: claimed");
    desk.keys("z").shows("undone: claimed");
    assert_eq!(claims(&desk), 0);
}

#[test]
fn a_mail_is_not_archived_from_its_unsent_text_without_a_question() {
    let mut desk = Desk::demo(120, 40);
    calm(&mut desk);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?"), None);
    desk.keys("3");
    calm(&mut desk);
    desk.keys("gg<Enter>").settle().keys("r").types("It left today").keys("<Alt-d>");
    desk.shows("Unsent draft to Ana Ruiz").shows("[d] archive anyway").keys("<Esc>");
    desk.shows("It left today").keys("<Alt-d>d").settle().shows("archived · Ana Ruiz");
    desk.keys("3").run_command("go-to-drafts").shows("It left today");
}
