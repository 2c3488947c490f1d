//! Names of keys in texts: of a command, or of a text with `{command-name}`.

use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;

impl Desk {
    /// The key of undo; while typing, preceded by the key that leaves the composer.
    pub fn undo_key(&self, context: &Context) -> String {
        self.key_from_here(Command::Undo, context)
    }

    /// The key of undo and its word; the command's name alone where it has no key.
    pub fn undo_hint(&self, context: &Context) -> String {
        let key = self.undo_key(context);
        if key.contains(':') { key } else { format!("{key} undo") }
    }

    /// The key of a command; while typing, preceded by the key that leaves the composer.
    pub fn key_from_here(&self, command: Command, context: &Context) -> String {
        let (leave, undo) = (context.key_of(Command::Leave), context.key_of(command));
        match self.is_typing() {
            true => format!("{leave} {undo}"),
            false => undo,
        }
    }
}
