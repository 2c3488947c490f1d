//! Taking a conversation: one act that pauses the AI, claims and opens the composer.

use frontdesk::inbox::plain::PlainOutput;
use frontdesk::model::ids::ConversationId;

use crate::desk::Desk;
use crate::stories::mail::calm;

const SECOND: i64 = 1_000_000;

fn desk(columns: u16) -> Desk {
    let mut desk = Desk::new(columns, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hi, where is my order 1041?");
    desk.settle();
    desk.wait(60 * SECOND);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "thanks! 🚲");
    desk.customer("telegram", "48211", "Oksana", "Hello?");
    desk.settle();
    desk
}

fn claimed(desk: &Desk, tab: usize) -> Vec<String> {
    let rows = desk.app.desk.tabs[tab].list.page.rows.iter().filter(|row| row.local.claim.is_some());
    rows.map(|row| row.conversation.title().to_string()).collect()
}

fn current(desk: &Desk) -> String {
    let row = desk.app.desk.current_conversation().expect("a conversation");
    row.conversation.title().to_string()
}

#[test]
fn take_pauses_claims_and_writes() {
    let mut desk = desk(120);
    desk.keys("ggjt").shows("taken · Alt-z undo").settle().shows("you have it");
    assert_eq!(claimed(&desk, 0), ["Maria Lopez"]);
    assert!(desk.app.desk.is_typing());
    // The AI is paused: no question before the first word leaves.
    desk.types("A person here.").keys("<Enter>").hides("The AI is on").shows("Sending in 5 s");
}

#[test]
fn in_plain_mode_words_are_named_instead_of_keys_pressed_in_a_text() {
    let mut desk = desk(99);
    desk.app.context.settings.is_plain = true;
    let mut plain = PlainOutput::default();
    desk.keys("ggj");
    plain.collect_new_lines(&desk.app);
    desk.keys("t");
    let mut lines = plain.collect_new_lines(&desk.app);
    assert!(lines.iter().any(|line| line == "taken · undo"), "{lines:#?}");
    desk.settle().types("A person here.").keys("<Enter>").settle();
    lines.extend(plain.collect_new_lines(&desk.app));
    desk.keys("<Enter>");
    let held = plain.collect_new_lines(&desk.app);
    assert!(held.iter().any(|line| line == "held · undo"), "{held:#?}");
    lines.extend(held);
    assert!(!lines.iter().any(|line| line.contains("Alt-") || line.contains("Ctrl-")), "{lines:#?}");
    assert_eq!(desk.says("undo"), None);
    desk.settle();
    assert!(desk.outbound().is_empty());
    desk.pass(10).settle();
    assert!(desk.outbound().is_empty(), "taken back");
}

#[test]
fn z_undoes_all_of_take() {
    let mut desk = desk(120);
    desk.keys("ggjt").settle().keys("<Esc>").shows("you have it");
    desk.keys("z").shows("undone: taken · Maria Lopez").settle().settle().has_paused(0);
    assert_eq!(claimed(&desk, 0), Vec::<String>::new());
    assert!(!desk.app.desk.is_typing());
    desk.keys("z").shows("nothing to undo");
}

#[test]
fn taken_already_goes_to_the_text() {
    let mut desk = desk(120);
    desk.keys("ggjt").settle().keys("<Esc><Esc>t");
    assert!(desk.app.desk.is_typing());
    desk.keys("<Esc>").run_command("show-done").shows("taken · Maria Lopez");
    assert_eq!(desk.picture().matches("taken · Maria Lopez").count(), 1);
}

#[test]
fn take_claims_on_a_bot() {
    let mut desk = desk(120);
    desk.keys("2t").settle();
    assert!(desk.app.desk.is_typing());
    assert_eq!(claimed(&desk, 1), ["Oksana"]);
    desk.keys("<Esc>z").settle();
    assert_eq!(claimed(&desk, 1), Vec::<String>::new());
}

#[test]
fn take_claims_on_the_phone() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys("4").settle().keys("ggt").settle();
    assert!(desk.app.desk.is_typing());
    assert_eq!(claimed(&desk, 3).len(), 1);
    desk.shows("SMS");
}

#[test]
fn take_claims_a_mail_and_begins_the_answer() {
    let mut desk = Desk::demo(120, 40);
    calm(&mut desk);
    desk.keys("3").settle().keys("ggt").settle();
    assert!(desk.app.desk.is_typing());
    assert_eq!(claimed(&desk, 2).len(), 1);
    desk.shows("Subject");
}

#[test]
fn take_on_marks_takes_all() {
    let mut desk = desk(120);
    desk.keys("gg  t").settle();
    assert_eq!(claimed(&desk, 0).len(), 2);
    assert!(!desk.app.desk.is_typing());
    desk.has_paused(2).keys("z").settle().settle();
    assert_eq!(claimed(&desk, 0).len(), 0);
    desk.has_paused(0);
}

#[test]
fn w_goes_to_the_most_urgent_from_another_tab() {
    let mut desk = desk(120);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "I want to talk to a human");
    desk.wait(60 * SECOND);
    desk.customer("telegram", "48211", "Oksana", "I want to talk to a human");
    desk.settle().keys("2w");
    assert_eq!(current(&desk), "Maria Lopez");
    desk.shows("Maria Lopez · +34600111222");
    assert!(desk.get("whatsapp", "/conversations")["data"].as_array().is_some_and(|all| all.len() == 2));
    assert!(claimed(&desk, 0).is_empty());
    desk.keys("w");
    assert_ne!(current(&desk), "Maria Lopez");
}

#[test]
fn a_second_enter_does_not_shorten_a_hold() {
    let mut desk = desk(80);
    desk.keys("ggjt").settle().types("On its way!").keys("<Enter><Enter><Enter>").settle();
    assert!(desk.outbound().is_empty());
    desk.shows("held · Ctrl-X sends now · Alt-z undo").shows("Sending in");
    desk.pass(6).settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn ctrl_x_sends_and_again_sends_now() {
    let mut desk = desk(80);
    desk.keys("ggjt").settle().types("On its way!").keys("<Ctrl-X>").settle().shows("Sending in 5 s");
    assert!(desk.outbound().is_empty());
    desk.keys("<Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 1);
    // Also outside the text.
    desk.types("And more").keys("<Enter><Esc><Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 2);
    desk.keys("<Ctrl-X>").shows("send now: nothing is held in this conversation");
}

#[test]
fn what_is_answered_leaves_the_view_and_stays_open() {
    let mut desk = desk(120);
    desk.keys("v6").settle().shows("Inbox · unread");
    let maria = || Some(ConversationId::new(current_id(&desk, "Maria Lopez")));
    let maria = maria();
    desk.keys(":open maria<Enter>").settle().keys("t").settle();
    desk.types("On its way!").keys("<Ctrl-X><Ctrl-X>").settle().settle();
    // She is not unread any more; highlight and pane are still hers.
    let list = &desk.app.desk.tabs[0].list;
    assert_eq!(list.selected.as_ref().map(|key| key.conversation.clone()), maria);
    assert_eq!(current(&desk), "Maria Lopez");
    desk.keys("<Esc><Esc>");
    assert_eq!(current(&desk), "Maria Lopez", "back in the list, too");
    desk.shows("Maria Lopez · +34600111222");
}

fn current_id(desk: &Desk, name: &str) -> String {
    let rows = &desk.app.desk.tabs[0].list.page.rows;
    let row = rows.iter().find(|row| row.conversation.title().to_string() == name).expect("a row");
    row.conversation.id.to_string()
}
