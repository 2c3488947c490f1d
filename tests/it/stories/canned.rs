//! Canned replies, emoji and the editor: they insert text, and never send.

use frontdesk::shell::replies::write_samples;

use crate::desk::{Desk, direct};

fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    write_samples(&desk.replies()).expect("samples");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "I was charged twice!");
    desk.settle().keys("<Enter>");
    desk
}

#[test]
fn a_reply_is_picked_filled_and_sent() {
    let mut desk = desk();
    desk.keys("i/").shows("Canned replies").shows("Opening hours").shows("Your bicycle is ready");
    photographs!(desk, "all", Overlay);
    desk.types("twice").hides("Opening hours").shows("Money back after a double charge").shows("Hi Maria,");
    photographs!(desk, "found", Overlay);
    desk.keys("<Enter>").shows("Hi Maria, {agent.name?} here").shows("order {order?}");
    photographs!(desk, "inserted", Composer);
    // The cursor is on the first placeholder, which typing replaces.
    desk.types("Ana").shows("Hi Maria, Ana here");
    desk.keys("<Enter>").shows("{order?} is not filled in: Tab goes there").settle();
    assert!(desk.outbound().is_empty(), "an open field does not leave");
    desk.keys("<Tab>")
        .types("1041")
        .keys("<Tab>")
        .types("three")
        .shows("order 1041 was")
        .shows("three working");
    desk.keys("<Tab><Enter>").shows("Maria Lopez");
    desk.keys("i<Enter>").settle();
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1);
    assert!(sent[0]["content"].to_string().contains("order 1041 was charged twice"));
}

#[test]
fn the_picker_opens_where_one_writes_and_gives_back_what_opened_it() {
    let mut desk = desk();
    // Returns to the former pane, so that the next letters are no text.
    desk.keys("c")
        .shows("Canned replies")
        .keys("<Esc>")
        .hides("Canned")
        .keys("?")
        .shows("Messages")
        .keys("<Esc>");
    desk.keys("i")
        .shows("Reply · ")
        .types("Yes: ")
        .keys("::")
        .shows("Canned replies")
        .types("hours")
        .keys("<Enter>");
    desk.shows("Yes: The workshop is open");
    desk.keys("<Ctrl-U>/<Esc>").shows("│/ ").keys("<Ctrl-U>").types("a:").keys(":<Esc>").shows("a::");
    desk.keys("<Ctrl-U>/zzz").shows("No match");
    assert!(desk.outbound().is_empty());
}

#[test]
fn files_that_change_are_read_anew_and_broken_ones_are_named() {
    let mut desk = desk();
    desk.keys("i/").hides("Bells").keys("<Esc><Backspace>");
    std::fs::write(desk.replies().join("bells.md"), "+++\ntitle = \"Bells\"\n+++\nWe sell bells.\n")
        .expect("written");
    std::fs::write(desk.replies().join("bad.md"), "+++\ntitel = \"x\"\n+++\nx").expect("written");
    desk.keys("/").shows("Bells").shows("not read: bad.md: titel is not known; use title, keywords");
    let mut empty = Desk::with(80, 24, direct);
    empty.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    empty.settle().keys("<Enter>c").shows("No canned replies yet. Each file NAME.md in");
}

#[test]
fn a_short_name_becomes_an_emoji() {
    let mut desk = desk();
    desk.keys("i").types("Nice :bicycl").keys("<Tab>").shows("Emoji").keys("<Enter>").shows("Nice 🚴");
    desk.types(" :smi").keys("<Tab>").shows("😄");
    photographs!(desk, "emoji", Overlay);
    desk.types("ley_cat").keys("<Enter>").shows("😺").types(" :qqqq").keys("<Tab>").shows("no emoji :qqqq");
    desk.keys("<Ctrl-O>").shows("Write or send").shows("canned reply");
    photographs!(desk, "menu", Overlay);
    desk.keys("e").shows("Emoji").keys("<Esc>").shows("Reply · ");
}

#[test]
fn the_editor_gives_its_text_back_and_sends_nothing() {
    let mut desk = desk();
    desk.keys("i").types("A long answer").keys("<Ctrl-G>").shows("A long answer (edited)");
    desk.shows("edited; nothing was sent").keys("<Ctrl-_>").hides("(edited)").settle();
    assert!(desk.outbound().is_empty());
}

#[test]
fn the_field_that_is_named_is_the_one_tab_goes_to_and_only_while_it_is_open() {
    let mut desk = desk();
    desk.keys("i").types("Order {order?}, about {days?} days").keys("<Enter>");
    desk.shows("{order?} is not filled in: Tab goes there");
    desk.keys("<Tab>").shows("{days?} is not filled in: Tab goes there").types("1041");
    desk.keys("<Tab>").types("three").shows("Order 1041, about three days").hides("is not filled in");
    desk.keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 1);
}
