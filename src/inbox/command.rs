//! What a command is: its name, where its keys act, and what its row of the
//! table says. The rows stand in `commands.rs`, with what each does.

/// Why a command cannot be done now, in words for the status line.
pub type Reason = String;

/// Where a command's keys act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandScope {
    List,
    History,
    /// The list and the history: wherever a conversation is selected or open.
    Conversation,
    Rows,
    Outbox,
    Proposals,
    /// The review queue.
    Reviews,
    /// The people.
    People,
    Webhooks,
    Broadcasts,
    /// The pages with a search: the people and what comes behind them.
    Deck,
    /// Going through threads of mails.
    Triage,
    /// Every pane that is not a text field.
    Desk,
    Composer,
}

impl CommandScope {
    /// The heading in help.
    pub fn heading(self) -> &'static str {
        match self {
            Self::List => "Conversation list",
            Self::History => "Messages",
            Self::Conversation => "The selected conversation",
            Self::Rows => "Pages of rows",
            Self::Outbox => "Outbox",
            Self::Proposals => "Proposals",
            Self::Reviews => "Review queue",
            Self::People => "People",
            Self::Webhooks => "Webhooks",
            Self::Broadcasts => "Broadcasts",
            Self::Deck => "People and other lists",
            Self::Triage => "Triage of mail",
            Self::Desk => "Everywhere but in text",
            Self::Composer => "Composer",
        }
    }

    /// All places in the order help shows them.
    pub const ALL: [Self; 14] = [
        Self::Conversation,
        Self::List,
        Self::History,
        Self::Triage,
        Self::Outbox,
        Self::Proposals,
        Self::Reviews,
        Self::People,
        Self::Webhooks,
        Self::Broadcasts,
        Self::Deck,
        Self::Rows,
        Self::Desk,
        Self::Composer,
    ];
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct CommandRow {
    pub command: Command,
    ident: &'static str,
    pub place: CommandScope,
    /// Key sequences; the first is the one hints show. A person may choose
    /// others: [`crate::keymap`].
    pub keys: &'static [&'static str],
    pub word: &'static str,
    /// One line for help, in which `{name}` stands for that command's key.
    pub doc: &'static str,
}

macro_rules! rows {
    ($($name:ident $place:ident [$($keys:literal),*] $word:literal $doc:literal => $enabled:path, $run:path;)*) => {
        /// What a person can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $doc] $name,)*
        }

        /// The table, in the order help shows it.
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

/// A command of the line that is followed by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbRow {
    pub name: &'static str,
    /// What follows it, for help: in brackets if it may be left out, empty if
    /// nothing does.
    pub takes: &'static str,
    pub doc: &'static str,
}

impl VerbRow {
    /// Whether it means nothing alone.
    pub fn needs_words(&self) -> bool {
        !self.takes.is_empty() && !self.takes.starts_with('[')
    }

    /// As it is typed: its name, and what follows it.
    pub fn typed(&self) -> String {
        format!(":{} {}", self.name, self.takes).trim_end().to_owned()
    }
}

macro_rules! verbs {
    ($($name:literal $takes:literal $doc:literal => $run:path, $known:path;)*) => {
        /// The verbs, in the order help shows them.
        pub const VERBS: &[VerbRow] = &[$(VerbRow { name: $name, takes: $takes, doc: $doc },)*];
    };
}

each_verb!(verbs);

/// Above the verbs where they are listed.
pub const VERBS_HEADING: &str = "Typed after :, with what follows";

/// The name a command is called by: stable, with dashes.
pub fn name(command: Command) -> String {
    let mut name = String::new();
    for it in row(command).ident.chars() {
        if it.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(it.to_ascii_lowercase());
    }
    name
}

pub fn named(name: &str) -> Option<Command> {
    let found =
        TABLE.iter().map(|command_row| command_row.command).find(|command| self::name(*command) == name);
    found.or(match name {
        "q" => Some(Command::Quit),
        _ => None,
    })
}

pub fn row(command: Command) -> &'static CommandRow {
    // Every command comes from a row, so the first row is never reached.
    TABLE.iter().find(|command_row| command_row.command == command).unwrap_or(&TABLE[0])
}

/// The one of these that is called so, or the only one that begins so.
pub(crate) fn pick(what: &str, name: &str, all: &[String]) -> Result<usize, String> {
    let lower = name.to_lowercase();
    if let Some(index) = all.iter().position(|text| text.to_lowercase() == lower) {
        return Ok(index);
    }
    let mut begun = all.iter().enumerate().filter(|(_, text)| text.to_lowercase().starts_with(&lower));
    match (begun.next(), begun.next()) {
        (Some((index, _)), None) => Ok(index),
        _ => Err(format!("there is no {what} {name:?}; there are {}", all.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_words() {
        for row in TABLE {
            assert!(
                !row.keys.is_empty() && !row.word.is_empty() && !row.doc.ends_with('.'),
                "{:?}",
                row.command
            );
        }
    }
}
