//! Decodes text in its actual charset.
//!
//! In this order:
//! - the declared charset, if the bytes fit and mail does not often declare it wrongly;
//! - UTF-8, if the bytes are valid up to a few;
//! - the declaration inside an HTML document, for a raw header the charset of the text;
//! - the most likely charset, as browsers guess it.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding as Charset, ISO_2022_JP, UTF_8, WINDOWS_1252};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding, Message, MessageParser, MessagePart, MimeHeaders};

use crate::mailbox::parsing::encoded_words::{decode_base64, decode_words};

/// Bytes of an HTML document searched for its declaration.
const DECLARATION_BYTES: usize = 2048;
/// Bytes inspected to guess a charset.
const SAMPLE_BYTES: usize = 64 * 1024;
/// Bytes of each other text of the mail inspected to guess a charset.
const CONTEXT_BYTES: usize = 4096;
/// Headers inspected to guess a charset.
const CONTEXT_HEADERS: usize = 20;
/// Characters that must be readable for each unreadable one, or the charset does not fit.
const READABLE_PER_BROKEN: usize = 4;
/// Switches ISO-2022-JP to a Japanese character set; no other text contains it.
const JAPANESE_ESCAPE: &[u8] = b"\x1b$";

/// Decodes the text of a part, which the parser has decoded as `decoded`.
pub fn decode_part(parsed: &Message<'_>, part: &MessagePart<'_>, decoded: &str, is_html: bool) -> String {
    let declared = declared_charset(part);
    let is_doubtful = declared.is_none_or(is_often_wrong);
    let is_broken =
        decoded.contains('\u{fffd}') || has_japanese_escape(decoded.as_bytes()) || is_broken_base64(part);
    if !is_broken && (!is_doubtful || decoded.is_ascii()) {
        return decoded.to_owned();
    }
    let Some(bytes) = bytes_of_part(parsed, part) else { return decoded.to_owned() };
    declared
        .and_then(|label| decode_declared(label, &bytes))
        .or_else(|| decode_utf16(&bytes))
        .or_else(|| decode_unmistakable(&bytes))
        .or_else(|| accept(html_charset(&bytes).filter(|_| is_html)?, &bytes))
        .unwrap_or_else(|| decode_guessed(&bytes, declared, Some(parsed)))
}

pub fn decode_header(parsed: &Message<'_>, bytes: &[u8]) -> String {
    decode_unmistakable(bytes)
        .or_else(|| accept(text_charset(parsed)?, bytes))
        .unwrap_or_else(|| decode_guessed(bytes, None, Some(parsed)))
}

/// Decodes text outside the headers and texts of a mail, or in an encoded word.
pub fn decode_text(bytes: &[u8], declared: Option<&str>) -> String {
    declared
        .and_then(|label| decode_declared(label, bytes))
        .or_else(|| decode_unmistakable(bytes))
        .unwrap_or_else(|| decode_guessed(bytes, declared, None))
}

/// Decodes a part that the parser takes for no text.
pub fn decode_contents(part: &MessagePart<'_>) -> String {
    decode_text(part.contents(), declared_charset(part))
}

fn declared_charset<'a>(part: &'a MessagePart<'_>) -> Option<&'a str> {
    part.content_type().and_then(|kind| kind.attribute("charset"))
}

pub fn file_name(parsed: &Message<'_>, part: &MessagePart<'_>) -> Option<String> {
    let name = part.attachment_name()?;
    let range = usize::try_from(part.offset_header).ok()?..usize::try_from(part.offset_body).ok()?;
    let head = parsed.raw_message().get(range)?;
    if !name.contains('\u{fffd}') && !has_japanese_escape(head) {
        return Some(name.to_owned());
    }
    let head = decode_words(&decode_header(parsed, head));
    let read = MessageParser::default().parse(head.as_bytes());
    let read = read.as_ref().and_then(|head| head.root_part().attachment_name());
    Some(read.unwrap_or(name).to_owned())
}

/// Decodes bytes in the declared charset; `None` if it is unknown, they do not fit, or mail often
/// declares it wrongly.
fn decode_declared(label: &str, bytes: &[u8]) -> Option<String> {
    let charset = charset_of_label(label);
    if is_often_wrong(label) || charset == Some(UTF_8) {
        return None;
    }
    match charset_decoder(label.as_bytes()) {
        Some(decode) => accept_text(decode(bytes).into()),
        None => accept(charset?, bytes),
    }
}

fn charset_of_label(label: &str) -> Option<&'static Charset> {
    // Code pages of Windows that are no labels of the web.
    let label = match label.trim().to_ascii_lowercase().as_str() {
        "cp932" => "shift_jis",
        "cp949" => "euc-kr",
        "cp950" => "big5",
        _ => label,
    };
    Charset::for_label_no_replacement(label.as_bytes())
}

/// Returns true for ASCII and Latin-1, which programs declare without looking.
fn is_often_wrong(label: &str) -> bool {
    charset_of_label(label) == Some(WINDOWS_1252)
}

fn accept(charset: &'static Charset, bytes: &[u8]) -> Option<String> {
    accept_text(charset.decode_without_bom_handling(bytes).0)
}

/// Returns a decoded text if few of its characters are unreadable. Half a character at its end is
/// dropped.
fn accept_text(text: Cow<'_, str>) -> Option<String> {
    let broken = text.matches('\u{fffd}').count();
    let foreign = text.chars().filter(|letter| !letter.is_ascii()).count() - broken;
    if broken * READABLE_PER_BROKEN > foreign || has_japanese_escape(text.as_bytes()) {
        return None;
    }
    Some(text.strip_suffix('\u{fffd}').map_or_else(|| text.to_string(), ToOwned::to_owned))
}

/// Decodes UTF-16 with a byte order mark.
fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let (charset, length) = Charset::for_bom(bytes).filter(|found| found.0 != UTF_8)?;
    accept(charset, &bytes[length..])
}

/// Decodes bytes whose form leaves no doubt about their charset: ISO-2022-JP and UTF-8.
fn decode_unmistakable(bytes: &[u8]) -> Option<String> {
    let japanese = has_japanese_escape(bytes).then(|| accept(ISO_2022_JP, bytes)).flatten();
    japanese.or_else(|| match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()),
        Err(_) => decode_mostly_utf8(bytes),
    })
}

/// Decodes UTF-8 with few broken characters, such as half a one where the mail was cut, or with
/// lines in another charset, such as the footer of a mailing list.
fn decode_mostly_utf8(bytes: &[u8]) -> Option<String> {
    let (readable, broken) = count_utf8(bytes);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let has_whole_line = || lines.iter().any(|line| matches!(count_utf8(line), (1.., 0)));
    let is_utf8 = broken * READABLE_PER_BROKEN <= readable
        || (readable > 0 && is_cut(bytes))
        || (broken <= readable && has_whole_line());
    if !is_utf8 {
        return None;
    }
    let is_foreign = |line: &&&[u8]| !is_cut(line) && matches!(count_utf8(line), (0, 1..));
    let foreign = lines.iter().filter(is_foreign).copied().collect::<Vec<_>>().concat();
    let charset = guess_charset(&foreign, None);
    let read = lines.iter().map(|line| match is_foreign(&line) {
        true => charset.decode_without_bom_handling(line).0,
        false => String::from_utf8_lossy(line),
    });
    let text = read.collect::<String>();
    Some(text.strip_suffix('\u{fffd}').unwrap_or(&text).to_owned())
}

/// Returns true for UTF-8 that ends within a character.
fn is_cut(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Returns the numbers of valid characters outside ASCII and of broken ones.
fn count_utf8(bytes: &[u8]) -> (usize, usize) {
    bytes.utf8_chunks().fold((0, 0), |(readable, broken), chunk| {
        let foreign = chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        (readable + foreign, broken + usize::from(!chunk.invalid().is_empty()))
    })
}

fn has_japanese_escape(bytes: &[u8]) -> bool {
    bytes.windows(JAPANESE_ESCAPE.len()).any(|window| window == JAPANESE_ESCAPE)
}

fn decode_guessed(bytes: &[u8], declared: Option<&str>, mail: Option<&Message<'_>>) -> String {
    let is_latin = |label: &&str| is_often_wrong(label) && !label.to_ascii_lowercase().contains("ascii");
    let charset = match declared.filter(is_latin) {
        // Mail declared as Latin-1 is usually Windows-1252.
        Some(_) => WINDOWS_1252,
        None => guess_charset(bytes, mail),
    };
    charset.decode_without_bom_handling(bytes).0.into_owned()
}

/// Guesses the charset of bytes. The other texts of the mail without a usable charset and the
/// author's country help with short ones.
fn guess_charset(bytes: &[u8], mail: Option<&Message<'_>>) -> &'static Charset {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(SAMPLE_BYTES)], false);
    for other in mail.map(undeclared_texts).unwrap_or_default() {
        detector.feed(b"\n", false);
        detector.feed(&other[..other.len().min(CONTEXT_BYTES)], false);
    }
    detector.feed(b"\n", true);
    detector.guess(mail.and_then(country).as_deref().map(str::as_bytes), Utf8Detection::Deny)
}

/// Returns the raw headers and the text of a mail that have neither UTF-8 nor a declared charset.
fn undeclared_texts<'a>(mail: &'a Message<'_>) -> Vec<Cow<'a, [u8]>> {
    let raw = mail.raw_message();
    let value = |header: &mail_parser::Header<'_>| {
        raw.get(usize::try_from(header.offset_start).ok()?..usize::try_from(header.offset_end).ok()?)
    };
    let headers = mail.headers().iter().filter_map(value).map(Cow::Borrowed);
    let text = mail.text_bodies().next().filter(|part| {
        let length = part.offset_end.saturating_sub(part.offset_body);
        declared_charset(part).is_none_or(is_often_wrong)
            && usize::try_from(length).is_ok_and(|bytes| bytes <= SAMPLE_BYTES)
    });
    let text = text.and_then(|part| bytes_of_part(mail, part)).map(Cow::Owned);
    let all = headers.chain(text).filter(|bytes| std::str::from_utf8(bytes).is_err());
    all.take(CONTEXT_HEADERS).collect()
}

/// Returns the last label of the domain of the author.
fn country(mail: &Message<'_>) -> Option<String> {
    let address = mail.from()?.first()?.address()?;
    let label = address.rsplit(['@', '.']).next()?.to_ascii_lowercase();
    // The detector panics over other characters.
    label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-').then_some(label)
}

/// Returns the charset that the text of a mail declares, if headers can have it and mail does not
/// often declare it wrongly.
fn text_charset(mail: &Message<'_>) -> Option<&'static Charset> {
    let label = declared_charset(mail.text_bodies().next()?)?;
    let charset = charset_of_label(label).filter(|charset| charset.is_ascii_compatible());
    charset.filter(|charset| *charset != UTF_8 && *charset != WINDOWS_1252)
}

fn html_charset(bytes: &[u8]) -> Option<&'static Charset> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION_BYTES)]).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=")?;
    let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    let label = after.trim_start_matches(['"', '\'']).split(is_end).next()?;
    charset_of_label(label).filter(|charset| *charset != UTF_8)
}

/// Returns true if a part declares base64 that the parser could not decode.
fn is_broken_base64(part: &MessagePart<'_>) -> bool {
    let claimed = part.content_transfer_encoding().is_some_and(|name| name.eq_ignore_ascii_case("base64"));
    claimed && part.is_encoding_problem
}

/// Returns the bytes of an attachment; of broken base64 as many as decode.
pub fn bytes_of_file(parsed: &Message<'_>, part: &MessagePart<'_>) -> Vec<u8> {
    let decoded = is_broken_base64(part).then(|| bytes_of_part(parsed, part)).flatten();
    decoded.unwrap_or_else(|| part.contents().to_vec())
}

fn bytes_of_part(parsed: &Message<'_>, part: &MessagePart<'_>) -> Option<Vec<u8>> {
    let range = usize::try_from(part.offset_body).ok()?..usize::try_from(part.offset_end).ok()?;
    let raw = parsed.raw_message().get(range)?;
    if is_broken_base64(part) {
        return Some(base64_with_footer(raw));
    }
    match part.encoding {
        Encoding::None => Some(raw.to_vec()),
        Encoding::QuotedPrintable => quoted_printable_decode(raw),
        Encoding::Base64 => Some(base64_with_footer(raw)),
    }
}

/// Decodes base64 followed by the plain footer of a mailing list, which stays as it is.
fn base64_with_footer(raw: &[u8]) -> Vec<u8> {
    let is_base64 = |line: &[u8]| {
        line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    };
    let mut length = 0;
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        // A footer begins behind an empty line, or with a line of other characters.
        if !is_base64(line.trim_ascii()) || (line.trim_ascii().is_empty() && length > 0) {
            break;
        }
        length += line.len();
    }
    let (encoded, footer) = raw.split_at(length);
    let mut bytes = base64_decode(encoded.trim_ascii())
        .or_else(|| decode_base64(&String::from_utf8_lossy(encoded)))
        .unwrap_or_else(|| encoded.to_vec());
    if !footer.trim_ascii().is_empty() {
        bytes.extend_from_slice(b"\n");
        bytes.extend_from_slice(footer);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_below_base64_stays_text() {
        assert_eq!(base64_with_footer(b"SGVsbG8=\r\n"), b"Hello");
        assert_eq!(
            base64_with_footer(b"SGVsbG8=\n\n____\nLeave the list\n"),
            b"Hello\n\n____\nLeave the list\n"
        );
        assert_eq!(base64_with_footer(b"SGVs\nbG8=\n-- \nfooter"), b"Hello\n-- \nfooter");
    }

    #[test]
    fn bytes_without_a_charset_are_guessed() {
        assert_eq!(decode_text("Größe".as_bytes(), None), "Größe");
        assert_eq!(decode_text(b"Gr\xf6\xdfe der Jacke", None), "Größe der Jacke");
        let russian = b"\xf7\xcf\xd0\xd2\xcf\xd3 \xcf \xda\xc1\xcb\xc1\xda\xc5 \xd7\xc5\xcc\xcf\xd3\xc9\xd0\xc5\xc4\xc1";
        assert_eq!(decode_text(russian, None), "Вопрос о заказе велосипеда");
    }
}
