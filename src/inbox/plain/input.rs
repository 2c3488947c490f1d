//! The plain mode's way in: a line of words becomes what its keys would do.
//!
//! A word that is a command is a command everywhere, or the reason why it is
//! none here; it is never taken letter by letter. Text goes only where a text
//! is being written, and `text WORDS` writes words that are a command, too.

use crate::Inbox;
use crate::command::{Command, CommandRow, CommandScope, TABLE, VERBS};
use crate::event::Event;
use crate::features::macros::recording::update as recording;
use crate::keyboard::ahead::update as ahead;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::OverlayInput;
use crate::tab::Focus;
use model::queries::ConversationKey;

/// What a line means.
#[derive(Debug, Clone, PartialEq)]
pub enum PlainCommand {
    /// Read the place out again.
    Again,
    /// The conversations of this list, with their numbers.
    List,
    /// What can be said here, or what one command does.
    Help(Option<String>),
    /// What its keys would do.
    Events(Vec<Event>),
    /// What is open has to be left first; then the line is read again.
    Elsewhere,
    /// Nothing; the words say why and what to do.
    Unknown(String),
}

/// What takes a line where the person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Here {
    /// The composer: a line is a text for the customer, or a note.
    Composer,
    /// A field of a form, a search, a picker.
    Field,
    /// A question or a menu: one of the letters it shows.
    Letters,
    Page,
}

fn here(inbox: &Inbox) -> Here {
    match inbox.context.layers.last() {
        Some(layer) if layer.takes_text() => Here::Field,
        Some(_) => Here::Letters,
        None if inbox.desk.is_typing() => Here::Composer,
        None => Here::Page,
    }
}

/// Reads a line as it came, without its end; these conversations were read out
/// with their numbers.
pub fn read(inbox: &Inbox, line: &str, listed: &[ConversationKey]) -> PlainCommand {
    let (words, here) = (line.trim(), here(inbox));
    // As on the command line.
    let words = words.strip_prefix(':').map(str::trim).filter(|_| here == Here::Page).unwrap_or(words);
    let said = words.to_lowercase();
    match (said.as_str(), here) {
        ("again", _) | ("", Here::Page) => return PlainCommand::Again,
        ("list", _) => return PlainCommand::List,
        ("help", _) => return PlainCommand::Help(None),
        ("" | "back" | "esc", Here::Composer) => return PlainCommand::Events(press(inbox, Command::Leave)),
        ("" | "back" | "cancel", Here::Field | Here::Letters) => {
            return PlainCommand::Events(vec![plain(KeyCode::Esc)]);
        }
        _ => (),
    }
    if let Some(text) = words.strip_prefix("text ").filter(|_| matches!(here, Here::Composer | Here::Field)) {
        return PlainCommand::Events(text_into(inbox, here, text));
    }
    // An answer goes before the command of the same name.
    if here == Here::Letters
        && let Some(events) = answer(inbox, words, &said)
    {
        return PlainCommand::Events(events);
    }
    if let Some(row) = row_of(inbox, &said) {
        return called(inbox, row, words, here);
    }
    let is_word = said == "enter" || VERBS.iter().any(|verb| verb.name == said);
    if is_word && (here == Here::Composer || here == Here::Field && key(words).is_none()) {
        return PlainCommand::Unknown(of_elsewhere(words));
    }
    match here {
        Here::Page => on_page(inbox, words, &said, listed),
        Here::Letters => PlainCommand::Unknown(format!("{words:?} answers nothing here")),
        Here::Composer => {
            match key(words).filter(|_| words.contains('-') || said == "esc" || said == "tab") {
                Some(key) => PlainCommand::Events(vec![Event::Key(key)]),
                None => PlainCommand::Events(text_into(inbox, here, line)),
            }
        }
        Here::Field => match key(words) {
            Some(key) => PlainCommand::Events(vec![Event::Key(key)]),
            None => PlainCommand::Events(text_into(inbox, here, words)),
        },
    }
}

/// A key by its name, where that is none of a character.
fn key(words: &str) -> Option<KeyPress> {
    KeyPress::parse(words).filter(|key_press| key_press.typed().is_none())
}

/// The letter of an answer or of an entry, or a key that moves in a menu.
fn answer(inbox: &Inbox, words: &str, said: &str) -> Option<Vec<Event>> {
    let asks = inbox.context.layers.last().is_some_and(|layer| layer.is_question());
    let mut letters = words.chars();
    let letter = match (letters.next().filter(|_| letters.as_str().is_empty()), said) {
        (Some(letter), _) => letter,
        (None, "yes") if asks => 'y',
        (None, "no") if asks => 'n',
        (None, "enter") => return Some(vec![plain(KeyCode::Enter)]),
        (None, _) => return key(words).map(|key| vec![Event::Key(key)]),
    };
    Some(vec![plain(KeyCode::Char(letter))])
}

/// The command of a word: of this place, else of any but the composer.
fn row_of(inbox: &Inbox, said: &str) -> Option<&'static CommandRow> {
    let places = inbox.desk.places();
    let called = |command_row: &&CommandRow| command_row.word.to_lowercase() == said;
    let near = places
        .iter()
        .flat_map(|place| TABLE.iter().filter(move |command_row| command_row.place == *place))
        .find(called);
    near.or_else(|| {
        TABLE.iter().filter(|command_row| command_row.place != CommandScope::Composer).find(called)
    })
}

fn called(inbox: &Inbox, row: &'static CommandRow, words: &str, here: Here) -> PlainCommand {
    let acts_here = inbox.desk.places().contains(&row.place);
    let why = match here {
        Here::Page | Here::Composer if acts_here => return PlainCommand::Events(press(inbox, row.command)),
        Here::Page => format!("{words:?} is a command of another place ({})", row.place.heading()),
        _ if row.place == CommandScope::Desk => return PlainCommand::Elsewhere,
        // A list or a text that is only read is left for it; a question is not.
        Here::Letters if !recording::asks_a_person(&inbox.context) && row.place != CommandScope::Composer => {
            return PlainCommand::Elsewhere;
        }
        Here::Letters => format!("{words:?} answers nothing here"),
        Here::Composer | Here::Field => of_elsewhere(words),
    };
    PlainCommand::Unknown(why)
}

/// Why a command is not taken for a text.
fn of_elsewhere(words: &str) -> String {
    format!(
        "{words:?} is a command, and not of this text: an empty line or back leaves the text, `text {words}` writes it"
    )
}

/// Whatever else can be said on a page: a number, keys, a command with what
/// follows it.
fn on_page(inbox: &Inbox, words: &str, said: &str, listed: &[ConversationKey]) -> PlainCommand {
    if let Some(number) = number(said) {
        return nth(inbox, number, listed);
    }
    if let Some(word) = said.strip_prefix("help ") {
        return PlainCommand::Help(Some(word.trim().to_owned()));
    }
    let tab = said
        .strip_prefix("tab ")
        .and_then(|text| KeyPress::parse(text.trim()))
        .map(|key_press| vec![key_press]);
    let keys = tab.or_else(|| KeyPress::parse_sequence(words)).or_else(|| together(inbox, words));
    if let Some(keys) = keys {
        return PlainCommand::Events(keys.into_iter().map(Event::Key).collect());
    }
    let is_verb = |name: &str| VERBS.iter().any(|verb| verb.name == name);
    let dashed = said.split_whitespace().collect::<Vec<_>>().join("-");
    let line = match words.split(' ').next() {
        Some(name) if is_verb(name) => Some(words.to_owned()),
        _ => Some(dashed).filter(|text| is_verb(text) || crate::command::named(text).is_some()),
    };
    if let Some(line) = line {
        let typed = [Event::Paste(line), plain(KeyCode::Enter)];
        return PlainCommand::Events(press(inbox, Command::CommandLine).into_iter().chain(typed).collect());
    }
    PlainCommand::Unknown(format!("{words:?} is not a command; help says what can be said here"))
}

/// Keys of a command without the blanks between them, such as `gb`.
fn together(inbox: &Inbox, words: &str) -> Option<Vec<KeyPress>> {
    let keys: Vec<KeyPress> =
        words.chars().map(|character| KeyPress::plain(KeyCode::Char(character))).collect();
    let matched = inbox.context.settings.keymap.resolve(&inbox.desk.places(), &keys);
    matches!(matched, Resolution::Matched(_)).then_some(keys)
}

fn plain(code: KeyCode) -> Event {
    Event::Key(KeyPress::plain(code))
}

/// In the composer a line of text is sent; one that ends with a backslash goes
/// on in the next. In a field it is filled in.
fn text_into(inbox: &Inbox, here: Here, line: &str) -> Vec<Event> {
    if here == Here::Field {
        let layer = inbox.context.layers.last();
        let into = match layer.is_some_and(|layer| layer.input() == OverlayInput::Text) {
            true => vec![Event::Paste(line.to_owned())],
            false => line.chars().map(|character| plain(KeyCode::Char(character))).collect(),
        };
        return into.into_iter().chain([plain(KeyCode::Enter)]).collect();
    }
    // What is there already is a line of its own.
    let so_far =
        inbox.desk.tab().composer.as_ref().map(|composer| composer.sheet().text()).unwrap_or_default();
    let gap = if so_far.is_empty() || so_far.ends_with('\n') { "" } else { "\n" };
    match line.strip_suffix('\\') {
        Some(part) => vec![Event::Paste(format!("{gap}{part}\n"))],
        None => {
            [Event::Paste(format!("{gap}{line}"))].into_iter().chain(press(inbox, Command::Send)).collect()
        }
    }
}

/// Whether a line is read only once what the one before it asked for is there.
pub fn waits(inbox: &Inbox) -> bool {
    ahead::keys_wait(inbox)
}

/// What leaves the text or the layer on top.
pub fn leaving(inbox: &Inbox) -> Vec<Event> {
    if inbox.context.layers.is_empty() { press(inbox, Command::Leave) } else { vec![plain(KeyCode::Esc)] }
}

/// The keys that call a command.
fn press(inbox: &Inbox, command: Command) -> Vec<Event> {
    let keys = inbox.context.settings.keymap.keys(command).first();
    keys.into_iter().flatten().copied().map(Event::Key).collect()
}

/// `3` or `open 3`.
fn number(said: &str) -> Option<usize> {
    said.strip_prefix("open ").unwrap_or(said).trim().parse().ok()
}

/// Opens the conversation that was read out under this number.
fn nth(inbox: &Inbox, number: usize, listed: &[ConversationKey]) -> PlainCommand {
    let rows = &inbox.desk.list().page.rows;
    if !inbox.desk.is_inbox_shown() {
        return PlainCommand::Unknown("numbers open conversations of the inbox; say inbox first".to_owned());
    }
    let Some(at) = number.checked_sub(1) else {
        return PlainCommand::Unknown("numbers begin with 1".to_owned());
    };
    let index = match listed.get(at) {
        Some(key) => rows.iter().position(|row| row.has_key(key)),
        None if listed.is_empty() && at < rows.len() => Some(at),
        None => None,
    };
    let Some(index) = index else {
        return PlainCommand::Unknown(format!(
            "no conversation of this list has number {number} now; say list"
        ));
    };
    let back = if inbox.desk.tab().focus == Focus::List { Vec::new() } else { press(inbox, Command::Back) };
    let from = inbox.desk.list().index().unwrap_or(0);
    let step = press(inbox, if index >= from { Command::Down } else { Command::Up });
    let steps = std::iter::repeat_n(step, index.abs_diff(from)).flatten();
    PlainCommand::Events(back.into_iter().chain(steps).chain(press(inbox, Command::Open)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_the_composer_hides_a_command_of_another_meaning() {
        // What these do is the same, or the same to the text that is written;
        // a triage decides over no thread while one is answered.
        let alike = ["palette", "help", "translate", "note", "leave", "later"];
        let of_composer = |command_row: &&CommandRow| command_row.place == CommandScope::Composer;
        for row in TABLE.iter().filter(of_composer).filter(|command_row| !alike.contains(&command_row.word)) {
            let other = TABLE.iter().find(|command_row| {
                command_row.place != CommandScope::Composer && command_row.word == row.word
            });
            assert_eq!(other.map(|other| other.command), None, "{:?}", row.word);
        }
    }
}
