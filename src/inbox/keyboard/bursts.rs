//! Text that came faster than a person types: a paste the terminal did not mark, or keys that a slow
//! line brought together. A burst never sends anything, answers no question and is no series of
//! commands.
//!
//! | place | burst | becomes |
//! |---|---|---|
//! | command line, filter, search | one line | keys, its Enter too |
//! | a question | any | letters typed too early to be an answer |
//! | other popups, the composer | with a line break or a tab | a paste |
//! | other popups, the composer | without | keys |
//! | elsewhere | one line that begins with `:` or `/` | keys, its Enter too |
//! | elsewhere | words: eight characters and more, not one key repeated | ignored, which is said |
//! | elsewhere | fewer | keys; an Enter that reaches the composer is a line break |

use crate::Inbox;
use crate::keyboard::ahead::TypedInput;
use crate::keys::{KeyCode, KeyPress};

/// Characters from which on a burst is words rather than keys.
const WORDS: usize = 8;
/// Different characters among them: a key that is held repeats.
const KINDS: usize = 4;

/// Meaning of a burst where the keyboard is now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BurstMeaning {
    Paste,
    Keys(Vec<TypedInput>),
}

/// Decides the meaning of a burst; line breaks of the text are Enter.
pub(crate) fn meaning(inbox: &mut Inbox, text: &str) -> BurstMeaning {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let has_break = text.contains(['\n', '\t']);
    let is_one_line = !line.contains(['\n', '\t']);
    match inbox.context.layers.last() {
        Some(top) if top.is_question() => {
            inbox.context.guard.overrun(inbox.context.moment);
            BurstMeaning::Keys(keys(text))
        }
        Some(top) if top.is_line() && is_one_line => BurstMeaning::Keys(keys(text)),
        Some(top) if has_break && (top.takes_text() || is_words(text)) => BurstMeaning::Paste,
        Some(_) => BurstMeaning::Keys(keys(text)),
        None if inbox.desk.is_typing() => match inbox.desk.tab().mail_head() {
            Some(_) if !text.contains('\n') => BurstMeaning::Keys(typed(text)),
            _ if has_break => BurstMeaning::Paste,
            _ => BurstMeaning::Keys(typed(text)),
        },
        None if is_one_line && line.starts_with([':', '/']) => BurstMeaning::Keys(keys(text)),
        None if is_words(text) => BurstMeaning::Paste,
        None => BurstMeaning::Keys(typed(text)),
    }
}

/// Acts on a line break of a burst whose first keys may have opened the composer.
pub(crate) fn break_line(inbox: &mut Inbox) {
    if inbox.context.layers.is_empty() && inbox.desk.is_typing() {
        paste(inbox, "\n");
    } else {
        inbox.key(KeyPress::plain(KeyCode::Enter));
    }
}

/// Pastes a burst, and says that nothing was sent where Enter would have.
pub(crate) fn paste(inbox: &mut Inbox, text: &str) {
    let would_send = inbox.context.layers.is_empty()
        && inbox.desk.is_typing()
        && inbox.desk.tab().mail_head().is_none()
        && text.contains('\n');
    inbox.pasted(text);
    if would_send && inbox.context.refusal.is_none() {
        inbox.context.say(inbox.context.keyed("pasted, not sent: {send} sends it"));
    }
}

fn is_words(text: &str) -> bool {
    let characters: Vec<char> = text.chars().filter(|character| !character.is_control()).collect();
    let mut kinds = characters.clone();
    kinds.sort_unstable();
    kinds.dedup();
    characters.len() >= WORDS && kinds.len() >= KINDS
}

/// The keys of a burst as a person would press them.
fn keys(text: &str) -> Vec<TypedInput> {
    let code = |character| match character {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        _ => KeyCode::Char(character),
    };
    text.chars().map(|character| TypedInput::Key(KeyPress::plain(code(character)))).collect()
}

/// The keys of a burst whose line breaks send nothing.
fn typed(text: &str) -> Vec<TypedInput> {
    let input = |character| match character {
        '\n' => TypedInput::LineBreak,
        '\t' => TypedInput::Key(KeyPress::plain(KeyCode::Tab)),
        _ => TypedInput::Key(KeyPress::plain(KeyCode::Char(character))),
    };
    text.chars().map(input).collect()
}
