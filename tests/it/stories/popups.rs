//! Popups with the mouse: the first click selects, the second activates.

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
    desk.keys("<Ctrl-P>").shows("Find a command or place");
    desk.clicks("later · Snooze").shows("Find a command or place").clicks("later · Snooze");
    desk.hides("Find a command or place").shows("[t] until tomorrow").keys("<Esc>");
    // The already selected row takes two clicks, too.
    desk.keys("v").shows("Views");
    desk.clicks("status:closed").shows("Views");
    desk.clicks("status:closed").hides("Views").shows("Inbox · closed");
    desk.keys("v").shows("Views").clicks("status:closed").shows("Views");
    // After a key the next click counts as the first.
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
    desk.clicks("[h] for an hour").shows("later: until").hides("[t] until tomorrow");
    desk.keys("z").shows("undone: snoozed");
    desk.keys("<Enter>r").types("Hello").keys("<Enter>").shows("[y] pause the AI and send");
    desk.wait(5_000_000);
    desk.clicks("pause the AI and send").shows("pause the AI and send");
    // A customer's text is no answer, and resets the click.
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
