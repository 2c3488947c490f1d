use super::*;
use crate::components::text_buffer::MAX_CHARS;
use crate::keys::KeyCode;

fn composer() -> Composer {
    let mut composer = Composer::new(ConversationId::from("c"));
    composer.receive_draft(None);
    composer
}

fn type_in(composer: &mut Composer, text: &str) {
    for character in text.chars() {
        composer.key(KeyPress::plain(KeyCode::Char(character)), Moment::default());
    }
}

fn press(composer: &mut Composer, code: KeyCode) {
    composer.key(KeyPress::plain(code), Moment::default());
}

#[test]
fn edits_by_what_people_see() {
    let mut composer = composer();
    type_in(&mut composer, "a👨‍👩‍👧‍👦e\u{301}自");
    for expected in ["a👨‍👩‍👧‍👦e\u{301}", "a👨‍👩‍👧‍👦", "a", ""] {
        press(&mut composer, KeyCode::Backspace);
        assert_eq!(composer.text(), expected);
    }
    type_in(&mut composer, "👨‍👩‍👧‍👦x");
    press(&mut composer, KeyCode::Left);
    press(&mut composer, KeyCode::Left);
    press(&mut composer, KeyCode::Delete);
    assert_eq!(composer.text(), "x");
}

#[test]
fn undoes_by_word() {
    let mut composer = composer();
    type_in(&mut composer, "one two three");
    for expected in ["one two ", "one ", "", ""] {
        composer.edit(TextEdit::Undo, Moment::default());
        assert_eq!(composer.text(), expected);
    }
    composer.edit(TextEdit::Redo, Moment::default());
    composer.edit(TextEdit::Redo, Moment::default());
    assert_eq!(composer.text(), "one two ");
}

#[test]
fn a_late_draft_goes_before_what_was_typed() {
    let mut composer = Composer::new(ConversationId::from("c"));
    type_in(&mut composer, "later");
    assert_eq!(composer.take_unsaved(), None, "nothing may overwrite an unread draft");
    composer.receive_draft(Some(Draft {
        text: "early ".into(),
        reply_to: None,
        note: String::new(),
        attachments: Vec::new(),
    }));
    assert_eq!(composer.text(), "early later");
    let saved = composer.take_unsaved().flatten().map(|draft| draft.text);
    assert_eq!(saved.as_deref(), Some("early later"));
}

#[test]
fn only_a_mailbox_reads_a_stored_text_as_a_mail() {
    for has_no_mail in [false, true] {
        let mut composer = Composer::new(ConversationId::from("c"));
        composer.has_no_mail = has_no_mail;
        composer.receive_draft(Some(Draft { text: "To: whoever is on duty".into(), ..Draft::default() }));
        assert_eq!((composer.header.is_none(), composer.has_reply()), (has_no_mail, has_no_mail));
    }
}

#[test]
fn a_paste_is_one_step_and_only_text() {
    let mut composer = composer();
    composer.paste("q\r\nz\u{1b}[2J", Moment::default());
    assert_eq!(composer.text(), "q\nz[2J");
    composer.edit(TextEdit::Undo, Moment::default());
    assert_eq!(composer.text(), "");
    assert!(!composer.paste(&"x".repeat(MAX_CHARS + 1), Moment::default()));
}

#[test]
fn a_note_and_an_answer_are_two_texts() {
    let mut composer = composer();
    type_in(&mut composer, "Hi");
    composer.mode = ComposerMode::Note;
    type_in(&mut composer, "angry");
    let draft = Draft { text: "Hi".into(), reply_to: None, note: "angry".into(), attachments: Vec::new() };
    assert_eq!((composer.text().as_str(), composer.draft()), ("angry", Some(draft)));
    composer.clear();
    assert_eq!(composer.draft().map(|draft| (draft.text, draft.note)), Some((String::new(), "angry".into())));
    composer.clear_note();
    assert_eq!((composer.mode, composer.draft()), (ComposerMode::Reply, None));
}
