//! Bounds on the answers of a mail server, checked on the raw bytes before any parser buffers them.
//!
//! A server can grow the memory of its client in four ways: an endless line, a literal that
//! announces more than a mail, endlessly nested lists, and more lines than there are mails. Each
//! has a bound. An answer begins with a write of the client and ends with the next write. A server
//! that exceeds a bound is not read again on that connection.

use std::io;

use crate::mailbox::server::MailProtocol;
use model::text::is_digits;

/// Maximum length of one line without its literals, in bytes.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Maximum size of the literals in one response that contains mails, in bytes: the longest mail
/// that is read whole, and its headers.
const MAX_MAIL_BYTES: usize = 28 * 1024 * 1024;
/// Maximum size of the literals in any other response, in bytes.
const MAX_LITERAL_BYTES: usize = 64 * 1024;
/// Maximum number of literals in one response: the parser starts over at each.
const MAX_LITERALS: usize = 64;
/// Maximum depth of nested lists: the parser recurses for each.
const MAX_NESTING: usize = 64;
/// Maximum number of lines of one SMTP reply: the parser starts over at each.
const MAX_REPLY_LINES: usize = 512;
/// Maximum number of responses to one command that reads mails.
const MAX_RESPONSES: usize = 500_000;
/// Bytes kept of the beginning and the end of a line to recognize its kind.
const LINE_SAMPLE_BYTES: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerSize {
    /// Greetings, replies and capabilities.
    Short,
    /// Folders and numbers; a busy mailbox adds flag changes.
    Usual,
    /// Mails, or a line for each of them.
    Mails,
}

impl AnswerSize {
    const fn max_bytes(self) -> usize {
        match self {
            Self::Short => 256 * 1024,
            Self::Usual => 16 * 1024 * 1024,
            Self::Mails => 64 * 1024 * 1024,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerBound {
    #[error("a line of more than {MAX_LINE_BYTES} bytes")]
    Line,
    #[error("a mail or text of {0} bytes in an answer")]
    Literal(usize),
    #[error("more than {MAX_LITERALS} texts in one line")]
    Literals,
    #[error("lists nested more than {MAX_NESTING} deep")]
    Nesting,
    #[error("an answer of more than {0} bytes")]
    Answer(usize),
    #[error("an answer of more than {0} lines")]
    Lines(usize),
}

impl From<AnswerBound> for io::Error {
    fn from(bound: AnswerBound) -> Self {
        Self::new(io::ErrorKind::InvalidData, bound)
    }
}

/// Returns the bound that a guarded connection reported, `None` for any other error.
pub fn exceeded(error: &io::Error) -> Option<AnswerBound> {
    error.get_ref().and_then(|inner| inner.downcast_ref()).copied()
}

#[derive(Debug)]
pub struct AnswerGuard {
    protocol: MailProtocol,
    size: AnswerSize,
    answer_bytes: usize,
    answer_lines: usize,
    line: LineCount,
    /// Bytes of the current literal still expected.
    literal_left: usize,
    exceeded: Option<AnswerBound>,
}

#[derive(Debug, Default)]
struct LineCount {
    bytes: usize,
    begins: Vec<u8>,
    ends: Vec<u8>,
    literals: usize,
    literal_bytes: usize,
    nesting: usize,
}

impl AnswerGuard {
    pub fn new(protocol: MailProtocol) -> Self {
        Self {
            protocol,
            size: AnswerSize::Short,
            answer_bytes: 0,
            answer_lines: 0,
            line: LineCount::default(),
            literal_left: 0,
            exceeded: None,
        }
    }

    /// Sets the size of the answers that follow.
    pub fn expect(&mut self, size: AnswerSize) {
        self.size = size;
    }

    /// Begins the count of a new answer; an unfinished line continues.
    pub fn begin_answer(&mut self) {
        (self.answer_bytes, self.answer_lines) = (0, 0);
    }

    /// Counts received bytes.
    pub fn admit(&mut self, bytes: &[u8]) -> Result<(), AnswerBound> {
        if let Some(bound) = self.exceeded {
            return Err(bound);
        }
        let counted = self.count(bytes);
        self.exceeded = counted.err();
        counted
    }

    fn count(&mut self, mut bytes: &[u8]) -> Result<(), AnswerBound> {
        self.answer_bytes = self.answer_bytes.saturating_add(bytes.len());
        if self.answer_bytes > self.size.max_bytes() {
            return Err(AnswerBound::Answer(self.size.max_bytes()));
        }
        while !bytes.is_empty() {
            let literal = self.literal_left.min(bytes.len());
            self.literal_left -= literal;
            bytes = &bytes[literal..];
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let (text, rest) = bytes.split_at(end.map_or(bytes.len(), |at| at + 1));
            self.line.add(text)?;
            if end.is_some() {
                self.end_line()?;
            }
            bytes = rest;
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), AnswerBound> {
        let literal = match self.protocol {
            MailProtocol::Imap => announced_literal(&self.line.ends),
            MailProtocol::Smtp => None,
        };
        let Some(literal) = literal else {
            self.line = LineCount::default();
            self.answer_lines += 1;
            let max_lines = match self.protocol {
                MailProtocol::Imap => MAX_RESPONSES,
                MailProtocol::Smtp => MAX_REPLY_LINES,
            };
            let fits = self.answer_lines <= max_lines;
            return if fits { Ok(()) } else { Err(AnswerBound::Lines(max_lines)) };
        };
        self.line.literals += 1;
        self.line.literal_bytes = self.line.literal_bytes.saturating_add(literal);
        self.line.ends.clear();
        let brings_mail = self.size == AnswerSize::Mails && is_fetch(&self.line.begins);
        let max_literals = if brings_mail { MAX_MAIL_BYTES } else { MAX_LITERAL_BYTES };
        if self.line.literal_bytes > max_literals {
            return Err(AnswerBound::Literal(self.line.literal_bytes));
        }
        if self.line.literals > MAX_LITERALS {
            return Err(AnswerBound::Literals);
        }
        self.literal_left = literal;
        Ok(())
    }
}

impl LineCount {
    fn add(&mut self, text: &[u8]) -> Result<(), AnswerBound> {
        self.bytes += text.len();
        if self.bytes > MAX_LINE_BYTES {
            return Err(AnswerBound::Line);
        }
        let missing = LINE_SAMPLE_BYTES.saturating_sub(self.begins.len()).min(text.len());
        self.begins.extend_from_slice(&text[..missing]);
        self.ends.extend(text.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')));
        self.ends.drain(..self.ends.len().saturating_sub(LINE_SAMPLE_BYTES));
        for byte in text {
            match byte {
                b'(' => self.nesting += 1,
                b')' => self.nesting = self.nesting.saturating_sub(1),
                _ => {}
            }
            if self.nesting > MAX_NESTING {
                return Err(AnswerBound::Nesting);
            }
        }
        Ok(())
    }
}

/// Returns the literal size announced at the end of a line (`{123}`, `{123+}`).
fn announced_literal(line: &[u8]) -> Option<usize> {
    let inside = line.strip_suffix(b"}")?;
    let open = inside.iter().rposition(|byte| *byte == b'{')?;
    let digits = &inside[open + 1..];
    let digits = std::str::from_utf8(digits.strip_suffix(b"+").unwrap_or(digits)).ok()?;
    if !is_digits(digits) {
        return None;
    }
    // A number with more digits than fit exceeds every bound.
    Some(digits.parse().unwrap_or(usize::MAX))
}

/// Returns true if a line begins like `* 12 FETCH`.
fn is_fetch(line: &[u8]) -> bool {
    let words = std::str::from_utf8(line).unwrap_or("").to_ascii_uppercase();
    let mut words = words.split([' ', '(']);
    words.next() == Some("*")
        && words.next().is_some_and(|number| number.parse::<u32>().is_ok())
        && words.next() == Some("FETCH")
}

#[cfg(test)]
mod tests;
