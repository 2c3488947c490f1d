//! Text of a part in the charset it is really in.
//!
//! The declared charset counts while it fits. Bytes that are UTF-8 are UTF-8,
//! whatever is declared; for other bytes without a usable charset an HTML
//! document's own declaration counts, else the charset is guessed as browsers
//! do.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding as Charset, WINDOWS_1252};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding, Message, MessagePart, MimeHeaders};

use crate::platforms::mailbox::parsing::encoded_words::decode_base64;

/// Bytes of an HTML document in which its declaration is looked for.
const DECLARATION_BYTES: usize = 2048;
/// Bytes that are looked at to guess a charset.
const SAMPLE_BYTES: usize = 64 * 1024;
/// Charsets that mail claims without having them.
const DEFAULT_CHARSETS: [&str; 4] = ["us-ascii", "ascii", "iso-8859-1", "windows-1252"];

/// Text of a part, which the parser has read as `decoded`.
pub fn decode_part(parsed: &Message<'_>, part: &MessagePart<'_>, decoded: &str, is_html: bool) -> String {
    let declared = part.content_type().and_then(|kind| kind.attribute("charset"));
    let declared = declared.map(str::to_ascii_lowercase);
    let is_default = declared.as_deref().is_none_or(|text| DEFAULT_CHARSETS.contains(&text));
    let is_broken = decoded.contains('\u{fffd}');
    // Nothing else is worth a second look at the bytes.
    let is_raw_base64 = is_broken_base64(part);
    if !is_broken && !is_raw_base64 && (!is_default || decoded.is_ascii()) {
        return decoded.to_owned();
    }
    let Some(bytes) = bytes_of_part(parsed, part) else { return decoded.to_owned() };
    if let Ok(text) = std::str::from_utf8(&bytes) {
        return text.to_owned();
    }
    let own = is_html.then(|| html_charset(&bytes)).flatten();
    let named = declared.as_deref().filter(|text| !is_default && !is_broken && !text.is_empty());
    let charset = own.or_else(|| Charset::for_label(named?.as_bytes()));
    let charset = charset.unwrap_or_else(|| match declared.as_deref() {
        // Whoever names Latin-1 means the charset of Windows.
        Some("iso-8859-1" | "windows-1252") => WINDOWS_1252,
        _ => guess_charset(&bytes),
    });
    charset.decode_without_bom_handling(&bytes).0.into_owned()
}

/// Text of bytes in a header: UTF-8 (RFC 6532), else as guessed.
pub fn decode_header(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => guess_charset(bytes).decode_without_bom_handling(bytes).0.into_owned(),
    }
}

fn guess_charset(bytes: &[u8]) -> &'static Charset {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&bytes[..bytes.len().min(SAMPLE_BYTES)], true);
    detector.guess(None, Utf8Detection::Deny)
}

/// The charset an HTML document names itself.
fn html_charset(bytes: &[u8]) -> Option<&'static Charset> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION_BYTES)]).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=")?;
    let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    let label = after.trim_start_matches(['"', '\'']).split(is_end).next()?;
    Charset::for_label(label.as_bytes())
}

/// True if a part claims to be base64 and the parser could not decode it.
fn is_broken_base64(part: &MessagePart<'_>) -> bool {
    let claimed = part.content_transfer_encoding().is_some_and(|name| name.eq_ignore_ascii_case("base64"));
    claimed && part.is_encoding_problem
}

/// Bytes of an attached file; of broken base64, as many as can be decoded.
pub fn bytes_of_file(parsed: &Message<'_>, part: &MessagePart<'_>) -> Vec<u8> {
    let decoded = is_broken_base64(part).then(|| bytes_of_part(parsed, part)).flatten();
    decoded.unwrap_or_else(|| part.contents().to_vec())
}

/// Bytes of a part without its transfer encoding.
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

/// Decodes base64 below which a list has put a plain footer: the footer stays
/// as it is.
fn base64_with_footer(raw: &[u8]) -> Vec<u8> {
    let is_base64 = |line: &[u8]| {
        line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    };
    let mut length = 0;
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        // A footer begins behind an empty line, or with a line of other letters.
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
    fn bytes_in_headers_are_guessed() {
        assert_eq!(decode_header("Größe".as_bytes()), "Größe");
        assert_eq!(decode_header(b"Gr\xf6\xdfe der Jacke"), "Größe der Jacke");
        let russian = b"\xf7\xcf\xd0\xd2\xcf\xd3 \xcf \xda\xc1\xcb\xc1\xda\xc5 \xd7\xc5\xcc\xcf\xd3\xc9\xd0\xc5\xc4\xc1";
        assert_eq!(decode_header(russian), "Вопрос о заказе велосипеда");
    }
}
