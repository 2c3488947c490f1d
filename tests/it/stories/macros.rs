//! Macros of the configuration: one letter or one key plays their steps; they
//! stop at the first refusal and at every question. `.` repeats the last action.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";

/// Two conversations, João's selected, and a macro `a` with these steps.
fn desk_with_macro(steps: &str) -> Desk {
    let text = format!("[[macros]]\nletter = \"a\"\nkey = \"F8\"\nsteps = [{steps}]\n");
    let config = frontdesk::config::Config::parse("config.toml", &text).expect("a configuration");
    let mut desk = Desk::with(120, 40, |settings| settings.macros = config.macros);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041? A human please");
    desk.clock.advance(1_000_000);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá, a human please");
    desk.settle().settle().shows("João Pereira · +351");
    desk
}

#[test]
fn letter_plays_the_steps_and_one_undo_takes_them_back() {
    let mut desk =
        desk_with_macro(r#""pause-ai", "write-note", "type asked for a human", "send", "later", "press h""#);
    desk.keys("m").shows("pause AI, note, \"asked for a human\", send");
    desk.keys("a").shows("macro a: 6 steps · z undo");
    desk.settle().has_paused(1).shows("1 snoozed");
    desk.keys("z").settle().settle().has_paused(0).hides("1 snoozed");
}

#[test]
fn key_plays_the_steps_and_sends_nothing_by_itself() {
    let mut desk = desk_with_macro(r#""pause-ai", "write", "type One moment, please.", "leave""#);
    desk.keys("<F8>").settle().shows("One moment, please.").shows("AI paused");
    assert!(desk.outbound().is_empty());
}

#[test]
fn unknown_letter_is_refused() {
    let mut desk = desk_with_macro(r#""pause-ai""#);
    desk.keys("mx").shows("no macro has the letter x");
}

#[test]
fn menu_without_macros_names_the_configuration() {
    let mut desk = Desk::new(120, 40);
    desk.keys("m").shows("[[macros]] in config.toml adds one");
}

#[test]
fn it_stops_at_the_first_refusal_and_says_where() {
    let mut desk = desk_with_macro(r#""pause-ai", "done""#);
    desk.keys("p").settle().keys("ma").shows("macro a stopped at step 1 of 2 (pause AI)");
    desk.shows("already off");
}

#[test]
fn it_never_answers_a_question() {
    let mut desk = desk_with_macro(r#""write", "type On its way", "send", "leave""#);
    desk.keys("ma").shows("stopped at step 3 of 4 (send): a question needs your answer");
    desk.shows("pause the AI and send");
    photographs!(desk, "asks", Overlay, Status);
    desk.keys("<Esc>").settle().shows("On its way");
}

#[test]
fn it_stops_when_another_conversation_comes_under_the_cursor() {
    let mut desk = desk_with_macro(r#""later", "press h", "pause-ai""#);
    desk.keys("ma").shows("macro a stopped before step 3 of 3 (pause AI): the conversation has changed");
    desk.settle().has_paused(0);
}

#[test]
fn it_goes_where_its_steps_go() {
    let mut desk = desk_with_macro(r#""next-urgent", "pause-ai""#);
    desk.keys("ma").shows("macro a: 2 steps").settle().has_paused(1);
    desk.keys("ma").shows("macro a: 2 steps").settle().has_paused(2);
    desk.keys("ma").shows("macro a stopped at step 2 of 2 (pause AI): the AI is already off");
}

#[test]
fn keys_pressed_meanwhile_act_once_it_has_ended() {
    let mut desk = desk_with_macro(r#""next-urgent", "pause-ai""#);
    desk.reads_hang(true).keys_at_once("ma:claim<Enter>").wait(1_000_000);
    desk.hides("macro a: 2 steps").reads_hang(false).settle();
    let rows = &desk.app.desk.tabs[0].list.page.rows;
    let maria = rows.iter().find(|row| row.conversation.title().to_string() == "Maria Lopez").expect("a row");
    assert!(maria.local.claim.is_some(), "where the macro has gone");
    desk.has_paused(1);
}

#[test]
fn keys_pressed_meanwhile_are_dropped_if_it_is_stopped() {
    let mut desk = desk_with_macro(r#""next-urgent", "pause-ai""#);
    desk.keys("p").keys("w").settle().keys("p").settle();
    desk.reads_hang(true).keys_at_once("mad").reads_hang(false);
    desk.shows("the AI is already off; P hand back; keys typed meanwhile").hides("Closing");
    // Esc stops it, and what waited before Esc is dropped.
    desk.reads_hang(true).keys_at_once("mad<Esc>").shows("you stopped it").reads_hang(false).hides("Closing");
}

#[test]
fn dot_repeats_the_last_action() {
    let mut desk = desk_with_macro(r#""pause-ai""#);
    desk.keys(".").shows("repeat: nothing to repeat yet");
    desk.keys("sh").shows("later: until").settle().shows("1 snoozed");
    desk.settle().wait(1_000_000);
    desk.shows("Maria Lopez · +34").keys(".").settle().shows("2 snoozed");
    desk.keys("z").settle().shows("1 snoozed");
    desk.keys("p").settle().shows("AI paused").keys(".").shows("repeat stopped: the AI is already");
}
