//! The composer: one conversation's draft as it is edited.
//!
//! Wraps the text area so that it edits by what people see as a character
//! and undoes by word rather than by key. Knows nothing of sending.

use tui_textarea::{CursorMove, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

use crate::app::commands::Command;
use crate::app::keys::{Key, KeyCode};
use crate::app::wrap;
use crate::model::bounds;
use crate::model::ids::{ConversationId, MessageId};
use crate::model::queries::Draft;
use crate::model::text;
use crate::model::time::Timestamp;

/// Undo steps kept by the text area: each typed character is one.
const UNDO_STEPS: usize = 10_000;
/// Longest text the composer takes in, in characters: more than any bound,
/// little enough to stay quick.
const CAPACITY: usize = 20_000;
/// Microseconds after the last key until the draft is saved.
pub const SAVE_AFTER: i64 = 100_000;

/// A draft being edited.
#[derive(Debug)]
pub struct Composer {
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    area: TextArea<'static>,
    /// Sizes of undo groups, in steps of the text area.
    undo: Vec<usize>,
    redo: Vec<usize>,
    /// Whether the next typed character continues the newest group.
    grouping: Grouping,
    /// When the text changed without having been saved.
    dirty_since: Option<Timestamp>,
    /// Whether the kept draft has come; until then it may still arrive.
    loaded: bool,
}

/// What the newest undo group ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grouping {
    Closed,
    Word,
    Blank,
    Deleting,
}

impl Composer {
    /// An empty composer whose kept draft is still being read.
    pub fn new(conversation: ConversationId) -> Self {
        Self {
            conversation,
            reply_to: None,
            area: new_area(Vec::new()),
            undo: Vec::new(),
            redo: Vec::new(),
            grouping: Grouping::Closed,
            dirty_since: None,
            loaded: false,
        }
    }

    /// The kept draft has been read: it goes before whatever was typed since.
    pub fn receive_draft(&mut self, draft: Option<Draft>) {
        if std::mem::replace(&mut self.loaded, true) {
            return;
        }
        let Some(draft) = draft else { return };
        let typed = self.text();
        self.reply_to = self.reply_to.take().or(draft.reply_to);
        self.set_text(&format!("{}{typed}", draft.text));
    }

    /// Whether the kept draft has been read, so that saving loses nothing.
    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    /// The widget, for drawing.
    pub fn area(&self) -> &TextArea<'static> {
        &self.area
    }

    /// The cursor's row and column on screen, as of the last drawing.
    pub fn cursor_cell(&self) -> (u16, u16) {
        let cursor = self.area.screen_cursor();
        let (top, _) = self.area.scroll_offset();
        let row = u16::try_from(cursor.row).unwrap_or(u16::MAX).saturating_sub(top);
        (row, u16::try_from(cursor.col).unwrap_or(u16::MAX))
    }

    /// The text as typed.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether there is nothing to send: no text, or only white space.
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|it| it.trim().is_empty())
    }

    /// What would be kept; `None` when there is nothing to keep.
    pub fn draft(&self) -> Option<Draft> {
        let text = self.text();
        (!text.is_empty()).then(|| Draft { text, reply_to: self.reply_to.clone() })
    }

    /// Lines the text takes at this width.
    pub fn height(&self, width: usize) -> usize {
        self.area.lines().iter().map(|it| wrap::wrap(it, width).len()).sum()
    }

    /// Replaces the text, with the cursor at its end and no way back.
    pub fn set_text(&mut self, text: &str) {
        let lines = text.split('\n').map(str::to_owned).collect();
        self.area = new_area(lines);
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
        (self.undo, self.redo) = (Vec::new(), Vec::new());
        self.grouping = Grouping::Closed;
    }

    /// Puts a text back that could not be sent: before what is there.
    pub fn restore(&mut self, text: &str, reply_to: Option<MessageId>, now: Timestamp) {
        let present = self.text();
        let joined = if present.is_empty() { text.to_owned() } else { format!("{text}\n{present}") };
        self.set_text(&joined);
        self.reply_to = self.reply_to.take().or(reply_to);
        self.dirty_since = Some(now);
    }

    /// Empties the composer after its text went into the outbox.
    pub fn clear(&mut self) {
        self.set_text("");
        self.reply_to = None;
        self.dirty_since = None;
        self.loaded = true;
    }

    /// When the draft is due to be saved.
    pub fn save_due(&self) -> Option<Timestamp> {
        self.dirty_since.map(|it| it.plus(SAVE_AFTER))
    }

    /// Takes the change that is not saved yet, if there is one and what was
    /// kept before has been read.
    pub fn take_unsaved(&mut self) -> Option<Option<Draft>> {
        if !self.loaded {
            return None;
        }
        self.dirty_since.take().map(|_| self.draft())
    }

    /// Inserts pasted text as text: nothing in it is a key.
    pub fn paste(&mut self, outside: &str, now: Timestamp) -> bool {
        let clean = text::pasted(outside);
        let room = CAPACITY.saturating_sub(bounds::length(&self.text()));
        let fits: String = clean.chars().take(room).collect();
        self.step(Grouping::Closed, now, |area| usize::from(area.insert_str(&fits)));
        self.grouping = Grouping::Closed;
        fits.len() == clean.len()
    }

    /// Types one character.
    pub fn insert(&mut self, it: char, now: Timestamp) {
        if bounds::length(&self.text()) >= CAPACITY {
            return;
        }
        let group = if it.is_whitespace() { Grouping::Blank } else { Grouping::Word };
        self.step(group, now, |area| {
            area.insert_char(it);
            1
        });
    }

    /// Performs an editing command or a cursor key. Returns whether the key
    /// meant anything here.
    pub fn edit(&mut self, command: Command, now: Timestamp) -> bool {
        match command {
            Command::NewLine => self.step(Grouping::Closed, now, |area| {
                area.insert_newline();
                1
            }),
            Command::UndoEdit => self.undo(now),
            Command::RedoEdit => self.redo(now),
            Command::LineStart => self.jump(CursorMove::Head),
            Command::LineEnd => self.jump(CursorMove::End),
            Command::WordLeft => self.jump(CursorMove::WordBack),
            Command::WordRight => self.jump(CursorMove::WordForward),
            Command::DeleteWord => self.step(Grouping::Closed, now, |area| usize::from(area.delete_word())),
            Command::DeleteToStart => {
                self.step(Grouping::Closed, now, |area| usize::from(area.delete_line_by_head()));
            }
            Command::DeleteToEnd => {
                self.step(Grouping::Closed, now, |area| usize::from(area.delete_line_by_end()));
            }
            _ => return false,
        }
        true
    }

    /// Handles a key that is no command: text and cursor keys.
    pub fn key(&mut self, key: Key, now: Timestamp) -> bool {
        if let Some(it) = key.typed() {
            self.insert(it, now);
            return true;
        }
        match key.code {
            KeyCode::Backspace => self.delete_before(now),
            KeyCode::Delete => self.delete_after(now),
            KeyCode::Left => self.move_back(),
            KeyCode::Right => self.move_forward(),
            KeyCode::Up => self.jump(CursorMove::Up),
            KeyCode::Down => self.jump(CursorMove::Down),
            _ => return false,
        }
        true
    }

    /// One change of the text: counts its steps into an undo group.
    fn step(
        &mut self,
        group: Grouping,
        now: Timestamp,
        change: impl FnOnce(&mut TextArea<'static>) -> usize,
    ) {
        let steps = change(&mut self.area);
        if steps == 0 {
            return;
        }
        let joins = match (self.grouping, group) {
            (Grouping::Word, Grouping::Word | Grouping::Blank) => true,
            (one, other) => one == other && group != Grouping::Closed,
        };
        match self.undo.last_mut() {
            Some(newest) if joins => *newest += steps,
            _ => self.undo.push(steps),
        }
        self.redo.clear();
        self.grouping = group;
        self.dirty_since.get_or_insert(now);
    }

    fn undo(&mut self, now: Timestamp) {
        let Some(steps) = self.undo.pop() else { return };
        for _ in 0..steps {
            self.area.undo();
        }
        self.redo.push(steps);
        self.grouping = Grouping::Closed;
        self.dirty_since.get_or_insert(now);
    }

    fn redo(&mut self, now: Timestamp) {
        let Some(steps) = self.redo.pop() else { return };
        for _ in 0..steps {
            self.area.redo();
        }
        self.undo.push(steps);
        self.grouping = Grouping::Closed;
        self.dirty_since.get_or_insert(now);
    }

    fn jump(&mut self, to: CursorMove) {
        self.grouping = Grouping::Closed;
        self.area.move_cursor(to);
    }

    /// Characters of the cluster before the cursor; 1 at the start of a line,
    /// where the line break is what lies before.
    fn cluster_before(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let head: String = line.chars().take(cursor.1).collect();
        head.graphemes(true).next_back().map_or(1, |it| it.chars().count())
    }

    fn cluster_after(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let tail: String = line.chars().skip(cursor.1).collect();
        tail.graphemes(true).next().map_or(1, |it| it.chars().count())
    }

    fn delete_before(&mut self, now: Timestamp) {
        let characters = self.cluster_before();
        self.step(Grouping::Deleting, now, |area| (0..characters).filter(|_| area.delete_char()).count());
    }

    fn delete_after(&mut self, now: Timestamp) {
        let characters = self.cluster_after();
        self.step(Grouping::Deleting, now, |area| {
            (0..characters).filter(|_| area.delete_next_char()).count()
        });
    }

    fn move_back(&mut self) {
        for _ in 0..self.cluster_before() {
            self.jump(CursorMove::Back);
        }
    }

    fn move_forward(&mut self) {
        for _ in 0..self.cluster_after() {
            self.jump(CursorMove::Forward);
        }
    }
}

/// A text area with the wrapping and the plain look the desk wants.
fn new_area(lines: Vec<String>) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_max_histories(UNDO_STEPS);
    area.set_cursor_line_style(Default::default());
    // The terminal's own cursor is placed instead, for input methods and
    // screen readers.
    area.set_cursor_style(Default::default());
    area
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composer() -> Composer {
        let mut composer = Composer::new(ConversationId::from("c"));
        composer.receive_draft(None);
        composer
    }

    fn type_in(composer: &mut Composer, text: &str) {
        for it in text.chars() {
            composer.insert(it, Timestamp::default());
        }
    }

    fn press(composer: &mut Composer, code: KeyCode) {
        composer.key(Key::plain(code), Timestamp::default());
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
            composer.edit(Command::UndoEdit, Timestamp::default());
            assert_eq!(composer.text(), expected);
        }
        composer.edit(Command::RedoEdit, Timestamp::default());
        composer.edit(Command::RedoEdit, Timestamp::default());
        assert_eq!(composer.text(), "one two ");
    }

    #[test]
    fn a_late_draft_goes_before_what_was_typed() {
        let mut composer = Composer::new(ConversationId::from("c"));
        type_in(&mut composer, "later");
        assert_eq!(composer.take_unsaved(), None, "nothing may overwrite an unread draft");
        composer.receive_draft(Some(Draft { text: "early ".into(), reply_to: None }));
        assert_eq!(composer.text(), "early later");
        let saved = composer.take_unsaved().flatten().map(|it| it.text);
        assert_eq!(saved.as_deref(), Some("early later"));
    }

    #[test]
    fn a_paste_is_one_step_and_only_text() {
        let mut composer = composer();
        composer.paste("q\r\nz\u{1b}[2J", Timestamp::default());
        assert_eq!(composer.text(), "q\nz[2J");
        composer.edit(Command::UndoEdit, Timestamp::default());
        assert_eq!(composer.text(), "");
        assert!(!composer.paste(&"x".repeat(CAPACITY + 1), Timestamp::default()));
    }
}
