//! A disk that is slow or fails: typing goes on, no text is given up, and
//! the screen says so.

use crate::desk::{Desk, Disk};

fn writing(text: &str) -> Desk {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.settle().keys("<Enter>p").settle().keys("i").types(text);
    desk
}

#[test]
fn a_slow_disk_is_named_and_keys_stay_live() {
    let mut desk = writing("");
    desk.disk(Disk::Hangs).types("On its way").keys("<Enter>");
    desk.wait(3_000_000);
    desk.types("and more").shows("SAVING… 3s").shows("and more");
    photographs!(desk, "slow");
    desk.disk(Disk::Works).hides("SAVING").shows("On its way").shows("sends in").shows("and more");
}

#[test]
fn a_message_the_disk_does_not_take_is_back_in_the_composer() {
    let mut desk = writing("On its way");
    desk.disk(Disk::Fails).keys("<Enter>");
    desk.shows("sending failed: no space left on the disk").shows("On its way").shows("outbox 0");
    photographs!(desk, "failed");
    desk.disk(Disk::Works).keys("<Enter><Enter>").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn a_draft_the_disk_does_not_take_is_kept_in_memory_and_tried_again() {
    let mut desk = writing("half a thought");
    desk.disk(Disk::Fails).keys("<Esc>J").hides("half a thought").shows("the draft is not on disk");
    desk.wait(9_000_000);
    desk.shows("DRAFT NOT ON DISK").keys("q").shows("1 draft could not be put on disk: quitting loses it");
    desk.keys("<Esc>K").shows("half a thought");
    desk.disk(Disk::Works);
    desk.wait(5_000_000);
    desk.hides("NOT ON DISK");
    let mut desk = desk.crash_and_reopen();
    desk.settle().keys("gd").shows("half a thought");
}
