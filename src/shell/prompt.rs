//! Prompts before there is a screen, secrets without echo.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Read, Write};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use inbox::event::Event;
use inbox::keys::{KeyCode, KeyPress};
use inbox::wrap;
use model::text::SafeText;

use crate::shell::input::TerminalInput;
use crate::shell::terminal;

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

/// Asks for one line on stderr. At a terminal, Esc interrupts.
pub fn ask_line(question: &str) -> io::Result<String> {
    if can_ask() {
        let quiet = EchoGuard::start()?;
        let answer = print_text(&format!("{question}: ")).and_then(|()| read_typed(Echo::Shown));
        drop(quiet);
        print_text("\n")?;
        return answer.map(|answer| answer.trim().to_owned());
    }
    print_text(&format!("{question}: "))?;
    let mut answer = String::new();
    let most = u64::try_from(MAX_ANSWER_CHARS).unwrap_or(u64::MAX);
    if io::stdin().lock().take(most).read_line(&mut answer)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(answer.trim().to_owned())
}

/// Asks for a secret without echo. At a terminal, Esc interrupts. Without a terminal, reads the first line of standard input.
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
    let answer = print_text(&format!("{question} (not shown): ")).and_then(|()| read_typed(Echo::Hidden));
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

/// Prints text to stderr as it is.
pub fn print_text(words: &str) -> io::Result<()> {
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
            tracing::warn!(%error, "the terminal's echo could not be switched on again");
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Echo {
    Shown,
    Hidden,
}

/// Prints what has changed between two states of the answer; control characters are not printed.
fn print_change(before: &str, after: &str) -> io::Result<()> {
    let common = before.chars().zip(after.chars()).take_while(|(old, new)| old == new).count();
    let removed: String = before.chars().skip(common).collect();
    let added: String = after.chars().skip(common).collect();
    let columns = wrap::cells(SafeText::line(&removed).as_str());
    let back = "\u{8} \u{8}".repeat(columns);
    print_text(&format!("{back}{}", SafeText::line(&added).as_str()))
}

thread_local! {
    /// Input behind a shown answer, typed ahead for the next question.
    static TYPED_AHEAD: RefCell<VecDeque<Event>> = const { RefCell::new(VecDeque::new()) };
}

/// Reads typed or pasted input up to the first line break. Esc and Ctrl-C interrupt. What follows a
/// shown answer is kept for the next one; nothing typed ahead becomes a secret.
fn read_typed(echo: Echo) -> io::Result<String> {
    let mut input = TerminalInput::open()?;
    let mut waiting = TYPED_AHEAD.take();
    if echo == Echo::Hidden {
        waiting.clear();
    }
    let mut answer = String::new();
    loop {
        let Some(event) = waiting.pop_front() else {
            waiting.extend(input.next(false, || true)?);
            continue;
        };
        let before = answer.clone();
        let ends = if let Event::Paste(text) | Event::Burst(text) = &event {
            let text = text.replace('\r', "\n");
            let (line, rest) =
                text.split_once('\n').map_or((text.as_str(), None), |(line, rest)| (line, Some(rest)));
            answer.extend(line.chars().take(MAX_ANSWER_CHARS.saturating_sub(answer.len())));
            if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
                waiting.push_front(Event::Burst(rest.to_owned()));
            }
            rest.is_some()
        } else if let Event::Key(key) = event {
            press(key, &mut answer)?
        } else {
            matches!(event, Event::LineBreak)
        };
        if echo == Echo::Shown {
            print_change(&before, &answer)?;
        }
        if ends {
            if echo == Echo::Shown {
                TYPED_AHEAD.set(waiting);
            }
            return Ok(answer);
        }
    }
}

/// Applies a key; returns true if it ends the answer.
fn press(key: KeyPress, answer: &mut String) -> io::Result<bool> {
    match (key.code, key.typed()) {
        (KeyCode::Esc, _) => return Err(io::ErrorKind::Interrupted.into()),
        _ if key == KeyPress::ctrl('c') => return Err(io::ErrorKind::Interrupted.into()),
        _ if key == KeyPress::ctrl('d') && answer.is_empty() => {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        _ if key == KeyPress::ctrl('u') => answer.clear(),
        (KeyCode::Enter, _) => return Ok(true),
        (KeyCode::Backspace, _) => drop(answer.pop()),
        (_, Some(character)) if answer.len() < MAX_ANSWER_CHARS => answer.push(character),
        _ => (),
    }
    Ok(false)
}
