//! Popups with the mouse: a click selects, a second one on the same takes it.

use crate::desk::Desk;

fn desk() -> Desk {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041? [y] it is mine");
    desk.settle();
    desk
}

#[test]
fn a_row_is_selected_by_one_click_and_taken_by_the_next() {
    let mut desk = desk();
    desk.keys("<Ctrl-P>").shows("Go to or do");
    desk.clicks("snooze · Put aside").shows("Go to or do").clicks("snooze · Put aside");
    desk.hides("Go to or do").shows("[t] until tomorrow").keys("<Esc>");
    // The row that is chosen already takes two clicks like every other.
    desk.keys("\\").shows("Views");
    desk.clicks("status:closed").shows("Views");
    desk.clicks("status:closed").hides("Views").hides("Inbox · needs me");
    desk.keys("\\").shows("Views").clicks("status:closed").shows("Views");
    // A key between them, and the next click is a first one again.
    desk.keys("jk").clicks("status:closed").shows("Views").clicks("status:closed").hides("Views");
}

#[test]
fn a_picker_is_clicked_as_far_as_it_was_narrowed() {
    let mut desk = desk();
    desk.keys("<Enter>r:smi").keys("<Tab>").shows("Emoji");
    desk.clicks(":smirk:").shows("Emoji").clicks(":smirk:").hides("Emoji").shows("😏");
    assert!(desk.outbound().is_empty());
}

#[test]
fn an_answer_is_pointed_at_by_one_click_and_given_by_the_next() {
    let mut desk = desk();
    desk.keys("s").shows("[t] until tomorrow").clicks("[t] until").shows("[t] until tomorrow");
    desk.clicks("[h] for an hour").shows("[t] until tomorrow");
    desk.clicks("[h] for an hour").shows("snoozed until").hides("[t] until tomorrow");
    desk.keys("z").shows("undone: snoozed");
    desk.keys("<Enter>r").types("Hello").keys("<Enter>").shows("[y] pause the AI and send");
    desk.wait(5_000_000);
    desk.clicks("pause the AI and send").shows("pause the AI and send");
    // What a customer wrote is no answer, and ends what was pointed at.
    desk.clicks("[y] it is").clicks("[y] it is").shows("pause the AI and send");
    desk.clicks("pause the AI and send").shows("pause the AI and send");
    desk.clicks("[Esc] back").clicks("[Esc] back").hides("pause the AI and send").shows("Hello");
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_reaction_is_clicked() {
    let mut desk = desk();
    desk.keys("<Enter>k+").shows("React · free");
    desk.clicks("❤").shows("React · free").clicks("❤").hides("React · free").settle().shows("❤");
}
