//! The first five minutes: the demo's tutor goes through the loop step by step.

use crate::desk::Desk;

/// The demo with its tutor, who wants to see an answer taken back.
fn answered() -> Desk {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys(":tutor<Enter>").shows("Tutor 1/10 · w finds who needs you");
    desk.keys("w").settle().shows("Tutor 1/10").keys("t").settle().shows("Tutor 2/10 · write a reply");
    desk.types("Hello, a person here.").keys("<Enter>").shows("Tutor 3/10 · Alt-z undo");
    desk
}

#[test]
fn the_tutor_goes_on_when_a_step_has_happened() {
    let mut desk = answered();
    desk.keys("<Alt-z>").settle().shows("Tutor 4/10 · Enter sends it").shows("Hello, a person here.");
    desk.keys("<Enter>").settle().shows("Tutor 5/10 · Alt-d done").keys("<Alt-d>").settle();
    desk.shows("Tutor 6/10 · s later").keys("s").keys("<Esc>").shows("Tutor 6/10").keys("st").settle();
    desk.shows("Tutor 7/10 · Esc to the list").keys("<Esc><Esc>/").types("order").settle();
    desk.keys("<Esc>").shows("Tutor 8/10 · 3 opens the mail").keys("3<Enter>").settle();
    desk.shows("Tutor 9/10 · 1 opens chat").keys("<Esc>1").settle().keys("  b");
    desk.keys("<Esc>").shows("Tutor 10/10 · ? shows the keys").keys("?<Esc>");
    desk.shows("Done. Ctrl-P finds any command").hides("Tutor");
}

#[test]
fn an_answer_that_left_before_it_was_taken_back_is_written_again() {
    let mut desk = answered();
    desk.pass(6).settle().shows("Tutor 2/10 · write a reply");
    desk.types("Once more.").keys("<Enter>").shows("Tutor 3/10");
}

#[test]
fn the_tutor_is_left_and_goes_on() {
    let mut desk = answered();
    desk.keys("<Esc>:tutor<Enter>").shows("Tutor stopped at 3 of 10").pass(20).hides("Tutor");
    desk.keys(":tutor<Enter>").shows("Tutor 2/10");
}

#[test]
fn customers_of_ones_own_are_no_exercise() {
    let mut desk = Desk::new(120, 40);
    desk.keys(":tutor<Enter>").shows("frontdesk demo");
}
