//! Extracts signed mail whose text is inside the signature (S/MIME, RFC 8551, with CMS, RFC 5652).
//! The signature is not checked.

const MAX_DEPTH: usize = 16;
const SIGNED_DATA: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02];
const PLAIN_DATA: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01];

mod tag {
    pub const OCTET_STRING: u8 = 0x04;
    pub const OBJECT_IDENTIFIER: u8 = 0x06;
    pub const CONSTRUCTED_OCTETS: u8 = 0x24;
    pub const SEQUENCE: u8 = 0x30;
    pub const CONTENT: u8 = 0xA0;
}

/// Returns the mail inside a signature, `None` if there is none or it is encrypted.
pub fn open_signed(bytes: &[u8]) -> Option<Vec<u8>> {
    let content = content_of_type(read_element(bytes, MAX_DEPTH)?.inside(tag::SEQUENCE)?, SIGNED_DATA)?;
    let signed = read_element(content, MAX_DEPTH)?.inside(tag::SEQUENCE)?;
    // Skips the version and the algorithms.
    let version = read_element(signed, MAX_DEPTH)?;
    let algorithms = read_element(version.rest, MAX_DEPTH)?;
    let plain =
        content_of_type(read_element(algorithms.rest, MAX_DEPTH)?.inside(tag::SEQUENCE)?, PLAIN_DATA)?;
    let mut mail = Vec::new();
    collect_octets(&read_element(plain, MAX_DEPTH)?, MAX_DEPTH, &mut mail)?;
    Some(mail).filter(|mail| !mail.is_empty())
}

/// BER element, and the bytes behind it.
struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Element<'a> {
    fn inside(&self, tag: u8) -> Option<&'a [u8]> {
        (self.tag == tag).then_some(self.content)
    }
}

/// Returns the content behind an object identifier of this kind.
fn content_of_type<'a>(bytes: &'a [u8], kind: &[u8]) -> Option<&'a [u8]> {
    let identifier = read_element(bytes, MAX_DEPTH)?;
    let is_kind = identifier.inside(tag::OBJECT_IDENTIFIER)? == kind;
    is_kind.then(|| read_element(identifier.rest, MAX_DEPTH)?.inside(tag::CONTENT)).flatten()
}

fn read_element(bytes: &[u8], depth: usize) -> Option<Element<'_>> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    match first {
        0x80 => {
            // Indefinite length: ends with an empty element.
            let (mut left, depth) = (rest, depth.checked_sub(1)?);
            while !left.starts_with(&[0, 0]) {
                left = read_element(left, depth)?.rest;
            }
            let (content, _) = rest.split_at(rest.len() - left.len());
            Some(Element { tag: *tag, content, rest: &left[2..] })
        }
        0..0x80 => split(*tag, rest, usize::from(*first)),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
            let length = digits.iter().try_fold(0_usize, |length, digit| {
                length.checked_mul(256)?.checked_add(usize::from(*digit))
            })?;
            split(*tag, rest, length)
        }
    }
}

fn split(tag: u8, bytes: &[u8], length: usize) -> Option<Element<'_>> {
    let (content, rest) = bytes.split_at_checked(length)?;
    Some(Element { tag, content, rest })
}

/// Collects octets, which may be split into parts.
fn collect_octets(found: &Element<'_>, depth: usize, collected: &mut Vec<u8>) -> Option<()> {
    match found.tag {
        tag::OCTET_STRING => collected.extend_from_slice(found.content),
        tag::CONSTRUCTED_OCTETS => {
            let (mut left, depth) = (found.content, depth.checked_sub(1)?);
            while !left.is_empty() {
                let part = read_element(left, depth)?;
                collect_octets(&part, depth, collected)?;
                left = part.rest;
            }
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len()).expect("short").to_be_bytes();
        [&[tag, 0x82][..], &length, content].concat()
    }

    fn endless(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, 0x80][..], content, &[0, 0]].concat()
    }

    type Wrap = fn(u8, &[u8]) -> Vec<u8>;

    fn signed(wrap: Wrap, octets: &[u8]) -> Vec<u8> {
        let object = |kind: &[u8]| [&[tag::OBJECT_IDENTIFIER, 9][..], kind].concat();
        let plain = [object(PLAIN_DATA), wrap(tag::CONTENT, octets)].concat();
        let signed = [vec![2, 1, 1, 0x31, 0], wrap(tag::SEQUENCE, &plain), vec![0x31, 0]].concat();
        let content = wrap(tag::CONTENT, &wrap(tag::SEQUENCE, &signed));
        wrap(tag::SEQUENCE, &[object(SIGNED_DATA), content].concat())
    }

    #[test]
    fn content_is_taken_out_in_both_encodings() {
        let mail = b"Content-Type: text/plain\r\n\r\nHello";
        let whole = signed(wrap, &wrap(tag::OCTET_STRING, mail));
        assert_eq!(open_signed(&whole).as_deref(), Some(&mail[..]));
        let parts = [wrap(tag::OCTET_STRING, &mail[..10]), wrap(tag::OCTET_STRING, &mail[10..])].concat();
        let streamed = signed(endless, &endless(tag::CONSTRUCTED_OCTETS, &parts));
        assert_eq!(open_signed(&streamed).as_deref(), Some(&mail[..]));
        for bytes in [&whole, &streamed] {
            for end in 0..bytes.len() {
                let _ = open_signed(&bytes[..end]);
            }
        }
        assert_eq!(open_signed(&[0x30, 0x80].repeat(10_000)), None);
        assert_eq!(open_signed(b"\x30\x03\x02\x01\x00"), None);
    }
}
