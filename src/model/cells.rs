//! CSV cells for spreadsheet programs, which execute cells that look like formulas. Such cells get
//! a leading apostrophe.

use std::borrow::Cow;

use crate::text;

/// First characters of a formula, including full-width forms.
const FORMULA_STARTS: [char; 9] = ['=', '+', '-', '@', '|', '＝', '＋', '－', '＠'];

/// Prevents a text from being run as a formula. Plain numbers stay unchanged. Does not quote.
pub fn guard_formula(text: &str) -> Cow<'_, str> {
    let visible =
        text.trim_start_matches(|character: char| character.is_whitespace() || text::is_unseen(character));
    let is_number = text.strip_prefix(['+', '-']).is_some_and(text::is_digits);
    if visible.starts_with(FORMULA_STARTS) && !is_number {
        return Cow::Owned(format!("'{text}"));
    }
    if text.starts_with(['\t', '\r', '\n']) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Formats one cell, guarded and quoted if necessary.
pub fn csv_cell(text: &str) -> String {
    let text = guard_formula(text);
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_begins_like_a_formula() {
        let cases = [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2+3", "'-2+3"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            (" =1+1", "' =1+1"),
            ("\u{200b}=1+1", "'\u{200b}=1+1"),
            ("\u{feff}\t@x", "'\u{feff}\t@x"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("＝1+1", "'＝1+1"),
            ("|x", "'|x"),
            ("+34600111222", "+34600111222"),
            ("-12", "-12"),
            ("+34 600 111 222", "'+34 600 111 222"),
            ("Ana = Bo", "Ana = Bo"),
            ("", ""),
        ];
        for (text, wanted) in cases {
            assert_eq!(guard_formula(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn cells_are_quoted_where_they_need_it() {
        assert_eq!(csv_cell("a,b"), "\"a,b\"");
        assert_eq!(csv_cell("=\"x\""), "\"'=\"\"x\"\"\"");
        assert_eq!(csv_cell("plain"), "plain");
    }
}
