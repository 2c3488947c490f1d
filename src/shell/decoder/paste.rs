//! The text of a marked paste while it comes, in bounded memory.

use super::PASTE_LIMIT;

const END_MARK: &[u8] = b"\x1b[201~";

/// Bytes since the mark that begins a paste.
#[derive(Debug, Default)]
pub(super) struct PastedBytes {
    bytes: Vec<u8>,
    /// True if the text was handed on at the limit: the rest is dropped.
    is_cut: bool,
    ended: bool,
}

impl PastedBytes {
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// Takes in a byte; returns the text once it is whole or has reached the limit.
    pub(super) fn push(&mut self, byte: u8) -> Option<String> {
        self.bytes.push(byte);
        if byte == b'~' && self.bytes.ends_with(END_MARK) {
            self.ended = true;
            let length = self.bytes.len() - END_MARK.len();
            return (!self.is_cut).then(|| self.text(length));
        }
        if self.is_cut {
            let over = self.bytes.len().saturating_sub(END_MARK.len());
            self.bytes.drain(..over);
            return None;
        }
        if self.bytes.len() < PASTE_LIMIT {
            return None;
        }
        self.is_cut = true;
        let kept = self.bytes.len() - self.begun_mark();
        let text = self.text(kept);
        self.bytes.drain(..kept);
        Some(text)
    }

    /// Bytes that are held.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The text so far, and the beginning of an end mark behind it.
    pub(super) fn take(&mut self) -> (String, Vec<u8>) {
        let length = self.bytes.len() - self.begun_mark();
        let text = if self.is_cut { String::new() } else { self.text(length) };
        let mark = self.bytes.split_off(length);
        self.begin();
        (text, mark)
    }

    /// Bytes at the end that may become the end mark.
    fn begun_mark(&self) -> usize {
        let lengths = (1..END_MARK.len()).rev();
        lengths.into_iter().find(|length| self.bytes.ends_with(&END_MARK[..*length])).unwrap_or(0)
    }

    fn text(&self, length: usize) -> String {
        String::from_utf8_lossy(&self.bytes[..length]).into_owned()
    }
}
