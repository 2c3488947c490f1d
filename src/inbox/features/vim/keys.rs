//! What each letter does while letters are not text.

use crate::components::text_buffer::{Sheet, TextEdit};
use crate::features::vim::motions::{MotionReach, MotionText};
use crate::features::vim::{MOST, Operator, Vim, VimMode, go, here};

impl Vim {
    /// A letter was pressed that is not text.
    pub fn letter(&mut self, it: char, sheet: &mut Sheet) {
        let text = sheet.text();
        let page = MotionText::new(&text);
        if let Some(first) = self.waits.take() {
            return self.second(first, it, sheet, &page);
        }
        match it {
            '1'..='9' => self.digit(it),
            '0' if self.count > 0 => self.digit(it),
            'g' | 'f' | 'F' | 't' | 'T' | 'r' => self.waits = Some(it),
            'i' | 'a' if self.operator.is_some() || self.mode == VimMode::Visual => self.waits = Some(it),
            _ => self.whole(it, sheet, &page),
        }
    }

    fn digit(&mut self, it: char) {
        let digit = it.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
        self.count = (self.count * 10 + digit).min(MOST);
    }

    /// The second of two letters.
    fn second(&mut self, first: char, it: char, sheet: &mut Sheet, page: &MotionText<'_>) {
        let at = here(sheet, page);
        match (first, it) {
            ('g', 'g') => {
                let line = page.line_of(self.times());
                self.reach(sheet, page, line, MotionReach::Lines);
            }
            ('f' | 'F' | 't' | 'T', _) => match page.find(at, first, it, self.times()) {
                Some((to, reach)) => self.reach(sheet, page, to, reach),
                None => self.forget(),
            },
            ('r', _) if self.mode == VimMode::Normal => {
                let count = self.times();
                self.forget();
                if at + count <= page.line_end(at) {
                    let characters = page.characters(at, at + count);
                    sheet.replace_after(characters, &it.to_string().repeat(count));
                    go(sheet, page, at + count - 1);
                }
            }
            ('i' | 'a', 'w') => {
                let (from, until) = page.word_at(at, first == 'a');
                match self.operator {
                    Some((operator, _)) => self.take(sheet, page, operator, (from, until), false),
                    None => {
                        self.anchor = from;
                        self.show(sheet, page, until.saturating_sub(1));
                    }
                }
            }
            _ => self.forget(),
        }
    }

    fn whole(&mut self, it: char, sheet: &mut Sheet, page: &MotionText<'_>) {
        let at = here(sheet, page);
        if self.mode == VimMode::Visual && self.spread(it, sheet, page) {
            return;
        }
        if let Some(operator) = Operator::of(it) {
            return match self.operator {
                Some((waiting, _)) if waiting == operator => {
                    let last = page.motion(at, 'j', self.times() - 1).filter(|_| self.times() > 1);
                    let to = last.map_or(at, |entry| entry.0);
                    self.take(sheet, page, operator, (at, to), true);
                }
                Some(_) => self.forget(),
                None => self.operator = Some((operator, it)),
            };
        }
        // Changing a word leaves the blanks behind it.
        let motion = match (it, self.operator) {
            ('w', Some((Operator::Change, _))) => 'e',
            ('W', Some((Operator::Change, _))) => 'E',
            _ => it,
        };
        let counted = (it == 'G' && self.count > 0).then(|| (page.line_of(self.count), MotionReach::Lines));
        if let Some((mut to, reach)) = counted.or_else(|| page.motion(at, motion, self.times())) {
            // The last word of a line ends with it.
            let end = page.line_end(at);
            if self.operator.is_some() && matches!(motion, 'w' | 'W') && at < end && self.count < 2 {
                to = to.min(end);
            }
            return self.reach(sheet, page, to, reach);
        }
        if self.operator.is_none() && self.mode == VimMode::Normal {
            self.act(it, sheet, page);
        }
        self.forget();
    }

    /// Letters that act by themselves.
    fn act(&mut self, it: char, sheet: &mut Sheet, page: &MotionText<'_>) {
        let (at, count) = (here(sheet, page), self.times());
        let (start, end) = (page.line_start(at), page.line_end(at));
        let after = (at + count).min(end);
        match it {
            'i' => self.insert(sheet, page, at),
            'a' => self.insert(sheet, page, (at + 1).min(end)),
            'I' => self.insert(sheet, page, page.line_text(at)),
            'A' => self.insert(sheet, page, end),
            'o' | 'O' => {
                self.insert(sheet, page, if it == 'o' { end } else { start });
                sheet.edit(TextEdit::NewLine);
                if it == 'O' {
                    let (line, _) = page.line_and_character(start);
                    sheet.move_to(line, 0);
                }
            }
            'x' => self.take(sheet, page, Operator::Delete, (at, after), false),
            'X' => {
                let from = at.saturating_sub(count).max(start);
                self.take(sheet, page, Operator::Delete, (from, at), false);
            }
            's' => self.take(sheet, page, Operator::Change, (at, after), false),
            'S' => self.take(sheet, page, Operator::Change, (at, at), true),
            'D' => self.take(sheet, page, Operator::Delete, (at, end), false),
            'C' => self.take(sheet, page, Operator::Change, (at, end), false),
            'Y' => self.take(sheet, page, Operator::Yank, (at, at), true),
            'p' | 'P' => self.put(sheet, page, it == 'p'),
            'J' if end < page.end() => {
                let next = page.line_text(end + 1);
                go(sheet, page, end);
                sheet.replace_after(page.characters(end, next), " ");
                go(sheet, page, end);
            }
            '~' => {
                let turned: String = page.text(at, after).chars().map(turn_case).collect();
                sheet.replace_after(page.characters(at, after), &turned);
                self.settle(sheet);
            }
            'u' => {
                for _ in 0..count {
                    sheet.edit(TextEdit::Undo);
                }
                self.go_to_change(sheet, page);
            }
            'v' => {
                (self.mode, self.anchor) = (VimMode::Visual, at);
                self.show(sheet, page, at);
            }
            _ => (),
        }
    }

    fn insert(&mut self, sheet: &mut Sheet, page: &MotionText<'_>, at: usize) {
        self.mode = VimMode::Insert;
        go(sheet, page, at);
    }

    /// A letter while something is spread; true if it meant that.
    fn spread(&mut self, it: char, sheet: &mut Sheet, page: &MotionText<'_>) -> bool {
        let at = here(sheet, page);
        let operator = match it {
            'd' | 'x' | 'D' | 'X' => Operator::Delete,
            'c' | 's' => Operator::Change,
            'y' => Operator::Yank,
            'v' => {
                self.mode = VimMode::Normal;
                sheet.spread(None);
                return true;
            }
            'o' => {
                let other = std::mem::replace(&mut self.anchor, at);
                self.show(sheet, page, other);
                return true;
            }
            _ => return false,
        };
        self.mode = VimMode::Normal;
        sheet.spread(None);
        let (from, until) = (self.anchor.min(at), self.anchor.max(at));
        self.take(sheet, page, operator, (from, (until + 1).min(page.end())), false);
        true
    }
}

fn turn_case(it: char) -> String {
    if it.is_uppercase() { it.to_lowercase().collect() } else { it.to_uppercase().collect() }
}
