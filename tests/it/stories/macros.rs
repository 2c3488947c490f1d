//! Macros: what was recorded once is done with one letter, also after a
//! restart; it stops at the first refusal and at every question, and says
//! where. `.` does the last thing again.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";

fn two() -> Desk {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.clock.advance(1_000_000);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá");
    desk.settle().settle();
    desk
}

/// Records under `a`: pause, a note, snooze for an hour.
fn recorded() -> Desk {
    let mut desk = two();
    desk.shows("João Pereira · +351").keys("Qa").shows("RECORDING a, 0 · Q ends");
    desk.keys("p;").types("asked for a human").keys("<Enter><Esc>");
    desk.keys("sh").shows("RECORDING a");
    desk
}

#[test]
fn what_was_recorded_is_done_with_one_letter() {
    let mut desk = recorded();
    photographs!(desk, "recording", Status);
    desk.keys("Q").shows("recorded a: 7 steps · m a plays it").hides("RECORDING");
    desk.settle().keys("<Esc>").shows("Maria Lopez · +34").shows("AI ON");
    desk.keys("m").shows("pause AI, note, \"asked for a human\", send, back, snooze, \"h\"");
    photographs!(desk, "menu", Overlay);
    desk.keys("a").shows("macro a: 7 steps · z takes back what can be");
    desk.settle().shows("AI paused by you 2").shows("2 snoozed");
    photographs!(desk, "played", List, Status);
    // One key takes all of it back that can be.
    desk.keys("z").settle().settle().shows("AI paused by you 1").shows("1 snoozed").hides("2 snoozed");
}

#[test]
fn a_macro_is_there_after_a_restart() {
    let mut desk = recorded();
    desk.keys("Q").settle();
    let mut desk = desk.crash_and_reopen();
    desk.settle().settle().keys("ma").shows("macro a: 7 steps");
    desk.settle().shows("AI paused by you 2");
}

#[test]
fn it_stops_at_the_first_refusal_and_says_where() {
    let mut desk = two();
    desk.keys("jQape").shows("RECORDING a, 2").keys("Q").settle();
    // João's AI is paused already: nothing after that is done.
    desk.keys("kp").settle().keys("ma").shows("macro a stopped at step 1 of 2 (pause AI)");
    desk.shows("already paused here").shows("outbox 1");
    photographs!(desk, "refused", Status);
    desk.keys("mx").shows("macro x was never recorded; Q x records it");
}

#[test]
fn it_never_answers_a_question() {
    let mut desk = two();
    desk.keys("Qbr").types("On its way").keys("<Enter>").shows("[y] pause the AI and send");
    // The answer is no step.
    desk.keys("s").shows("On its way").keys("<Esc>Q").shows("recorded b: 4 steps");
    desk.settle().keys("<Esc>j").settle().shows("Maria Lopez · +34");
    desk.keys("mb").shows("stopped at step 3 of 4 (send): it asks; answer it yourself");
    desk.shows("pause the AI and send");
    photographs!(desk, "asks", Overlay, Status);
    desk.keys("<Esc>").settle().shows("On its way").shows("outbox 1");
}

#[test]
fn it_stays_with_the_conversation_it_began_with() {
    let mut desk = two();
    // What is put aside leaves the list, and the next one comes under the
    // cursor: that one is not meant.
    desk.keys("Qcsh").settle().wait(1_000_000);
    desk.keys("p").settle().shows("AI paused by you 1").keys("Q");
    let third = desk.customer("whatsapp", "+447700900123", "Ken Tanaka", "Hello?");
    assert!(!third.is_empty());
    desk.settle().settle().wait(1_000_000);
    desk.keys("k").shows("Ken Tanaka · +44").keys("mc");
    desk.shows("macro c stopped before step 3 of 3 (pause AI): the conversation has changed");
    photographs!(desk, "stays", Status);
    desk.settle().shows("AI paused by you 1");
}

#[test]
fn it_goes_where_its_steps_go() {
    let mut desk = two();
    desk.keys("Qcwp").keys("Q").settle().shows("AI paused by you 1");
    desk.keys("mc").shows("macro c: 2 steps").settle().shows("AI paused by you 2");
    desk.keys("mc").shows("macro c stopped at step 2 of 2 (pause AI): the AI is already paused here");
}

#[test]
fn a_dot_does_the_last_thing_again() {
    let mut desk = two();
    desk.keys(".").shows("repeat: nothing was done to a conversation yet that can be done again");
    desk.keys("sh").shows("snoozed").settle().shows("1 snoozed");
    desk.settle().wait(1_000_000);
    desk.shows("Maria Lopez · +34").keys(".").settle().shows("2 snoozed");
    desk.keys("z").settle().shows("1 snoozed");
    desk.keys("p").settle().shows("AI OFF by you").keys(".").shows("repeat stopped: the AI is already");
    photographs!(desk, "repeat", Status);
}

#[test]
fn a_deleted_macro_comes_back() {
    let mut desk = recorded();
    desk.keys("Q").settle().keys("<Esc>m<Delete>").shows("No macro was recorded yet");
    photographs!(desk, "none", Overlay);
    desk.keys("<Esc>z").shows("undone: deleted macro a").keys("m").shows("pause AI, note");
}

#[test]
fn esc_stops_it_and_other_keys_wait() {
    let mut desk = two();
    desk.keys("Qapsh").keys("Q").settle().keys("<Esc>");
    desk.keys_before_the_disk("maJ").settle().shows("2 snoozed");
}

#[test]
fn a_macro_of_the_configuration_is_on_its_key_and_changed_there_only() {
    let text = r#"
[[macros]]
letter = "n"
key = "F8"
steps = ["pause-ai", "write", "type One moment, please.", "leave"]
"#;
    let config = frontdesk::config::Config::parse("config.toml", text).expect("a configuration");
    let mut desk = Desk::with(120, 40, |settings| settings.macros = config.macros);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
    desk.wait(1_000_000);
    desk.settle().keys("<F8>").settle().shows("One moment, please.").shows("AI OFF by you");
    assert!(desk.outbound().is_empty(), "it sends nothing by itself");
    desk.keys("m").shows("pause AI, write, \"One moment");
    photographs!(desk, "configured", Overlay);
    desk.keys("<Delete>").shows("macro n stands in the configuration").keys("<Esc>");
    desk.keys("Qn").shows("macro n stands in the configuration");
}
