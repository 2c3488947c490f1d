//! Lends the terminal to another program.
//!
//! That program receives the keyboard's signals and is ended when the terminal goes away.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::shell::{children, prompt};

static IS_LENT: AtomicBool = AtomicBool::new(false);
/// Process id of the program; 0 if none runs.
static CHILD_PID: AtomicI32 = AtomicI32::new(0);

/// True while another program has the terminal: keyboard signals are meant for it.
pub fn is_lent() -> bool {
    IS_LENT.load(Ordering::SeqCst)
}

/// Marks the terminal as lent while `run` runs.
pub fn lend<T>(run: impl FnOnce() -> T) -> T {
    IS_LENT.store(true, Ordering::SeqCst);
    let ended = run();
    IS_LENT.store(false, Ordering::SeqCst);
    ended
}

/// Runs the program and waits for its end.
pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    CHILD_PID.store(i32::try_from(child.id()).unwrap_or(0), Ordering::SeqCst);
    let status = child.wait();
    CHILD_PID.store(0, Ordering::SeqCst);
    status
}

/// Sends SIGHUP to the program: the system informs only the session leader.
pub fn hang_up_child() {
    #[cfg(unix)]
    if let Some(process) = rustix::process::Pid::from_raw(CHILD_PID.load(Ordering::SeqCst)) {
        // Fails if the program has ended meanwhile.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::HUP);
    }
}

/// Adds a channel key: runs `frontdesk channel add` on the lent terminal and waits until the person has read the result.
pub fn run_setup() -> Result<(), String> {
    let program = std::env::current_exe()
        .map_err(|error| format!("could not find the program file of frontdesk: {error}"))?;
    let status = lend(|| {
        let status = run(children::command(program).args(["channel", "add"]));
        // No exit code means a signal ended it; nothing is left to read.
        if status.as_ref().is_ok_and(|entry| entry.code().is_some()) {
            // End of input counts as read.
            let _ = prompt::ask_line("Enter to return to the desk");
        }
        status
    });
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("no channel was added".to_owned()),
        Err(error) => Err(format!("no channel was added: {error}")),
    }
}
