//! Runs a command of the person with a text as input and returns its output.
//!
//! Output and run time are limited.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::shell::children;
use crate::shell::event_queue::EventQueue;
use inbox::event::Event;
use inbox::outside::OutsideAnswer;
use model::json;

const MAX_OUTPUT_BYTES: u64 = 256 * 1024;
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs a command on a thread of its own.
pub fn begin(command: String, input: String, mailbox: EventQueue) {
    let thread = std::thread::Builder::new().name("pipe".to_owned());
    let told = mailbox.clone();
    let name = command.clone();
    let begun = thread.spawn(move || {
        let said = pipe(&command, &input);
        mailbox.result(Event::Answered(OutsideAnswer::Piped(command, said)));
    });
    if let Err(error) = begun {
        let why = format!("it could not be started: {error}");
        told.result(Event::Answered(OutsideAnswer::Piped(name, Err(why))));
    }
}

/// Runs a shell command with JSON as input, invisible characters escaped, and returns its output.
///
/// # Errors
/// As text: the command could not be started, failed (with its own last words), or took too long.
pub fn pipe(command: &str, json: &str) -> Result<String, String> {
    run(command, json::escape_invisible(json), COMMAND_TIMEOUT)
}

fn run(command: &str, input: String, patience: Duration) -> Result<String, String> {
    let mut shell = children::command("sh");
    shell.arg("-c").arg(command);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A process group of its own: its children end with it, and no key of the terminal reaches it.
        shell.process_group(0);
    }
    let mut child = shell.spawn().map_err(|error| format!("it could not be started: {error}"))?;
    let (done, ended) = channel();
    let threads = [feed(&mut child, input), listen(child.stdout.take(), true, &done), {
        listen(child.stderr.take(), false, &done)
    }];
    if threads.into_iter().any(|thread| thread.is_err()) {
        stop(&mut child);
        return Err("it could not be started: no thread is available".to_owned());
    }
    let (mut said, mut complaint) = (String::new(), String::new());
    for _ in 0..2 {
        match ended.recv_timeout(patience) {
            Ok((true, text)) => said = text,
            Ok((false, text)) => complaint = text,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                stop(&mut child);
                return Err(format!("it took longer than {} s and was stopped", patience.as_secs()));
            }
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(said);
    }
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
    Err(match status.code() {
        Some(code) => format!("it failed with {code}: {last}"),
        None => format!("it was stopped: {last}"),
    })
}

pub(super) type ThreadResult = std::io::Result<()>;

/// Writes the input; a child that does not read it all is no error.
pub(super) fn feed(child: &mut Child, input: String) -> ThreadResult {
    let Some(mut stdin) = child.stdin.take() else { return Ok(()) };
    let thread = std::thread::Builder::new().name("pipe in".to_owned());
    thread.spawn(move || drop(stdin.write_all(input.as_bytes()))).map(drop)
}

/// Reads the output. Output beyond the limit is read and dropped, so that the child does not block.
fn listen(
    from: Option<impl Read + Send + 'static>,
    is_answer: bool,
    done: &std::sync::mpsc::Sender<(bool, String)>,
) -> ThreadResult {
    let Some(mut from) = from else { return Ok(()) };
    let done = done.clone();
    let thread = std::thread::Builder::new().name("pipe out".to_owned());
    let spawned = thread.spawn(move || {
        let mut bytes = Vec::new();
        let read = from.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        let rest = read.and_then(|_| std::io::copy(&mut from, &mut std::io::sink()));
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if rest.is_ok_and(|number| number > 0) {
            text.push_str("\n… and more, which is not shown");
        }
        // The caller may have stopped waiting.
        let _ = done.send((is_answer, text));
    });
    spawned.map(drop)
}

fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_is_given_acts_on_nothing() {
        for (outside, _) in model::text::HOSTILE_TEXTS {
            let said = pipe("cat", &json::quote(outside)).expect("it answers");
            assert!(!said.chars().any(model::text::is_unseen), "{said:?}");
            let meant: String = serde_json::from_str(&said).expect("JSON");
            assert_eq!(meant, *outside, "it means the same");
        }
    }

    #[test]
    fn a_command_answers_fails_or_is_stopped() {
        let long = Duration::from_secs(60);
        let piped = |command: &str| run(command, "{\"a\":1}".to_owned(), long);
        assert_eq!(piped("cat"), Ok("{\"a\":1}".to_owned()));
        assert_eq!(piped("true"), Ok(String::new()));
        assert_eq!(piped("echo no >&2; exit 3"), Err("it failed with 3: no".to_owned()));
        assert!(piped("no-such-command-here").expect_err("none").starts_with("it failed with 127: "));
        let much = piped("head -c 1000000 /dev/zero").expect("zeros");
        assert!(much.ends_with("and more, which is not shown"), "{}", much.len());
        let stopped = run("sleep 1000 | cat", String::new(), Duration::from_millis(50));
        assert_eq!(stopped, Err("it took longer than 0 s and was stopped".to_owned()));
    }
}
