//! The help: every key of the table in lines that fit the screen, scrolled,
//! and narrowed by what is typed.
//!
//! What is pressed here stays here: no key reaches what lies behind.

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandScope, TABLE, VERBS, VERBS_HEADING};
use crate::components::text_line::TextLine;
use crate::components::text_view::scrolled;
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::wrap;

/// Columns of the help at most.
pub const WIDTH: u16 = 92;
/// Columns for keys, and those where the screen is narrow.
const KEYS: (u16, u16) = (22, 14);
/// Columns inside the frame from which there is room for long keys.
const ROOMY: u16 = 70;

/// The state of the help.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Help {
    /// First line on screen.
    pub first: usize,
    pub find: TextLine,
    pub typing: bool,
    /// Why the last key did nothing.
    pub told: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelpLine {
    /// Where the keys below act.
    Heading(&'static str),
    /// Keys and what they do, each as far as the line goes.
    Row(String, String),
}

/// Columns for keys and for words, inside a frame this wide.
pub fn columns(inner: u16) -> (u16, u16) {
    let keys = if inner < ROOMY { KEYS.1 } else { KEYS.0 };
    (keys, inner.saturating_sub(keys + 5))
}

/// What a key made of the help.
#[derive(Debug, PartialEq, Eq)]
enum Pressed {
    Stays,
    Closes,
    /// It is no key of the help.
    Unknown,
}

impl Help {
    /// A key, while there are so many rows on the screen and lines to show.
    fn press(&mut self, key: KeyPress, rows: usize, total: usize) -> Pressed {
        if self.typing {
            return self.press_while_typing(key, rows, total);
        }
        match key.code {
            KeyCode::Esc if !self.find.is_empty() => self.stop_looking(),
            KeyCode::Esc | KeyCode::Char('?' | 'q') => return Pressed::Closes,
            KeyCode::Char('c') if key.ctrl => return Pressed::Closes,
            KeyCode::Char('/') => self.typing = true,
            KeyCode::Backspace if !self.find.is_empty() => {
                self.typing = true;
                self.find.key(key);
                self.first = 0;
            }
            _ => return self.scroll(key, rows, total),
        }
        Pressed::Stays
    }

    fn press_while_typing(&mut self, key: KeyPress, rows: usize, total: usize) -> Pressed {
        let before = self.find.clone();
        match key.code {
            KeyCode::Enter => self.typing = false,
            KeyCode::Backspace if self.find.is_empty() => self.typing = false,
            KeyCode::Char('c') if key.ctrl => self.stop_looking(),
            KeyCode::Esc => self.stop_looking(),
            _ if self.find.key(key) => {
                if self.find.text() != before.text() {
                    self.first = 0;
                }
            }
            _ => return self.scroll(key, rows, total),
        }
        Pressed::Stays
    }

    fn stop_looking(&mut self) {
        *self = Self::default();
    }

    fn scroll(&mut self, key: KeyPress, rows: usize, total: usize) -> Pressed {
        match scrolled(self.first, key, rows, total) {
            Some(first) => self.first = first,
            None => return Pressed::Unknown,
        }
        Pressed::Stays
    }
}

impl Overlay for Help {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        self.told = None;
        let total = inbox.desk.help_lines(self.find.text(), &inbox.context).len();
        let keymap = &inbox.context.settings.keymap;
        let opens = [Command::Help, Command::HelpInText]
            .iter()
            .any(|command| keymap.keys(*command).contains(&vec![key]));
        let writes = self.typing && key.typed().is_some();
        let pressed = match opens && !writes {
            true => Pressed::Closes,
            false => self.press(key, usize::from(inbox.context.size.1), total),
        };
        match pressed {
            Pressed::Closes => return KeyOutcome::Done,
            Pressed::Stays => (),
            Pressed::Unknown => self.told = Some(format!("{key} does nothing in the help; / finds a key")),
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, text: &str) -> bool {
        (self.told, self.typing, self.first) = (None, true, 0);
        self.find.insert(text.trim());
        true
    }
}

impl Desk {
    /// The table, the places that act here first; only what fits the words
    /// that are looked for.
    pub fn help_lines(&self, find: &str, context: &Context) -> Vec<HelpLine> {
        let inner = context.size.0.saturating_sub(2).min(WIDTH).saturating_sub(2);
        let (here, keymap) = (self.places(), &context.settings.keymap);
        let rest = CommandScope::ALL.into_iter().filter(|command_scope| !here.contains(command_scope));
        let mut lines = Vec::new();
        for place in here.iter().copied().chain(rest) {
            let mut heading = Some(HelpLine::Heading(place.heading()));
            for row in TABLE.iter().filter(|command_row| command_row.place == place) {
                let (keys, doc) = (keymap.all(row.command), keymap.doc(row.command));
                let name = format!("{} {}", command::name(row.command), row.word);
                if fits(&name, &keys, &doc, find) {
                    lines.extend(heading.take());
                    let keys = if keys.is_empty() { keymap.first(row.command) } else { keys.join(", ") };
                    wrapped(&keys, &doc, columns(inner), &mut lines);
                }
            }
            if place == CommandScope::Desk {
                verb_lines(find, columns(inner), &mut lines);
            }
        }
        lines
    }
}

/// What is typed after `:`, as far as it fits what is looked for.
fn verb_lines(find: &str, columns: (u16, u16), lines: &mut Vec<HelpLine>) {
    let mut heading = Some(HelpLine::Heading(VERBS_HEADING));
    for verb in VERBS.iter().filter(|verb| fits(verb.name, &[verb.typed()], verb.doc, find)) {
        lines.extend(heading.take());
        wrapped(&verb.typed(), verb.doc, columns, lines);
    }
}

/// Keys and words side by side, each on as many lines as it needs.
fn wrapped(keys: &str, doc: &str, (left, right): (u16, u16), lines: &mut Vec<HelpLine>) {
    let parts = |text: &str, width: u16| -> Vec<String> {
        let parts = wrap::wrap(text, usize::from(width));
        parts.into_iter().map(|part| text[part].trim_end().to_owned()).collect()
    };
    let (mut keys, mut doc) = (parts(keys, left).into_iter(), parts(doc, right).into_iter());
    loop {
        match (keys.next(), doc.next()) {
            (None, None) => break,
            (keys, doc) => lines.push(HelpLine::Row(keys.unwrap_or_default(), doc.unwrap_or_default())),
        }
    }
}

/// Whether a row has all words looked for: as a key, in its name or in its
/// words. One letter alone is a key or begins a word: it stands in nearly
/// every row.
fn fits(name: &str, keys: &[String], doc: &str, find: &str) -> bool {
    let words = format!("{name} {doc}").to_lowercase();
    let has = |term: &str| {
        let lower = term.to_lowercase();
        if term.chars().count() == 1 {
            let begun = |text: &str| text.starts_with(&lower);
            return keys.iter().any(|key| key.split(' ').any(|part| part == term))
                || words.split(|word: char| !word.is_alphanumeric()).any(begun);
        }
        keys.iter().any(|key| key.to_lowercase().contains(&lower)) || words.contains(&lower)
    };
    find.split_whitespace().all(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_by_key_name_and_words() {
        // (looked for, the command, whether it is found)
        let cases = [
            ("", Command::PauseAi, true),
            ("p", Command::PauseAi, true),
            ("pau", Command::PauseAi, true),
            ("PAUSE-AI", Command::PauseAi, true),
            ("take over", Command::PauseAi, true),
            ("take under", Command::PauseAi, false),
            ("ctrl-j", Command::NewLine, true),
            ("x", Command::NewLine, false),
            ("g n", Command::FirstUnseen, true),
            ("s", Command::FirstUnseen, true),
            ("h", Command::FirstUnseen, false),
        ];
        let keymap = crate::keymap::KeyMap::default();
        for (find, command, found) in cases {
            let name = format!("{} {}", command::name(command), command::row(command).word);
            assert_eq!(
                fits(&name, &keymap.all(command), &keymap.doc(command), find),
                found,
                "{find} {command:?}"
            );
        }
    }

    #[test]
    fn keys_scroll_or_narrow_and_never_leave_by_chance() {
        // (keys, what is looked for, whether letters go there, the last key)
        let cases = [
            ("j j", "", false, Pressed::Stays),
            ("q", "", false, Pressed::Closes),
            ("?", "", false, Pressed::Closes),
            ("Esc", "", false, Pressed::Closes),
            ("p", "", false, Pressed::Unknown),
            ("Enter", "", false, Pressed::Unknown),
            ("/ p a u", "pau", true, Pressed::Stays),
            ("/ q ?", "q?", true, Pressed::Stays),
            ("/ p a Backspace", "p", true, Pressed::Stays),
            ("/ p Backspace Backspace", "", false, Pressed::Stays),
            ("/ p a Enter", "pa", false, Pressed::Stays),
            ("/ p a Enter Backspace", "p", true, Pressed::Stays),
            ("/ p a Enter Esc", "", false, Pressed::Stays),
            ("/ p a Enter Esc Esc", "", false, Pressed::Closes),
            ("/ p Down", "p", true, Pressed::Stays),
            ("/ p F5", "p", true, Pressed::Unknown),
            ("/ p Esc", "", false, Pressed::Stays),
        ];
        for (keys, find, typing, last) in cases {
            let mut help = Help::default();
            let mut pressed = Pressed::Stays;
            for key in keys.split(' ') {
                pressed = help.press(KeyPress::parse(key).expect("a key"), 24, 100);
            }
            assert_eq!((help.find.text(), help.typing, pressed), (find, typing, last), "{keys}");
        }
    }
}
