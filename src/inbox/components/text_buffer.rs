//! A text as it is edited: by what people see as a character, undone by word
//! rather than by key.
//!
//! Wraps the text area.

use tui_textarea::{CursorMove, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

use crate::components::words::{self, Marks};
use crate::keys::{KeyCode, KeyPress};
use crate::wrap;
use model::bounds;
use model::text;

/// Undo steps kept by the text area: each typed character is one.
const UNDO_STEPS: usize = 10_000;
/// Longest text a sheet takes in, in characters: more than any bound,
/// little enough to stay quick.
pub const CAPACITY: usize = 20_000;

/// A text being edited.
#[derive(Debug)]
pub struct Sheet {
    area: TextArea<'static>,
    /// Sizes of undo groups, in steps of the text area.
    undo: Vec<usize>,
    redo: Vec<usize>,
    /// Whether the next typed character continues the newest group.
    grouping: Grouping,
    changed: bool,
}

/// An editing command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEdit {
    NewLine,
    /// Undoes the newest edit.
    Undo,
    /// Does again what was undone.
    Redo,
    LineStart,
    LineEnd,
    /// Goes one word back.
    WordLeft,
    WordRight,
    /// Deletes the word before the cursor.
    DeleteWord,
    /// Deletes to the start of the line.
    DeleteToStart,
    /// Deletes to the end of the line.
    DeleteToEnd,
}

/// What the newest undo group ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grouping {
    Closed,
    Word,
    Blank,
    Deleting,
}

impl Default for Sheet {
    fn default() -> Self {
        let area = new_area(Vec::new());
        Self { area, undo: Vec::new(), redo: Vec::new(), grouping: Grouping::Closed, changed: false }
    }
}

impl Sheet {
    /// The widget, for drawing.
    pub fn area(&self) -> &TextArea<'static> {
        &self.area
    }

    /// The text as typed.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether no character was typed.
    pub fn is_empty(&self) -> bool {
        self.area.lines().iter().all(String::is_empty) && self.area.lines().len() <= 1
    }

    /// Whether there is no text, or only white space.
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    /// Lines the text takes at this width.
    pub fn height(&self, width: usize) -> usize {
        self.area.lines().iter().map(|line| wrap::wrap(line, width).len()).sum()
    }

    /// Whether the text has changed since this was asked last.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
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

    /// Puts a text back before what is there.
    pub fn restore(&mut self, text: &str) {
        let present = self.text();
        let joined = if present.is_empty() { text.to_owned() } else { format!("{text}\n{present}") };
        self.set_text(&joined);
        self.changed = true;
    }

    /// Inserts text from outside: nothing in it is a key. False if it had to
    /// be cut.
    pub fn paste(&mut self, outside: &str) -> bool {
        let clean = text::clean_pasted(outside);
        let room = CAPACITY.saturating_sub(bounds::count_chars(&self.text()));
        let fits: String = clean.chars().take(room).collect();
        self.step(Grouping::Closed, |area| usize::from(area.insert_str(&fits)));
        self.grouping = Grouping::Closed;
        fits.len() == clean.len()
    }

    /// Types one character.
    pub fn insert(&mut self, it: char) {
        if bounds::count_chars(&self.text()) >= CAPACITY {
            return;
        }
        let group = if it.is_whitespace() { Grouping::Blank } else { Grouping::Word };
        self.step(group, |area| {
            area.insert_char(it);
            1
        });
    }

    /// The cursor's line up to the cursor.
    pub fn before_cursor(&self) -> String {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        line.chars().take(cursor.1).collect()
    }

    /// Puts a text in place of so many characters before the cursor, as one
    /// step.
    pub fn replace_before(&mut self, characters: usize, text: &str) {
        self.step(Grouping::Closed, |area| {
            let deleted = (0..characters).filter(|_| area.delete_char()).count();
            deleted + usize::from(area.insert_str(text))
        });
        self.grouping = Grouping::Closed;
    }

    /// Puts a text in place of so many characters after the cursor, as one
    /// step.
    pub fn replace_after(&mut self, characters: usize, text: &str) {
        self.step(Grouping::Closed, |area| {
            let deleted = (0..characters).filter(|_| area.delete_next_char()).count();
            deleted + usize::from(area.insert_str(text))
        });
        self.grouping = Grouping::Closed;
    }

    /// Puts a text in place of all there is, as one step.
    pub fn replace_all(&mut self, text: &str) {
        self.step(Grouping::Closed, |area| {
            area.select_all();
            let deleted = usize::from(area.cut());
            deleted + usize::from(area.insert_str(text))
        });
        self.grouping = Grouping::Closed;
    }

    /// The cursor's line and character.
    pub fn cursor(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }

    /// Puts the cursor there.
    pub fn move_to(&mut self, line: usize, character: usize) {
        let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.jump(CursorMove::Jump(small(line), small(character)));
    }

    /// Shows as chosen what lies between a place of line and character and the
    /// cursor; `None` ends that.
    pub fn spread(&mut self, from: Option<(usize, usize)>) {
        self.area.cancel_selection();
        let Some((line, character)) = from else { return };
        let at = self.cursor();
        self.move_to(line, character);
        self.area.start_selection();
        self.move_to(at.0, at.1);
    }

    /// Performs an editing command.
    pub fn edit(&mut self, edit: TextEdit) {
        match edit {
            TextEdit::NewLine => self.step(Grouping::Closed, |area| {
                area.insert_newline();
                1
            }),
            TextEdit::Undo => self.undo(),
            TextEdit::Redo => self.redo(),
            TextEdit::LineStart => self.jump(CursorMove::Head),
            TextEdit::LineEnd => self.jump(CursorMove::End),
            TextEdit::WordLeft => match self.word_before() {
                0 => self.jump(CursorMove::WordBack),
                characters => (0..characters).for_each(|_| self.jump(CursorMove::Back)),
            },
            TextEdit::WordRight => match self.word_after() {
                0 => self.jump(CursorMove::WordForward),
                characters => (0..characters).for_each(|_| self.jump(CursorMove::Forward)),
            },
            TextEdit::DeleteWord => {
                // At the start of a line its break is deleted.
                let characters = self.word_before().max(1);
                self.step(Grouping::Closed, |area| (0..characters).filter(|_| area.delete_char()).count());
            }
            TextEdit::DeleteToStart => {
                self.step(Grouping::Closed, |area| usize::from(area.delete_line_by_head()));
            }
            TextEdit::DeleteToEnd => {
                self.step(Grouping::Closed, |area| usize::from(area.delete_line_by_end()));
            }
        }
    }

    /// Handles a key that is no command: text and cursor keys. Returns whether
    /// the key meant anything here.
    pub fn key(&mut self, key: KeyPress) -> bool {
        if let Some(it) = key.typed() {
            self.insert(it);
            return true;
        }
        match key.code {
            KeyCode::Backspace if key.ctrl || key.alt => self.edit(TextEdit::DeleteWord),
            KeyCode::Backspace => self.delete_before(),
            KeyCode::Delete => self.delete_after(),
            KeyCode::Left => self.move_back(),
            KeyCode::Right => self.move_forward(),
            KeyCode::Up => self.jump(CursorMove::Up),
            KeyCode::Down => self.jump(CursorMove::Down),
            _ => return false,
        }
        true
    }

    /// One change of the text: counts its steps into an undo group.
    fn step(&mut self, group: Grouping, change: impl FnOnce(&mut TextArea<'static>) -> usize) {
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
        self.changed = true;
    }

    fn undo(&mut self) {
        let Some(steps) = self.undo.pop() else { return };
        for _ in 0..steps {
            self.area.undo();
        }
        self.redo.push(steps);
        self.grouping = Grouping::Closed;
        self.changed = true;
    }

    fn redo(&mut self) {
        let Some(steps) = self.redo.pop() else { return };
        for _ in 0..steps {
            self.area.redo();
        }
        self.undo.push(steps);
        self.grouping = Grouping::Closed;
        self.changed = true;
    }

    fn jump(&mut self, to: CursorMove) {
        self.grouping = Grouping::Closed;
        self.area.move_cursor(to);
    }

    /// Characters back to the start of a word on the cursor's line.
    fn word_before(&self) -> usize {
        let head = self.before_cursor();
        head[head.len() - words::back(&head, Marks::Divide)..].chars().count()
    }

    /// Characters to the start of the next word on the cursor's line.
    fn word_after(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let tail: String = line.chars().skip(cursor.1).collect();
        let word = words::word(&tail, Marks::Divide);
        let rest = &tail[word..];
        let next = tail.len() - rest.trim_start().len();
        tail[..next].chars().count()
    }

    /// Characters of the cluster before the cursor; 1 at the start of a line,
    /// where the line break is what lies before.
    fn cluster_before(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let head: String = line.chars().take(cursor.1).collect();
        head.graphemes(true).next_back().map_or(1, |grapheme| grapheme.chars().count())
    }

    fn cluster_after(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let tail: String = line.chars().skip(cursor.1).collect();
        tail.graphemes(true).next().map_or(1, |grapheme| grapheme.chars().count())
    }

    fn delete_before(&mut self) {
        let characters = self.cluster_before();
        self.step(Grouping::Deleting, |area| (0..characters).filter(|_| area.delete_char()).count());
    }

    fn delete_after(&mut self) {
        let characters = self.cluster_after();
        self.step(Grouping::Deleting, |area| (0..characters).filter(|_| area.delete_next_char()).count());
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
