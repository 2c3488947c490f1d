//! Names of uploaded files: for display and for URLs.

use model::bounds;

/// Maximum length of a name in a URL, in characters.
const MAX_SAFE_CHARS: usize = 100;
/// Returns the name for display: the last path segment without control characters.
pub fn display_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or("");
    let name: String =
        last.chars().filter(|character| !character.is_control()).take(bounds::MAX_FILENAME_CHARS).collect();
    if name.trim().is_empty() || name == "." || name == ".." { "file".to_owned() } else { name }
}

/// Returns the name for URLs and headers: ASCII letters, digits, hyphens, underscores and inner dots.
pub fn safe_name(shown: &str) -> String {
    let letter = |character: char| {
        if character.is_ascii_alphanumeric() || "-_.".contains(character) { character } else { '_' }
    };
    let name: String = shown.chars().map(letter).collect();
    let name = name.trim_matches('.');
    // Truncates before the extension.
    let name = match name.rsplit_once('.') {
        Some((stem, ending)) if name.len() > MAX_SAFE_CHARS && ending.len() < 10 => {
            format!("{}.{ending}", &stem[..stem.len().min(MAX_SAFE_CHARS - ending.len() - 1)])
        }
        _ => name[..name.len().min(MAX_SAFE_CHARS)].to_owned(),
    };
    if name.is_empty() { "file".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(
                (display_name(given).as_str(), safe_name(&display_name(given)).as_str()),
                (seen, in_address),
                "{given}"
            );
        }
        assert_eq!(safe_name(&long).len(), MAX_SAFE_CHARS);
        assert!(safe_name(&long).ends_with(".jpeg"));
        assert_eq!(safe_name(&"é".repeat(300)).len(), MAX_SAFE_CHARS);
    }
}
