//! A command: name, scope and row of the table. `commands.rs` has the rows and their functions.

/// Reason why a command cannot run now, for the status line.
pub type Reason = String;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandScope {
    List,
    History,
    Card,
    /// List and history: wherever a conversation is selected or open.
    Conversation,
    Rows,
    Outbox,
    Proposals,
    Reviews,
    People,
    Webhooks,
    Templates,
    Broadcasts,
    /// Pages with a search: people and the pages after them.
    Deck,
    Triage,
    /// Every pane that is not a text field.
    Desk,
    Composer,
}

impl CommandScope {
    pub fn heading(self) -> &'static str {
        match self {
            Self::List => "Conversation list",
            Self::History => "Messages",
            Self::Card => "The customer's card",
            Self::Conversation => "The selected conversation",
            Self::Rows => "Lists",
            Self::Outbox => "Outbox",
            Self::Proposals => "Proposals",
            Self::Reviews => "Review queue",
            Self::People => "People",
            Self::Webhooks => "Webhooks",
            Self::Templates => "Templates",
            Self::Broadcasts => "Broadcasts",
            Self::Deck => "People and other lists",
            Self::Triage => "Mail triage",
            Self::Desk => "Everywhere except in text",
            Self::Composer => "Composer",
        }
    }

    /// In the order help shows them.
    pub const ALL: [Self; 16] = [
        Self::Conversation,
        Self::List,
        Self::History,
        Self::Card,
        Self::Triage,
        Self::Outbox,
        Self::Proposals,
        Self::Reviews,
        Self::People,
        Self::Webhooks,
        Self::Templates,
        Self::Broadcasts,
        Self::Deck,
        Self::Rows,
        Self::Desk,
        Self::Composer,
    ];
}

#[derive(Debug, Clone, Copy)]
pub struct CommandRow {
    pub command: Command,
    ident: &'static str,
    pub place: CommandScope,
    /// Default key sequences; hints show the first. [`crate::keymap`] holds the configured ones.
    pub keys: &'static [&'static str],
    pub word: &'static str,
    /// One line for help, in which `{name}` is replaced by that command's key.
    pub doc: &'static str,
}

macro_rules! rows {
    ($($name:ident $place:ident [$($keys:literal),*] $word:literal $doc:literal => $enabled:path, $run:path;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $doc] $name,)*
        }

        /// In the order help shows them.
        pub const TABLE: &[CommandRow] = &[
            $(CommandRow {
                command: Command::$name,
                ident: stringify!($name),
                place: CommandScope::$place,
                keys: &[$($keys),*],
                word: $word,
                doc: $doc,
            },)*
        ];
    };
}

each_command!(rows);

/// A `:` command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbRow {
    pub name: &'static str,
    /// Argument, for help: in brackets if optional, empty if there is none.
    pub takes: &'static str,
    pub doc: &'static str,
}

impl VerbRow {
    pub fn needs_argument(&self) -> bool {
        !self.takes.is_empty() && !self.takes.starts_with('[')
    }

    pub fn usage(&self) -> String {
        format!(":{} {}", self.name, self.takes).trim_end().to_owned()
    }
}

macro_rules! verbs {
    ($($name:literal $takes:literal $doc:literal => $run:path, $known:path;)*) => {
        /// In the order help shows them.
        pub const VERBS: &[VerbRow] = &[$(VerbRow { name: $name, takes: $takes, doc: $doc },)*];
    };
}

each_verb!(verbs);

pub const VERBS_HEADING: &str = "Typed after :, with arguments";

/// Stable name of a command, with dashes.
pub fn name(command: Command) -> String {
    let mut name = String::new();
    for character in row(command).ident.chars() {
        if character.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
}

pub fn find_by_name(name: &str) -> Option<Command> {
    let found =
        TABLE.iter().map(|command_row| command_row.command).find(|command| self::name(*command) == name);
    found.or(match name {
        "q" => Some(Command::Quit),
        _ => None,
    })
}

pub fn row(command: Command) -> &'static CommandRow {
    // Every command comes from a row, so the fallback is never used.
    TABLE.iter().find(|command_row| command_row.command == command).unwrap_or(&TABLE[0])
}

/// Index of the entry with this name, or of the only one with this prefix.
pub(crate) fn find_by_prefix(what: &str, name: &str, all: &[String]) -> Result<usize, String> {
    let lower = name.to_lowercase();
    if let Some(index) = all.iter().position(|text| text.to_lowercase() == lower) {
        return Ok(index);
    }
    let mut begun = all.iter().enumerate().filter(|(_, text)| text.to_lowercase().starts_with(&lower));
    match (begun.next(), begun.next()) {
        (Some((index, _)), None) => Ok(index),
        _ => Err(format!("no {what} {name:?}; known: {}", all.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_words() {
        for row in TABLE {
            assert!(!row.word.is_empty() && !row.doc.ends_with('.'), "{:?}", row.command);
        }
    }
}
