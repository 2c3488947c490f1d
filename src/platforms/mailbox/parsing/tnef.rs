//! Unpacks `winmail.dat`, the format in which Outlook and Exchange pack a mail (TNEF, MS-OXTNEF).
//! Extracts its files and text only. Lengths are never trusted beyond the bytes present.

use encoding_rs::Encoding as Charset;

use crate::mailbox::parsing::charsets::decode_text;
use crate::mailbox::parsing::rtf;

const SIGNATURE: u32 = 0x223E_9F78;
const MAX_FILES: usize = 50;
/// Maximum depth of nested messages.
const MAX_DEPTH: usize = 3;
/// Size of the kind identifier before an object's content, in bytes.
const OBJECT_KIND_BYTES: usize = 16;

mod attribute {
    pub const CODE_PAGE: u32 = 0x0006_9007;
    pub const BODY: u32 = 0x0002_800C;
    pub const PROPERTIES: u32 = 0x0006_9003;
    pub const FILE_BEGINS: u32 = 0x0006_9002;
    pub const FILE_NAME: u32 = 0x0001_8010;
    pub const FILE_BYTES: u32 = 0x0006_800F;
    pub const FILE_PROPERTIES: u32 = 0x0006_9005;
}

mod property {
    pub const BODY: u16 = 0x1000;
    pub const RTF: u16 = 0x1009;
    pub const HTML: u16 = 0x1013;
    pub const DISPLAY_NAME: u16 = 0x3001;
    pub const FILE_CONTENT: u16 = 0x3701;
    pub const SHORT_NAME: u16 = 0x3704;
    pub const LONG_NAME: u16 = 0x3707;
    pub const MEDIA_TYPE: u16 = 0x370E;
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackedMail {
    pub text: Option<String>,
    pub html: Option<String>,
    pub files: Vec<PackedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackedFile {
    pub name: String,
    pub media_type: Option<String>,
    pub bytes: Vec<u8>,
}

/// Unpacks a mail, `None` if the bytes are something else or empty.
pub fn open(bytes: &[u8]) -> Option<PackedMail> {
    open_within(bytes, MAX_DEPTH).filter(|packed| *packed != PackedMail::default())
}

fn open_within(bytes: &[u8], depth: usize) -> Option<PackedMail> {
    let mut left = Bytes(bytes);
    if left.number()? != SIGNATURE {
        return None;
    }
    left.read_bytes(2)?;
    let mut packed = PackedMail::default();
    let (mut code_page, mut rtf) = (None, None);
    // A truncated file yields what is complete.
    while let Some((id, content)) = left.attribute() {
        match id {
            attribute::CODE_PAGE => code_page = Bytes(content).number(),
            attribute::BODY => packed.text = Some(text(content, code_page)),
            attribute::PROPERTIES => visit_properties(content, &mut |found| match found.id {
                property::BODY => packed.text = Some(found.text(code_page)),
                property::HTML => packed.html = Some(decode_text(found.content, None)),
                property::RTF => rtf = rtf::unpack(found.content),
                _ => {}
            }),
            attribute::FILE_BEGINS if packed.files.len() < MAX_FILES => {
                packed.files.push(PackedFile::default());
            }
            attribute::FILE_NAME => {
                if let Some(file) = packed.files.last_mut().filter(|file| file.name.is_empty()) {
                    file.name = text(content, code_page);
                }
            }
            attribute::FILE_BYTES => {
                if let Some(file) = packed.files.last_mut() {
                    file.bytes = content.to_vec();
                }
            }
            attribute::FILE_PROPERTIES => {
                let inner =
                    packed.files.last_mut().and_then(|file| read_file(file, content, code_page, depth));
                packed.add(inner);
            }
            _ => {}
        }
    }
    packed.files.retain(|file| !file.bytes.is_empty());
    packed.files.truncate(MAX_FILES);
    let is_blank = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    if is_blank(&packed.text) && is_blank(&packed.html) {
        packed.text = rtf.map(|bytes| rtf::text_of(&bytes)).filter(|text| !text.trim().is_empty());
    }
    packed.html = packed.html.filter(|html| !html.trim().is_empty());
    Some(packed)
}

impl PackedMail {
    /// Adds a nested message: its text as a file, and its files.
    fn add(&mut self, inner: Option<Self>) {
        let Some(inner) = inner else { return };
        let Some(file) = self.files.last_mut() else { return };
        let (words, ending) = match (inner.html, inner.text) {
            (Some(html), _) => (html, "html"),
            (None, text) => (text.unwrap_or_default(), "txt"),
        };
        file.name = format!("{}.{ending}", if file.name.is_empty() { "message" } else { &file.name });
        file.media_type = None;
        file.bytes = words.into_bytes();
        self.files.extend(inner.files);
    }
}

/// Reads the properties of a file; returns the nested message if it is one.
fn read_file(
    file: &mut PackedFile,
    content: &[u8],
    code_page: Option<u32>,
    depth: usize,
) -> Option<PackedMail> {
    let (mut long, mut display, mut inner) = (None, None, None);
    visit_properties(content, &mut |found| match found.id {
        property::LONG_NAME => long = Some(found.text(code_page)),
        property::SHORT_NAME if file.name.is_empty() => file.name = found.text(code_page),
        property::DISPLAY_NAME => display = Some(found.text(code_page)),
        property::MEDIA_TYPE => file.media_type = Some(found.text(code_page)),
        property::FILE_CONTENT if file.bytes.is_empty() => {
            let object = found.content.get(OBJECT_KIND_BYTES..).unwrap_or_default();
            inner = depth.checked_sub(1).and_then(|depth| open_within(object, depth));
            if inner.is_none() {
                file.bytes = found.content.to_vec();
            }
        }
        _ => {}
    });
    if let Some(name) = long.or(display.filter(|_| file.name.is_empty())).filter(|name| !name.is_empty()) {
        file.name = name;
    }
    inner
}

/// Decodes text in a code page, up to its first zero byte.
fn text(bytes: &[u8], code_page: Option<u32>) -> String {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let label = match code_page {
        Some(932) => "shift_jis".to_owned(),
        Some(936) => "gbk".to_owned(),
        Some(949) => "euc-kr".to_owned(),
        Some(950) => "big5".to_owned(),
        Some(20_866) => "koi8-r".to_owned(),
        Some(page @ 28_592..=28_606) => format!("iso-8859-{}", page - 28_590),
        Some(page @ (874 | 1250..=1258)) => format!("windows-{page}"),
        _ => return decode_text(bytes, None),
    };
    match (std::str::from_utf8(bytes), Charset::for_label(label.as_bytes())) {
        (Err(_), Some(charset)) => charset.decode_without_bom_handling(bytes).0.into_owned(),
        _ => decode_text(bytes, None),
    }
}

struct Property<'a> {
    id: u16,
    kind: u16,
    content: &'a [u8],
}

impl Property<'_> {
    fn text(&self, code_page: Option<u32>) -> String {
        const UNICODE: u16 = 0x001F;
        if self.kind != UNICODE {
            return text(self.content, code_page);
        }
        let units = self.content.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        String::from_utf16_lossy(&units)
    }
}

/// Visits the properties up to the first unreadable one; of a property with several values only the
/// first.
fn visit_properties(bytes: &[u8], found: &mut dyn FnMut(Property<'_>)) {
    let mut left = Bytes(bytes);
    let count = left.number().unwrap_or(0);
    for _ in 0..count {
        let Some(property) = left.property() else { return };
        found(property);
    }
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn read_bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.0.split_at_checked(count)?;
        self.0 = left;
        Some(taken)
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.read_bytes(2)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.read_bytes(4)?.try_into().ok()?))
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    fn attribute(&mut self) -> Option<(u32, &'a [u8])> {
        self.read_bytes(1).filter(|level| matches!(level, [1 | 2]))?;
        let (id, length) = (self.number()?, self.length()?);
        let content = self.read_bytes(length)?;
        // A wrong checksum is ignored.
        self.read_bytes(2)?;
        Some((id, content))
    }

    /// Reads content with a length prefix, padded to four bytes.
    fn padded(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        let content = self.read_bytes(length)?;
        let padding = length.next_multiple_of(4) - length;
        self.read_bytes(padding.min(self.0.len()))?;
        Some(content)
    }

    fn property(&mut self) -> Option<Property<'a>> {
        const MULTIPLE_VALUES: u16 = 0x1000;
        let (kind, id) = (self.short()?, self.short()?);
        if id >= 0x8000 {
            self.read_bytes(16)?;
            match self.number()? {
                0 => self.read_bytes(4)?,
                _ => self.padded()?,
            };
        }
        let fixed = match kind & !MULTIPLE_VALUES {
            0x0002 | 0x0003 | 0x0004 | 0x000A | 0x000B => Some(4),
            0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => Some(8),
            0x0048 => Some(16),
            0x000D | 0x001E | 0x001F | 0x0102 => None,
            _ => return None,
        };
        let has_count = kind & MULTIPLE_VALUES != 0 || fixed.is_none();
        let count = if has_count { self.number()? } else { 1 };
        let mut first = None;
        for _ in 0..count {
            let content = match fixed {
                Some(size) => self.read_bytes(size)?,
                None => self.padded()?,
            };
            first.get_or_insert(content);
        }
        Some(Property { id, kind: kind & !MULTIPLE_VALUES, content: first.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(level: u8, id: u32, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).expect("short").to_le_bytes();
        [&[level][..], &id.to_le_bytes(), &length, content, &[0, 0]].concat()
    }

    fn packed(attributes: &[Vec<u8>]) -> Vec<u8> {
        [&SIGNATURE.to_le_bytes()[..], &[1, 0], &attributes.concat()].concat()
    }

    fn property(kind: u16, id: u16, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).expect("short").to_le_bytes();
        let mut bytes =
            [&kind.to_le_bytes()[..], &id.to_le_bytes(), &1_u32.to_le_bytes(), &length, content].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn properties(all: &[Vec<u8>]) -> Vec<u8> {
        let count = u32::try_from(all.len()).expect("few").to_le_bytes();
        [&count[..], &all.concat()].concat()
    }

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn files_and_text_are_taken_out() {
        let number =
            [&0x0003_u16.to_le_bytes()[..], &0x3705_u16.to_le_bytes(), &1_u32.to_le_bytes()].concat();
        let mail = packed(&[
            attribute(1, attribute::CODE_PAGE, &1251_u32.to_le_bytes()),
            attribute(1, attribute::BODY, b"\xcf\xf0\xe8\xe2\xe5\xf2\0"),
            attribute(2, attribute::FILE_BEGINS, &[0; 14]),
            attribute(2, attribute::FILE_NAME, b"PRICES~1.PDF\0"),
            attribute(2, attribute::FILE_BYTES, b"%PDF"),
            attribute(
                2,
                attribute::FILE_PROPERTIES,
                &properties(&[number, property(0x1F, property::LONG_NAME, &wide("Prices ü.pdf"))]),
            ),
            attribute(2, attribute::FILE_BEGINS, &[0; 14]),
            attribute(2, attribute::FILE_NAME, b"empty.txt\0"),
        ]);
        let found = open(&mail).expect("opened");
        assert_eq!(found.text.as_deref(), Some("Привет"));
        let names: Vec<&str> = found.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!((names, found.files[0].bytes.as_slice()), (vec!["Prices ü.pdf"], &b"%PDF"[..]));
        // A file truncated anywhere yields what is complete and never more.
        for end in 0..mail.len() {
            let cut = open(&mail[..end]).unwrap_or_default();
            assert!(cut.files.len() <= 1 && cut.text.is_none_or(|text| text == "Привет"), "{end}");
        }
        assert_eq!(open(b"something else"), None);
        assert_eq!(open(&packed(&[])), None);
    }

    #[test]
    fn message_within_is_opened() {
        let inner = packed(&[attribute(1, attribute::BODY, b"Inside")]);
        let object = [&[0; OBJECT_KIND_BYTES][..], &inner].concat();
        let content = properties(&[
            property(0x1F, property::DISPLAY_NAME, &wide("Offer")),
            property(0x0D, property::FILE_CONTENT, &object),
        ]);
        let mail = packed(&[
            attribute(2, attribute::FILE_BEGINS, &[0; 14]),
            attribute(2, attribute::FILE_PROPERTIES, &content),
        ]);
        let found = open(&mail).expect("opened");
        assert_eq!(found.files[0].name, "Offer.txt");
        assert_eq!(found.files[0].bytes, b"Inside");
    }
}
