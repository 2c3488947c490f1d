//! A slow or failing disk: typing continues, no text is dropped, and the screen reports it.

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
    desk.types("and more").shows("Saving… 3s").shows("and more");
    desk.disk(Disk::Works).hides("Saving").shows("On its way").shows("Sending in").shows("and more");
}

#[test]
fn a_message_the_disk_does_not_take_is_back_in_the_composer() {
    let mut desk = writing("On its way");
    desk.disk(Disk::Fails).keys("<Enter>");
    desk.shows("sending failed: no space left on the disk").shows("On its way").has_queued(0);
    desk.disk(Disk::Works).keys("<Enter><Ctrl-X>").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn a_draft_the_disk_does_not_take_is_kept_in_memory_and_tried_again() {
    let mut desk = writing("half a thought");
    desk.disk(Disk::Fails).keys("<Esc>J").hides("half a thought").shows("draft not saved");
    desk.wait(9_000_000);
    desk.shows("draft not saved: no space left on the disk; trying again")
        .keys("q")
        .shows("1 draft could not be saved: quitting loses it");
    desk.keys("<Esc>K").shows("half a thought");
    desk.disk(Disk::Works);
    // Longer than a notice stays.
    desk.wait(14_000_000);
    desk.hides("raft not saved");
    let mut desk = desk.crash_and_reopen();
    desk.settle().run_command("go-to-drafts").shows("half a thought");
}

/// A text returned late by a hanging disk must not take keys meant for something else.
#[test]
fn a_text_refused_late_leaves_the_keyboard_where_it_is() {
    let mut desk = writing("On its way");
    desk.disk(Disk::Hangs).keys("<Enter>").types("and more").keys("<Esc>J").hides("and more");
    desk.disk(Disk::Fails).shows("sending failed: no space left on the disk · kept as draft");
    desk.keys("k").hides("▌ On its way").keys("K").shows("On its way").shows("and more");
    assert_eq!(desk.picture().matches("On its way").count(), 1, "{}", desk.picture());
    desk.disk(Disk::Works).wait(5_000_000);
    let mut desk = desk.crash_and_reopen();
    desk.settle().run_command("go-to-drafts").shows("On its way").has_queued(0);
}

#[test]
fn a_note_refused_late_waits_in_its_draft() {
    let mut desk = writing("");
    desk.keys("<Esc>;").types("ask the depot").disk(Disk::Hangs).keys("<Enter>J").disk(Disk::Fails);
    desk.shows("note not saved: no space left on the disk · still a draft");
    desk.keys("K;").shows("ask the depot").disk(Disk::Works).wait(5_000_000);
    desk.keys("<Enter>").settle().shows("note kept on this desk");
    assert_eq!(desk.outbound().len(), 0);
}

#[test]
fn what_is_taken_back_late_waits_in_its_draft() {
    let mut desk = writing("On its way");
    desk.keys("<Enter>").settle().disk(Disk::Hangs).keys("<Esc>zJ").disk(Disk::Works);
    desk.settle().shows("undone: kept as a draft").keys("k").hides("wayk");
    desk.keys("K").settle().shows("On its way").pass(6);
    assert_eq!(desk.outbound().len(), 0);
}

#[test]
fn a_mail_refused_late_waits_in_its_draft() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys("3").settle().keys("gg<Enter>").settle().keys("r").settle();
    desk.types("It left today.").keys("<Ctrl-X>").disk(Disk::Hangs).keys("yj").disk(Disk::Fails);
    desk.shows("kept as draft").disk(Disk::Works).wait(5_000_000);
    desk.settle().run_command("go-to-drafts").keys("<Enter>").settle().shows("│It left today.").has_queued(0);
}
