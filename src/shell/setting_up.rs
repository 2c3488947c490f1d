//! Adds a channel key from within the inbox: runs `frontdesk channel add` on the lent terminal.

use crate::shell::children;
use crate::shell::prompt;
use crate::shell::terminal_lending;

/// Runs the steps and waits until the person has read the result.
pub fn run_setup() -> Result<(), String> {
    let program =
        std::env::current_exe().map_err(|error| format!("frontdesk does not find itself: {error}"))?;
    let status = terminal_lending::lend(|| {
        let status = terminal_lending::run(children::command(program).args(["channel", "add"]));
        // No exit code means a signal ended it; nothing is left to read.
        if status.as_ref().is_ok_and(|entry| entry.code().is_some()) {
            // End of input counts as read.
            let _ = prompt::ask_line("Enter goes back to the desk");
        }
        status
    });
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("no channel was added".to_owned()),
        Err(error) => Err(format!("no channel was added: {error}")),
    }
}
