//! Adding a channel key from within the desk: the same steps as `frontdesk
//! channel add`, on the lent terminal.

use crate::shell::children;
use crate::shell::lending;
use crate::shell::prompt;

/// Runs the steps, and waits until the person has read how they ended.
pub fn set_up() -> Result<(), String> {
    let program =
        std::env::current_exe().map_err(|error| format!("frontdesk does not find itself: {error}"))?;
    let status = lending::lend(|| {
        let status = lending::run(children::command(program).args(["channel", "add"]));
        // Without a code a signal ended it, and nobody reads on.
        if status.as_ref().is_ok_and(|entry| entry.code().is_some()) {
            // A person who closes the input has read it, too.
            let _ = prompt::line("Enter goes back to the desk");
        }
        status
    });
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("no channel was added".to_owned()),
        Err(error) => Err(format!("no channel was added: {error}")),
    }
}
