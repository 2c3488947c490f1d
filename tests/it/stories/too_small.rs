//! A too small terminal shows the required size, accepts no input and marks nothing as seen.

use crate::desk::Desk;
use frontdesk::inbox::keys::Pointer;

const SMALL: (u16, u16) = (20, 5);

fn maria() -> Desk {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order?");
    desk.settle().settle().keys("<Enter>").has_ai_on();
    desk
}

#[test]
fn it_says_what_it_needs_and_that_no_key_acts() {
    let mut desk = maria();
    desk.resize(SMALL);
    let words = desk.picture().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words, "frontdesk needs 40x10. Enlarge the terminal; Ctrl-C twice quits.");
    desk.shows("40x10.").keys("<Ctrl-C>");
    assert!(!desk.quit && desk.picture().contains("again"), "{}", desk.picture());
    desk.keys("<Ctrl-C>");
    assert!(desk.quit);
}

#[test]
fn no_key_no_paste_and_no_click_acts() {
    let mut desk = maria();
    desk.resize(SMALL);
    desk.keys("dpgq").pastes("Hello").mouse(Pointer::Down(2, 2));
    desk.settle().pass(60);
    desk.resize((120, 40));
    desk.settle().shows("Maria Lopez · +34").has_ai_on().hides("closing in").hides("Hello");
    assert!(!desk.quit && !desk.app.desk.is_typing());
    desk.keys("r").types("Dear Maria");
    desk.resize(SMALL);
    desk.types("xyz").keys("<Enter>");
    desk.resize((120, 40));
    desk.settle().shows("Dear Maria").hides("Dear Mariax").hides("[y] pause the AI");
}

#[test]
fn what_was_typed_before_does_not_act_unseen() {
    let mut desk = maria();
    desk.reads_hang(true).keys_at_once(":open maria<Enter>pr");
    desk.resize(SMALL);
    desk.reads_hang(false).resize((120, 40));
    desk.settle().has_ai_on().shows("r to reply");
}

#[test]
fn a_question_is_seen_again_before_it_is_answered() {
    let mut desk = maria();
    desk.keys("r").types("Dear Maria").keys("<Enter>").shows("[y] pause the AI and send");
    desk.wait(2_000_000);
    desk.resize(SMALL);
    desk.wait(2_000_000);
    desk.keys("y");
    desk.resize((120, 40));
    // The question has just reappeared, so it accepts no answer yet.
    desk.types("y").shows("[y] pause the AI and send").settle().pass(60).settle();
    assert!(desk.outbound().is_empty());
    desk.wait(2_000_000);
    desk.keys("y").settle().pass(60).settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn what_comes_meanwhile_is_not_seen() {
    let mut desk = maria();
    desk.resize(SMALL);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().settle();
    let unread = |desk: &Desk| desk.app.desk.tabs[0].list.page.rows[0].unread;
    assert_eq!(unread(&desk), 1);
    desk.resize((120, 40));
    desk.settle();
    assert_eq!(unread(&desk), 0);
}
