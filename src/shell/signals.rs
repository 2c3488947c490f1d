//! Signals of the operating system as events of the loop.

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use crate::shell::event_queue::{EventQueue, Signal};
use crate::shell::terminal_lending;

pub fn spawn(mailbox: EventQueue) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for number in &mut signals {
            if terminal_lending::is_lent() {
                // Keyboard signals belong to the other program; a stop concerns both.
                match number {
                    SIGTSTP => stop_process(),
                    SIGHUP => mailbox.signal(Signal::TerminalLost),
                    SIGTERM => mailbox.signal(Signal::End),
                    _ => (),
                }
                if matches!(number, SIGHUP | SIGTERM) {
                    terminal_lending::hang_up_child();
                }
                continue;
            }
            mailbox.signal(match number {
                SIGHUP => Signal::TerminalLost,
                SIGTSTP => Signal::Stop,
                SIGCONT => Signal::Continue,
                SIGWINCH => Signal::Resized,
                _ => Signal::End,
            });
        }
    })?;
    Ok(())
}

/// Stops this process for job control; returns when it runs again.
pub fn stop_process() {
    // The default handler was replaced, so it is emulated.
    if let Err(error) = signal_hook::low_level::emulate_default_handler(SIGTSTP) {
        tracing::warn!(%error, "the process could not be stopped");
    }
}
