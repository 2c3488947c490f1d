//! Decodes encoded words of header values (RFC 2047) as they occur in practice: without padding,
//! inside quotes, with a character split over two words.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::mailbox::parsing::charsets::decode_text;

/// Maximum length of one encoded word, in bytes; longer text is no encoded word.
const MAX_WORD_BYTES: usize = 4096;

struct EncodedWord<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
    /// Length in the header value, in bytes.
    length: usize,
}

/// Decodes the encoded words of a value. Adjacent words of one charset are joined before decoding;
/// white space between two encoded words is dropped.
pub fn decode_words(text: &str) -> String {
    let (mut decoded, mut rest) = (String::new(), text);
    let mut pending: Option<(&str, Vec<u8>)> = None;
    while !rest.is_empty() {
        let skipped = rest.len() - rest.trim_start().len();
        let gap = if pending.is_some() { skipped } else { 0 };
        if let Some(word) = parse_word(&rest[gap..]) {
            pending = Some(match pending.take() {
                Some((charset, mut bytes)) if charset.eq_ignore_ascii_case(word.charset) => {
                    bytes.extend(word.bytes);
                    (charset, bytes)
                }
                before => {
                    flush(before, &mut decoded);
                    (word.charset, word.bytes)
                }
            });
            rest = &rest[gap + word.length..];
            continue;
        }
        flush(pending.take(), &mut decoded);
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let end = rest[first..].find("=?").map_or(rest.len(), |at| first + at);
        decoded.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    flush(pending, &mut decoded);
    decoded
}

pub fn word_length(text: &str) -> Option<usize> {
    parse_word(text).map(|word| word.length)
}

fn flush(pending: Option<(&str, Vec<u8>)>, decoded: &mut String) {
    if let Some((charset, bytes)) = pending {
        decoded.push_str(&decode_text(&bytes, Some(charset)));
    }
}

fn parse_word(text: &str) -> Option<EncodedWord<'_>> {
    let inner = text.strip_prefix("=?")?;
    let (charset, after) = inner.split_once('?')?;
    // `charset*language` (RFC 2231).
    let charset = charset.split('*').next().unwrap_or(charset);
    if charset.is_empty() || !charset.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let (encoding, after) = after.split_once('?')?;
    let (content, _) = after.split_once("?=")?;
    if content.len() > MAX_WORD_BYTES || content.contains(['\r', '\n', '<', '>']) {
        return None;
    }
    let bytes = match encoding {
        "B" | "b" => decode_base64(content)?,
        "Q" | "q" => decode_quoted(content),
        _ => return None,
    };
    Some(EncodedWord { charset, bytes, length: text.len() - after.len() + content.len() + 2 })
}

/// Decodes base64 whose padding may be missing or misplaced.
pub fn decode_base64(content: &str) -> Option<Vec<u8>> {
    let mut letters: Vec<u8> =
        content.bytes().filter(|byte| *byte != b'=' && !byte.is_ascii_whitespace()).collect();
    if letters.len() % 4 == 1 {
        letters.pop();
    }
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&STANDARD, lenient).decode(letters).ok()
}

fn decode_quoted(content: &str) -> Vec<u8> {
    let bytes = content.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let digits = content.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (byte, digits) {
            (b'_', _) => decoded.push(b' '),
            (b'=', Some(value)) => {
                decoded.push(value);
                at += 2;
            }
            (other, _) => decoded.push(*other),
        }
        at += 1;
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_decoded_as_mail_has_them() {
        let cases = [
            ("plain", "plain"),
            ("=?utf-8?q?J=C3=B6rg_M?=", "Jörg M"),
            ("=?utf-8?Q?J=C3?= =?UTF-8?Q?=B6rg?=", "Jörg"),
            ("=?utf-8?B?SsO2cmc?= ok", "Jörg ok"),
            ("=?utf-8?B?SsO2cmc=?=\t=?iso-8859-1?q?_M=FCller?=", "Jörg Müller"),
            ("=?windows-1252*de?q?=80?=", "€"),
            ("a =?x? b", "a =?x? b"),
            ("=?utf-8?x?abc?=", "=?utf-8?x?abc?="),
            ("ü=?utf-8?q?=C3=A4?=", "üä"),
        ];
        for (raw, expected) in cases {
            assert_eq!(decode_words(raw), expected, "{raw}");
        }
    }
}
