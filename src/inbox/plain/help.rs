//! The plain mode's help: what can be said where the person is, in a few lines,
//! and what one command does.

use crate::Inbox;
use crate::command_line::VERBS;
use crate::commands;
use crate::commands::{Command, CommandRow, TABLE};
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
    let words: Vec<&str> = SHORT.iter().map(|it| commands::row(*it).word).collect();
    lines.push(format!("Commands: {}", words.join(", ")));
    lines.push("help reply: what one command does; help all: every command of this place".to_owned());
    lines
}

/// What a question, a menu or a field takes; nothing on a page.
pub fn choices(inbox: &Inbox) -> Vec<String> {
    let Some(layer) = inbox.layers.last() else { return Vec::new() };
    if layer.takes_text() {
        return vec!["A line goes into this field; back leaves it".to_owned()];
    }
    let answers: Vec<String> = layer_lines(inbox).into_iter().filter(|it| it.contains('[')).collect();
    match answers.is_empty() {
        true => vec!["Say a letter or a key that is shown, enter, or back".to_owned()],
        false => std::iter::once("Say one of the letters in brackets, or back:".to_owned())
            .chain(answers)
            .collect(),
    }
}

/// What the commands of a word do; all of the place for `all`.
fn explained(inbox: &Inbox, word: &str) -> Vec<String> {
    let here = |row: &&CommandRow| inbox.places().contains(&row.place);
    if word == "all" {
        return TABLE.iter().filter(here).map(|it| spoken_key(inbox, it)).collect();
    }
    let called = |it: &&CommandRow| it.word.to_lowercase() == word || commands::name(it.command) == word;
    let own = OWN.iter().filter(|it| it.0 == word).map(|(word, doc)| format!("{word}: {doc}"));
    let verbs =
        VERBS.iter().filter(|it| it.name == word).map(|it| format!("{} {}: {}", it.name, it.takes, it.doc));
    let near: Vec<&CommandRow> = TABLE.iter().filter(here).filter(called).collect();
    let rows = if near.is_empty() { TABLE.iter().filter(called).collect() } else { near };
    let lines: Vec<String> =
        own.chain(rows.into_iter().map(|it| spoken_key(inbox, it))).chain(verbs).collect();
    if lines.is_empty() { vec![format!("{word:?} is not a command; help all names them")] } else { lines }
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
