//! Copies text to the clipboard: through a configured command, tmux, or the terminal.
//!
//! Every copy passes through here, as text without control characters. A command reports success; a terminal
//! never does.

use std::process::Stdio;
use std::time::{Duration, Instant};

use base64::Engine;

use crate::shell::event_queue::EventQueue;
use crate::shell::{children, clock, piping};
use inbox::event::Event;
use inbox::outside::CopyMethod;
use model::text;

/// Shown if the terminal takes no copies.
pub const NO_CLIPBOARD_MESSAGE: &str = "this terminal accepts no copies; set copy_command in config.toml";
/// Maximum bytes a terminal accepts, base64 encoded.
const MAX_SEQUENCE_BYTES: usize = 74_000;
/// Time limit for a program.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between checks for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Destination of copies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Clipboard {
    /// The terminal, as OSC 52.
    #[default]
    Terminal,
    /// A program with arguments, on its standard input.
    Program(Vec<String>),
    /// None: the terminal is known to accept no copies.
    Nowhere,
}

impl Clipboard {
    /// Chooses the configured command, else tmux if it runs this terminal, else the terminal if it accepts
    /// copies.
    pub fn resolve(command: Vec<String>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let in_tmux = variable("TMUX").is_some_and(|variable| !variable.is_empty());
        match (command.is_empty(), in_tmux) {
            (false, _) => Self::Program(command),
            // `load-buffer -w` fills tmux's own buffer and forwards the text whatever `set-clipboard` allows
            // programs inside it.
            (true, true) => Self::Program(["tmux", "load-buffer", "-w", "-"].map(str::to_owned).to_vec()),
            (true, false) if is_copy_unsupported(variable) => Self::Nowhere,
            (true, false) => Self::Terminal,
        }
    }

    /// Copies a text. Returns bytes to write to the terminal, if any. The result arrives as
    /// [`Event::Copied`].
    pub fn copy(&self, outside: &str, what: String, mailbox: &EventQueue) -> Option<String> {
        let text = text::escape_unseen(outside);
        match self {
            Self::Nowhere => {
                mailbox.result(Event::Copied(what, Err(NO_CLIPBOARD_MESSAGE.to_owned())));
                None
            }
            Self::Terminal => {
                let sequence = sequence(&text);
                let copied = match sequence {
                    Some(_) => Ok(CopyMethod::Terminal),
                    None => Err(
                        "too long for the terminal's clipboard; write it to a file with `frontdesk export`"
                            .to_owned(),
                    ),
                };
                mailbox.result(Event::Copied(what, copied));
                sequence
            }
            Self::Program(words) => {
                let (words, told) = (words.clone(), mailbox.clone());
                let name = what.clone();
                let thread = std::thread::Builder::new().name("clipboard".to_owned());
                let begun = thread.spawn(move || {
                    let copied = pipe_to_program(&words, text).map(|()| CopyMethod::Program);
                    told.result(Event::Copied(what, copied));
                });
                if let Err(error) = begun {
                    mailbox.result(Event::Copied(name, Err(error.to_string())));
                }
                None
            }
        }
    }
}

/// True if the terminal is known to accept no copies. Inside GNU screen the outer terminal is unknown.
fn is_copy_unsupported(variable: impl Fn(&str) -> Option<String>) -> bool {
    let named = |text: &str| variable(text).unwrap_or_default();
    let term = named("TERM");
    ["dumb", "linux", "cons25"].contains(&term.as_str())
        || ["eterm", "screen."].iter().any(|text| term.starts_with(text))
        || named("TERM_PROGRAM") == "Apple_Terminal"
        || !named("STY").is_empty()
}

/// OSC 52 sequence for a text; `None` if it exceeds the limit.
fn sequence(text: &str) -> Option<String> {
    let coded = base64::engine::general_purpose::STANDARD.encode(text);
    (coded.len() <= MAX_SEQUENCE_BYTES).then(|| format!("\x1b]52;c;{coded}\x07"))
}

/// Runs a program with a text on its standard input and waits for its end.
fn pipe_to_program(words: &[String], text: String) -> Result<(), String> {
    let (program, arguments) = words.split_first().ok_or("copy_command is empty")?;
    let mut command = children::command(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{program} could not be started: {error}"))?;
    piping::feed(&mut child, text).map_err(|error| error.to_string())?;
    let end: Instant = clock::instant() + PROGRAM_TIMEOUT;
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("{program} ended with {status}")),
            None if clock::instant() > end => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{program} took longer than {} s", PROGRAM_TIMEOUT.as_secs()));
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_goes_before_tmux_and_tmux_before_the_terminal() {
        let none = |_: &str| None;
        let tmux = |text: &str| (text == "TMUX").then(|| "/tmp/tmux-0/default,1,0".to_owned());
        let own = || vec!["wl-copy".to_owned()];
        assert_eq!(Clipboard::resolve(Vec::new(), none), Clipboard::Terminal);
        assert_eq!(Clipboard::resolve(own(), tmux), Clipboard::Program(own()));
        let Clipboard::Program(words) = Clipboard::resolve(Vec::new(), tmux) else { panic!("the terminal") };
        assert_eq!(words, ["tmux", "load-buffer", "-w", "-"]);
    }

    #[test]
    fn a_terminal_that_takes_no_copies_is_given_none() {
        let cases: [(&[(&str, &str)], Clipboard); 8] = [
            (&[], Clipboard::Terminal),
            (&[("TERM", "xterm-256color")], Clipboard::Terminal),
            // tmux uses this name, too.
            (&[("TERM", "screen-256color")], Clipboard::Terminal),
            (&[("TERM", "linux")], Clipboard::Nowhere),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "Apple_Terminal")], Clipboard::Nowhere),
            (&[("TERM", "screen-256color"), ("STY", "1.pts-0.desk")], Clipboard::Nowhere),
            (&[("TERM", "screen.xterm-256color")], Clipboard::Nowhere),
            (&[("TERM", "eterm-color")], Clipboard::Nowhere),
        ];
        for (set, wanted) in cases {
            let variable =
                |name: &str| set.iter().find(|(text, _)| *text == name).map(|(_, text)| (*text).to_owned());
            assert_eq!(Clipboard::resolve(Vec::new(), variable), wanted, "{set:?}");
            let own = vec!["wl-copy".to_owned()];
            assert_eq!(Clipboard::resolve(own.clone(), variable), Clipboard::Program(own), "{set:?}");
        }
        let mailbox = EventQueue::default();
        assert_eq!(Clipboard::Nowhere.copy("hi", "the text".to_owned(), &mailbox), None);
    }

    #[test]
    fn it_is_copied_only_where_a_program_took_it() {
        let words = |entry: &[&str]| entry.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("taken");
        let taken = file.display().to_string();
        assert_eq!(pipe_to_program(&words(&["sh", "-c", "cat > \"$0\"", &taken]), "hi".to_owned()), Ok(()));
        assert_eq!(std::fs::read_to_string(file).expect("there"), "hi");
        let failed = pipe_to_program(&words(&["false"]), "hi".to_owned()).expect_err("it failed");
        assert!(failed.starts_with("false ended with "), "{failed}");
        let none = pipe_to_program(&words(&["no-such-program-here"]), "hi".to_owned()).expect_err("none");
        assert!(none.contains("could not be started"), "{none}");
    }

    #[test]
    fn what_is_copied_acts_on_nothing() {
        let coded = |text: &str| {
            let sequence =
                Clipboard::Terminal.copy(text, String::new(), &EventQueue::default()).expect("short");
            let coded = sequence
                .strip_prefix("\x1b]52;c;")
                .and_then(|entry| entry.strip_suffix('\x07'))
                .expect("OSC 52");
            String::from_utf8(base64::engine::general_purpose::STANDARD.decode(coded).expect("base64"))
                .expect("text")
        };
        for (text, copied) in text::HOSTILE_TEXTS {
            assert_eq!(coded(text), *copied, "{}", text.escape_debug());
        }
        assert_eq!(sequence(&"x".repeat(100_000)), None);
    }
}
