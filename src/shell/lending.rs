//! The terminal while another program has it.
//!
//! That program gets the signals of the keyboard; a terminal that goes away
//! ends it.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

static LENT: AtomicBool = AtomicBool::new(false);
/// The program's process; 0 while there is none.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Whether another program has the terminal now: signals of the keyboard are
/// meant for it.
pub fn is_lent() -> bool {
    LENT.load(Ordering::SeqCst)
}

/// Does something with the terminal lent meanwhile.
pub fn lend<T>(run: impl FnOnce() -> T) -> T {
    LENT.store(true, Ordering::SeqCst);
    let ended = run();
    LENT.store(false, Ordering::SeqCst);
    ended
}

/// Runs the program that has it, and waits for its end.
pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    PROCESS.store(i32::try_from(child.id()).unwrap_or(0), Ordering::SeqCst);
    let status = child.wait();
    PROCESS.store(0, Ordering::SeqCst);
    status
}

/// Tells the program that the terminal is gone: only the first process of a
/// session is told by the system.
pub fn hang_up() {
    #[cfg(unix)]
    if let Some(process) = rustix::process::Pid::from_raw(PROCESS.load(Ordering::SeqCst)) {
        // It may have ended by itself meanwhile.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::HUP);
    }
}
