//! Private notes: shown with the conversation, searchable, and never sent.

use frontdesk::model::search::SearchQuery;

use crate::desk::{Desk, direct};

fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>");
    desk
}

#[test]
fn a_note_is_kept_in_the_history_and_never_sent() {
    let mut desk = desk();
    desk.keys(";").shows("Note · private, never sent").shows("Enter keep");
    desk.shows("Enter keep · Ctrl-N answer").hides("Ctrl-N note");
    desk.types("Double charge, refund is issued.").keys("<Ctrl-J>").types("Asked twice already.");
    desk.keys("<Enter>").shows("note kept on this desk").shows("NOTE").shows("#NOTE").shows("r to reply");
    desk.wait(60_000_000);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Thank you!");
    desk.settle();
    assert!(desk.outbound().is_empty(), "a note has no way out");
    let picture = desk.picture();
    let place = |words: &str| picture.find(words).unwrap_or_else(|| panic!("{words}:\n{picture}"));
    assert!(place("order 1041?") < place("Double charge") && place("Asked twice") < place("Thank you!"));
    photographs!(desk, "kept", History);
    let found = desk.search(&SearchQuery { text: "refund".into(), limit: 5, ..SearchQuery::default() });
    assert_eq!(found.notes.len(), 1);
    assert_eq!(found.notes[0].title.as_str(), "Maria Lopez");
}

#[test]
fn the_note_and_the_answer_are_two_texts() {
    let mut desk = desk();
    desk.keys("i")
        .types("It left this morning")
        .keys("<Ctrl-N>")
        .shows("Note ·")
        .hides("It left this morning");
    desk.types("she is angry").keys("<Ctrl-N>").shows("It left this morning").hides("angry");
    desk.keys("<Enter>").settle();
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1);
    assert!(sent[0]["content"].to_string().contains("It left this morning"));
    desk.wait(150_000);
    // The note survives a crash as a note, and its draft opens as one.
    let mut desk = desk.crash_and_reopen();
    desk.settle()
        .run_command("go-to-drafts")
        .shows("NOTE # she is angry")
        .keys("<Enter>")
        .shows("Note · private")
        .shows("she is angry");
    desk.keys("<Enter>").shows("note kept").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn z_takes_a_note_back() {
    let mut desk = desk();
    desk.keys(";")
        .types("wrong words")
        .keys("<Enter>z")
        .shows("the note is back in the composer")
        .shows("Note · private");
    desk.hides("#NOTE").types("!").keys("<Enter>").shows("#NOTE").shows("wrong words!");
    desk.keys("z<Ctrl-U><Esc>z").shows("undo: nothing to undo");
}
