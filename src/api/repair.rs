//! Repairs nearly valid JSON before it is parsed; valid JSON is unchanged.
//!
//! | input | result |
//! |---|---|
//! | a byte order mark at the start, zero bytes at the end | dropped |
//! | UTF-16, or the charset of the media type | UTF-8 |
//! | other bytes that are not UTF-8 | U+FFFD |
//! | half of an escaped surrogate pair, from a text cut inside an emoji | U+FFFD |
//! | a raw control character in a string | a space |
//! | an integer that does not fit 64 bits | its digits as a string |
//! | `NaN`, `Infinity`, `-Infinity` | `null` |
//!
//! Large integers become strings because an id with more digits than a float holds would be rounded
//! to another id.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub fn without_byte_order_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body)
}

/// Repairs a body. `charset` is the label in its media type; valid UTF-8 takes precedence over it.
pub fn repaired(body: Vec<u8>, charset: Option<&str>) -> Vec<u8> {
    let mut body = decoded(body, charset);
    while body.last() == Some(&0) {
        body.pop();
    }
    if body.starts_with(BYTE_ORDER_MARK) {
        body.drain(..BYTE_ORDER_MARK.len());
    }
    let replaced = repair_in_place(&mut body);
    if replaced.is_empty() { body } else { with_replacements(&body, &replaced) }
}

fn decoded(body: Vec<u8>, charset: Option<&str>) -> Vec<u8> {
    if let Some(wide) = utf16(&body) {
        return wide.decode_with_bom_removal(&body).0.into_owned().into_bytes();
    }
    let body = match String::from_utf8(body) {
        Ok(text) => return text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let named = charset.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(UTF_8);
    named.decode_without_bom_handling(&body).0.into_owned().into_bytes()
}

/// Detects UTF-16 by its byte order mark, or by the zero beside the first bracket or brace.
fn utf16(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [0xff, 0xfe, ..] | [b'{' | b'[', 0, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] | [0, b'{' | b'[', ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// A range of the body to be replaced by a text of another length.
struct Replacement {
    start: usize,
    end: usize,
    kind: ReplacementKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplacementKind {
    Quoted,
    Null,
}

/// Makes the repairs that keep the length, and returns the others.
fn repair_in_place(body: &mut [u8]) -> Vec<Replacement> {
    let mut replaced = Vec::new();
    let (mut at, mut quoted) = (0, false);
    while at < body.len() {
        match body[at] {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                at += repair_escape(body, at);
                continue;
            }
            0..0x20 if quoted => body[at] = b' ',
            b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' if !quoted => {
                let end = at + body[at..].iter().take_while(|byte| is_word_byte(**byte)).count();
                replaced.extend(replacement(&body[at..end]).map(|kind| Replacement { start: at, end, kind }));
                at = end;
                continue;
            }
            _ => (),
        }
        at += 1;
    }
    replaced
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

fn replacement(word: &[u8]) -> Option<ReplacementKind> {
    if matches!(word, b"NaN" | b"Infinity" | b"-Infinity") {
        return Some(ReplacementKind::Null);
    }
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    // Eighteen digits always fit.
    if digits.len() <= 18 || !digits.iter().all(u8::is_ascii_digit) || digits[0] == b'0' {
        return None;
    }
    let text = std::str::from_utf8(word).ok()?;
    let fits = text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok();
    (!fits).then_some(ReplacementKind::Quoted)
}

fn with_replacements(body: &[u8], replaced: &[Replacement]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(body.len() + 2 * replaced.len());
    let mut from = 0;
    for part in replaced {
        whole.extend_from_slice(&body[from..part.start]);
        match part.kind {
            ReplacementKind::Null => whole.extend_from_slice(b"null"),
            ReplacementKind::Quoted => {
                whole.push(b'"');
                whole.extend_from_slice(&body[part.start..part.end]);
                whole.push(b'"');
            }
        }
        from = part.end;
    }
    whole.extend_from_slice(&body[from..]);
    whole
}

/// Repairs the escape sequence at `at`; returns its length.
fn repair_escape(body: &mut [u8], at: usize) -> usize {
    match (unit(body, at), unit(body, at + 6)) {
        (None, _) => 2,
        (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
        (Some(0xd800..0xe000), _) => {
            body[at + 2..at + 6].copy_from_slice(b"fffd");
            6
        }
        (Some(_), _) => 6,
    }
}

/// Returns the UTF-16 unit of a `\u` escape at `at`.
fn unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repair(body: &str) -> String {
        String::from_utf8(repaired(body.as_bytes().to_vec(), None)).expect("UTF-8")
    }

    #[test]
    fn half_a_pair_is_repaired_and_nothing_else() {
        let cases = [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ude00x""#, r#""\ufffdx""#),
            (r#""\uD83Dx\n""#, r#""\ufffdx\n""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#"{"a":"\"\ud800","b":1}"#, r#"{"a":"\"\ufffd","b":1}"#),
            ("{\n\"a\tb\"\n}", "{\n\"a b\"\n}"),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\", "\"\\"),
        ];
        for (body, whole) in cases {
            assert_eq!(repair(body), whole, "{body}");
        }
        assert_eq!(repaired(b"\"a\xff\"".to_vec(), None), "\"a\u{fffd}\"".as_bytes());
    }

    #[test]
    fn integers_of_any_length_keep_their_digits() {
        let long = "123456789012345678901234567890";
        let cases = [
            (format!("{{\"id\":{long}}}"), format!("{{\"id\":\"{long}\"}}")),
            (format!("[{long},-{long} ,1]"), format!("[\"{long}\",\"-{long}\" ,1]")),
            (format!("[\"{long}\"]"), format!("[\"{long}\"]")),
            (format!("[{long}.5,{long}e3,0{long}]"), format!("[{long}.5,{long}e3,0{long}]")),
            (
                "[18446744073709551615,-9223372036854775808]".to_owned(),
                "[18446744073709551615,-9223372036854775808]".to_owned(),
            ),
            (
                "[18446744073709551616,-9223372036854775809]".to_owned(),
                "[\"18446744073709551616\",\"-9223372036854775809\"]".to_owned(),
            ),
            ("[true,false,null,-,1.5e-7]".to_owned(), "[true,false,null,-,1.5e-7]".to_owned()),
            (long.to_owned(), format!("\"{long}\"")),
        ];
        for (body, whole) in cases {
            assert_eq!(repair(&body), whole, "{body}");
        }
    }

    #[test]
    fn numbers_that_json_does_not_have_are_null() {
        assert_eq!(
            repair(r#"{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN"}"#),
            r#"{"a":null,"b":[null,null],"c":"NaN"}"#
        );
    }

    #[test]
    fn every_way_of_writing_text_is_read() {
        let plain = "{\"name\":\"Zoë €\"}";
        let wide = |bytes: fn(u16) -> [u8; 2], mark: &str| {
            format!("{mark}{plain}").encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
        };
        let latin = || b"{\"name\":\"Zo\xeb \x80\"}".to_vec();
        let cases = [
            ("as it is", plain.as_bytes().to_vec(), None),
            ("a mark", format!("\u{feff}{plain}").into_bytes(), None),
            ("zero bytes behind", format!("{plain}\0\0").into_bytes(), None),
            ("UTF-16LE with a mark", wide(u16::to_le_bytes, "\u{feff}"), None),
            ("UTF-16BE with a mark", wide(u16::to_be_bytes, "\u{feff}"), None),
            ("UTF-16LE", wide(u16::to_le_bytes, ""), None),
            ("UTF-16BE", wide(u16::to_be_bytes, ""), None),
            ("Latin-1", latin(), Some("ISO-8859-1")),
            ("Windows", latin(), Some("windows-1252")),
            ("UTF-8 under a wrong label", plain.as_bytes().to_vec(), Some("ISO-8859-1")),
        ];
        for (name, body, charset) in cases {
            let read = String::from_utf8(repaired(body, charset)).expect("UTF-8");
            assert_eq!(read, plain, "{name}");
        }
        let unknown = String::from_utf8(repaired(latin(), Some("x-none"))).expect("UTF-8");
        assert_eq!(unknown, "{\"name\":\"Zo\u{fffd} \u{fffd}\"}");
        assert_eq!(without_byte_order_mark(b"\xef\xbb\xbf{}"), b"{}");
        assert_eq!(repaired(Vec::new(), Some("utf-8")), b"");
    }
}
