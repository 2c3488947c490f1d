//! Extracts text from Outlook's rich text.

use crate::mailbox::parsing::charsets::decode_text;

const MAX_BYTES: usize = 4_000_000;
/// Maximum depth of groups; deeper ones are skipped.
const MAX_DEPTH: usize = 500;
/// Initial dictionary of the compression (MS-OXRTFCP).
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const WINDOW_BYTES: usize = 4096;
const SKIPPED_GROUPS: [&str; 14] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "footer",
    "generator",
    "themedata",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "xmlnstbl",
];
/// Tags that end a line.
const LINE_TAGS: [&str; 6] = ["<br", "</p", "</div", "</tr", "</li", "</h"];

/// Unpacks compressed rich text; `None` if it is something else.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (head, content) = packed.split_at_checked(16)?;
    match &head[8..12] {
        b"MELA" => return Some(content[..content.len().min(MAX_BYTES)].to_vec()),
        b"LZFu" => {}
        _ => return None,
    }
    let mut window = [b' '; WINDOW_BYTES];
    window[..DICTIONARY.len()].copy_from_slice(DICTIONARY);
    let (mut place, mut unpacked) = (DICTIONARY.len(), Vec::new());
    let mut bytes = content.iter().copied();
    while let Some(flags) = bytes.next() {
        for bit in 0..8 {
            if unpacked.len() >= MAX_BYTES {
                return Some(unpacked);
            }
            let mut put = |byte: u8| {
                window[place] = byte;
                place = (place + 1) % WINDOW_BYTES;
                unpacked.push(byte);
            };
            if flags >> bit & 1 == 0 {
                let Some(byte) = bytes.next() else { return Some(unpacked) };
                put(byte);
                continue;
            }
            let (Some(high), Some(low)) = (bytes.next(), bytes.next()) else { return Some(unpacked) };
            let from = usize::from(high) << 4 | usize::from(low >> 4);
            if from == place {
                return Some(unpacked);
            }
            for step in 0..usize::from(low & 15) + 2 {
                let byte = window[(from + step) % WINDOW_BYTES];
                window[place] = byte;
                place = (place + 1) % WINDOW_BYTES;
                unpacked.push(byte);
            }
        }
    }
    Some(unpacked)
}

#[derive(Debug, Clone, Copy, Default)]
struct Group {
    /// True if its content is not shown.
    is_skipped: bool,
    /// True between `\htmlrtf` and `\htmlrtf0`: only for RTF readers.
    is_hidden: bool,
    is_tag: bool,
    /// Number of fallback characters that follow each Unicode character.
    stand_ins: usize,
}

pub fn text_of(rtf: &[u8]) -> String {
    let mut reader =
        RtfReader { rest: rtf, group: Group { stand_ins: 1, ..Group::default() }, ..RtfReader::default() };
    while reader.step() {}
    reader.flush();
    reader.text
}

#[derive(Default)]
struct RtfReader<'a> {
    rest: &'a [u8],
    group: Group,
    outer: Vec<Group>,
    /// Number of open groups beyond the maximum depth.
    deeper: usize,
    /// Fallback characters left to skip.
    to_skip: usize,
    /// Bytes in the charset of the text.
    bytes: Vec<u8>,
    tag: Vec<u8>,
    text: String,
}

impl RtfReader<'_> {
    fn step(&mut self) -> bool {
        let Some((first, rest)) = self.rest.split_first() else { return false };
        self.rest = rest;
        match first {
            b'{' if self.outer.len() >= MAX_DEPTH => self.deeper += 1,
            b'{' => self.outer.push(self.group),
            b'}' if self.deeper > 0 => self.deeper -= 1,
            b'}' => self.end_group(),
            b'\\' => self.control(),
            b'\r' | b'\n' => {}
            other => self.push_byte(*other),
        }
        true
    }

    fn end_group(&mut self) {
        let Some(outer) = self.outer.pop() else { return };
        if self.group.is_tag && !outer.is_tag {
            let tag = String::from_utf8_lossy(&self.tag).to_ascii_lowercase();
            if LINE_TAGS.iter().any(|ending| tag.contains(ending)) {
                self.push("\n");
            }
            self.tag.clear();
        }
        self.group = outer;
        self.to_skip = 0;
    }

    fn push_byte(&mut self, byte: u8) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else if self.group.is_tag {
            self.tag.push(byte);
        } else if !self.group.is_skipped && !self.group.is_hidden && self.deeper == 0 {
            self.bytes.push(byte);
        }
    }

    fn push(&mut self, text: &str) {
        self.flush();
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            self.text.push_str(&decode_text(&self.bytes, None));
            self.bytes.clear();
        }
    }

    fn control(&mut self) {
        let Some((first, rest)) = self.rest.split_first() else { return };
        if !first.is_ascii_alphabetic() {
            self.rest = rest;
            match first {
                b'\'' => {
                    let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                    if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                        self.rest = &rest[2..];
                        self.push_byte(byte);
                    }
                }
                b'*' => self.group.is_skipped = true,
                b'~' => self.push_byte(b' '),
                b'\\' | b'{' | b'}' => self.push_byte(*first),
                _ => {}
            }
            return;
        }
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
        let (word, rest) = self.rest.split_at(self.rest.iter().take_while(|byte| is_letter(byte)).count());
        let is_number = |(at, byte): &(usize, &u8)| byte.is_ascii_digit() || (*at == 0 && **byte == b'-');
        let (number, rest) = rest.split_at(rest.iter().enumerate().take_while(is_number).count());
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let word = std::str::from_utf8(word).unwrap_or_default();
        let number = std::str::from_utf8(number).ok().and_then(|digits| digits.parse::<i32>().ok());
        self.control_word(word, number);
    }

    fn control_word(&mut self, word: &str, number: Option<i32>) {
        let is_shown = !self.group.is_skipped && !self.group.is_hidden && self.deeper == 0;
        match word {
            "par" | "line" | "sect" | "page" if is_shown => self.push("\n"),
            "tab" | "cell" if is_shown => self.push("\t"),
            "row" if is_shown => self.push("\n"),
            "htmlrtf" => self.group.is_hidden = number != Some(0),
            "htmltag" => self.group.is_tag = true,
            "uc" => {
                self.group.stand_ins =
                    number.and_then(|count| usize::try_from(count).ok()).unwrap_or(1).min(8)
            }
            "u" => {
                let unit = number.map_or(0, |number| if number < 0 { number + 65_536 } else { number });
                let letter = u32::try_from(unit).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                if is_shown && !self.group.is_tag {
                    self.push(letter.encode_utf8(&mut [0; 4]));
                }
                self.to_skip = self.group.stand_ins;
            }
            "bin" => {
                let count = number.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
                self.rest = &self.rest[count.min(self.rest.len())..];
            }
            _ if SKIPPED_GROUPS.contains(&word) => self.group.is_skipped = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let cases: [(&[u8], &str); 5] = [
            (br"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 Hello\par G\'fc\'dfe {\b bold}}", "Hello\nGüße bold"),
            (br"{\rtf1\uc1 \u8364?5 \u-10179?\{x\}}", "€5 \u{fffd}{x}"),
            (br"{\rtf1{\*\generator x;}{\pict\bin3 }}}}a}", "a"),
            (
                br"{\rtf1\fromhtml1{\*\htmltag64 <p>}\htmlrtf{\htmlrtf0 One{\*\htmltag72 </p>}\htmlrtf\par\htmlrtf0 Two}",
                "One\nTwo",
            ),
            (b"{{{}}}\\", ""),
        ];
        for (rtf, expected) in cases {
            assert_eq!(text_of(rtf), expected, "{}", String::from_utf8_lossy(rtf));
        }
        assert_eq!(text_of("{".repeat(100_000).as_bytes()), "");
    }

    #[test]
    fn packed_text_is_unpacked() {
        // The example of MS-OXRTFCP, section 3.1.
        let packed = [
            0x2d, 0x00, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7,
            0x03, 0x00, 0x0a, 0x00, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20,
            0x68, 0x65, 0x6c, 0x09, 0x00, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f,
            0xa0,
        ];
        let unpacked = unpack(&packed).expect("unpacked");
        assert_eq!(unpacked, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        assert_eq!(text_of(&unpacked), "hello world");
        for end in 0..packed.len() {
            let _ = unpack(&packed[..end]);
        }
        assert_eq!(unpack(b"short"), None);
        let endless = [&packed[..16], &[0xff; 9_000]].concat();
        assert!(unpack(&endless).expect("unpacked").len() <= 200_000);
    }
}
