//! The plain mode's help: what can be said where the person is, in a few lines,
//! and what one command does.

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandRow, TABLE, VERBS, VerbRow};
use crate::plain::frames_view::layer_lines;

/// What the plain mode's own words do.
const OWN: &[(&str, &str)] = &[
    ("list", "the conversations with their numbers"),
    ("3", "opens the third of them"),
    ("again", "where you are"),
    ("back", "leaves a question, a field or a page"),
    ("text WORDS", "in a text or a field: writes these words, also where they are a command"),
];
/// The commands a short help names.
const SHORT: &[Command] = &[
    Command::Reply,
    Command::PauseAi,
    Command::HandBack,
    Command::Close,
    Command::NextWaiting,
    Command::Undo,
    Command::GoToOutbox,
    Command::ShowCredits,
    Command::Quit,
];

/// What can be said where the person is; or what one command does.
pub fn help(inbox: &Inbox, word: Option<&str>) -> Vec<String> {
    if let Some(word) = word {
        return explained(inbox, word);
    }
    let mut lines = choices(inbox);
    lines.extend(OWN.iter().map(|(word, doc)| format!("{word}: {doc}")));
    let words: Vec<&str> = SHORT.iter().map(|entry| command::row(*entry).word).collect();
    lines.push(format!("Commands: {}", words.join(", ")));
    lines.push("help reply: what one command does; help all: every command of this place".to_owned());
    lines
}

/// What a question, a menu or a field takes; nothing on a page.
pub fn choices(inbox: &Inbox) -> Vec<String> {
    let Some(layer) = inbox.context.layers.last() else { return Vec::new() };
    if layer.takes_text() {
        return vec!["A line goes into this field; back leaves it".to_owned()];
    }
    let answers: Vec<String> =
        layer_lines(inbox).into_iter().filter(|layer_line| layer_line.contains('[')).collect();
    match answers.is_empty() {
        true => vec!["Say a letter or a key that is shown, enter, or back".to_owned()],
        false => std::iter::once("Say one of the letters in brackets, or back:".to_owned())
            .chain(answers)
            .collect(),
    }
}

/// What the commands of a word do; all of the place for `all`.
fn explained(inbox: &Inbox, word: &str) -> Vec<String> {
    let here = |row: &&CommandRow| inbox.desk.places().contains(&row.place);
    if word == "all" {
        let commands = TABLE.iter().filter(here).map(|command_row| spoken_key(inbox, command_row));
        return commands.chain(VERBS.iter().map(spoken_verb)).collect();
    }
    let called = |command_row: &&CommandRow| {
        command_row.word.to_lowercase() == word || command::name(command_row.command) == word
    };
    let own = OWN.iter().filter(|pair| pair.0 == word).map(|(word, doc)| format!("{word}: {doc}"));
    let verbs = VERBS.iter().filter(|verb| verb.name == word).map(spoken_verb);
    let near: Vec<&CommandRow> = TABLE.iter().filter(here).filter(called).collect();
    let rows = if near.is_empty() { TABLE.iter().filter(called).collect() } else { near };
    let lines: Vec<String> =
        own.chain(rows.into_iter().map(|row| spoken_key(inbox, row))).chain(verbs).collect();
    if lines.is_empty() { vec![format!("{word:?} is not a command; help all names them")] } else { lines }
}

/// A verb, what follows it and what it does.
fn spoken_verb(row: &VerbRow) -> String {
    format!("{}: {}", row.typed().trim_start_matches(':'), row.doc)
}

/// A command, its keys and what it does.
fn spoken_key(inbox: &Inbox, row: &CommandRow) -> String {
    let keymap = &inbox.context.settings.keymap;
    let keys = match keymap.all(row.command) {
        keys if keys.is_empty() => String::new(),
        keys => format!(", or {}", keys.join(" or ")),
    };
    format!("{}{keys}: {}", row.word, keymap.doc(row.command))
}
