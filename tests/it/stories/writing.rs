//! Writing: scripts of all kinds, undo, pasting, counting.

use crate::desk::{Desk, direct};

fn writing() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("<Enter>i");
    desk
}

#[test]
fn every_script_is_edited_by_what_people_see() {
    let mut desk = writing();
    desk.types("自転車 👨‍👩‍👧‍👦 e\u{301} नमस्ते");
    desk.shows("自転車 👨‍👩‍👧‍👦 e\u{301} नमस्ते");
    desk.keys("<Backspace><Backspace><Backspace><Backspace><Backspace><Backspace>").shows("自転車 👨‍👩‍👧‍👦");
    desk.keys("<Backspace>").keys("<Ctrl-_>").shows("👨‍👩‍👧‍👦");
    photographs!(desk, "every_script_is_edited_by_what_people_see", Composer);
    desk.keys("<Enter>").settle();
    assert!(desk.outbound()[0]["content"].to_string().contains("👨‍👩‍👧‍👦"));
}

#[test]
fn long_text_wraps_and_is_counted() {
    let mut desk = writing();
    desk.types("The mechanic has looked at your bicycle and says the bearing in the rear wheel is worn; ");
    desk.types("we can replace it tomorrow.").keys("<Ctrl-J>").types("Shall we?");
    desk.shows("Shall we?").shows("125/4096");
    photographs!(desk, "long_text_wraps_and_is_counted", Composer);
}

#[test]
fn a_paste_is_text_and_too_much_is_refused() {
    let mut desk = writing();
    desk.pastes("q\r\nZ\u{1b}[2J").shows("Z[2J");
    assert!(!desk.quit);
    desk.pastes(&"x".repeat(4096)).keys("<Enter>").shows("Too long for one message").keys("<Esc>").settle();
    assert!(desk.outbound().is_empty());
    desk.keys("<Esc>").pastes("qqq").shows("pasted text was ignored: press r first to write");
    assert!(!desk.quit);
}

#[test]
fn a_reply_quotes_the_selected_message() {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Do you sell bells?");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "And lights?");
    desk.settle().keys("<Enter>kkr").shows("Reply, quoting").shows("↪ Do you sell bells?");
    desk.types("Bells, yes.").keys("<Enter>").settle();
    desk.shows("↪ Do you sell bells?").shows("Bells, yes.");
    photographs!(desk, "a_reply_quotes_the_selected_message", History);
}
