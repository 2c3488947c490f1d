//! The help: keys of the current place on one screen. Takes every key while open; all other commands are
//! found by the palette.

use crate::Inbox;
use crate::command::{Command, TABLE};
use crate::hints;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::overlays::palette;
use crate::wrap;

/// First keys of sequences, each shown as one entry.
const PREFIXES: [(&str, &str); 5] =
    [("g", "places"), ("y", "copy"), ("V", "bulk marks"), (",", "sort orders"), ("@", "invitation")];
/// Columns of an entry with the gap behind it.
pub const ENTRY_WIDTH: u16 = 25;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Help {
    /// Reason why the last key did nothing.
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpEntry {
    pub key: String,
    pub word: String,
}

/// Keys of the current place that can be pressed now: those of the last line first, then the rest in the
/// order of the table, with one entry for each prefix; at most `limit`.
pub fn help_entries(inbox: &Inbox, limit: usize) -> Vec<HelpEntry> {
    let keymap = &inbox.context.settings.keymap;
    let first = hints::place_commands(inbox).iter().copied();
    let scopes = inbox.desk.active_scopes();
    let rest = scopes.iter().flat_map(|scope| TABLE.iter().filter(move |row| row.place == *scope));
    let mut shown: Vec<Command> = Vec::new();
    let mut entries: Vec<HelpEntry> = Vec::new();
    let all = first.map(|command| (command, true)).chain(rest.map(|row| (row.command, false)));
    for (command, is_first) in all {
        let Some(keys) = keymap.keys(command).first().filter(|_| !shown.contains(&command)) else { continue };
        shown.push(command);
        if inbox.check_enabled(command).is_err() {
            continue;
        }
        let prefix = keys.first().map(ToString::to_string).filter(|_| keys.len() > 1 && !is_first);
        let prefix = prefix.and_then(|key| PREFIXES.iter().find(|(prefix, _)| *prefix == key));
        let entry = match prefix {
            Some((key, word)) => HelpEntry { key: format!("{key} …"), word: (*word).to_owned() },
            None => HelpEntry {
                key: keymap.first_key_name(command),
                word: hints::hint_word(inbox, command).to_owned(),
            },
        };
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries.truncate(limit);
    entries
}

/// Columns of the widest key.
pub fn key_width(entries: &[HelpEntry]) -> u16 {
    let widest = entries.iter().map(|entry| wrap::cells(&entry.key)).max().unwrap_or(0);
    u16::try_from(widest).unwrap_or(u16::MAX)
}

impl Overlay for Help {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let keymap = &inbox.context.settings.keymap;
        let has_key = |command: Command| keymap.keys(command).contains(&vec![key]);
        if has_key(Command::OpenPalette) {
            palette::open_palette(inbox);
            return KeyOutcome::Done;
        }
        let closes = match key.code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('?' | 'q') => true,
            KeyCode::Char('c') => key.ctrl,
            _ => false,
        };
        if closes || has_key(Command::Help) || has_key(Command::HelpInText) {
            return KeyOutcome::Done;
        }
        let palette = keymap.first_key_name(Command::OpenPalette);
        self.message = Some(format!("{key} does nothing in the help · {palette} finds any command"));
        KeyOutcome::Stay
    }
}

/// Name of the current place, for the title.
pub fn place_name(inbox: &Inbox) -> &'static str {
    inbox.desk.active_scopes().first().map_or("", |scope| scope.heading())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;

    #[test]
    fn every_prefix_begins_a_sequence_of_the_table() {
        for (prefix, _) in PREFIXES {
            let begins = |keys: &&str| keys.starts_with(&format!("{prefix} "));
            assert!(TABLE.iter().any(|row| row.keys.iter().any(begins)), "{prefix}");
        }
    }

    #[test]
    fn labels_fit_into_an_entry() {
        for row in TABLE {
            let key = row.keys.first().map_or(0, |key| wrap::cells(key));
            let cells = key + 2 + wrap::cells(row.word);
            assert!(cells < usize::from(ENTRY_WIDTH), "{} {}", command::name(row.command), row.word);
        }
    }
}
