//! What an uploaded file is called and what it is, judged by its first bytes
//! and its name.
//!
//! Knows nothing of where files lie. What the uploader says of the type is
//! not believed.

use crate::model::bounds;

/// Characters of a name in an address at most.
const SAFE: usize = 100;
/// The type of all that is not recognised.
const UNKNOWN: &str = "application/octet-stream";

/// First bytes, where they stand, and the type they tell.
const MAGIC: [(usize, &[u8], &str); 17] = [
    (0, b"\xFF\xD8\xFF", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1A\n", "image/png"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"%PDF-", "application/pdf"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp3g", "video/3gpp"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
    (0, b"OggS", "audio/ogg"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xFF\xFB", "audio/mpeg"),
    (0, b"\xFF\xF3", "audio/mpeg"),
    (0, b"\xFF\xF1", "audio/aac"),
    (0, b"\xFF\xF9", "audio/aac"),
];

/// Endings of names and the types they stand for, where bytes do not tell.
/// Nothing a browser would run is among them.
const ENDINGS: [(&str, &str); 25] = [
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("mp4", "video/mp4"),
    ("3gp", "video/3gpp"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("ogg", "audio/ogg"),
    ("opus", "audio/ogg"),
    ("aac", "audio/aac"),
    ("amr", "audio/amr"),
    ("m4a", "audio/mp4"),
    ("pdf", "application/pdf"),
    ("txt", "text/plain"),
    ("csv", "text/csv"),
    ("zip", "application/zip"),
    ("doc", "application/msword"),
    ("xls", "application/vnd.ms-excel"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("vcf", "text/vcard"),
];

/// The media type of a file: by its bytes, then by its name.
pub fn mime_type(bytes: &[u8], name: &str) -> &'static str {
    let tells = |(at, magic, _): &&(usize, &[u8], &str)| {
        bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic))
            && (*at != 8 || bytes.starts_with(b"RIFF"))
    };
    if let Some((_, _, found)) = MAGIC.iter().find(tells) {
        return found;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let found = ENDINGS.iter().find(|(it, _)| ending.as_deref() == Some(*it));
    found.map_or(UNKNOWN, |(_, found)| found)
}

/// The name to show: the last part of what was given, without controls.
pub fn shown(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or("");
    let name: String = last.chars().filter(|it| !it.is_control()).take(bounds::FILENAME).collect();
    if name.trim().is_empty() || name == "." || name == ".." { "file".to_owned() } else { name }
}

/// The same name as it stands in an address and in a header: ASCII letters,
/// digits, hyphens, underscores and dots between them.
pub fn safe(shown: &str) -> String {
    let letter = |it: char| if it.is_ascii_alphanumeric() || "-_.".contains(it) { it } else { '_' };
    let name: String = shown.chars().map(letter).collect();
    let name = name.trim_matches('.');
    // Cut before the ending, which tells people what it is.
    let name = match name.rsplit_once('.') {
        Some((stem, ending)) if name.len() > SAFE && ending.len() < 10 => {
            format!("{}.{ending}", &stem[..stem.len().min(SAFE - ending.len() - 1)])
        }
        _ => name[..name.len().min(SAFE)].to_owned(),
    };
    if name.is_empty() { "file".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_follow_bytes_then_names() {
        let cases: [(&[u8], &str, &str); 13] = [
            (b"\xFF\xD8\xFF\xE0", "a.png", "image/jpeg"),
            (b"\x89PNG\r\n\x1A\n....", "x", "image/png"),
            (b"RIFF....WEBPVP8 ", "x", "image/webp"),
            (b"RIFF....WAVEfmt ", "x.wav", UNKNOWN),
            (b"........WEBP", "x", UNKNOWN),
            (b"....ftypisom", "x", "video/mp4"),
            (b"....ftypM4A ", "x", "audio/mp4"),
            (b"%PDF-1.7", "x.exe", "application/pdf"),
            (b"hello", "notes.TXT", "text/plain"),
            (b"<script>", "page.html", UNKNOWN),
            (b"<svg>", "drawing.svg", UNKNOWN),
            (b"", "noname", UNKNOWN),
            (b"PK\x03\x04", "sheet.xlsx", ENDINGS[22].1),
        ];
        for (bytes, name, found) in cases {
            assert_eq!(mime_type(bytes, name), found, "{name}");
        }
    }

    #[test]
    fn names_lead_nowhere() {
        let long = format!("{}.jpeg", "x".repeat(300));
        let cases = [
            ("photo.jpg", "photo.jpg", "photo.jpg"),
            ("../../etc/passwd", "passwd", "passwd"),
            ("C:\\Users\\me\\a b.pdf", "a b.pdf", "a_b.pdf"),
            ("ñandú \u{202E}gpj.exe", "ñandú \u{202E}gpj.exe", "_and___gpj.exe"),
            ("a\r\nX-Header: b.txt", "aX-Header: b.txt", "aX-Header__b.txt"),
            ("..", "file", "file"),
            ("", "file", "file"),
            ("folder/", "file", "file"),
            (".hidden", ".hidden", "hidden"),
        ];
        for (given, seen, in_address) in cases {
            assert_eq!((shown(given).as_str(), safe(&shown(given)).as_str()), (seen, in_address), "{given}");
        }
        assert_eq!(safe(&long).len(), SAFE);
        assert!(safe(&long).ends_with(".jpeg"));
        assert_eq!(safe(&"é".repeat(300)).len(), SAFE);
    }
}
