//! Media type of a file from its first bytes or its name. Stated types are not trusted. Pure.

use crate::outbox::content::MediaKind;
use crate::stickers;

pub const UNKNOWN_MIME_TYPE: &str = "application/octet-stream";
/// Number of leading bytes needed to detect the type.
pub const SNIFFED_BYTES: usize = 64;

/// Offset, magic bytes and media type.
const MAGIC_BYTES: [(usize, &[u8], &str); 17] = [
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

/// Media types by extension, used if the bytes are inconclusive. Excludes everything a browser
/// would run.
const EXTENSIONS: [(&str, &str); 27] = [
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("mp4", "video/mp4"),
    ("3gp", "video/3gpp"),
    ("mov", "video/quicktime"),
    ("webm", stickers::WEBM_MIME_TYPE),
    ("tgs", stickers::TGS_MIME_TYPE),
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

/// Further media types that a platform may state, with the extension of their files.
const STATED_TYPES: [(&str, &str); 11] = [
    ("audio/3gpp", "3gp"),
    ("audio/mp3", "mp3"),
    ("audio/opus", "ogg"),
    ("audio/vnd.wave", "wav"),
    ("audio/wav", "wav"),
    ("audio/x-m4a", "m4a"),
    ("audio/x-wav", "wav"),
    ("image/jpg", "jpg"),
    ("text/calendar", "ics"),
    ("text/directory", "vcf"),
    ("text/x-vcard", "vcf"),
];

/// Detects the media type by bytes, then by name.
pub fn mime_type(bytes: &[u8], name: &str) -> &'static str {
    let tells = |(at, magic, _): &&(usize, &[u8], &str)| {
        bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic))
            && (*at != 8 || bytes.starts_with(b"RIFF"))
    };
    if let Some((_, _, found)) = MAGIC_BYTES.iter().find(tells) {
        return found;
    }
    mime_type_of_name(name)
}

pub fn mime_type_of_name(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let found = EXTENSIONS.iter().find(|(known, _)| ending.as_deref() == Some(*known));
    found.map_or(UNKNOWN_MIME_TYPE, |(_, found)| found)
}

/// Returns the usual extension of a stated media type, regardless of its case and parameters.
pub fn extension_of(mime_type: &str) -> Option<&'static str> {
    let wanted = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let known = EXTENSIONS.iter().find(|(_, known)| *known == wanted).map(|(ending, _)| *ending);
    let other = || STATED_TYPES.iter().find(|(known, _)| *known == wanted).map(|(_, ending)| *ending);
    known.or_else(other)
}

/// Default kind for sending a media type.
pub fn media_kind_of(mime_type: &str) -> MediaKind {
    match mime_type.split('/').next() {
        // No platform plays it as a video.
        _ if mime_type == stickers::WEBM_MIME_TYPE => MediaKind::Document,
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => MediaKind::Document,
    }
}

pub fn format_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
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
            (b"RIFF....WAVEfmt ", "x.wav", UNKNOWN_MIME_TYPE),
            (b"........WEBP", "x", UNKNOWN_MIME_TYPE),
            (b"....ftypisom", "x", "video/mp4"),
            (b"....ftypM4A ", "x", "audio/mp4"),
            (b"%PDF-1.7", "x.exe", "application/pdf"),
            (b"hello", "notes.TXT", "text/plain"),
            (b"<script>", "page.html", UNKNOWN_MIME_TYPE),
            (b"<svg>", "drawing.svg", UNKNOWN_MIME_TYPE),
            (b"", "noname", UNKNOWN_MIME_TYPE),
            (b"PK\x03\x04", "sheet.xlsx", EXTENSIONS[24].1),
        ];
        for (bytes, name, found) in cases {
            assert_eq!(mime_type(bytes, name), found, "{name}");
        }
    }

    #[test]
    fn stated_types_have_the_usual_extension() {
        let cases = [
            ("image/jpeg", Some("jpg")),
            ("audio/ogg; codecs=opus", Some("ogg")),
            ("Audio/MPEG", Some("mp3")),
            ("text/x-vCard;charset=utf-8", Some("vcf")),
            ("video/webm", Some("webm")),
            ("application/octet-stream", None),
            ("", None),
        ];
        for (mime_type, extension) in cases {
            assert_eq!(extension_of(mime_type), extension, "{mime_type}");
        }
    }

    #[test]
    fn sizes_in_words() {
        let cases = [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_000, "1 KB"),
            (214_001, "215 KB"),
            (2_150_000, "2.1 MB"),
            (26_214_400, "26.2 MB"),
        ];
        for (bytes, words) in cases {
            assert_eq!(format_size(bytes), words);
        }
    }
}
