//! Text that comes faster than a person types: a paste that the terminal does not mark, or keys that a
//! slow line brings together.
//!
//! A burst is one read, or reads of which each follows the one before within [`MAX_KEY_GAP`] ([`MAX_PROGRAM_GAP`]
//! after a read of [`PROGRAM_READ_BYTES`] bytes), of characters, Enter and Tab. It ends where the screen shows all of
//! it, because then somebody may have answered what is there; after [`MIN_MACHINE_READS`] reads at that pace
//! nobody can have. In a burst
//!
//! - Enter and Tab after text in the same read, or after [`MIN_PASTED_CHARS`] characters of the burst, are line break
//!   and tab; Tab only where text follows it;
//! - text with one of these, and any text from the [`MIN_TEXT_CHARS`]th character on that is not a key repeated,
//!   is handed on in one piece, and what it may do is decided where the inbox knows the place.
//!
//! | bytes | events |
//! |---|---|
//! | `j`, `jjjjjjjjjj`, `gn` | keys |
//! | `hello`, seen on the screen, then `\r` | keys |
//! | `hello\r` in one read, or `\r` within [`MAX_KEY_GAP`] of four and more letters | one burst |
//! | `\rhello` | Enter, keys |
//! | `Dear Ana,\rit is on its way` | one burst |
//! | `Dear Ana` at once | one burst |

use std::time::Duration;

use inbox::event::Event;
use inbox::keys::{KeyCode, KeyPress};

/// Longest pause between two reads of a burst: people do not press four keys in three such pauses.
const MAX_KEY_GAP: Duration = Duration::from_millis(25);
/// Bytes of a read that was filled by a program rather than by a person.
const PROGRAM_READ_BYTES: usize = 256;
/// Longest pause after such a read.
const MAX_PROGRAM_GAP: Duration = Duration::from_millis(100);
/// Reads of a burst at this pace after which nobody can have answered in between.
const MIN_MACHINE_READS: usize = 4;
/// Characters of a burst after which Enter is a line break although it comes in a read of its own.
const MIN_PASTED_CHARS: usize = 4;
/// Characters of a burst that are text rather than keys.
const MIN_TEXT_CHARS: usize = 8;
/// Minimum number of different characters among them; a held key repeats.
const MIN_DISTINCT_CHARS: usize = 4;

/// The burst of which the newest read is a part.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    open: bool,
    reads: usize,
    characters: usize,
    kinds: Vec<char>,
    /// Bytes of the read before.
    bytes: usize,
}

impl Bursts {
    /// Ends the current burst.
    pub(super) fn interrupted(&mut self) {
        *self = Self::default();
    }

    /// Joins the events of a read that belong to one burst. `bytes`: size of the read; `gap`: time since the
    /// read before; `shown`: the screen shows everything that came before it.
    pub(super) fn join(
        &mut self,
        events: Vec<Event>,
        bytes: usize,
        gap: Duration,
        shown: bool,
    ) -> Vec<Event> {
        let longest = if self.bytes >= PROGRAM_READ_BYTES { MAX_PROGRAM_GAP } else { MAX_KEY_GAP };
        if !self.open || gap > longest {
            self.interrupted();
        }
        if shown && self.reads < MIN_MACHINE_READS {
            self.characters = 0;
            self.kinds.clear();
        }
        (self.reads, self.bytes) = (self.reads + 1, bytes);
        let mut joined = Vec::new();
        let mut run = String::new();
        for event in events {
            match character(&event) {
                Some('\n' | '\t') if run.is_empty() && !self.is_fast() => {
                    self.characters = 0;
                    joined.push(event);
                }
                Some(character) => {
                    run.push(character);
                    self.count(character);
                }
                None => {
                    self.flush_run(&mut run, &mut joined);
                    *self = Self { reads: 1, bytes, ..Self::default() };
                    joined.push(event);
                }
            }
        }
        self.open = self.characters > 0;
        self.flush_run(&mut run, &mut joined);
        joined
    }

    /// True if nobody can have pressed Enter so soon, in a read of its own.
    fn is_fast(&self) -> bool {
        self.characters >= MIN_PASTED_CHARS || self.reads > MIN_MACHINE_READS
    }

    fn count(&mut self, character: char) {
        if matches!(character, '\n' | '\t') {
            return;
        }
        self.characters += 1;
        if self.kinds.len() < MIN_DISTINCT_CHARS && !self.kinds.contains(&character) {
            self.kinds.push(character);
        }
    }

    fn flush_run(&self, run: &mut String, joined: &mut Vec<Event>) {
        let text = run.trim_end_matches('\t');
        let tabs = run.len() - text.len();
        let is_text = self.characters >= MIN_TEXT_CHARS && self.kinds.len() >= MIN_DISTINCT_CHARS;
        if text.contains(['\n', '\t']) || is_text && !text.is_empty() {
            joined.push(Event::Burst(text.to_owned()));
        } else {
            joined.extend(text.chars().map(KeyCode::Char).map(press));
        }
        joined.extend((0..tabs).map(|_| press(KeyCode::Tab)));
        run.clear();
    }
}

fn press(code: KeyCode) -> Event {
    Event::Key(KeyPress::plain(code))
}

/// Character of a key in a text.
fn character(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    match key.code {
        KeyCode::Enter | KeyCode::Tab if key.ctrl || key.alt || key.shift => None,
        KeyCode::Enter => Some('\n'),
        KeyCode::Tab => Some('\t'),
        // Line breaks of a paste come as Ctrl-J from some terminals.
        KeyCode::Char('j') if key.ctrl && !key.alt => Some('\n'),
        _ => key.typed(),
    }
}
