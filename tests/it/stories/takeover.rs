//! Taking a conversation over from the AI, answering, handing back.

use crate::desk::Desk;

fn waiting(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hi, where is my order 1041?");
    desk.settle();
    desk.wait(6 * 60_000_000);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "thanks! 🚲");
    desk.settle();
    desk
}

#[test]
fn a_message_appears_with_who_wrote_and_when() {
    let mut desk = waiting(120, 40);
    desk.shows("1 Harbor chat").shows("Maria Lopez").shows("6m");
    photographs!(desk, "a_message_appears_with_who_waits_and_the_ais_state");
}

#[test]
fn pause_answer_hand_back() {
    let mut desk = waiting(120, 40);
    desk.keys("j").shows("where is my order 1041?");
    desk.keys("p").shows("AI: pausing").settle().shows("AI paused");
    desk.keys("r").types("Hi Maria, Ana here, a person.").keys("<Enter>");
    desk.shows("Sending in 5 s · Alt-z undo · Ctrl-X sends now").has_queued(1);
    assert!(desk.outbound().is_empty(), "nothing leaves during the hold");
    photographs!(desk, "held");
    // Ctrl-X ends the hold only with an empty, focused composer.
    desk.types("And").hides("Ctrl-X sends now").shows("Alt-z undo");
    desk.keys("<Ctrl-U>").shows("Ctrl-X sends now").keys("<Esc>").hides("Ctrl-X sends now").keys("i");
    desk.wait(5_000_000);
    desk.settle();
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["to"], "+34600111222");
    assert!(sent[0]["idempotencyKey"].as_str().is_some_and(|sent| sent.len() == 36));
    desk.shows("You").shows("sent").has_queued(0).has_paused(1);
    desk.keys("<Esc>P").settle().has_ai_on().has_paused(0);
    photographs!(desk, "handed_back", History, Status);
}

#[test]
fn ctrl_x_on_an_empty_composer_ends_the_hold() {
    let mut desk = waiting(80, 24);
    desk.keys("<Enter>p").settle().keys("r").types("On its way!").keys("<Enter><Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 1);
    desk.shows("On its way!").shows("sent");
    photographs!(desk, "ctrl_x_on_an_empty_composer_ends_the_hold", History);
}

#[test]
fn z_takes_a_held_message_back_into_the_composer() {
    let mut desk = waiting(80, 24);
    desk.keys("<Enter>p").settle().keys("r").types("Wrong words").keys("<Enter><Esc>z");
    desk.shows("undone: back in the composer").shows("Wrong words");
    desk.wait(60_000_000);
    desk.settle();
    assert!(desk.outbound().is_empty());
}

#[test]
fn sending_with_the_ai_on_asks_once() {
    let mut desk = waiting(80, 24);
    desk.keys("<Enter>r").types("Hello").keys("<Enter>");
    desk.shows("The AI is on").shows("[y] pause the AI and send   [s] send only   [Esc] back");
    desk.keys("<Esc>").shows("Hello").shows("Reply · ");
    desk.keys("<Enter>s<Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 1);
    desk.hides("AI paused").has_paused(0);
    // Send only was the answer for this conversation: it does not ask again.
    desk.types("And more").keys("<Enter>").hides("The AI is on").keys("<Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 2);
    // Taken over and handed back: the question appears again.
    desk.keys("<Esc>p").settle().keys("P").settle().settle().has_paused(0);
    desk.keys("r").types("Later").keys("<Enter>").shows("The AI is on").keys("s<Esc>z").settle();
    desk.shows("Later").keys("<Enter>").shows("The AI is on");
    assert_eq!(desk.outbound().len(), 2);
}

#[test]
fn pause_and_send_pauses_first() {
    let mut desk = waiting(80, 24);
    desk.keys("<Enter>r").types("I take over").keys("<Enter>y").settle();
    desk.shows("AI paused");
    assert!(desk.outbound().is_empty(), "the message is still held");
    desk.keys("<Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn a_lost_answer_never_sends_twice() {
    let mut desk = waiting(80, 24);
    desk.keys("<Enter>p").settle();
    let fault = serde_json::json!({"path_prefix": "/messages/send", "count": 1, "drop": "after"});
    desk.dev("fault", fault);
    desk.keys("r").types("Once only").keys("<Enter><Ctrl-X>").settle();
    desk.shows("asking again");
    desk.wait(60_000_000);
    desk.settle().shows("sent").hides("asking again");
    assert_eq!(desk.outbound().len(), 1);
}

/// The server lists the text while its answer is lost: one bubble.
#[test]
fn a_text_whose_answer_is_late_stands_once() {
    let mut desk = waiting(80, 24);
    desk.keys("<Enter>p").settle();
    let fault = serde_json::json!({"path_prefix": "/messages/send", "count": 3, "drop": "after"});
    desk.dev("fault", fault);
    desk.keys("r").types("Once only").keys("<Enter><Ctrl-X>").settle();
    desk.shows("asking again");
    desk.wait(16_000_000);
    desk.keys("<Esc><Ctrl-R>").settle();
    desk.shows("at the server, not confirmed yet").hides("Elsewhere");
    for _ in 0..3 {
        desk.wait(60_000_000);
        desk.settle();
    }
    desk.shows("sent").hides("not confirmed yet").hides("Elsewhere");
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn delivery_states_move_on_in_words() {
    let mut desk = waiting(120, 40);
    desk.keys("jp").settle();
    desk.keys("r").types("On its way!").keys("<Enter><Ctrl-X>").settle().shows("sent");
    desk.pass(2).settle().shows("delivered").hides("  sent");
    desk.pass(10).settle().shows("read").hides("delivered");
}

#[test]
fn a_failing_ai_is_seen_at_once_and_forgotten_when_a_person_takes_over() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().settle();
    for _ in 0..3 {
        desk.wait(10_000_000);
        desk.settle();
    }
    desk.shows("asked for a person");
    for _ in 0..40 {
        if desk.picture().contains("Maria Lopez · +34600111222") {
            break;
        }
        desk.keys("j");
    }
    desk.settle().shows("─ Asked for a person");
    photographs!(desk, "failing");
    desk.keys("p").settle();
    desk.wait(20_000_000);
    desk.settle().shows("AI paused").hides("─ Asked for a person");
}

#[test]
fn a_text_without_a_clear_answer_is_named_in_the_status_line() {
    let mut desk = waiting(120, 40);
    desk.keys("<Enter>p").settle();
    tries_to_send(&mut desk, "before");
    desk.shows("your text to João Pereira: may or may not have been sent · g o decides");
}

#[test]
fn what_asked_is_not_said_once_its_text_was_found() {
    let mut desk = waiting(120, 40);
    desk.keys("<Enter>p").settle();
    tries_to_send(&mut desk, "after");
    desk.hides("may or may not").hides("web page").shows("sent");
    assert_eq!(desk.outbound().len(), 1);
}

/// Sends a text whose connection is cut four times, which stops the row.
fn tries_to_send(desk: &mut Desk, cut: &str) {
    let fault = serde_json::json!({"path_prefix": "/messages/send", "count": 4, "drop": cut});
    desk.dev("fault", fault);
    desk.keys("r").types("Are you there?").keys("<Enter><Ctrl-X><Esc>").settle();
    for _ in 0..40 {
        if !desk.picture().contains("asking again") {
            break;
        }
        desk.wait(2_000_000);
        desk.settle();
    }
}
