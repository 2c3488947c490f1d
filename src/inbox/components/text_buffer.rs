//! Text buffer for editing: moves by grapheme cluster, undoes by word. Wraps `TextArea`.

use tui_textarea::{CursorMove, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

use crate::components::word_boundaries::{self, PunctuationMode};
use crate::keys::{KeyCode, KeyPress};
use crate::wrap;
use model::bounds;
use model::text;

/// Undo steps kept by the text area: each typed character is one.
const MAX_UNDO_STEPS: usize = 10_000;
/// Maximum length in characters; above every bound of a message and small enough to edit quickly.
pub const MAX_CHARS: usize = 20_000;

#[derive(Debug)]
pub struct TextBuffer {
    area: TextArea<'static>,
    /// Sizes of undo groups, in steps of the text area.
    undo: Vec<usize>,
    redo: Vec<usize>,
    /// Decides if the next typed character continues the newest group.
    grouping: Grouping,
    changed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEdit {
    NewLine,
    Undo,
    Redo,
    LineStart,
    LineEnd,
    WordLeft,
    WordRight,
    DeleteWord,
    DeleteToStart,
    DeleteToEnd,
}

/// End of the newest undo group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grouping {
    Closed,
    Word,
    Blank,
    Deleting,
}

impl Default for TextBuffer {
    fn default() -> Self {
        let area = new_area(Vec::new());
        Self { area, undo: Vec::new(), redo: Vec::new(), grouping: Grouping::Closed, changed: false }
    }
}

impl TextBuffer {
    pub fn area(&self) -> &TextArea<'static> {
        &self.area
    }

    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub fn is_empty(&self) -> bool {
        self.area.lines().iter().all(String::is_empty) && self.area.lines().len() <= 1
    }

    /// True if the text is empty or only white space.
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    pub fn height(&self, width: usize) -> usize {
        self.area.lines().iter().map(|line| wrap::wrap(line, width).len()).sum()
    }

    /// Returns and resets the flag that the text has changed.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Replaces the text, moves the cursor to its end and drops the undo history.
    pub fn set_text(&mut self, text: &str) {
        let lines = text.split('\n').map(str::to_owned).collect();
        self.area = new_area(lines);
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
        (self.undo, self.redo) = (Vec::new(), Vec::new());
        self.grouping = Grouping::Closed;
    }

    pub fn prepend(&mut self, text: &str) {
        let present = self.text();
        let joined = if present.is_empty() { text.to_owned() } else { format!("{text}\n{present}") };
        self.set_text(&joined);
        self.changed = true;
    }

    /// Inserts text in which nothing is a key. Returns false if the text had to be cut.
    pub fn paste(&mut self, outside: &str) -> bool {
        let clean = text::clean_pasted(outside);
        let room = MAX_CHARS.saturating_sub(bounds::count_chars(&self.text()));
        let fits: String = clean.chars().take(room).collect();
        self.apply_step(Grouping::Closed, |area| usize::from(area.insert_str(&fits)));
        self.grouping = Grouping::Closed;
        fits.len() == clean.len()
    }

    pub fn insert(&mut self, character: char) {
        if bounds::count_chars(&self.text()) >= MAX_CHARS {
            return;
        }
        let group = if character.is_whitespace() { Grouping::Blank } else { Grouping::Word };
        self.apply_step(group, |area| {
            area.insert_char(character);
            1
        });
    }

    pub fn before_cursor(&self) -> String {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        line.chars().take(cursor.1).collect()
    }

    /// Replaces this many characters before the cursor, as one undo step.
    pub fn replace_before(&mut self, characters: usize, text: &str) {
        self.apply_step(Grouping::Closed, |area| {
            let deleted = (0..characters).filter(|_| area.delete_char()).count();
            deleted + usize::from(area.insert_str(text))
        });
        self.grouping = Grouping::Closed;
    }

    /// Replaces this many characters after the cursor, as one undo step.
    pub fn replace_after(&mut self, characters: usize, text: &str) {
        self.apply_step(Grouping::Closed, |area| {
            let deleted = (0..characters).filter(|_| area.delete_next_char()).count();
            deleted + usize::from(area.insert_str(text))
        });
        self.grouping = Grouping::Closed;
    }

    /// Replaces the whole text, as one undo step.
    pub fn replace_all(&mut self, text: &str) {
        self.apply_step(Grouping::Closed, |area| {
            area.select_all();
            let deleted = usize::from(area.cut());
            deleted + usize::from(area.insert_str(text))
        });
        self.grouping = Grouping::Closed;
    }

    pub fn cursor(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }

    pub fn move_to(&mut self, line: usize, character: usize) {
        let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.move_cursor(CursorMove::Jump(small(line), small(character)));
    }

    /// Selects from a line and character to the cursor; `None` clears the selection.
    pub fn select_from(&mut self, from: Option<(usize, usize)>) {
        self.area.cancel_selection();
        let Some((line, character)) = from else { return };
        let at = self.cursor();
        self.move_to(line, character);
        self.area.start_selection();
        self.move_to(at.0, at.1);
    }

    pub fn edit(&mut self, edit: TextEdit) {
        match edit {
            TextEdit::NewLine => self.apply_step(Grouping::Closed, |area| {
                area.insert_newline();
                1
            }),
            TextEdit::Undo => self.undo(),
            TextEdit::Redo => self.redo(),
            TextEdit::LineStart => self.move_cursor(CursorMove::Head),
            TextEdit::LineEnd => self.move_cursor(CursorMove::End),
            TextEdit::WordLeft => match self.chars_to_word_start() {
                0 => self.move_cursor(CursorMove::WordBack),
                characters => (0..characters).for_each(|_| self.move_cursor(CursorMove::Back)),
            },
            TextEdit::WordRight => match self.chars_to_next_word() {
                0 => self.move_cursor(CursorMove::WordForward),
                characters => (0..characters).for_each(|_| self.move_cursor(CursorMove::Forward)),
            },
            TextEdit::DeleteWord => {
                // At the start of a line the line break is deleted.
                let characters = self.chars_to_word_start().max(1);
                self.apply_step(Grouping::Closed, |area| {
                    (0..characters).filter(|_| area.delete_char()).count()
                });
            }
            TextEdit::DeleteToStart => {
                self.apply_step(Grouping::Closed, |area| usize::from(area.delete_line_by_head()));
            }
            TextEdit::DeleteToEnd => {
                self.apply_step(Grouping::Closed, |area| usize::from(area.delete_line_by_end()));
            }
        }
    }

    /// Handles text and cursor keys. Returns false if the key has no meaning here.
    pub fn key(&mut self, key: KeyPress) -> bool {
        if let Some(character) = key.typed() {
            self.insert(character);
            return true;
        }
        match key.code {
            KeyCode::Backspace if key.ctrl || key.alt => self.edit(TextEdit::DeleteWord),
            KeyCode::Backspace => self.delete_before(),
            KeyCode::Delete => self.delete_after(),
            KeyCode::Left => self.move_back(),
            KeyCode::Right => self.move_forward(),
            KeyCode::Up => self.move_cursor(CursorMove::Up),
            KeyCode::Down => self.move_cursor(CursorMove::Down),
            _ => return false,
        }
        true
    }

    fn apply_step(&mut self, group: Grouping, change: impl FnOnce(&mut TextArea<'static>) -> usize) {
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

    fn move_cursor(&mut self, to: CursorMove) {
        self.grouping = Grouping::Closed;
        self.area.move_cursor(to);
    }

    /// Characters back to the start of a word on the cursor's line.
    fn chars_to_word_start(&self) -> usize {
        let head = self.before_cursor();
        head[head.len() - word_boundaries::last_word_bytes(&head, PunctuationMode::Separate)..]
            .chars()
            .count()
    }

    /// Characters to the start of the next word on the cursor's line.
    fn chars_to_next_word(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let tail: String = line.chars().skip(cursor.1).collect();
        let word = word_boundaries::first_word_bytes(&tail, PunctuationMode::Separate);
        let rest = &tail[word..];
        let next = tail.len() - rest.trim_start().len();
        tail[..next].chars().count()
    }

    /// Characters of the cluster before the cursor; 1 at the start of a line (the line break).
    fn cluster_chars_before(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let head: String = line.chars().take(cursor.1).collect();
        head.graphemes(true).next_back().map_or(1, |grapheme| grapheme.chars().count())
    }

    fn cluster_chars_after(&self) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let tail: String = line.chars().skip(cursor.1).collect();
        tail.graphemes(true).next().map_or(1, |grapheme| grapheme.chars().count())
    }

    fn delete_before(&mut self) {
        let characters = self.cluster_chars_before();
        self.apply_step(Grouping::Deleting, |area| (0..characters).filter(|_| area.delete_char()).count());
    }

    fn delete_after(&mut self) {
        let characters = self.cluster_chars_after();
        self.apply_step(Grouping::Deleting, |area| {
            (0..characters).filter(|_| area.delete_next_char()).count()
        });
    }

    fn move_back(&mut self) {
        for _ in 0..self.cluster_chars_before() {
            self.move_cursor(CursorMove::Back);
        }
    }

    fn move_forward(&mut self) {
        for _ in 0..self.cluster_chars_after() {
            self.move_cursor(CursorMove::Forward);
        }
    }
}

/// A text area with the desk's wrapping and no styles.
fn new_area(lines: Vec<String>) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_max_histories(MAX_UNDO_STEPS);
    area.set_cursor_line_style(Default::default());
    // The terminal's own cursor is placed instead, for input methods and screen readers.
    area.set_cursor_style(Default::default());
    area
}
