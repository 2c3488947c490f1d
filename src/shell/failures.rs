//! What a panic leaves behind: a terminal given back, a line in the log, and
//! one fixed sentence; never the panic's own words on a terminal.

use std::io::Write;

use crate::shell::mailbox::{EventQueue, Signal};
use crate::shell::terminal;

/// Said instead of a panic's words, which may carry a customer's bytes.
pub const SENTENCE: &str = "frontdesk: stopped by an internal error; the log in the data folder says where. Drafts and outbox are kept.";

/// Installs the hook. A panic of this thread, the loop's, gives the terminal
/// back at once; one of another thread asks the loop to end.
pub fn install(mailbox: EventQueue) {
    let owner = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed");
        tracing::error!(thread = name, place, "panicked");
        if thread.id() == owner {
            terminal::restore();
            let _ = writeln!(std::io::stderr(), "{SENTENCE}");
        } else {
            mailbox.signal(Signal::Failed);
        }
    }));
}
