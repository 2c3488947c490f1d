//! The first five minutes: the demo teaches its keys one by one.

use crate::desk::Desk;

#[test]
fn the_tutor_teaches_one_key_at_a_time() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys(":tutor<Enter>").shows("Tutor 1/8 · g w goes to who needs");
    photographs!(desk, "first", Status);
    desk.keys("j").shows("Tutor 1/8").keys("gw").settle().shows("Tutor 2/8").keys("<Enter>");
    desk.shows("Tutor 3/8 · p pauses the AI").keys("p").settle().shows("Tutor 4/8 · r").keys("r");
    desk.shows("Tutor 5/8 · Enter sends it").types("Hello, a person here.");
    photographs!(desk, "writing", Composer, Status);
    desk.keys("<Enter>").shows("Tutor 6/8 · Esc").keys("<Esc>").shows("Tutor 7/8 · P").keys("P");
    desk.shows("Tutor 8/8 · ? shows every key").keys("?").shows("Keys").keys("<Esc>").hides("Tutor");
    desk.keys(":tutor<Enter>").shows("Tutor 1/8").keys(":tutor<Enter>").hides("Tutor 1/8");
    let mut desk = Desk::new(120, 40);
    desk.keys(":tutor<Enter>").shows("frontdesk demo");
}
