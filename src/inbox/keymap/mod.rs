//! Which keys call which command: the command table's own, or those a person
//! chose instead. Dispatch, help and hints all ask here.

pub(crate) mod update;

#[cfg(test)]
pub(crate) mod tests;

use crate::command;
use crate::command::{Command, CommandRow, CommandScope, TABLE};
use crate::keys::{KeyCode, KeyPress};

/// Keys pressed one after the other.
pub type Sequence = Vec<KeyPress>;

/// The places whose keys act at the same time.
const TOGETHER: &[&[CommandScope]] = &[
    &[CommandScope::List, CommandScope::Conversation, CommandScope::Desk],
    &[CommandScope::History, CommandScope::Conversation, CommandScope::Desk],
    &[CommandScope::Outbox, CommandScope::Rows, CommandScope::Desk],
    &[CommandScope::Composer],
];

/// The keys of every command, in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyMap {
    keys: Vec<Vec<Sequence>>,
    /// Whether the terminal tells Shift and Enter from Enter, so that it can be
    /// offered.
    pub tells_shift_enter: bool,
}

impl Default for KeyMap {
    fn default() -> Self {
        let sequences =
            |row: &CommandRow| row.keys.iter().filter_map(|key| KeyPress::parse_sequence(key)).collect();
        Self { keys: TABLE.iter().map(sequences).collect(), tells_shift_enter: false }
    }
}

/// Two commands that cannot both be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    pub keys: Sequence,
    pub one: Command,
    pub other: Command,
    /// What the keys of the other go on to, if they are not the same.
    pub longer: Option<Sequence>,
}

/// What the keys pressed so far mean in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The start of a longer sequence.
    Pending,
    Matched(Command),
    /// No key of this place.
    Unknown,
}

impl KeyMap {
    /// Gives a command these keys instead of the ones it has.
    pub fn bind(&mut self, command: Command, keys: Vec<Sequence>) {
        if let Some(place) = self.keys.get_mut(index(command)) {
            *place = keys;
        }
    }

    pub fn keys(&self, command: Command) -> &[Sequence] {
        self.keys.get(index(command)).map_or(&[], Vec::as_slice)
    }

    /// The one key of a command that can be pressed in a dialog in which
    /// letters are text: its first that is none, else the table's own.
    pub fn in_text(&self, command: Command) -> Option<KeyPress> {
        let own = || command::row(command).keys.iter().filter_map(|key| KeyPress::parse(key));
        let one = self.keys(command).iter().filter_map(|key| <[KeyPress; 1]>::try_from(key.as_slice()).ok());
        let mut all = one.map(|[key]| key).chain(own());
        all.find(|key_press| {
            key_press.typed().is_none()
                && (key_press.ctrl || key_press.alt || matches!(key_press.code, KeyCode::F(_)))
        })
    }

    pub fn named_in_text(&self, command: Command) -> String {
        self.in_text(command).map(|in_text| in_text.to_string()).unwrap_or_default()
    }

    /// All commands whose keys another one has in the same place, or has the
    /// beginning of.
    pub fn clashes(&self) -> Vec<Clash> {
        let mut found: Vec<Clash> = Vec::new();
        for places in TOGETHER {
            let mut all: Vec<(&Sequence, Command)> = Vec::new();
            for row in TABLE.iter().filter(|command_row| places.contains(&command_row.place)) {
                all.extend(self.keys(row.command).iter().map(|key| (key, row.command)));
            }
            // Beginnings come right before what goes on from them.
            all.sort_by_key(|(keys, _)| named(keys));
            for (at, (keys, one)) in all.iter().enumerate() {
                let goes_on =
                    |(longer, other): &&(&Sequence, Command)| longer.starts_with(keys) && other != one;
                for (longer, other) in all[at + 1..].iter().filter(goes_on) {
                    let longer = (longer != keys).then(|| (*longer).clone());
                    let clash = Clash { keys: (*keys).clone(), one: *one, other: *other, longer };
                    if !found.contains(&clash) {
                        found.push(clash);
                    }
                }
            }
        }
        found
    }

    /// Resolves the keys pressed so far; places are searched in the order
    /// given, and the first match wins.
    pub fn resolve(&self, places: &[CommandScope], pressed: &[KeyPress]) -> Resolution {
        let mut pending = false;
        for row in places.iter().flat_map(|place| rows(*place)) {
            for keys in self.keys(row.command) {
                if keys == pressed {
                    return Resolution::Matched(row.command);
                }
                pending |= keys.len() > pressed.len() && keys.starts_with(pressed);
            }
        }
        if pending { Resolution::Pending } else { Resolution::Unknown }
    }

    /// How the keys pressed so far can go on in these places: the next key of
    /// each command.
    pub fn continuations(&self, places: &[CommandScope], pressed: &[KeyPress]) -> Vec<(String, Command)> {
        let next = |keys: &Sequence| {
            let next = keys.get(pressed.len()).filter(|_| keys.starts_with(pressed))?;
            Some(next.to_string())
        };
        let rows = places.iter().flat_map(|place| rows(*place));
        rows.filter_map(|row| Some((self.keys(row.command).iter().find_map(next)?, row.command))).collect()
    }

    /// The first key of a command, as hints and sentences show it; what has no
    /// key is called by its name.
    pub fn first(&self, command: Command) -> String {
        match self.digits(command) {
            Some(digits) => digits,
            None => self
                .keys(command)
                .iter()
                .find(|key| self.comes(key))
                .map_or_else(|| format!(":{}", command::name(command)), named),
        }
    }

    /// All keys of a command, as help shows them.
    pub fn all(&self, command: Command) -> Vec<String> {
        match self.digits(command) {
            Some(digits) => vec![digits],
            None => self.keys(command).iter().filter(|key| self.comes(key)).map(named).collect(),
        }
    }

    /// Whether the terminal can send these keys, as far as is known.
    fn comes(&self, keys: &Sequence) -> bool {
        self.tells_shift_enter || !keys.iter().any(|key| key.code == KeyCode::Enter && key.shift)
    }

    /// The help line of a command, with the keys that are meant in it.
    pub fn doc(&self, command: Command) -> String {
        self.fill_in_keys(command::row(command).doc)
    }

    /// Words of this program in which `{command-name}` stands for its key.
    pub fn fill_in_keys(&self, words: &str) -> String {
        let mut out = String::new();
        let mut rest = words;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let called = after.split_once('}').and_then(|(name, rest)| Some((command::named(name)?, rest)));
            match called {
                Some((command, after)) => {
                    out.push_str(&self.first(command));
                    rest = after;
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

    /// Nine keys that differ in their digit are shown as one.
    fn digits(&self, command: Command) -> Option<String> {
        let keys = self.keys(command);
        let digits = |(at, keys): (usize, &Sequence)| ends_in_digit(keys) == u32::try_from(at + 1).ok();
        let all = command == Command::GoToTab && keys.len() == 9 && keys.iter().enumerate().all(digits);
        all.then(|| format!("{}-9", named(&keys[0])))
    }
}

/// The digit a sequence ends in, which says the number of a tab.
pub fn ends_in_digit(keys: &Sequence) -> Option<u32> {
    match keys.last()?.code {
        KeyCode::Char(it) => it.to_digit(10).filter(|digit| *digit > 0),
        KeyCode::F(number) => Some(u32::from(number)).filter(|number| *number < 10),
        _ => None,
    }
}

/// A sequence as people write it.
pub fn named(keys: &Sequence) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn rows(place: CommandScope) -> impl Iterator<Item = &'static CommandRow> {
    TABLE.iter().filter(move |command_row| command_row.place == place)
}

/// The enum is made from the table, in its order.
fn index(command: Command) -> usize {
    command as usize
}
