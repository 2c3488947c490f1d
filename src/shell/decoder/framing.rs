//! Framing of sequences: each byte of an unfinished one, and what is done once it is whole or broken.

use inbox::event::Event;
use inbox::keys::KeyCode;

use super::sequences::{self, Meaning, Modifiers};
use super::{BEL, CANCEL, Decoder, ESC, MAX_SEQUENCE_BYTES, SUBSTITUTE, State, key};

impl Decoder {
    pub(super) fn escape(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            ESC => self.alt = true,
            b'[' => self.state = State::Csi,
            b'O' => self.state = State::Ss3,
            b']' | b'P' | b'X' | b'^' | b'_' => {
                self.state = State::Text { introducer: byte, escaped: false };
            }
            // End of a string whose start was not seen.
            b'\\' => self.end(),
            _ => {
                (self.state, self.alt) = (State::Ground, true);
                self.ground(byte, events);
            }
        }
    }

    pub(super) fn csi(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            b'[' if self.body.is_empty() => self.state = State::Console,
            b'M' if self.body.is_empty() => self.state = State::Click(3),
            // Keys with Shift as rxvt sends them.
            b'$' if !self.body.is_empty() && self.body.iter().all(u8::is_ascii_digit) => {
                self.finish_sequence(sequences::csi(&self.body, byte), events);
            }
            0x20..=0x3f => self.push_byte(byte),
            0x40..=0x7e => {
                let whole = self.body.len() < MAX_SEQUENCE_BYTES;
                let meaning = if whole { sequences::csi(&self.body, byte) } else { Meaning::Nothing };
                self.finish_sequence(meaning, events);
            }
            _ => self.reject_byte(byte, events),
        }
    }

    pub(super) fn ss3(&mut self, byte: u8, events: &mut Vec<Event>) {
        match byte {
            b'0'..=b'9' if self.body.is_empty() => self.push_byte(byte),
            0x20..=0x7e => self.finish_sequence(sequences::ss3(&self.body, byte), events),
            _ => self.reject_byte(byte, events),
        }
    }

    pub(super) fn click(&mut self, byte: u8, left: u8, events: &mut Vec<Event>) {
        if byte == ESC {
            return self.reject_byte(byte, events);
        }
        self.push_byte(byte);
        if left > 1 {
            self.state = State::Click(left - 1);
        } else {
            self.finish_sequence(sequences::parse_old_click(&self.body), events);
        }
    }

    pub(super) fn text(&mut self, byte: u8, introducer: u8, escaped: bool, events: &mut Vec<Event>) {
        match byte {
            BEL if introducer == b']' && !escaped => self.end(),
            b'\\' if escaped => self.end(),
            CANCEL | SUBSTITUTE => self.end(),
            ESC => self.state = State::Text { introducer, escaped: true },
            _ if escaped => {
                // The string was left without its end and a new sequence starts.
                self.end();
                self.escape(byte, events);
            }
            _ => self.push_byte(byte),
        }
    }

    pub(super) fn push_pasted(&mut self, byte: u8, events: &mut Vec<Event>) {
        if let Some(text) = self.paste.push(byte) {
            events.extend((!text.is_empty()).then_some(Event::Paste(text)));
        }
        if self.paste.has_ended() {
            self.paste_until = None;
            self.end();
        }
    }

    fn push_byte(&mut self, byte: u8) {
        if self.body.len() < MAX_SEQUENCE_BYTES {
            self.body.push(byte);
        }
    }

    /// Completes a sequence. A late one is dropped unless it starts a paste.
    pub(super) fn finish_sequence(&mut self, meaning: Meaning, events: &mut Vec<Event>) {
        let (alt, late) = (self.alt, self.late);
        self.end();
        if late && meaning != Meaning::PasteBegins {
            return;
        }
        let alone = alt && !matches!(meaning, Meaning::Key(..) | Meaning::Nothing);
        events.extend((alone && !late).then(|| key(KeyCode::Esc)));
        match meaning {
            Meaning::Nothing => (),
            Meaning::PasteBegins => self.begin_paste(),
            Meaning::Focus(gained) => events.push(Event::Focus(gained)),
            Meaning::Pointer(pointer) => events.push(Event::Pointer(pointer)),
            Meaning::Key(press, modifiers) => {
                let press =
                    sequences::apply_modifiers(press, Modifiers { alt: alt || modifiers.alt, ..modifiers });
                events.extend(press.map(Event::Key));
            }
        }
    }

    /// Handles a byte that cannot be part of the sequence. One from the same read is dropped with it; a later
    /// one is a key.
    fn reject_byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        let late = self.late;
        self.end();
        match byte {
            ESC => self.state = State::Escape,
            _ if late || byte >= 0x80 => self.ground(byte, events),
            _ => (),
        }
    }
}
