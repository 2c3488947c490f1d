//! Input of plain mode: a line becomes the events of its keys.
//!
//! The word of a command calls it, or is refused with a reason; it is never read letter by letter. Other
//! text goes into the composer or a field. `text WORDS` writes words that would call a command.

use crate::Inbox;
use crate::command::{Command, CommandRow, CommandScope, TABLE, VERBS};
use crate::event::Event;
use crate::features::macros;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::OverlayInput;
use crate::tab::Focus;
use model::queries::ConversationKey;

/// Meaning of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum PlainCommand {
    /// Reads the place out again.
    RepeatPlace,
    /// Reads out the conversations of the list with their numbers.
    List,
    /// Help for the current place, or for one word.
    Help(Option<String>),
    Events(Vec<Event>),
    /// The popup or text has to be left first; then the line is parsed again.
    LeaveFirst,
    /// Reason why the line is refused, and what to do.
    Unknown(String),
}

/// Part of the screen that receives a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InputTarget {
    /// A line is a text for the customer, or a note.
    Composer,
    /// Field of a form, a search or a picker.
    Field,
    /// Question or menu, answered by one of the letters it shows.
    Menu,
    Page,
}

fn input_target(inbox: &Inbox) -> InputTarget {
    match inbox.context.overlays.last() {
        Some(layer) if layer.accepts_text() => InputTarget::Field,
        Some(_) => InputTarget::Menu,
        None if inbox.desk.is_typing() => InputTarget::Composer,
        None => InputTarget::Page,
    }
}

/// Parses a line without its end. `listed` are the conversations in the order of their numbers.
pub fn parse_line(inbox: &Inbox, line: &str, listed: &[ConversationKey]) -> PlainCommand {
    let (words, here) = (line.trim(), input_target(inbox));
    // A colon is allowed, as on the command line.
    let words = words.strip_prefix(':').map(str::trim).filter(|_| here == InputTarget::Page).unwrap_or(words);
    let said = words.to_lowercase();
    match (said.as_str(), here) {
        ("again", _) | ("", InputTarget::Page) => return PlainCommand::RepeatPlace,
        ("list", _) => return PlainCommand::List,
        ("help", _) => return PlainCommand::Help(None),
        ("" | "back" | "esc", InputTarget::Composer) => {
            return PlainCommand::Events(command_events(inbox, Command::Leave));
        }
        ("" | "back" | "cancel", InputTarget::Field | InputTarget::Menu) => {
            return PlainCommand::Events(vec![key_event(KeyCode::Esc)]);
        }
        _ => (),
    }
    if let Some(text) =
        words.strip_prefix("text ").filter(|_| matches!(here, InputTarget::Composer | InputTarget::Field))
    {
        return PlainCommand::Events(text_events(inbox, here, text));
    }
    // Help about a command is neither a text nor an answer.
    let topic = said.strip_prefix("help ").map(str::trim).filter(|_| here != InputTarget::Field);
    if let Some(word) = topic.filter(|word| *word == "all" || find_row(inbox, word).is_some()) {
        return PlainCommand::Help(Some(word.to_owned()));
    }
    // An answer precedes the command of the same name.
    if here == InputTarget::Menu
        && let Some(events) = parse_answer(inbox, words, &said)
    {
        return PlainCommand::Events(events);
    }
    if let Some(row) = find_row(inbox, &said) {
        return call_row(inbox, row, words, here);
    }
    let is_word = said == "enter" || VERBS.iter().any(|verb| verb.name == said);
    if is_word
        && (here == InputTarget::Composer || here == InputTarget::Field && parse_named_key(words).is_none())
    {
        return PlainCommand::Unknown(not_text_message(words));
    }
    match here {
        InputTarget::Page => parse_page_line(inbox, words, &said, listed),
        InputTarget::Menu => PlainCommand::Unknown(format!("{words:?} is not an answer here")),
        InputTarget::Composer => {
            match parse_named_key(words).filter(|_| words.contains('-') || said == "esc" || said == "tab") {
                Some(key) => PlainCommand::Events(vec![Event::Key(key)]),
                None => PlainCommand::Events(text_events(inbox, here, line)),
            }
        }
        InputTarget::Field => match parse_named_key(words) {
            Some(key) => PlainCommand::Events(vec![Event::Key(key)]),
            None => PlainCommand::Events(text_events(inbox, here, words)),
        },
    }
}

/// Parses the name of a key that types no character.
fn parse_named_key(words: &str) -> Option<KeyPress> {
    KeyPress::parse(words).filter(|key_press| key_press.typed().is_none())
}

/// Parses the letter of an answer or of an entry, or a key that moves in a menu.
fn parse_answer(inbox: &Inbox, words: &str, said: &str) -> Option<Vec<Event>> {
    let asks = inbox.context.overlays.last().is_some_and(|layer| layer.is_question());
    let mut letters = words.chars();
    let letter = match (letters.next().filter(|_| letters.as_str().is_empty()), said) {
        (Some(letter), _) => letter,
        (None, "yes") if asks => 'y',
        (None, "no") if asks => 'n',
        (None, "enter") => return Some(vec![key_event(KeyCode::Enter)]),
        (None, _) => return parse_named_key(words).map(|key| vec![Event::Key(key)]),
    };
    Some(vec![key_event(KeyCode::Char(letter))])
}

/// Finds the command of a word: in the current place, else in any but the composer.
fn find_row(inbox: &Inbox, said: &str) -> Option<&'static CommandRow> {
    let places = inbox.desk.active_scopes();
    let called = |command_row: &&CommandRow| command_row.word.to_lowercase() == said;
    let near = places
        .iter()
        .flat_map(|place| TABLE.iter().filter(move |command_row| command_row.place == *place))
        .find(called);
    near.or_else(|| {
        TABLE.iter().filter(|command_row| command_row.place != CommandScope::Composer).find(called)
    })
}

fn call_row(inbox: &Inbox, row: &'static CommandRow, words: &str, here: InputTarget) -> PlainCommand {
    let acts_here = inbox.desk.active_scopes().contains(&row.place);
    let why = match here {
        // Customers often receive just this word.
        InputTarget::Composer if row.command == Command::DoneInText => not_text_message(words),
        InputTarget::Page | InputTarget::Composer if acts_here => {
            return PlainCommand::Events(command_events(inbox, row.command));
        }
        InputTarget::Page => format!("{words:?} works only in another place ({})", row.place.heading()),
        _ if row.place == CommandScope::Desk => return PlainCommand::LeaveFirst,
        // A list or a text is left for the command; a question is not.
        InputTarget::Menu
            if !macros::is_question_open(&inbox.context) && row.place != CommandScope::Composer =>
        {
            return PlainCommand::LeaveFirst;
        }
        InputTarget::Menu => format!("{words:?} is not an answer here"),
        InputTarget::Composer | InputTarget::Field => not_text_message(words),
    };
    PlainCommand::Unknown(why)
}

/// Explains why a command is not written as text.
fn not_text_message(words: &str) -> String {
    format!(
        "{words:?} is a command that does not work in a text: an empty line or back leaves the text, `text \
         {words}` writes the word"
    )
}

/// Parses a line on a page: a number, keys, or a command with its argument.
fn parse_page_line(inbox: &Inbox, words: &str, said: &str, listed: &[ConversationKey]) -> PlainCommand {
    if let Some(number) = parse_number(said) {
        return open_listed(inbox, number, listed);
    }
    if let Some(word) = said.strip_prefix("help ") {
        return PlainCommand::Help(Some(word.trim().to_owned()));
    }
    let tab = said
        .strip_prefix("tab ")
        .and_then(|text| KeyPress::parse(text.trim()))
        .map(|key_press| vec![key_press]);
    let keys = tab.or_else(|| KeyPress::parse_sequence(words)).or_else(|| parse_joined_keys(inbox, words));
    if let Some(keys) = keys {
        return PlainCommand::Events(keys.into_iter().map(Event::Key).collect());
    }
    let is_verb = |name: &str| VERBS.iter().any(|verb| verb.name == name);
    let dashed = said.split_whitespace().collect::<Vec<_>>().join("-");
    let line = match words.split(' ').next() {
        Some(name) if is_verb(name) => Some(words.to_owned()),
        _ => Some(dashed).filter(|text| is_verb(text) || crate::command::find_by_name(text).is_some()),
    };
    if let Some(line) = line {
        let typed = [Event::Paste(line), key_event(KeyCode::Enter)];
        return PlainCommand::Events(
            command_events(inbox, Command::CommandLine).into_iter().chain(typed).collect(),
        );
    }
    PlainCommand::Unknown(format!("{words:?} is not a command; help lists the commands"))
}

/// Parses the keys of a command without spaces, such as `gb`.
fn parse_joined_keys(inbox: &Inbox, words: &str) -> Option<Vec<KeyPress>> {
    let keys: Vec<KeyPress> =
        words.chars().map(|character| KeyPress::plain(KeyCode::Char(character))).collect();
    let matched = inbox.context.settings.keymap.resolve(&inbox.desk.active_scopes(), &keys);
    matches!(matched, Resolution::Matched(_)).then_some(keys)
}

fn key_event(code: KeyCode) -> Event {
    Event::Key(KeyPress::plain(code))
}

/// Returns the events that send a line from the composer, or fill in a field. A line that ends with a
/// backslash is continued by the next.
fn text_events(inbox: &Inbox, here: InputTarget, line: &str) -> Vec<Event> {
    if here == InputTarget::Field {
        let layer = inbox.context.overlays.last();
        let into = match layer.is_some_and(|layer| layer.input() == OverlayInput::Text) {
            true => vec![Event::Paste(line.to_owned())],
            false => line.chars().map(|character| key_event(KeyCode::Char(character))).collect(),
        };
        return into.into_iter().chain([key_event(KeyCode::Enter)]).collect();
    }
    // The text so far keeps its own line.
    let so_far =
        inbox.desk.tab().composer.as_ref().map(|composer| composer.buffer().text()).unwrap_or_default();
    let gap = if so_far.is_empty() || so_far.ends_with('\n') { "" } else { "\n" };
    match line.strip_suffix('\\') {
        Some(part) => vec![Event::Paste(format!("{gap}{part}\n"))],
        None => [Event::Paste(format!("{gap}{line}"))]
            .into_iter()
            .chain(command_events(inbox, Command::Send))
            .collect(),
    }
}

/// Returns the events that leave the text or the popup on top.
pub fn leave_events(inbox: &Inbox) -> Vec<Event> {
    if inbox.context.overlays.is_empty() {
        command_events(inbox, Command::Leave)
    } else {
        vec![key_event(KeyCode::Esc)]
    }
}

/// Returns the events of a command's first keys.
fn command_events(inbox: &Inbox, command: Command) -> Vec<Event> {
    let keys = inbox.context.settings.keymap.keys(command).first();
    keys.into_iter().flatten().copied().map(Event::Key).collect()
}

/// Parses `3` or `open 3`.
fn parse_number(said: &str) -> Option<usize> {
    said.strip_prefix("open ").unwrap_or(said).trim().parse().ok()
}

/// Opens the conversation of a number that was read out.
fn open_listed(inbox: &Inbox, number: usize, listed: &[ConversationKey]) -> PlainCommand {
    let rows = &inbox.desk.list().page.rows;
    if !inbox.desk.is_inbox_shown() {
        return PlainCommand::Unknown("numbers open conversations in the inbox; type inbox first".to_owned());
    }
    let Some(at) = number.checked_sub(1) else {
        return PlainCommand::Unknown("numbers start at 1".to_owned());
    };
    let index = match listed.get(at) {
        Some(key) => rows.iter().position(|row| row.has_key(key)),
        None if listed.is_empty() && at < rows.len() => Some(at),
        None => None,
    };
    let Some(index) = index else {
        return PlainCommand::Unknown(format!(
            "no conversation has number {number} in this list now; type list"
        ));
    };
    let back =
        if inbox.desk.tab().focus == Focus::List { Vec::new() } else { command_events(inbox, Command::Back) };
    let from = inbox.desk.list().index().unwrap_or(0);
    let step = command_events(inbox, if index >= from { Command::Down } else { Command::Up });
    let steps = std::iter::repeat_n(step, index.abs_diff(from)).flatten();
    PlainCommand::Events(back.into_iter().chain(steps).chain(command_events(inbox, Command::Open)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_the_composer_hides_a_command_of_another_meaning() {
        // These do the same in both places, or the same to the text; a triage decides nothing while a
        // thread is answered.
        let alike = ["palette", "help", "translate", "note", "leave", "later", "done"];
        let of_composer = |command_row: &&CommandRow| command_row.place == CommandScope::Composer;
        for row in TABLE.iter().filter(of_composer).filter(|command_row| !alike.contains(&command_row.word)) {
            let other = TABLE.iter().find(|command_row| {
                command_row.place != CommandScope::Composer && command_row.word == row.word
            });
            assert_eq!(other.map(|other| other.command), None, "{:?}", row.word);
        }
    }
}
