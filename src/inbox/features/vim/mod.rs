//! Modal editing for who is used to it: letters move and change, `i` types.
//!
//! Turns letters into edits of a text. sending stays on its own key.

pub(crate) mod composing;
pub(crate) mod keys;
pub mod motions;
#[cfg(test)]
pub(crate) mod tests;

use crate::components::text_buffer::Sheet;
use crate::features::vim::motions::{MotionReach, MotionText};

/// What letters do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VimMode {
    /// They are text.
    #[default]
    Insert,
    /// They move and change.
    Normal,
    /// They spread what the next change takes.
    Visual,
}

/// What a change does with what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Yank,
}

impl Operator {
    fn of(letter: char) -> Option<Self> {
        match letter {
            'd' => Some(Self::Delete),
            'c' => Some(Self::Change),
            'y' => Some(Self::Yank),
            _ => None,
        }
    }
}

/// Most times a motion or a change is done at once.
const MOST: usize = 9_999;

/// Modal editing between two keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vim {
    mode: VimMode,
    count: usize,
    operator: Option<(Operator, char)>,
    /// A letter that waits for the next one: `g`, `r`, `f`, `i` and their like.
    waits: Option<char>,
    anchor: usize,
    /// What was taken last, and whether it was whole lines.
    register: (String, bool),
}

impl Vim {
    /// What letters do now.
    pub fn mode(&self) -> VimMode {
        self.mode
    }

    /// The mode in a word for the border, with what is half typed.
    pub fn word(&self) -> String {
        let word = match self.mode {
            VimMode::Insert => "INSERT",
            VimMode::Normal => "NORMAL",
            VimMode::Visual => "VISUAL",
        };
        let count = if self.count > 0 { self.count.to_string() } else { String::new() };
        let typed: String = self.operator.map(|operator| operator.1).into_iter().chain(self.waits).collect();
        format!("{word} {count}{typed}").trim_end().to_owned()
    }

    /// Begins anew, typing; what was taken is kept.
    pub fn rest(&mut self) {
        let register = std::mem::take(&mut self.register);
        *self = Self { register, ..Self::default() };
    }

    /// Esc was pressed. False if there was nothing to step back from.
    pub fn step_back(&mut self, sheet: &mut Sheet) -> bool {
        let half = self.count > 0 || self.operator.is_some() || self.waits.is_some();
        self.forget();
        match self.mode {
            VimMode::Insert => {
                self.mode = VimMode::Normal;
                let text = sheet.text();
                let page = MotionText::new(&text);
                let at = here(sheet, &page);
                go(sheet, &page, at.saturating_sub(1).max(page.line_start(at)));
                true
            }
            VimMode::Visual => {
                self.mode = VimMode::Normal;
                sheet.spread(None);
                true
            }
            VimMode::Normal => half,
        }
    }

    fn forget(&mut self) {
        (self.count, self.operator, self.waits) = (0, None, None);
    }

    fn times(&self) -> usize {
        self.count.max(1)
    }

    /// Goes to a place, or lets the operator that waits take what lies
    /// between.
    fn reach(&mut self, sheet: &mut Sheet, page: &MotionText<'_>, to: usize, reach: MotionReach) {
        let at = here(sheet, page);
        let Some((operator, _)) = self.operator else {
            self.forget();
            let rests = if self.mode == VimMode::Visual { to.min(page.end()) } else { page.resting(to) };
            return self.show(sheet, page, rests);
        };
        let (from, mut until) = (at.min(to), at.max(to));
        if reach == MotionReach::Inclusive {
            until = (until + 1).min(page.end());
        }
        self.take(sheet, page, operator, (from, until), reach == MotionReach::Lines);
    }

    /// Puts the cursor there, and draws the spread anew.
    fn show(&self, sheet: &mut Sheet, page: &MotionText<'_>, at: usize) {
        go(sheet, page, at);
        if self.mode == VimMode::Visual {
            sheet.spread(Some(page.line_and_character(self.anchor)));
        }
    }

    /// Deletes, changes or copies a part.
    fn take(
        &mut self,
        sheet: &mut Sheet,
        page: &MotionText<'_>,
        operator: Operator,
        (mut from, mut until): (usize, usize),
        lines: bool,
    ) {
        self.forget();
        if lines {
            (from, until) = (page.line_start(from), page.line_end(until));
        }
        self.register = (page.text(from, until), lines);
        if operator == Operator::Yank {
            return go(sheet, page, page.resting(from));
        }
        if operator == Operator::Change {
            self.mode = VimMode::Insert;
        } else if lines {
            // A deleted line takes one of its line breaks along.
            if until < page.end() {
                until += 1;
            } else {
                from = from.saturating_sub(1);
            }
        }
        go(sheet, page, from);
        sheet.replace_after(page.characters(from, until), "");
        if lines && operator == Operator::Delete {
            let text = sheet.text();
            let page = MotionText::new(&text);
            let at = page.line_text(here(sheet, &page));
            go(sheet, &page, at);
        }
        self.settle(sheet);
    }

    /// Puts what was taken after the cursor, or before it.
    fn put(&mut self, sheet: &mut Sheet, page: &MotionText<'_>, after: bool) {
        let times = self.times().min(MOST);
        self.forget();
        let (text, lines) = self.register.clone();
        let at = here(sheet, page);
        if text.is_empty() && !lines {
            return;
        }
        let (line, _) = page.line_and_character(at);
        if !lines {
            go(sheet, page, if after { (at + 1).min(page.line_end(at)) } else { at });
            sheet.paste(&text.repeat(times));
            let whole = sheet.text();
            let page = MotionText::new(&whole);
            let last = here(sheet, &page).saturating_sub(1);
            go(sheet, &page, last);
        } else if after {
            go(sheet, page, page.line_end(at));
            sheet.paste(&format!("\n{text}").repeat(times));
            sheet.move_to(line + 1, 0);
        } else {
            go(sheet, page, page.line_start(at));
            sheet.paste(&format!("{text}\n").repeat(times));
            sheet.move_to(line, 0);
        }
        self.settle(sheet);
    }

    /// Puts the cursor where a text differs from what it was.
    fn go_to_change(&self, sheet: &mut Sheet, before: &MotionText<'_>) {
        let text = sheet.text();
        let page = MotionText::new(&text);
        let at = page.first_difference(before);
        go(sheet, &page, page.resting(at));
    }

    /// After a change the cursor rests on a character, unless text is typed.
    fn settle(&self, sheet: &mut Sheet) {
        if self.mode != VimMode::Insert {
            let text = sheet.text();
            let page = MotionText::new(&text);
            let at = here(sheet, &page);
            go(sheet, &page, page.resting(at));
        }
    }
}

/// The cluster at the cursor.
fn here(sheet: &Sheet, page: &MotionText<'_>) -> usize {
    let (line, character) = sheet.cursor();
    page.place(line, character)
}

/// Puts the cursor on a cluster.
fn go(sheet: &mut Sheet, page: &MotionText<'_>, at: usize) {
    let (line, character) = page.line_and_character(at);
    sheet.move_to(line, character);
}
