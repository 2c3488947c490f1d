//! Closing after a hold, keeping open, and what a closed conversation shows.

use crate::desk::Desk;

fn desk() -> Desk {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Never mind, found it.");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Is the shop open?");
    desk.settle();
    desk
}

#[test]
fn a_close_is_held_and_z_keeps_it_open() {
    let mut desk = desk();
    desk.keys("j").shows("Maria Lopez").keys("e").shows("closing in 5 s · z keeps it open");
    desk.keys("e").shows("close: already closing; z keeps it open");
    desk.keys("z").shows("kept open");
    desk.wait(60_000_000);
    desk.settle().hides("closed");
    let status = desk.get("whatsapp", "/conversations")["data"][0]["status"].clone();
    assert_eq!(status, "active");
}

#[test]
fn a_closed_conversation_leaves_the_list_and_comes_back_when_the_customer_writes() {
    let mut desk = desk();
    desk.keys("je");
    desk.wait(5_000_000);
    desk.settle().hides("Maria Lopez");
    desk.keys("\\9").shows("Inbox · closed").shows("Maria Lopez").shows("closed");
    photographs!(desk, "a_closed_conversation_leaves_the_list_and_comes_back_when_the_customer_writes", List);
    // A key pressed at a list that has just changed is not taken.
    desk.wait(1_000_000);
    desk.keys("e").shows("close: already closed");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Wait, it broke again");
    desk.keys("\\8").settle().shows("Inbox · open").shows("Maria Lopez");
}

#[test]
fn keys_faster_than_the_disk_are_not_lost() {
    let mut desk = desk();
    desk.keys("j").keys_before_the_disk("ez").shows("kept open").shows("outbox 0");
    desk.wait(60_000_000);
    desk.settle();
    assert_eq!(
        desk.get("whatsapp", "/conversations?status=closed")["data"].as_array().map(Vec::len),
        Some(0)
    );
    desk.keys("z").shows("nothing is held that could be taken back");
}

#[test]
fn z_after_a_close_that_has_left_says_first_what_it_would_undo() {
    let mut desk = desk();
    desk.keys("@").shows("@me").keys("je").shows("closing in 5 s · z keeps it open");
    // The line counts down, and ends with what it says.
    desk.wait(2_000_000);
    desk.shows("closing in 3 s · z keeps it open");
    desk.wait(3_000_000);
    desk.settle().hides("keeps it open");
    desk.keys("z").shows("closed · Maria Lopez: left; it cannot be reopened · z again undoes: claimed");
    desk.shows("@me").keys("z").shows("undone: claimed").hides("@me");
}
