//! Names of keys in texts: of a command, or of a text with `{command-name}`.

use crate::command::{self, Command};
use crate::context::Context;
use crate::desk::Desk;

/// The key of undo and its word; the command's name alone where it has no key, the word alone in plain mode.
/// While typing, the key is the one that works in the composer.
pub fn undo_hint(desk: &Desk, context: &Context) -> String {
    if context.settings.is_plain {
        return command::row(Command::Undo).word.to_owned();
    }
    let key = context.key_of(if desk.is_typing() { Command::UndoInText } else { Command::Undo });
    if key.contains(':') { key } else { format!("{key} undo") }
}

/// The key of a command; while typing, preceded by the key that leaves the composer. In plain mode its word.
pub fn key_from_here(desk: &Desk, command: Command, context: &Context) -> String {
    if context.settings.is_plain {
        return command::row(command).word.to_owned();
    }
    let (leave, key) = (context.key_of(Command::Leave), context.key_of(command));
    match desk.is_typing() {
        true => format!("{leave} {key}"),
        false => key,
    }
}
