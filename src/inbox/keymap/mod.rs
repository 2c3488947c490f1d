//! Key bindings: the defaults of the command table, or those a person configured.

pub(crate) mod update;

#[cfg(test)]
pub(crate) mod tests;

use crate::command;
use crate::command::{Command, CommandRow, CommandScope, TABLE};
use crate::keys::{KeyCode, KeyPress};

pub type Sequence = Vec<KeyPress>;

/// Scopes whose keys are active at the same time.
const COACTIVE_SCOPES: &[&[CommandScope]] = &[
    &[CommandScope::List, CommandScope::Conversation, CommandScope::Desk],
    &[CommandScope::History, CommandScope::Conversation, CommandScope::Desk],
    &[CommandScope::Card, CommandScope::Conversation, CommandScope::Desk],
    &[CommandScope::Outbox, CommandScope::Rows, CommandScope::Desk],
    &[CommandScope::Composer],
];

/// The keys of every command, in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyMap {
    keys: Vec<Vec<Sequence>>,
    /// True if the terminal reports Shift-Enter, so that it can be offered.
    pub reports_shift_enter: bool,
}

impl Default for KeyMap {
    fn default() -> Self {
        let sequences =
            |row: &CommandRow| row.keys.iter().filter_map(|key| KeyPress::parse_sequence(key)).collect();
        Self { keys: TABLE.iter().map(sequences).collect(), reports_shift_enter: false }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyClash {
    pub keys: Sequence,
    pub one: Command,
    pub other: Command,
    /// The longer sequence of `other`, `None` if the keys are the same.
    pub longer: Option<Sequence>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The start of a longer sequence.
    Pending,
    Matched(Command),
    Unknown,
}

impl KeyMap {
    pub fn bind(&mut self, command: Command, keys: Vec<Sequence>) {
        if let Some(place) = self.keys.get_mut(table_index(command)) {
            *place = keys;
        }
    }

    pub fn keys(&self, command: Command) -> &[Sequence] {
        self.keys.get(table_index(command)).map_or(&[], Vec::as_slice)
    }

    /// A single key of a command where letters are text: with Ctrl or Alt, or a function key.
    pub fn key_in_text(&self, command: Command) -> Option<KeyPress> {
        let own = || command::row(command).keys.iter().filter_map(|key| KeyPress::parse(key));
        let one = self.keys(command).iter().filter_map(|key| <[KeyPress; 1]>::try_from(key.as_slice()).ok());
        let mut all = one.map(|[key]| key).chain(own());
        all.find(|key_press| {
            key_press.typed().is_none()
                && (key_press.ctrl || key_press.alt || matches!(key_press.code, KeyCode::F(_)))
        })
    }

    pub fn key_name_in_text(&self, command: Command) -> String {
        self.key_in_text(command).map(|in_text| in_text.to_string()).unwrap_or_default()
    }

    /// All commands whose keys equal another's in the same scope, or are a prefix of them.
    pub fn clashes(&self) -> Vec<KeyClash> {
        let mut found: Vec<KeyClash> = Vec::new();
        for places in COACTIVE_SCOPES {
            let mut all: Vec<(&Sequence, Command)> = Vec::new();
            for row in TABLE.iter().filter(|command_row| places.contains(&command_row.place)) {
                all.extend(self.keys(row.command).iter().map(|key| (key, row.command)));
            }
            // Sorted, prefixes precede the sequences that continue them.
            all.sort_by_key(|(keys, _)| sequence_name(keys));
            for (at, (keys, one)) in all.iter().enumerate() {
                let goes_on =
                    |(longer, other): &&(&Sequence, Command)| longer.starts_with(keys) && other != one;
                for (longer, other) in all[at + 1..].iter().filter(goes_on) {
                    let longer = (longer != keys).then(|| (*longer).clone());
                    let clash = KeyClash { keys: (*keys).clone(), one: *one, other: *other, longer };
                    if !found.contains(&clash) {
                        found.push(clash);
                    }
                }
            }
        }
        found
    }

    /// Resolves the keys pressed so far; scopes are searched in order, the first match wins.
    pub fn resolve(&self, places: &[CommandScope], pressed: &[KeyPress]) -> Resolution {
        let mut pending = false;
        for row in places.iter().flat_map(|place| scope_rows(*place)) {
            for keys in self.keys(row.command) {
                if keys == pressed {
                    return Resolution::Matched(row.command);
                }
                pending |= keys.len() > pressed.len() && keys.starts_with(pressed);
            }
        }
        if pending { Resolution::Pending } else { Resolution::Unknown }
    }

    /// The next key of each command that the keys pressed so far can lead to.
    pub fn continuations(&self, places: &[CommandScope], pressed: &[KeyPress]) -> Vec<(String, Command)> {
        let next = |keys: &Sequence| {
            let next = keys.get(pressed.len()).filter(|_| keys.starts_with(pressed))?;
            Some(next.to_string())
        };
        let rows = places.iter().flat_map(|place| scope_rows(*place));
        rows.filter_map(|row| Some((self.keys(row.command).iter().find_map(next)?, row.command))).collect()
    }

    /// The first key of a command for hints and texts; the command's name if it has none.
    pub fn first_key_name(&self, command: Command) -> String {
        match self.digit_range(command) {
            Some(digits) => digits,
            None => self
                .keys(command)
                .iter()
                .find(|key| self.is_sendable(key))
                .map_or_else(|| format!(":{}", command::name(command)), sequence_name),
        }
    }

    /// All keys of a command, as help shows them.
    pub fn key_names(&self, command: Command) -> Vec<String> {
        match self.digit_range(command) {
            Some(digits) => vec![digits],
            None => {
                self.keys(command).iter().filter(|key| self.is_sendable(key)).map(sequence_name).collect()
            }
        }
    }

    /// False for keys the terminal is known not to send.
    fn is_sendable(&self, keys: &Sequence) -> bool {
        self.reports_shift_enter || !keys.iter().any(|key| key.code == KeyCode::Enter && key.shift)
    }

    pub fn doc_with_keys(&self, command: Command) -> String {
        self.fill_in_keys(command::row(command).doc)
    }

    /// Replaces each `{command-name}` by its key.
    pub fn fill_in_keys(&self, words: &str) -> String {
        fill_in_names(words, |command| self.first_key_name(command))
    }

    /// Combines nine keys that differ only in their digit, such as `Alt-1…9`.
    fn digit_range(&self, command: Command) -> Option<String> {
        let keys = self.keys(command);
        let digits = |(at, keys): (usize, &Sequence)| final_digit(keys) == u32::try_from(at + 1).ok();
        let all = command == Command::GoToTab && keys.len() == 9 && keys.iter().enumerate().all(digits);
        all.then(|| format!("{}-9", sequence_name(&keys[0])))
    }
}

/// Replaces each `{command-name}` by its name in texts. A name that is also the next word is not repeated.
pub(crate) fn fill_in_names(words: &str, name_of: impl Fn(Command) -> String) -> String {
    let mut out = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let called =
            after.split_once('}').and_then(|(name, rest)| Some((command::find_by_name(name)?, rest)));
        match called {
            Some((command, after)) => {
                let name = name_of(command);
                rest = skip_word(after, &name);
                out.push_str(&name);
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the text behind a word, if it begins with a space and this word; else the text.
fn skip_word<'a>(text: &'a str, word: &str) -> &'a str {
    let rest = text.strip_prefix(' ').and_then(|text| text.strip_prefix(word));
    rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)).unwrap_or(text)
}

/// The digit at the end of a sequence, which is the number of a tab.
pub fn final_digit(keys: &Sequence) -> Option<u32> {
    match keys.last()?.code {
        KeyCode::Char(character) => character.to_digit(10).filter(|digit| *digit > 0),
        KeyCode::F(number) => Some(u32::from(number)).filter(|number| *number < 10),
        _ => None,
    }
}

pub fn sequence_name(keys: &Sequence) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn scope_rows(place: CommandScope) -> impl Iterator<Item = &'static CommandRow> {
    TABLE.iter().filter(move |command_row| command_row.place == place)
}

/// The enum is generated from the table, in its order.
fn table_index(command: Command) -> usize {
    command as usize
}
