//! Seen conversations can be marked as unread.

use crate::desk::Desk;

fn desk() -> Desk {
    let mut desk = Desk::new(120, 40);
    for text in ["Where is my order 1041?", "Hello?"] {
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", text);
        desk.clock.advance(1_000_000);
    }
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.settle().settle();
    desk
}

#[test]
fn what_was_opened_stands_out_again() {
    let mut desk = desk();
    desk.shows("•João Pereira").shows("•Maria Lopez");
    desk.keys("<Enter>").settle().keys("<Esc>").settle().hides("•João Pereira");
    desk.keys("u").settle().shows("marked as unseen · z undo").shows("•João Pereira");
    photographs!(desk, "unseen", List, Status);
    desk.keys("u").settle().shows("marked as seen · z undo").hides("•João Pereira");
    desk.keys("z").settle().shows("•João Pereira");
    desk.keys("<Enter>").settle().keys("<Esc>").settle().hides("•João Pereira");
}

#[test]
fn many_are_marked_at_once_and_come_back_as_they_were() {
    let mut desk = desk();
    desk.keys("Va").shows("marked all 2").keys("u").settle().hides("•João").hides("•Maria");
    desk.shows("marked as seen: 2").keys("z").settle().shows("•João Pereira").shows("•Maria Lopez");
    photographs!(desk, "back", List);
}
