//! Extracts uuencoded files from the text of a mail (`begin 644 NAME` … `end`).

/// Maximum number of `begin` lines examined.
const MAX_CANDIDATES: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Extracts the complete files of a text. Incomplete ones stay text.
pub fn extract_files(text: &str) -> (String, Vec<EncodedFile>) {
    let (mut kept, mut files) = (String::with_capacity(text.len()), Vec::new());
    let (mut rest, mut beginnings) = (text, 0);
    while let Some(line) = rest.split_inclusive('\n').next() {
        let after = &rest[line.len()..];
        if let Some(name) = file_name(line).filter(|_| beginnings < MAX_CANDIDATES) {
            beginnings += 1;
            if let Some((bytes, length)) = decode(after) {
                files.push(EncodedFile { name: name.to_owned(), bytes });
                rest = &after[length..];
                continue;
            }
        }
        kept.push_str(line);
        rest = after;
    }
    (kept, files)
}

/// Returns the name in the first line of a file.
fn file_name(line: &str) -> Option<&str> {
    let (mode, name) = line.trim_end().strip_prefix("begin ")?.split_once(' ')?;
    let is_mode = (3..=4).contains(&mode.len()) && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let name = name.trim();
    (is_mode && !name.is_empty()).then_some(name)
}

/// Decodes the file at the beginning of a text; returns its bytes and the length of its lines.
fn decode(text: &str) -> Option<(Vec<u8>, usize)> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        length += line.len();
        let line = line.trim_end_matches(['\r', '\n']);
        if line.trim_end() == "end" {
            return Some((bytes, length)).filter(|_| length > line.len() + 2);
        }
        decode_line(line.as_bytes(), &mut bytes)?;
    }
    None
}

/// Decodes a line: the number of its bytes, then four characters for three bytes. Trailing spaces
/// may be missing, and a checksum may follow.
fn decode_line(line: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let value = |letter: u8| (b' '..=b'`').contains(&letter).then_some((letter.wrapping_sub(b' ')) & 63);
    let Some((first, letters)) = line.split_first() else { return Some(()) };
    let count = usize::from(value(*first)?);
    let needed = count.div_ceil(3) * 4;
    if letters.len() > needed + 2 || (count > 0 && letters.is_empty()) {
        return None;
    }
    let mut left = count;
    for at in (0..needed).step_by(4) {
        let mut group = [0; 4];
        for (place, sextet) in group.iter_mut().enumerate() {
            *sextet = value(letters.get(at + place).copied().unwrap_or(b' '))?;
        }
        let [a, b, c, d] = group;
        let decoded = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
        bytes.extend_from_slice(&decoded[..left.min(3)]);
        left = left.saturating_sub(3);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_files_are_taken_out() {
        let text = "Hello\r\nbegin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\nBye\r\n";
        let (kept, files) = extract_files(text);
        assert_eq!(kept, "Hello\r\nBye\r\n");
        assert_eq!(files, [EncodedFile { name: "cat.txt".to_owned(), bytes: b"Cat".to_vec() }]);
        let two = "begin 0600 a b.bin\n$_P\"_\n \nend\nbegin 755 c\n!80``\n\nend\n";
        let (kept, files) = extract_files(two);
        assert_eq!(kept, "");
        assert_eq!(files.len(), 2);
        assert_eq!((files[1].name.as_str(), files[1].bytes.as_slice()), ("c", &b"a"[..]));
        for text in [
            "begin 644 the work today\nWe start at nine.\nend\n",
            "begin 644 cut.txt\n#0V%T\n",
            "begin it 644\n#0V%T\nend\n",
            "begin 999 a.txt\n#0V%T\nend\n",
            "begin 644 a.txt\nend",
        ] {
            assert_eq!(extract_files(text).0, text);
        }
    }
}
