//! Panic hook: restores the terminal, logs the place and shows a fixed sentence, never the panic message.

use std::io::Write;

use crate::shell::event_queue::{EventQueue, Signal};
use crate::shell::terminal;

/// Shown instead of a panic message, which may contain a customer's text.
pub const PANIC_MESSAGE: &str = "frontdesk: stopped by an internal error; the log in the data folder says where. Drafts and outbox are kept.";

/// Installs the hook. A panic in the calling thread (the loop) restores the terminal at once; one in another
/// thread asks the loop to end.
pub fn install(mailbox: EventQueue) {
    let owner = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed");
        tracing::error!(thread = name, place, "panicked");
        if thread.id() == owner {
            terminal::restore();
            let _ = writeln!(std::io::stderr(), "{PANIC_MESSAGE}");
        } else {
            mailbox.signal(Signal::Failed);
        }
    }));
}
