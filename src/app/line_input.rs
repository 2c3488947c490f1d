//! The plain mode's way in: a line of words becomes what its keys would do.
//! A command is called by its word or its key; where text is written, a line
//! is the text.
//!
//! Knows nothing of what a command does.

use crate::app::App;
use crate::app::commands::{Command, Row, TABLE};
use crate::app::event::Event;
use crate::app::keys::{Key, KeyCode};

/// How a question is answered.
const ANSWERS: &str = "say one of the letters in brackets, or an empty line to go back";

/// What a line means.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// Nothing to do but to read the place out again.
    Again,
    /// The conversations of this list, with their numbers.
    List,
    /// The words that can be said here.
    Help,
    /// What its keys would do.
    Events(Vec<Event>),
    /// Nothing; the words say why and what to do.
    Unknown(String),
}

/// Reads a line as it came, without its end.
pub fn read(app: &App, line: &str) -> Line {
    let words = line.trim();
    if !app.layers.is_empty() {
        return answer(app, words);
    }
    if app.is_typing() {
        return Line::Events(text(app, line));
    }
    match words.to_lowercase().as_str() {
        "" | "again" => Line::Again,
        "list" => Line::List,
        "help" => Line::Help,
        lower => match (number(lower), keys(app, words)) {
            (Some(number), _) => nth(app, number),
            (None, Some(keys)) => Line::Events(keys.into_iter().map(Event::Key).collect()),
            (None, None) => Line::Unknown(format!("{words:?} is no word here; say help for those there are")),
        },
    }
}

/// A question takes the letter of an answer, anything else a text and Enter;
/// an empty line goes back.
fn answer(app: &App, words: &str) -> Line {
    let is_question = app.layers.last().is_some_and(|it| it.is_question());
    let events = match (words.to_lowercase().as_str(), is_question) {
        ("" | "back" | "cancel" | "esc", _) => vec![Event::Key(Key::plain(KeyCode::Esc))],
        ("enter", _) => vec![Event::Key(Key::plain(KeyCode::Enter))],
        ("yes", true) => vec![typed('y')],
        ("no", true) => vec![typed('n')],
        (word, true) => match word.chars().collect::<Vec<_>>()[..] {
            [letter] => vec![typed(letter)],
            // A command meant for elsewhere must not answer by its first letter.
            _ => return Line::Unknown(format!("{words:?} answers nothing here: {ANSWERS}")),
        },
        (_, false) => match Key::parse(words).filter(|it| it.typed().is_none()) {
            Some(key) => vec![Event::Key(key)],
            None if words.chars().count() == 1 => words.chars().map(typed).collect(),
            None => words.chars().map(typed).chain([Event::Key(Key::plain(KeyCode::Enter))]).collect(),
        },
    };
    Line::Events(events)
}

fn typed(it: char) -> Event {
    Event::Key(Key::plain(KeyCode::Char(it)))
}

/// A line of text is sent; one that ends with a backslash goes on in the
/// next; an empty one leaves the composer.
fn text(app: &App, line: &str) -> Vec<Event> {
    if line.trim().is_empty() {
        return press(app, Command::Leave);
    }
    // What is there already is a line of its own.
    let so_far = app.tab().composer.as_ref().map(|it| it.sheet().text()).unwrap_or_default();
    let gap = if so_far.is_empty() || so_far.ends_with('\n') { "" } else { "\n" };
    match line.strip_suffix('\\') {
        Some(part) => vec![Event::Paste(format!("{gap}{part}\n"))],
        None => [Event::Paste(format!("{gap}{line}"))].into_iter().chain(press(app, Command::Send)).collect(),
    }
}

/// The keys that call a command.
fn press(app: &App, command: Command) -> Vec<Event> {
    let keys = app.settings.keymap.keys(command).first();
    keys.into_iter().flatten().copied().map(Event::Key).collect()
}

/// `3` or `open 3`.
fn number(words: &str) -> Option<usize> {
    words.strip_prefix("open ").unwrap_or(words).trim().parse().ok()
}

/// Opens the conversation of this number in the list.
fn nth(app: &App, number: usize) -> Line {
    let rows = &app.list().page.rows;
    match number.checked_sub(1).filter(|it| *it < rows.len()) {
        Some(index) => {
            let back = Event::Key(Key::plain(KeyCode::Esc));
            let at = app.list().index().unwrap_or(0);
            let step = press(app, if index >= at { Command::Down } else { Command::Up });
            let steps = std::iter::repeat_n(step, index.abs_diff(at)).flatten();
            Line::Events(std::iter::once(back).chain(steps).chain(press(app, Command::Open)).collect())
        }
        None => Line::Unknown(format!("there are {} conversations at hand; say list", rows.len())),
    }
}

/// The keys of the command called so where it can be called here, or the keys
/// themselves.
fn keys(app: &App, words: &str) -> Option<Vec<Key>> {
    if let Some(number) = words.strip_prefix("tab ") {
        return Key::parse(number.trim()).map(|it| vec![it]);
    }
    let lower = words.to_lowercase();
    let places = app.places();
    let mut rows = places.iter().flat_map(|place| TABLE.iter().filter(move |it| it.place == *place));
    let sequence = |row: &Row| app.settings.keymap.keys(row.command).first().cloned();
    let named = rows.find(|it| it.word.to_lowercase() == lower).and_then(sequence);
    named.or_else(|| Key::parse_sequence(words))
}
