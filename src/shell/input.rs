//! The thread that reads the terminal, and the translation of its keys.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crossterm::event::{self, KeyEventKind, KeyModifiers, MouseButton};

use crate::shell::bursts;
use crate::shell::color_answers::{AnswerReader, Arrival, EventSource};
use crate::shell::mailbox::{EventQueue, Signal};
use crate::shell::terminal::{self, Screen};
use inbox::event::Event;
use inbox::keys::Pointer;
use inbox::keys::{KeyCode, KeyPress};

/// Events taken at once at most.
const AT_ONCE: usize = 20_000;
/// How long closing the gate waits for the thread.
const CLOSING: Duration = Duration::from_secs(2);

/// Reads the terminal until it is gone. The thread ends with the process: a
/// read cannot be called back.
pub fn spawn(mailbox: EventQueue, answers: AnswerReader) -> std::io::Result<Gate> {
    let thread = std::thread::Builder::new().name("input".to_owned());
    let gate = Gate::default();
    let reading = gate.clone();
    thread.spawn(move || read_all(&mailbox, &reading, answers))?;
    Ok(gate)
}

/// Keeps the reading thread from the terminal while another program has it.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<Doors>, Condvar)>);

#[derive(Debug, Default)]
struct Doors {
    closed: bool,
    waiting: bool,
}

impl Gate {
    /// Closes the gate, and waits until the thread stands before it; false if
    /// it does not come.
    #[cfg(unix)]
    pub fn close(&self) -> bool {
        let (doors, moved) = &*self.0;
        let mut doors = doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.closed = true;
        // Its read returns for a change of the terminal's size, real or not.
        if rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::WINCH).is_err() {
            return false;
        }
        let waited = moved.wait_timeout_while(doors, CLOSING, |it| !it.waiting);
        waited.unwrap_or_else(PoisonError::into_inner).0.waiting
    }

    /// Elsewhere the thread cannot be kept from the terminal.
    #[cfg(not(unix))]
    pub fn close(&self) -> bool {
        false
    }

    /// Lends the terminal to another program; an error in words where it cannot
    /// be lent.
    pub fn lend<T>(
        &self,
        screen: &mut Screen,
        run: impl FnOnce() -> Result<T, String>,
    ) -> std::io::Result<Result<T, String>> {
        if !self.close() {
            self.open();
            return Ok(Err("the terminal cannot be lent here".to_owned()));
        }
        terminal::restore();
        let ended = run();
        screen.retake()?;
        self.open();
        Ok(ended)
    }

    /// Lets the thread read again.
    pub fn open(&self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).closed = false;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let (doors, moved) = &*self.0;
        let mut doors = doors.lock().unwrap_or_else(PoisonError::into_inner);
        while doors.closed {
            doors.waiting = true;
            moved.notify_all();
            doors = moved.wait(doors).unwrap_or_else(PoisonError::into_inner);
        }
        doors.waiting = false;
    }
}

#[derive(Debug, Clone, Copy)]
pub struct TerminalEvents;

impl EventSource for TerminalEvents {
    fn poll(&mut self, within: Duration) -> std::io::Result<bool> {
        event::poll(within)
    }

    fn read(&mut self) -> std::io::Result<event::Event> {
        event::read()
    }
}

fn hand_on(mailbox: &EventQueue, arrived: Vec<Arrival>) {
    for it in arrived {
        match it {
            Arrival::Color(report) => mailbox.signal(Signal::Color(report)),
            Arrival::Event(event) => translate(event).into_iter().for_each(|it| mailbox.key(it)),
        }
    }
}

fn read_all(mailbox: &EventQueue, gate: &Gate, mut answers: AnswerReader) {
    let joins = std::env::var("TERM").is_ok_and(|it| bursts::is_unmarked(&it));
    loop {
        gate.pass();
        let read = match joins {
            true => read_burst().map(|events| events.into_iter().for_each(|it| mailbox.key(it))),
            false => answers.next(&mut TerminalEvents).map(|it| hand_on(mailbox, it)),
        };
        match read {
            Ok(()) => (),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => (),
            Err(error) => {
                tracing::warn!(%error, "the terminal's input has ended");
                return mailbox.signal(Signal::Gone);
            }
        }
    }
}

/// Where pastes are not marked, the next event and all that came with it. Such
/// a terminal is not asked for its colours.
fn read_burst() -> std::io::Result<Vec<Event>> {
    let mut events = Vec::from_iter(translate(event::read()?));
    while events.len() < AT_ONCE && event::poll(Duration::ZERO)? {
        events.extend(translate(event::read()?));
    }
    Ok(bursts::join(events))
}

/// What a terminal event means to the app, if anything.
pub fn translate(event: event::Event) -> Option<Event> {
    match event {
        event::Event::Key(key) if key.kind != KeyEventKind::Release => translate_key(key).map(Event::Key),
        event::Event::Paste(text) => Some(Event::Paste(text)),
        event::Event::Resize(width, height) => Some(Event::Resize(width, height)),
        event::Event::FocusGained => Some(Event::Focus(true)),
        event::Event::FocusLost => Some(Event::Focus(false)),
        event::Event::Mouse(mouse) => translate_mouse(mouse).map(Event::Pointer),
        event::Event::Key(_) => None,
    }
}

/// What the mouse did, as far as anything here follows from it.
fn translate_mouse(mouse: event::MouseEvent) -> Option<Pointer> {
    use event::MouseEventKind as Kind;
    let (x, y) = (mouse.column, mouse.row);
    match mouse.kind {
        Kind::Down(MouseButton::Left) => Some(Pointer::Down(x, y)),
        Kind::Drag(MouseButton::Left) => Some(Pointer::Drag(x, y)),
        Kind::Up(MouseButton::Left) => Some(Pointer::Up),
        Kind::ScrollDown => Some(Pointer::Wheel(x, y, 1)),
        Kind::ScrollUp => Some(Pointer::Wheel(x, y, -1)),
        _ => None,
    }
}

fn translate_key(key: event::KeyEvent) -> Option<KeyPress> {
    use event::KeyCode as Terminal;
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let code = match key.code {
        // What a terminal that tells keys apart calls the keys that all the
        // others send for them.
        Terminal::Char('[') if ctrl && !alt => return Some(KeyPress::plain(KeyCode::Esc)),
        Terminal::Char('i') if ctrl && !alt => return Some(KeyPress::plain(KeyCode::Tab)),
        Terminal::Char('m') if ctrl && !alt => return Some(KeyPress::plain(KeyCode::Enter)),
        Terminal::Char('-') if ctrl && shift => KeyCode::Char('_'),
        // Ctrl and a letter is the same key with Shift or without.
        Terminal::Char(it) if ctrl => KeyCode::Char(it.to_ascii_lowercase()),
        Terminal::Char(it) if shift => KeyCode::Char(upper(it)),
        Terminal::Char(it) => KeyCode::Char(it),
        Terminal::Enter => KeyCode::Enter,
        Terminal::Esc => KeyCode::Esc,
        Terminal::Tab if shift => KeyCode::BackTab,
        Terminal::Tab => KeyCode::Tab,
        Terminal::BackTab => KeyCode::BackTab,
        Terminal::Backspace => KeyCode::Backspace,
        Terminal::Delete => KeyCode::Delete,
        Terminal::Up => KeyCode::Up,
        Terminal::Down => KeyCode::Down,
        Terminal::Left => KeyCode::Left,
        Terminal::Right => KeyCode::Right,
        Terminal::Home => KeyCode::Home,
        Terminal::End => KeyCode::End,
        Terminal::PageUp => KeyCode::PageUp,
        Terminal::PageDown => KeyCode::PageDown,
        Terminal::F(number) => KeyCode::F(number),
        _ => return None,
    };
    // Terminals send Ctrl-_ as Ctrl-7 or as Ctrl-/ on some layouts.
    let code = if ctrl && matches!(code, KeyCode::Char('7' | '/')) { KeyCode::Char('_') } else { code };
    let plain = matches!(
        code,
        KeyCode::Char(_) | KeyCode::BackTab | KeyCode::Backspace | KeyCode::Esc | KeyCode::Tab
    );
    Some(KeyPress { code, ctrl, alt, shift: shift && !plain })
}

/// A letter with Shift, which some terminals send as the letter and a mark.
fn upper(it: char) -> char {
    let mut upper = it.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => it,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_translate_to_their_names() {
        use event::KeyCode as Terminal;
        let cases = [
            (Terminal::Char('P'), KeyModifiers::SHIFT, "P"),
            (Terminal::Char('d'), KeyModifiers::CONTROL, "Ctrl-D"),
            (Terminal::Char('7'), KeyModifiers::CONTROL, "Ctrl-_"),
            (Terminal::Enter, KeyModifiers::ALT, "Alt-Enter"),
            (Terminal::Enter, KeyModifiers::SHIFT, "Shift-Enter"),
            (Terminal::BackTab, KeyModifiers::SHIFT, "Shift-Tab"),
            // What only a terminal that tells keys apart sends.
            (Terminal::Char('['), KeyModifiers::CONTROL, "Esc"),
            (Terminal::Char('i'), KeyModifiers::CONTROL, "Tab"),
            (Terminal::Char('m'), KeyModifiers::CONTROL, "Enter"),
            (Terminal::Char('-'), KeyModifiers::CONTROL.union(KeyModifiers::SHIFT), "Ctrl-_"),
            (Terminal::Char('p'), KeyModifiers::SHIFT, "P"),
            (Terminal::Backspace, KeyModifiers::SHIFT, "Backspace"),
        ];
        for (code, modifiers, name) in cases {
            let key = translate_key(event::KeyEvent::new(code, modifiers));
            assert_eq!(key.map(|it| it.to_string()).as_deref(), Some(name));
            assert_eq!(key, KeyPress::parse(name), "{name}");
        }
    }
}
