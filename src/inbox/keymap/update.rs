//! Words that name keys: of a command, of a text with `{command-name}` in it.

use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;

impl Desk {
    /// What takes back what was done last: while letters are text, the
    /// composer is left first.
    pub fn undo_key(&self, context: &Context) -> String {
        self.key_from_here(Command::Undo, context)
    }

    /// The key of a command, after the one that ends typing while somebody
    /// types.
    pub fn key_from_here(&self, command: Command, context: &Context) -> String {
        let (leave, undo) = (context.key_of(Command::Leave), context.key_of(command));
        match self.is_typing() {
            true => format!("{leave} {undo}"),
            false => undo,
        }
    }
}
