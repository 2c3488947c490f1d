//! Text that came faster than a person types: a paste the terminal did not mark, or keys that a
//! slow line brought together. A burst never sends anything, answers no question and is no series
//! of commands.
//!
//! | place | burst | becomes |
//! |---|---|---|
//! | command line, filter, search | one line | keys, its Enter too |
//! | a question | any | letters typed too early to be an answer |
//! | other popups, the composer | with a line break or a tab | a paste |
//! | other popups, the composer | without | keys |
//! | elsewhere | one line that begins with `:` or `/` | keys, its Enter too |
//! | elsewhere | words: eight characters and more, not one key repeated | ignored, with a message |
//! | elsewhere | fewer | keys; an Enter that reaches the composer is a line break |

use crate::Inbox;
use crate::event::Event;
use crate::keys::{KeyCode, KeyPress};

/// Characters from which a burst counts as words.
const MIN_TEXT_CHARS: usize = 8;
/// Minimum number of different characters in words; a held key repeats.
const MIN_DISTINCT_CHARS: usize = 4;

/// Returns the keys of a burst for the place that has the keyboard, `None` where a burst is taken whole. Line
/// breaks are Enter.
pub(crate) fn keys_of(inbox: &Inbox, text: &str) -> Option<Vec<Event>> {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let has_break = text.contains(['\n', '\t']);
    let is_one_line = !line.contains(['\n', '\t']);
    match inbox.context.overlays.last() {
        Some(top) if top.is_question() => None,
        Some(top) if top.is_line() && is_one_line => Some(pressed_keys(text)),
        Some(top) if has_break && (top.accepts_text() || is_text(text)) => None,
        Some(_) => Some(pressed_keys(text)),
        None if inbox.desk.is_typing() => match inbox.desk.tab().compose_header() {
            Some(_) if !text.contains('\n') => Some(typed_keys(text)),
            _ if has_break => None,
            _ => Some(typed_keys(text)),
        },
        None if is_one_line && line.starts_with([':', '/']) => Some(pressed_keys(text)),
        None if is_text(text) => None,
        None => Some(typed_keys(text)),
    }
}

/// Takes a burst whole: as a paste, or as letters typed too early to answer a question.
pub(crate) fn take_whole(inbox: &mut Inbox, text: &str) {
    if !inbox.context.overlays.last().is_some_and(|layer| layer.is_question()) {
        return paste(inbox, text);
    }
    inbox.context.guard.raise_after_burst(inbox.context.input_moment());
    text.chars().for_each(|character| inbox.handle_key(key(character)));
}

/// Acts on a line break of a burst whose first keys may have opened the composer.
pub(crate) fn break_line(inbox: &mut Inbox) {
    if inbox.context.overlays.is_empty() && inbox.desk.is_typing() {
        paste(inbox, "\n");
    } else {
        inbox.handle_key(KeyPress::plain(KeyCode::Enter));
    }
}

/// Pastes a burst, and says that nothing was sent where Enter would have.
fn paste(inbox: &mut Inbox, text: &str) {
    let would_send = inbox.context.overlays.is_empty()
        && inbox.desk.is_typing()
        && inbox.desk.tab().compose_header().is_none()
        && text.contains('\n');
    inbox.handle_paste(text);
    if would_send && inbox.context.refusal.is_none() {
        inbox.context.show_notice(inbox.context.fill_in_keys("pasted, not sent: {send} sends it"));
    }
}

fn is_text(text: &str) -> bool {
    let characters: Vec<char> = text.chars().filter(|character| !character.is_control()).collect();
    let mut kinds = characters.clone();
    kinds.sort_unstable();
    kinds.dedup();
    characters.len() >= MIN_TEXT_CHARS && kinds.len() >= MIN_DISTINCT_CHARS
}

/// The keys of a burst as a person would press them.
fn pressed_keys(text: &str) -> Vec<Event> {
    text.chars().map(|character| Event::Key(key(character))).collect()
}

fn key(character: char) -> KeyPress {
    KeyPress::plain(match character {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        _ => KeyCode::Char(character),
    })
}

/// The keys of a burst whose line breaks send nothing.
fn typed_keys(text: &str) -> Vec<Event> {
    let input = |character| match character {
        '\n' => Event::LineBreak,
        _ => Event::Key(key(character)),
    };
    text.chars().map(input).collect()
}
