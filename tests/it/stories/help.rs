//! Help comes from the command table, and a key never does nothing silently.

use crate::desk::Desk;

#[test]
fn help_shows_the_keys_of_this_place() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys("?").shows("Keys").shows("Write an answer");
    photographs!(desk, "help");
    desk.keys("G").shows("New line").keys("<Esc>").hides("New line");
}

#[test]
fn an_unknown_key_and_a_disabled_key_say_why() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys("X").shows("X is not a key here; ? shows the keys");
    desk.keys("p").shows("pause AI: no conversation is selected");
    desk.keys("gy").shows("g y is not a key here");
    desk.keys("z").shows("undo: nothing is held that could be taken back");
    desk.keys("9").shows("there is no tab 9");
}

#[test]
fn quitting_says_what_is_left_open() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("p").settle().keys("q");
    desk.shows("Quit frontdesk?").shows("the AI is paused by you in 1 conversation: no one answers");
    photographs!(desk, "quitting_says_what_is_left_open");
    desk.keys("<Esc>");
    assert!(!desk.quit);
    desk.keys("qy");
    assert!(desk.quit);
}
