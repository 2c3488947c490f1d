//! Child processes. They inherit the environment without the variables that hold keys.
//!
//! Every child process is created here.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Names of variables that hold keys.
static WITHHELD_VARIABLES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Withholds these variables from all later children.
pub fn withhold<'a>(variables: impl IntoIterator<Item = &'a str>) {
    let mut withheld = WITHHELD_VARIABLES.lock().unwrap_or_else(PoisonError::into_inner);
    withheld.extend(variables.into_iter().map(str::to_owned));
}

/// Creates a command without the withheld variables.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in WITHHELD_VARIABLES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        command.env_remove(variable);
    }
    command
}

/// Replaces this process by another program, which keeps its terminal and the whole environment. Returns only
/// on failure.
///
/// # Errors
/// When the program cannot be started; on systems without `exec`, also when it fails.
pub fn exec_program(program: PathBuf, arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments);
    #[cfg(unix)]
    return Err(std::os::unix::process::CommandExt::exec(&mut command));
    #[cfg(not(unix))]
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(io::Error::other(format!("ended with {status}"))),
    }
}

/// Starts a process without a screen that sends the rest of the outbox and then exits. It needs the keys, so
/// it gets the whole environment, and it outlives the terminal.
pub fn spawn_background_sender() -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["engine", "--until-sent"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A process group of its own: signals of the terminal do not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(drop)
}

/// Runs a command to its end, with its standard input and error, and returns its standard output.
///
/// # Errors
/// `TimedOut` if it has not ended in time; it is killed then.
pub fn output_within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    command.stdout(Stdio::piped());
    let child = command.spawn()?;
    let process = child.id();
    let (done, ended) = mpsc::sync_channel(1);
    let waits = std::thread::Builder::new().name("command".to_owned());
    waits.spawn(move || {
        // The caller may have stopped waiting.
        let _ = done.send(child.wait_with_output());
    })?;
    ended.recv_timeout(limit).unwrap_or_else(|_| {
        kill(process);
        Err(io::ErrorKind::TimedOut.into())
    })
}

#[cfg(unix)]
fn kill(process: u32) {
    let id = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // It may have ended meanwhile.
    let _ = id.map(|id| rustix::process::kill_process(id, rustix::process::Signal::KILL));
}

#[cfg(not(unix))]
fn kill(_: u32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_that_does_not_end_is_given_up() {
        let run = |script: &str, limit: u64| {
            output_within(command("sh").args(["-c", script]), Duration::from_millis(limit))
        };
        let ended = run("printf key", 30_000).expect("it ends");
        assert_eq!((ended.status.success(), ended.stdout.as_slice()), (true, &b"key"[..]));
        assert_eq!(run("exec sleep 60", 50).expect_err("it does not end").kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_child_is_not_given_what_holds_a_key() {
        // Stands for a variable that holds a key.
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
