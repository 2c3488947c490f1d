//! Decodes the terminal's bytes into events of the inbox: a state machine without clock or files.
//!
//! A terminal sends keys, pastes, clicks and answers in one stream, and a slow line may cut it
//! anywhere. The rules:
//!
//! - A sequence (CSI, SS3, OSC, DCS, APC, PM, SOS) is taken whole. While one is unfinished, the
//!   decoder waits [`SEQUENCE_TIMEOUT`] after each byte for the next one. Other keys never wait.
//! - An ESC that nothing follows within [`SEQUENCE_TIMEOUT`] is the Esc key.
//! - Any other sequence that is unfinished by then is dropped, and its rest becomes *late*: bytes
//!   that continue it within [`LATE_SEQUENCE_TIMEOUT`] are dropped, too. Only the mark that begins a paste still counts,
//!   because its text must not become keys.
//! - After an Esc key, a read that looks like the rest of a cut sequence (`[A`, `]11;rgb:…`) is late
//!   as well, within [`MAX_LATE_READ_AGE`]. A lone `[`, `O`, `P`, `]`, `X`, `^` or `_` within [`MAX_GUESS_AGE`] waits
//!   [`GUESS_TIMEOUT`] for what shows whether it is: nobody presses such a key so soon after Esc and another
//!   right behind it.
//! - ESC before a key or a whole sequence is Alt. Before a click, a paste or a report of the focus it
//!   is the Esc key, as none of these has an Alt.
//! - A key with Super, Hyper or Meta is no key, nor is one that is released. Caps Lock and Num Lock
//!   are ignored.
//! - A marked paste ends with its mark; or with a second of silence, or after [`MAX_PASTE_BYTES`] bytes,
//!   if the mark is lost. For [`PASTE_TAIL_TIME`] after that, reads of two bytes and more still belong to it.
//! - Text that comes faster than a person types is a burst: see [`bursts`].
//! - Nothing is asked of the terminal; answers that come all the same are dropped.

mod bursts;
mod framing;
mod paste;
mod sequences;
#[cfg(test)]
mod tests;

use std::time::Duration;

use inbox::event::Event;
use inbox::keys::{KeyCode, KeyPress};

use bursts::Bursts;
use paste::PastedBytes;
use sequences::Modifiers;

/// Time to wait for the next byte of a sequence.
pub const SEQUENCE_TIMEOUT: Duration = Duration::from_millis(50);
/// Time after its newest byte in which the rest of a late sequence is dropped.
const LATE_SEQUENCE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time after an Esc key in which a read shaped like the rest of a sequence counts as one.
const MAX_LATE_READ_AGE: Duration = Duration::from_secs(10);
/// Time after ESC in which a single byte may start a cut sequence.
const MAX_GUESS_AGE: Duration = Duration::from_millis(150);
/// Time to wait for the byte that decides a guess.
const GUESS_TIMEOUT: Duration = Duration::from_millis(120);
/// Silence that ends a paste without its end mark.
const PASTE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time after a paste without its end mark in which more text belongs to it.
const PASTE_TAIL_TIME: Duration = Duration::from_secs(5);
/// Time to wait for the rest of a multi-byte character.
const CHARACTER_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum bytes of a paste.
pub const MAX_PASTE_BYTES: usize = 1024 * 1024;
/// Maximum bytes of a sequence; longer ones are dropped whole.
const MAX_SEQUENCE_BYTES: usize = 256;
/// Bytes at typing speed that end a late string.
const MAX_TYPED_STRING_BYTES: usize = 64;
/// Bytes at typing speed that end a paste.
const MAX_TYPED_PASTE_BYTES: usize = 128;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const DELETE: u8 = 0x7f;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ground,
    /// After ESC.
    Escape,
    /// After `ESC [`, with the parameters in the body.
    Csi,
    /// After `ESC [ [`, the start of function keys on the Linux console.
    Console,
    /// After `ESC O`.
    Ss3,
    /// Remaining bytes of a click in the oldest encoding.
    Click(u8),
    /// Inside OSC, DCS, APC, PM or SOS, with its introducer.
    Text {
        introducer: u8,
        escaped: bool,
    },
    Paste,
}

/// See the module documentation. Times are relative to any fixed point.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    /// True if an ESC precedes the sequence.
    alt: bool,
    /// True if the sequence is late: its rest is dropped.
    late: bool,
    /// True if its first byte may have been a key after Esc.
    is_guess: bool,
    body: Vec<u8>,
    /// Bytes of an incomplete character.
    character: Vec<u8>,
    paste: PastedBytes,
    bursts: Bursts,
    /// Time of the newest byte.
    last: Duration,
    /// Time of an ESC without its rest, and true if it was taken as a key.
    escape_at: Option<(Duration, bool)>,
    /// End of the time in which more text belongs to a paste without its end mark.
    paste_until: Option<Duration>,
    /// Consecutive bytes at typing speed.
    typed: usize,
    erase: u8,
}

impl Decoder {
    /// `erase` is the byte the terminal sends for Backspace: Ctrl-H or DEL.
    pub fn new(erase: u8) -> Self {
        Self {
            state: State::Ground,
            alt: false,
            late: false,
            is_guess: false,
            body: Vec::new(),
            character: Vec::new(),
            paste: PastedBytes::default(),
            bursts: Bursts::default(),
            last: Duration::ZERO,
            escape_at: None,
            paste_until: None,
            typed: 0,
            erase,
        }
    }

    /// Decodes one read. `was_waiting`: its bytes may have come right behind those before, and only the reader
    /// is late. `shown`: the screen shows the effect of everything before it.
    pub fn feed(&mut self, bytes: &[u8], now: Duration, was_waiting: bool, shown: bool) -> Vec<Event> {
        let gap = if was_waiting { Duration::ZERO } else { now.saturating_sub(self.last) };
        let is_typed = bytes.len() <= 2 && gap >= SEQUENCE_TIMEOUT;
        self.typed = if is_typed { self.typed + bytes.len() } else { 0 };
        let mut before = Vec::new();
        self.end_typed_sequence(bytes, &mut before);
        let mut rest = bytes;
        if self.state == State::Ground {
            rest = self.resume(bytes, now);
        }
        self.last = now;
        let mut events = Vec::new();
        for byte in rest {
            self.byte(*byte, &mut events);
        }
        before.extend(self.bursts.join(events, bytes.len(), gap, shown));
        before
    }

    /// Time at which [`Self::expire`] is to be called unless bytes arrive before.
    pub fn deadline(&self) -> Option<Duration> {
        let wait = match self.state {
            State::Ground if self.character.is_empty() => return None,
            State::Ground => CHARACTER_TIMEOUT,
            State::Paste => PASTE_TIMEOUT,
            State::Text { escaped: true, .. } => SEQUENCE_TIMEOUT,
            _ if self.guessed_byte().is_some() => GUESS_TIMEOUT,
            _ if self.late => LATE_SEQUENCE_TIMEOUT,
            _ => SEQUENCE_TIMEOUT,
        };
        Some(self.last + wait)
    }

    /// Ends the state whose deadline has passed.
    pub fn expire(&mut self, now: Duration) -> Vec<Event> {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return Vec::new();
        }
        let mut events = Vec::new();
        match self.state {
            State::Ground => self.end_character(&mut events),
            State::Escape => {
                events.push(key(KeyCode::Esc));
                self.escape_at = Some((self.last, true));
                self.end();
            }
            State::Paste => self.end_paste(now, &mut events),
            State::Text { escaped: true, .. } => {
                self.escape_at = Some((self.last, false));
                self.end();
            }
            _ if self.late => self.end_guess(&mut events),
            _ => self.late = true,
        }
        self.bursts.interrupted();
        events
    }

    /// Ends a state that waits for bytes when a person types instead.
    fn end_typed_sequence(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        let first = bytes.first().copied().unwrap_or(ESC);
        if self.guessed_byte().is_some_and(|introducer| !sequences::may_begin(introducer, first)) {
            self.end_guess(events);
        }
        match self.state {
            State::Ground if first & 0xc0 != 0x80 => self.end_character(events),
            State::Paste if self.typed > MAX_TYPED_PASTE_BYTES => self.end_paste(self.last, events),
            State::Text { introducer, escaped: false } if self.late => {
                let continues = !self.body.is_empty() || sequences::may_begin(introducer, first);
                let is_key = bytes.len() <= 2 && first < b' ' && first != ESC && first != BEL;
                if !continues || is_key || self.typed > MAX_TYPED_STRING_BYTES {
                    self.end();
                }
            }
            _ => (),
        }
    }

    /// Classifies a read outside any sequence. Returns the bytes still to be decoded.
    fn resume<'a>(&mut self, bytes: &'a [u8], now: Duration) -> &'a [u8] {
        if let Some((at, acted)) = self.escape_at.take() {
            let age = now.saturating_sub(at);
            if let Some(state) = late_state(bytes, age) {
                (self.state, self.late, self.is_guess) = (state, true, true);
                return &bytes[1..];
            }
            // End of a string whose ESC was dropped with it.
            if !acted && age <= MAX_LATE_READ_AGE && bytes.first() == Some(&b'\\') {
                return &bytes[1..];
            }
        }
        let is_tail = self.paste_until.is_some_and(|until| now <= until) && bytes.len() > 1;
        let is_text = bytes.iter().any(|byte| *byte >= b' ' && *byte != DELETE);
        if is_tail && is_text && bytes[0] != ESC {
            self.begin_paste();
        }
        bytes
    }

    fn byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        match self.state {
            State::Ground => self.ground(byte, events),
            State::Escape => self.escape(byte, events),
            State::Csi => self.csi(byte, events),
            State::Console => self.finish_sequence(sequences::console(byte), events),
            State::Ss3 => self.ss3(byte, events),
            State::Click(left) => self.click(byte, left, events),
            State::Text { introducer, escaped } => self.text(byte, introducer, escaped, events),
            State::Paste => self.push_pasted(byte, events),
        }
    }

    fn ground(&mut self, byte: u8, events: &mut Vec<Event>) {
        if byte < 0x80 {
            self.end_character(events);
            if byte == ESC {
                self.state = State::Escape;
            } else {
                self.push_key(sequences::plain(byte, self.erase), events);
            }
            return;
        }
        self.character.push(byte);
        match std::str::from_utf8(&self.character) {
            Ok(text) => {
                let character = text.chars().next().filter(|character| !character.is_control());
                self.character.clear();
                self.push_key(character.map(KeyCode::Char).map(KeyPress::plain), events);
            }
            Err(error) if error.error_len().is_none() => (),
            Err(_) => {
                self.character.pop();
                let alone = self.character.is_empty();
                self.replace_character(events);
                if !alone {
                    self.ground(byte, events);
                }
            }
        }
    }

    /// Emits a replacement for an incomplete character.
    fn end_character(&mut self, events: &mut Vec<Event>) {
        if !self.character.is_empty() {
            self.replace_character(events);
        }
    }

    fn replace_character(&mut self, events: &mut Vec<Event>) {
        self.character.clear();
        self.push_key(Some(KeyPress::plain(KeyCode::Char(char::REPLACEMENT_CHARACTER))), events);
    }

    /// Emits a key that came without a sequence, with Alt if an ESC precedes it.
    fn push_key(&mut self, press: Option<KeyPress>, events: &mut Vec<Event>) {
        let alt = std::mem::take(&mut self.alt);
        let press = press
            .and_then(|press| sequences::apply_modifiers(press, Modifiers { alt, ..Modifiers::default() }));
        events.extend(press.map(Event::Key));
    }

    fn begin_paste(&mut self) {
        self.state = State::Paste;
        self.paste.begin();
    }

    /// Ends a paste without its end mark.
    fn end_paste(&mut self, now: Duration, events: &mut Vec<Event>) {
        let (text, mark) = self.paste.take_text();
        events.extend((!text.is_empty()).then_some(Event::Paste(text)));
        self.end();
        (self.last, self.paste_until) = (now, Some(now + PASTE_TAIL_TIME));
        match mark.as_slice() {
            [] => (),
            [_] => self.escape_at = Some((now, false)),
            [_, _, body @ ..] => {
                (self.state, self.late, self.body) = (State::Csi, true, body.to_vec());
            }
        }
    }

    /// First byte of a possible cut sequence, which may also be a key after Esc.
    fn guessed_byte(&self) -> Option<u8> {
        let is_open = self.late && self.is_guess && self.body.is_empty();
        match self.state {
            State::Csi if is_open => Some(b'['),
            State::Ss3 if is_open => Some(b'O'),
            State::Text { introducer, escaped: false } if is_open => Some(introducer),
            _ => None,
        }
    }

    /// Ends a late sequence; a single byte that nothing followed is emitted as a key.
    fn end_guess(&mut self, events: &mut Vec<Event>) {
        let guessed = self.guessed_byte();
        self.end();
        events.extend(guessed.map(|byte| key(KeyCode::Char(char::from(byte)))));
    }

    fn end(&mut self) {
        (self.state, self.alt, self.late, self.is_guess) = (State::Ground, false, false, false);
        self.body.clear();
    }
}

fn key(code: KeyCode) -> Event {
    Event::Key(KeyPress::plain(code))
}

/// State after the first byte of a read that is the rest of a sequence whose ESC came `age` ago.
fn late_state(bytes: &[u8], age: Duration) -> Option<State> {
    let (first, rest) = bytes.split_first()?;
    let text = |introducer| State::Text { introducer, escaped: false };
    let (state, looks_like_it) = match first {
        b'[' => (State::Csi, rest.first().is_some_and(|next| sequences::may_begin(b'[', *next))),
        b'O' => {
            let ends = matches!(rest, [_] | [_, ESC, ..] | [b'0'..=b'9', _]);
            (State::Ss3, ends && sequences::may_begin(b'O', rest[0]))
        }
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let begins = rest.first().is_some_and(|next| sequences::may_begin(*first, *next));
            (text(*first), begins && rest.len() > 1)
        }
        _ => return None,
    };
    let within = match rest {
        [] => MAX_GUESS_AGE,
        _ if looks_like_it => MAX_LATE_READ_AGE,
        _ => return None,
    };
    (age <= within).then_some(state)
}
