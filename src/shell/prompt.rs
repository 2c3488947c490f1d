//! Prompts before there is a screen, secrets without echo.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use inbox::event::Event;
use inbox::keys::{KeyCode, KeyPress};
use inbox::wrap;

use crate::shell::input::TerminalInput;
use crate::shell::terminal;

/// Maximum characters of an answer.
const MAX_ANSWER_CHARS: usize = 4096;
/// Maximum columns of a printed line.
const MAX_LINE_COLUMNS: usize = 80;

/// True if a person can be asked: standard input and error are terminals.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prints wrapped text to stderr.
pub fn print_wrapped(text: &str) -> io::Result<()> {
    let width =
        terminal::size().map_or(MAX_LINE_COLUMNS, |(columns, _)| usize::from(columns).min(MAX_LINE_COLUMNS));
    let lines = wrap::wrap(text, width).into_iter().map(|range| format!("{}\n", text[range].trim_end()));
    print_text(&lines.collect::<String>())
}

/// Asks for one line on stderr.
pub fn ask_line(question: &str) -> io::Result<String> {
    print_text(&format!("{question}: "))?;
    let mut answer = String::new();
    let most = u64::try_from(MAX_ANSWER_CHARS).unwrap_or(u64::MAX);
    if io::stdin().lock().take(most).read_line(&mut answer)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(answer.trim().to_owned())
}

/// Asks for a secret without echo. Without a terminal, reads the first line of standard input.
pub fn ask_secret(question: &str) -> io::Result<String> {
    if !can_ask() {
        let mut answer = String::new();
        let most = u64::try_from(MAX_ANSWER_CHARS).unwrap_or(u64::MAX);
        if io::stdin().lock().take(most).read_line(&mut answer)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        return Ok(answer.trim().to_owned());
    }
    // Echo is off before the question appears: early typing must not be shown either.
    let quiet = EchoGuard::start()?;
    let answer = print_text(&format!("{question} (not shown): ")).and_then(|()| typed());
    drop(quiet);
    print_text("\n")?;
    answer.map(|answer| answer.trim().to_owned())
}

/// Asks for an optional secret: empty if the input has ended.
pub fn optional_secret(question: &str) -> io::Result<String> {
    match ask_secret(question) {
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => Ok(String::new()),
        answer => answer,
    }
}

fn print_text(words: &str) -> io::Result<()> {
    let mut out = io::stderr().lock();
    out.write_all(words.as_bytes())?;
    out.flush()
}

/// Echo is off until dropped.
struct EchoGuard;

impl EchoGuard {
    fn start() -> io::Result<Self> {
        enable_raw_mode().map(|()| Self)
    }
}

impl Drop for EchoGuard {
    fn drop(&mut self) {
        if let Err(error) = disable_raw_mode() {
            tracing::warn!(%error, "the terminal did not take its echo back");
        }
    }
}

/// Reads typed or pasted input up to the first line break.
fn typed() -> io::Result<String> {
    let mut input = TerminalInput::open()?;
    let mut answer = String::new();
    loop {
        for event in input.next(|| true)? {
            if let Event::Paste(text) | Event::Burst(text) = &event {
                let text = text.replace('\r', "\n");
                let (line, ends) =
                    text.split_once('\n').map_or((text.as_str(), false), |(line, _)| (line, true));
                answer.extend(line.chars().take(MAX_ANSWER_CHARS.saturating_sub(answer.len())));
                if ends {
                    return Ok(answer);
                }
            }
            let Event::Key(key) = event else { continue };
            match (key.code, key.typed()) {
                _ if key == KeyPress::ctrl('c') => return Err(io::ErrorKind::Interrupted.into()),
                _ if key == KeyPress::ctrl('d') && answer.is_empty() => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                _ if key == KeyPress::ctrl('u') => answer.clear(),
                (KeyCode::Enter, _) => return Ok(answer),
                (KeyCode::Backspace, _) => drop(answer.pop()),
                (_, Some(character)) if answer.len() < MAX_ANSWER_CHARS => answer.push(character),
                _ => (),
            }
        }
    }
}
