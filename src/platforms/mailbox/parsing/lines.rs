//! Header text on one line, and raw header values.

use mail_parser::{Header, Message};

use crate::mailbox::parsing::charsets;

const MAX_HEADERS: usize = 20;
const MAX_HEADER_BYTES: usize = 16 * 1024;

pub fn one_line(text: &str, max_chars: usize) -> String {
    let is_gap = |letter: char| letter.is_control() || letter.is_whitespace();
    let words = text.split(is_gap).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(max_chars).collect()
}

/// Returns the values of all headers of a name, in order, unfolded and not decoded. The name must
/// be spelled exactly at the beginning of a line: the parser also accepts `F rom` for `From`.
pub fn header_values(parsed: &Message<'_>, name: &str) -> Vec<String> {
    let is_named = |header: &&Header<'_>| {
        let raw = usize::try_from(header.offset_field).ok();
        let raw = raw.and_then(|at| parsed.raw_message().split_at_checked(at));
        header.name().eq_ignore_ascii_case(name)
            && raw.is_some_and(|(before, field)| {
                let is_first = before.last().is_none_or(|byte| *byte == b'\n');
                is_first
                    && field.get(..name.len()).is_some_and(|raw| raw.eq_ignore_ascii_case(name.as_bytes()))
            })
    };
    let named = parsed.headers().iter().filter(is_named);
    named
        .take(MAX_HEADERS)
        .filter_map(|header| {
            let range =
                usize::try_from(header.offset_start).ok()?..usize::try_from(header.offset_end).ok()?;
            Some(header_text(parsed, parsed.raw_message().get(range)?))
        })
        .collect()
}

fn header_text(parsed: &Message<'_>, bytes: &[u8]) -> String {
    // Folding is a line break before white space; the white space stays.
    let unfolded: Vec<u8> = bytes.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let text = charsets::decode_header(parsed, &unfolded);
    if text.len() <= MAX_HEADER_BYTES {
        return text.trim().to_owned();
    }
    // Truncates at a comma, because half an address is another address.
    let end = (0..=MAX_HEADER_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[..end].rsplit_once(',').map_or("", |(kept, _)| kept).trim().to_owned()
}
