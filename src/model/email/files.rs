//! Names of received mail attachments: for display, and sanitized for saving.

/// Maximum length of a saved name; file systems allow 255 bytes.
const MAX_NAME_BYTES: usize = 200;
/// Maximum length of an extension that is kept when a name is truncated.
const MAX_EXTENSION_BYTES: usize = 24;

const EXECUTABLE_EXTENSIONS: [&str; 30] = [
    "exe", "com", "bat", "cmd", "scr", "pif", "js", "jse", "vbs", "vbe", "wsf", "wsh", "ps1", "msi", "jar",
    "lnk", "hta", "cpl", "reg", "sh", "bash", "app", "command", "desktop", "apk", "iso", "dmg", "html",
    "htm", "svg",
];

/// Collapses blanks, which could push the real extension out of sight.
pub fn display_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn extension(name: &str) -> Option<String> {
    let (_, ending) = name.trim().rsplit_once('.')?;
    let ending = ending.trim().to_lowercase();
    (!ending.is_empty() && ending.chars().all(char::is_alphanumeric)).then_some(ending)
}

/// True if opening the file may run code.
pub fn is_executable(name: &str) -> bool {
    extension(name).is_some_and(|ending| EXECUTABLE_EXTENSIONS.contains(&ending.as_str()))
}

/// Sanitizes a name for any file system: letters, digits, `.`, `-` and `_`, no leading dot, never
/// empty. The extension is kept.
pub fn sanitize_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or("");
    let plain = |character: char| {
        if character.is_alphanumeric() || matches!(character, '.' | '-' | '_') { character } else { '_' }
    };
    let mut safe: String = display_name(last).chars().map(plain).collect();
    while safe.contains("__") {
        safe = safe.replace("__", "_");
    }
    let unnamed = |text: &str| text.contains('_') && text.trim_matches(['.', '-', '_']).is_empty();
    let safe = match safe.rsplit_once('.') {
        // Only the extension is left.
        Some((stem, ending)) if unnamed(stem) => format!("file.{ending}"),
        _ => safe.trim_start_matches(['.', '-']).trim_end_matches('.').trim_matches('_').to_owned(),
    };
    let stem = safe.split('.').next().unwrap_or("").to_lowercase();
    let reserved = ["con", "prn", "aux", "nul", "com1", "com2", "lpt1", "lpt2"].contains(&stem.as_str());
    let safe = if safe.is_empty() || reserved { format!("file_{safe}") } else { safe };
    if safe.len() <= MAX_NAME_BYTES {
        return safe.trim_end_matches('_').to_owned();
    }
    let tail = extension(&safe)
        .filter(|ending| ending.len() <= MAX_EXTENSION_BYTES)
        .map(|ending| format!(".{ending}"))
        .unwrap_or_default();
    let head = &safe[..safe.floor_char_boundary(MAX_NAME_BYTES - tail.len())];
    format!("{head}{tail}")
}

/// Adds a number if the name is taken: `a-2.pdf`.
pub fn number_name(name: &str, number: u32) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!("{stem}-{number}.{ending}"),
        _ => format!("{name}-{number}"),
    }
}

pub fn format_size(bytes: u64) -> String {
    if bytes < 1_000 { format!("{bytes} B") } else { crate::files::format_size(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_any_folder() {
        let cases = [
            ("report.pdf", "report.pdf"),
            ("report.pdf                 .exe", "report.pdf_.exe"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\x.bat", "x.bat"),
            (".bashrc", "bashrc"),
            ("-rf", "rf"),
            ("", "file"),
            ("...", "file"),
            ("CON.txt", "file_CON.txt"),
            ("a\u{202e}fdp.exe", "a_fdp.exe"),
            ("line\nbreak\u{1b}.txt", "line_break_.txt"),
            ("👩\u{200d}🚒.pdf", "file.pdf"),
            ("Réservé 2026.pdf", "Réservé_2026.pdf"),
        ];
        for (name, saved) in cases {
            assert_eq!(sanitize_name(name), saved, "{name:?}");
        }
        for letter in ["x", "ü", "自", "𝔸", "e\u{301}", "👩‍🚒", "\u{202e}a"] {
            for (ending, kept) in [(".pdf", ".pdf"), ("", ""), (".請求書", ".請求書"), (".𝔸𝔸𝔸𝔸𝔸𝔸𝔸𝔸", "")]
            {
                let saved = sanitize_name(&format!("{}{ending}", letter.repeat(500)));
                assert!(saved.len() <= MAX_NAME_BYTES, "{letter}: {}", saved.len());
                assert!(letter == "👩‍🚒" || saved.len() > MAX_NAME_BYTES - 4, "{letter}: {}", saved.len());
                assert!(saved.ends_with(kept), "{letter}: {saved}");
            }
        }
        assert_eq!((number_name("a.pdf", 2), number_name("a", 3)), ("a-2.pdf".to_owned(), "a-3".to_owned()));
    }

    #[test]
    fn the_real_ending_is_shown() {
        assert_eq!(display_name("report.pdf                 .exe"), "report.pdf .exe");
        assert_eq!(extension("report.pdf   .EXE ").as_deref(), Some("exe"));
        assert!(
            is_executable("report.pdf   .exe")
                && is_executable("page.HTML")
                && !is_executable("report.pdf")
                && !is_executable("exe")
        );
        assert_eq!([format_size(7), format_size(84_511), format_size(1_843_220)], ["7 B", "85 KB", "1.8 MB"]);
    }
}
