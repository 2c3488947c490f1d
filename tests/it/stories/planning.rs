//! Planned sending: confirmed, listed, undone, and a question when it does not fit any more.

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";
const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;

/// A text scheduled for an hour from now.
fn planned() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "When is it ready?");
    desk.settle().keys("<Enter>i<Ctrl-L>").shows("nothing to schedule");
    desk.types("It is ready now").keys("<Ctrl-L>").shows("Send when?").shows("only while frontdesk runs");
    desk
}

#[test]
fn a_text_leaves_at_its_time() {
    let mut desk = planned();
    photographs!(desk, "when", Overlay);
    desk.types("in 2h").shows("sends 12:00").keys("<Ctrl-U>h<Enter>").shows("scheduled for 11:00");
    desk.shows("scheduled, in 1h if frontdesk runs · Alt-z undo");
    photographs!(desk, "planned", History);
    // Later texts do not wait for it.
    desk.settle();
    assert!(desk.outbound().is_empty());
    desk.keys("<Esc>go").shows("scheduled").shows("Maria Lopez");
    photographs!(desk, "listed", Page);
    desk.keys("gi");
    desk.wait(HOUR);
    desk.settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn a_time_that_is_none_is_said_and_edited_as_other_fields_are() {
    let mut desk = planned();
    desk.shows("in 2h, 45m").hides("not a time").types("in two").shows("not a time yet: in 2h");
    desk.keys("<Enter>").shows("When: in two").shows("not a time yet: in 2h");
    desk.keys("<Ctrl-W>").types("2h").shows("When: in 2h").shows("sends 12:00");
    desk.keys("<Ctrl-U>").types("3h").keys("<Enter>").shows("scheduled for 13:00");
    desk.shows("Alt-z undo");
}

#[test]
fn a_time_is_read_whole_and_never_by_its_first_letter() {
    let mut desk = planned();
    desk.types("tuesday 14:00").shows("When: tuesday 14:00").shows("sends Tue 14:00");
    desk.keys("<Enter>").shows("scheduled for Tue 14:00");
}

#[test]
fn on_a_sunday_monday_is_told_from_tomorrow_by_its_date() {
    let mut desk = planned();
    desk.keys("<Esc>");
    desk.wait(48 * HOUR);
    desk.keys("<Ctrl-L>").shows("t tomorrow 09:00").shows("m Monday 23 Nov 09:00");
}

#[test]
fn it_is_taken_back_and_survives_a_crash() {
    let mut desk = planned();
    desk.keys("t<Enter><Esc>z").shows("undone: back in the composer").shows("It is ready now");
    desk.keys("<Ctrl-L>t<Enter>");
    let mut desk = desk.crash_and_reopen();
    desk.keys("<Enter>").shows("scheduled, in 23h").keys("<Esc>goe").shows("It is ready now").settle();
    desk.wait(24 * HOUR);
    desk.settle();
    assert!(desk.outbound().is_empty());
}

#[test]
fn it_asks_where_it_does_not_fit_any_more() {
    let mut desk = planned();
    desk.keys("h<Enter><Esc>");
    desk.wait(HOUR / 2);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "I have fetched it, thanks");
    desk.wait(HOUR / 2);
    desk.settle().shows("NOT SENT at its time").shows("arrived after it was scheduled");
    photographs!(desk, "moved", History);
    desk.keys("a").shows("send anyway").keys("e").shows("It is ready now");
    // No process ran at its time.
    desk.keys("<Ctrl-L>h<Enter><Esc>");
    desk.wait(HOUR + 180 * SECOND);
    desk.settle().shows("NOT SENT at its time · a decide · its time passed");
    desk.keys("ae<Ctrl-L>").types("in 26h").keys("<Enter><Esc>");
    desk.wait(25 * HOUR);
    desk.settle().shows("Reply window closed").shows("scheduled, in");
    desk.wait(HOUR);
    desk.settle().shows("NOT SENT at its time · a decide · reply window closed");
    assert!(desk.outbound().is_empty());
}
