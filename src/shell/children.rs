//! Programs this desk starts: with its environment, but without the variables
//! that hold keys.
//!
//! Every child process is made here.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Variables that hold keys.
static WITHHELD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// From now on no child is given these variables.
pub fn withhold<'a>(variables: impl IntoIterator<Item = &'a str>) {
    let mut withheld = WITHHELD.lock().unwrap_or_else(PoisonError::into_inner);
    withheld.extend(variables.into_iter().map(str::to_owned));
}

/// A program to be started.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in WITHHELD.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        command.env_remove(variable);
    }
    command
}

/// Goes on as another program, which gets this process's place, its terminal
/// and its whole environment: it is no child. Returns only where that is not
/// possible.
///
/// # Errors
/// When it cannot be started; where processes have no places to give, when it
/// failed.
pub fn replace_with(program: PathBuf, arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments);
    #[cfg(unix)]
    return Err(std::os::unix::process::CommandExt::exec(&mut command));
    #[cfg(not(unix))]
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(io::Error::other(format!("it ended with {status}"))),
    }
}

/// Starts this program without a screen, which sends what is still to leave and
/// ends then. It is of this program and needs its keys, so it gets the whole
/// environment, and outlives the terminal.
pub fn send_in_background() -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["engine", "--until-sent"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // What ends the terminal's programs does not end it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_not_given_what_holds_a_key() {
        // It stands in for a variable that holds a key.
        let prints = |command: &mut Command| {
            let output =
                command.args(["-c", "printf %s \"${CARGO_MANIFEST_DIR-none}\""]).output().expect("it runs");
            String::from_utf8(output.stdout).expect("text")
        };
        assert_ne!(prints(&mut command("sh")), "none");
        withhold(["CARGO_MANIFEST_DIR"]);
        assert_eq!(prints(&mut command("sh")), "none");
    }
}
