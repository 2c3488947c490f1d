//! Help of plain mode: a few lines about the current place, or the description of one command.

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandRow, TABLE, VERBS, VerbRow};

/// Announced when a field opens.
pub(super) const FIELD_HELP: &str = "A line is typed into this field; back leaves it";
/// Words of plain mode that are no commands.
const PLAIN_WORDS: &[(&str, &str)] = &[
    ("list", "the conversations with their numbers"),
    ("3", "opens the third conversation"),
    ("again", "reads this place again"),
    ("back", "leaves a question, a field or a page"),
    ("text WORDS", "in a text or a field: writes these words, even if they are a command"),
];
/// Commands of the short help.
const SHORT_HELP_COMMANDS: &[Command] = &[
    Command::Take,
    Command::Reply,
    Command::Done,
    Command::Later,
    Command::NextUrgent,
    Command::Undo,
    Command::GoToOutbox,
    Command::ShowCredits,
    Command::Quit,
];

/// Returns help for the current place, or for one command.
pub fn help_lines(inbox: &Inbox, word: Option<&str>) -> Vec<String> {
    if let Some(word) = word {
        return explain_word(inbox, word);
    }
    let mut lines = input_help(inbox);
    lines.extend(PLAIN_WORDS.iter().map(|(word, doc)| format!("{word}: {doc}")));
    let words: Vec<&str> = SHORT_HELP_COMMANDS.iter().map(|entry| command::row(*entry).word).collect();
    lines.push(format!("Commands: {}", words.join(", ")));
    lines.push("help reply: what one command does; help all: every command of this place".to_owned());
    lines
}

/// Returns what the popup on top accepts; nothing without one.
pub fn input_help(inbox: &Inbox) -> Vec<String> {
    let Some(layer) = inbox.context.overlays.last() else { return Vec::new() };
    if layer.accepts_text() {
        return vec![FIELD_HELP.to_owned()];
    }
    let answers = layer.describe(inbox).key_lines();
    match answers.is_empty() {
        true => vec!["Type a shown letter or key, enter, or back".to_owned()],
        false => std::iter::once("Type one of the letters in brackets, or back:".to_owned())
            .chain(answers)
            .collect(),
    }
}

/// Describes the commands of a word; for `all` every command of the current place.
fn explain_word(inbox: &Inbox, word: &str) -> Vec<String> {
    let here = |row: &&CommandRow| inbox.desk.active_scopes().contains(&row.place);
    if word == "all" {
        let commands = TABLE.iter().filter(here).map(|command_row| describe_command(inbox, command_row));
        return commands.chain(VERBS.iter().map(describe_verb)).collect();
    }
    let called = |command_row: &&CommandRow| {
        command_row.word.to_lowercase() == word || command::name(command_row.command) == word
    };
    let own = PLAIN_WORDS.iter().filter(|pair| pair.0 == word).map(|(word, doc)| format!("{word}: {doc}"));
    let verbs = VERBS.iter().filter(|verb| verb.name == word).map(describe_verb);
    let near: Vec<&CommandRow> = TABLE.iter().filter(here).filter(called).collect();
    let rows = if near.is_empty() { TABLE.iter().filter(called).collect() } else { near };
    let lines: Vec<String> =
        own.chain(rows.into_iter().map(|row| describe_command(inbox, row))).chain(verbs).collect();
    if lines.is_empty() { vec![format!("{word:?} is not a command; help all lists them")] } else { lines }
}

fn describe_verb(row: &VerbRow) -> String {
    format!("{}: {}", row.usage().trim_start_matches(':'), row.doc)
}

/// Describes a command with its keys.
fn describe_command(inbox: &Inbox, row: &CommandRow) -> String {
    let keymap = &inbox.context.settings.keymap;
    let keys = match keymap.key_names(row.command) {
        keys if keys.is_empty() => String::new(),
        keys => format!(", or {}", keys.join(" or ")),
    };
    format!("{}{keys}: {}", row.word, keymap.doc_with_keys(row.command))
}
