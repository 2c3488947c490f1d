//! Asks a person one thing before there is a screen; a secret without echo.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use inbox::event::Event;
use inbox::keys::{KeyCode, KeyPress};
use inbox::wrap;

use crate::shell::input::TerminalInput;
use crate::shell::terminal;

/// Characters of the longest answer.
const LONGEST: usize = 4096;
/// Columns of the longest line said.
const WIDEST: usize = 80;

/// Whether there is a person to ask.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Says something to whoever is asked, in lines that break between words.
pub fn note(text: &str) -> io::Result<()> {
    let width = terminal::size().map_or(WIDEST, |(columns, _)| usize::from(columns).min(WIDEST));
    let lines = wrap::wrap(text, width).into_iter().map(|range| format!("{}\n", text[range].trim_end()));
    say(&lines.collect::<String>())
}

/// Asks for one line; the question goes to stderr.
pub fn line(question: &str) -> io::Result<String> {
    say(&format!("{question}: "))?;
    let mut answer = String::new();
    let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
    if io::stdin().lock().take(most).read_line(&mut answer)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(answer.trim().to_owned())
}

/// Asks for a secret that does not appear on the screen. Without a terminal
/// it is the first line of standard input.
pub fn secret(question: &str) -> io::Result<String> {
    if !can_ask() {
        let mut answer = String::new();
        let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
        if io::stdin().lock().take(most).read_line(&mut answer)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        return Ok(answer.trim().to_owned());
    }
    // Quiet first: what is typed at once must not be echoed either.
    let quiet = Quiet::start()?;
    let answer = say(&format!("{question} (not shown): ")).and_then(|()| typed());
    drop(quiet);
    say("\n")?;
    answer.map(|answer| answer.trim().to_owned())
}

/// Asks for a secret that there need not be: none where the input has ended.
pub fn optional_secret(question: &str) -> io::Result<String> {
    match secret(question) {
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => Ok(String::new()),
        answer => answer,
    }
}

fn say(words: &str) -> io::Result<()> {
    let mut out = io::stderr().lock();
    out.write_all(words.as_bytes())?;
    out.flush()
}

/// The terminal without echo, until dropped.
struct Quiet;

impl Quiet {
    fn start() -> io::Result<Self> {
        enable_raw_mode().map(|()| Self)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Err(error) = disable_raw_mode() {
            tracing::warn!(%error, "the terminal did not take its echo back");
        }
    }
}

/// Reads what is typed or pasted up to the first line break.
fn typed() -> io::Result<String> {
    let mut input = TerminalInput::open()?;
    let mut answer = String::new();
    loop {
        for event in input.next(|| true)? {
            if let Event::Paste(text) | Event::Burst(text) = &event {
                let text = text.replace('\r', "\n");
                let (line, ends) =
                    text.split_once('\n').map_or((text.as_str(), false), |(line, _)| (line, true));
                answer.extend(line.chars().take(LONGEST.saturating_sub(answer.len())));
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
                (_, Some(character)) if answer.len() < LONGEST => answer.push(character),
                _ => (),
            }
        }
    }
}
