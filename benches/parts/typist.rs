//! Somebody who presses keys and looks how soon the screen follows.
//!
//! Every key is one whose effect can be seen: the mark of the selected row
//! moves, the tab's line changes, the typed character stands in the composer.
//! What else is drawn meanwhile does not count as an answer. Times are taken
//! by the thread that reads the terminal, before anything is emulated.

use std::time::{Duration, Instant};

use frontdesk::shell::clock::instant;
use portable_pty::CommandBuilder;

use crate::keys;
use crate::watched_terminal::{COLUMNS, ROWS, WatchedTerminal};

/// How long anything may take before the bench gives up.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the screen is still before the next key.
const STILL: Duration = Duration::from_millis(15);
/// Mark of the selected row, in the second column.
const SELECTION_MARK: &str = "▌";
/// Keys that can be seen on this part of the screen.
type Look = fn(&vt100::Screen) -> String;

/// How long each key took.
#[derive(Default)]
pub struct Figures(pub Vec<Duration>);

impl Figures {
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The time so many in a hundred keys did not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(index).copied().unwrap_or_default()
    }
}

/// The inbox in a terminal, and who types.
pub struct Typist {
    screen: vt100::Parser,
    terminal: WatchedTerminal,
    rounds: usize,
    /// Whether the key was seen not to be taken: nothing is written then. What
    /// says so may stand behind a notice later.
    refused: bool,
}

impl Typist {
    /// Starts the inbox and waits until its list is there.
    pub fn sit_down(command: CommandBuilder) -> Self {
        let side = |cells: u16| std::num::NonZero::new(cells).expect("a terminal has cells");
        let screen = vt100::Parser::new(side(ROWS), side(COLUMNS), 0);
        let terminal = WatchedTerminal::start(command);
        let mut typist = Self { screen, terminal, rounds: 0, refused: false };
        typist.wait("the list and a history", |typist| {
            // What was sent before may stand above its start.
            let contents = typist.contents();
            marked(typist) != "none"
                && ["start of the conversation", "You  "].iter().any(|text| contents.contains(text))
        });
        typist
    }

    /// Waits until the screen has been still.
    pub fn settle(&mut self) {
        while let Ok((_, bytes)) = self.terminal.bytes.recv_timeout(STILL) {
            self.screen.process(&bytes);
        }
    }

    /// Waits until the screen is so; returns when it was.
    pub fn wait(&mut self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) -> Instant {
        let until = instant() + PATIENCE;
        let mut at = instant();
        while !holds(self.screen.screen()) {
            let left = until.saturating_duration_since(instant());
            match self.terminal.bytes.recv_timeout(left) {
                Ok((when, bytes)) => {
                    at = when;
                    self.screen.process(&bytes);
                }
                Err(_) => panic!("no {what} on screen:\n{}", self.screen.screen().contents()),
            }
        }
        at
    }

    /// Presses keys; returns when.
    pub fn press(&mut self, keys: &str) -> Instant {
        self.terminal.press(keys)
    }

    /// Presses a key whose effect is seen somewhere, and notes how long it
    /// took.
    pub fn measure(&mut self, figures: &mut Figures, key: &str, look: Look) {
        self.pause();
        let before = look(self.screen.screen());
        let pressed = self.press(key);
        let seen = self.wait(&format!("effect of {key:?}"), |screen| look(screen) != before);
        figures.0.push(seen.saturating_duration_since(pressed));
    }

    /// Between two keys: until the screen is still, and not always as long.
    fn pause(&mut self) {
        let until = instant() + Duration::from_millis(5 + u64::from(rand::random::<u8>() % 30));
        while let Ok((_, bytes)) =
            self.terminal.bytes.recv_timeout(until.saturating_duration_since(instant()))
        {
            self.screen.process(&bytes);
        }
    }

    /// Moves, changes tabs, writes and leaves the composer.
    pub fn round(&mut self, figures: &mut Figures) {
        self.rounds += 1;
        for _ in 0..3 {
            self.measure(figures, keys::DOWN.names, marked);
        }
        for _ in 0..3 {
            self.measure(figures, keys::UP.names, marked);
        }
        self.measure(figures, keys::NEXT_TAB.names, tabs);
        self.measure(figures, keys::PREVIOUS_TAB.names, tabs);
        if self.refused {
            return;
        }
        self.measure(figures, keys::REPLY.names, composer);
        for key in "thinking".chars() {
            self.measure(figures, key.encode_utf8(&mut [0; 4]), composer);
        }
        for _ in 0..8 {
            self.measure(figures, "\x7f", composer);
        }
        self.measure(figures, &keys::LEAVE.bytes(), composer);
        self.press(keys::BACK.names);
        self.settle();
    }

    /// Waits until the key is not taken any more.
    pub fn see_refusal(&mut self) {
        self.wait("word that the key is not taken", is_refused);
        self.refused = true;
        self.settle();
    }

    /// Puts something into the outbox, so that it too meets the trouble.
    pub fn send_a_text(&mut self) {
        if self.refused {
            return;
        }
        self.settle();
        self.press(keys::REPLY.names);
        self.wait("the composer", |screen| screen.contents().contains("Enter send"));
        // A text that is not on the screen yet: Enter in the same burst would not send it.
        let text = format!("on its way {:05}", rand::random::<u16>());
        self.press(&text);
        self.wait("the text", |screen| screen.contents().contains(&text));
        self.press(&keys::SEND.bytes());
        self.pause();
        self.press(&keys::LEAVE.bytes());
        self.wait("the list's hints", |screen| !screen.contents().contains("Enter send"));
        self.press(keys::BACK.names);
        self.settle();
    }
}

/// Whether the key is not taken: nothing is written then.
fn is_refused(screen: &vt100::Screen) -> bool {
    screen.contents().contains("Key refused")
}

/// Line of the list with the mark of the selected row.
fn marked(screen: &vt100::Screen) -> String {
    let is_marked = |row: &u16| screen.cell(*row, 1).is_some_and(|cell| cell.contents() == SELECTION_MARK);
    (1..ROWS).find(is_marked).map_or_else(|| "none".to_owned(), |number| number.to_string())
}

/// The line of tabs, with its look.
fn tabs(screen: &vt100::Screen) -> String {
    let row = screen.rows_formatted(0, COLUMNS / 2).next();
    row.unwrap_or_default()
}

/// The lines of the composer, and whether it has the keyboard.
fn composer(screen: &vt100::Screen) -> String {
    let lines = screen.contents();
    let from = lines.lines().position(|line| line.contains("Reply")).unwrap_or(0);
    format!("{}{:?}", lines.lines().skip(from).take(4).collect::<String>(), screen.hide_cursor())
}
