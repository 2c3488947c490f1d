//! Bot-chat texts: plain, or with markup.

use crate::desk::{Desk, direct};

#[test]
fn plain_text_arrives_as_typed_and_markup_is_chosen() {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("telegram", "8812", "Nadia Rahimi", "Is 3 < 4?");
    desk.keys("2").settle().keys("<Enter>i").types("a < b & c");
    desk.shows("Reply as plain text · 1 credit").shows("16/4096 as sent");
    desk.keys("<Enter>").settle().shows("a < b & c");
    desk.keys("<Ctrl-F>").shows("Reply as HTML").types("<b>Yes</b>").shows("10/4096");
    desk.keys("<Enter>").settle();
    desk.keys("<Ctrl-F>").shows("as MarkdownV2").types("*No*").keys("<Enter>").settle();
    let sent: Vec<String> = desk.outbound().iter().map(|value| value["content"].to_string()).collect();
    assert_eq!(sent.len(), 3);
    assert!(sent[0].contains("a < b & c") || sent[0].contains("a &lt; b"), "{}", sent[0]);
    assert!(sent[1].contains("Yes"), "{}", sent[1]);
    // An unclosed tag is refused, and returns as written.
    desk.keys("<Ctrl-F><Ctrl-F>").types("<b>open").keys("<Enter><Esc>").settle();
    desk.shows("NOT SENT").keys("ae").shows("<b>open").shows("as HTML");
    desk.keys("<Ctrl-U>").pastes(&"x".repeat(4097)).keys("<Enter>");
    desk.shows("nothing was sent: 4097 of 4096; HTML is not split");
    desk.keys("<Ctrl-U><Esc>1");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "hi");
    desk.settle().keys("<Enter>i<Ctrl-F>").shows("takes plain text only");
}
