//! Buffer of a paste in progress, of limited size.

use super::MAX_PASTE_BYTES;

const END_MARK: &[u8] = b"\x1b[201~";

/// Bytes since the start mark of a paste.
#[derive(Debug, Default)]
pub(super) struct PastedBytes {
    bytes: Vec<u8>,
    /// True if the text was emitted at the limit: the rest is dropped.
    is_cut: bool,
    ended: bool,
}

impl PastedBytes {
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// Appends a byte; returns the text once complete or at the limit.
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
        if self.bytes.len() < MAX_PASTE_BYTES {
            return None;
        }
        self.is_cut = true;
        let kept = self.bytes.len() - self.partial_mark_bytes();
        let text = self.text(kept);
        self.bytes.drain(..kept);
        Some(text)
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the text so far and a possible partial end mark.
    pub(super) fn take_text(&mut self) -> (String, Vec<u8>) {
        let length = self.bytes.len() - self.partial_mark_bytes();
        let text = if self.is_cut { String::new() } else { self.text(length) };
        let mark = self.bytes.split_off(length);
        self.begin();
        (text, mark)
    }

    /// Number of bytes at the end that may start the end mark.
    fn partial_mark_bytes(&self) -> usize {
        let lengths = (1..END_MARK.len()).rev();
        lengths.into_iter().find(|length| self.bytes.ends_with(&END_MARK[..*length])).unwrap_or(0)
    }

    fn text(&self, length: usize) -> String {
        String::from_utf8_lossy(&self.bytes[..length]).into_owned()
    }
}
