//! Minimal JSON: quoting, syntax checks of user input, and escaping for terminals.

use crate::text;

pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            character if u32::from(character) < 0x20 => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)))
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Escapes every invisible character of JSON: C1 controls, bidi controls, zero-width characters.
/// The value is unchanged, and printing it cannot affect a terminal. Line breaks and tabs between
/// values are kept; within strings the serializer has escaped them.
pub fn escape_invisible(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if matches!(character, '\n' | '\t' | '\r') || !text::is_unseen(character) {
            out.push(character);
            continue;
        }
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

const MAX_DEPTH: usize = 64;

/// Line and column from 1, and the error.
pub type SyntaxError = (usize, usize, &'static str);

/// Checks the syntax of JSON that must start with `begins`, `{` or `[`.
pub fn check(text: &str, begins: char) -> Result<(), SyntaxError> {
    let mut walk = JsonScanner { remaining: text, depth: 0 };
    walk.skip_blanks();
    let checked = if walk.remaining.starts_with(begins) {
        walk.scan_value().and_then(|()| {
            walk.skip_blanks();
            if walk.remaining.is_empty() { Ok(()) } else { Err("more text follows its end") }
        })
    } else {
        Err(if begins == '[' { "it must begin with [" } else { "it must begin with {" })
    };
    let read = text.len() - walk.remaining.len();
    checked.map_err(|why| {
        let before = &text[..read];
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (before.matches('\n').count() + 1, column, why)
    })
}

/// Returns the members of a JSON object in order, with unparsed values.
pub fn members(text: &str) -> Result<Vec<(String, String)>, SyntaxError> {
    check(text, '{')?;
    let mut walk = JsonScanner { remaining: text.trim_start(), depth: 0 };
    let mut members = Vec::new();
    walk.accept('{');
    while !walk.accept('}') {
        walk.accept(',');
        let (Some(name), true) = (walk.scan_slice(JsonScanner::scan_string), walk.accept(':')) else { break };
        let Some(value) = walk.scan_slice(JsonScanner::scan_value) else { break };
        members.push((unquote(name).unwrap_or_default(), value.to_owned()));
    }
    Ok(members)
}

/// Returns the unparsed elements of a JSON array; empty if it is no array.
pub fn elements(text: &str) -> Vec<String> {
    let mut elements = Vec::new();
    let mut walk = JsonScanner { remaining: text.trim_start(), depth: 0 };
    if check(text, '[').is_err() || !walk.accept('[') {
        return elements;
    }
    while !walk.accept(']') {
        walk.accept(',');
        let Some(value) = walk.scan_slice(JsonScanner::scan_value) else { break };
        elements.push(value.to_owned());
    }
    elements
}

/// Returns the content of a JSON string; `None` for other values.
pub fn unquote(value: &str) -> Option<String> {
    let inner = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut push = |character: char| units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
    let mut rest = inner.chars();
    let mut escaped: Vec<u16> = Vec::new();
    while let Some(character) = rest.next() {
        if character != '\\' {
            push(character);
            continue;
        }
        match rest.next()? {
            'n' => push('\n'),
            't' => push('\t'),
            'r' => push('\r'),
            'b' => push('\u{8}'),
            'f' => push('\u{c}'),
            'u' => {
                let digits: String = rest.by_ref().take(4).collect();
                escaped.push(u16::from_str_radix(&digits, 16).ok()?);
                let pending = escaped.last().is_some_and(|number| (0xd800..0xdc00).contains(number));
                if !pending || escaped.len() > 1 {
                    char::decode_utf16(escaped.drain(..))
                        .for_each(|decode_utf16| push(decode_utf16.unwrap_or('\u{fffd}')));
                }
            }
            other => push(other),
        }
    }
    Some(String::from_utf16_lossy(&units))
}

pub fn is_value(text: &str) -> bool {
    let mut walk = JsonScanner { remaining: text, depth: 0 };
    walk.scan_value().is_ok() && walk.remaining.trim().is_empty()
}

struct JsonScanner<'a> {
    remaining: &'a str,
    depth: usize,
}

impl<'a> JsonScanner<'a> {
    /// Returns the text consumed by a step, without leading blanks.
    fn scan_slice(&mut self, step: impl Fn(&mut Self) -> Result<(), &'static str>) -> Option<&'a str> {
        self.skip_blanks();
        let before = self.remaining;
        step(self).ok()?;
        Some(&before[..before.len() - self.remaining.len()])
    }

    fn skip_blanks(&mut self) {
        self.remaining = self.remaining.trim_start_matches([' ', '\n', '\r', '\t']);
    }

    fn accept(&mut self, sign: char) -> bool {
        self.skip_blanks();
        let rest = self.remaining.strip_prefix(sign);
        self.remaining = rest.unwrap_or(self.remaining);
        rest.is_some()
    }

    fn scan_value(&mut self) -> Result<(), &'static str> {
        self.skip_blanks();
        match self.remaining.chars().next() {
            Some('{') => self.scan_list('}', true),
            Some('[') => self.scan_list(']', false),
            Some('"') => self.scan_string(),
            Some(first) if first == '-' || first.is_ascii_digit() => {
                let end = self.remaining.find(|character: char| {
                    !(character.is_ascii_alphanumeric() || "+-.".contains(character))
                });
                let (number, rest) = self.remaining.split_at(end.unwrap_or(self.remaining.len()));
                number.parse::<f64>().map_err(|_| "this is not a number")?;
                self.remaining = rest;
                Ok(())
            }
            Some(_) => {
                let word =
                    ["true", "false", "null"].into_iter().find(|text| self.remaining.starts_with(text));
                self.remaining =
                    &self.remaining[word.ok_or("a value is expected; texts need quotes")?.len()..];
                Ok(())
            }
            None => Err("it ends too early"),
        }
    }

    fn scan_list(&mut self, end: char, named: bool) -> Result<(), &'static str> {
        self.remaining = &self.remaining[1..];
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply");
        }
        if !self.accept(end) {
            loop {
                if named {
                    self.skip_blanks();
                    self.scan_string()?;
                    if !self.accept(':') {
                        return Err("a colon is missing");
                    }
                }
                self.scan_value()?;
                if self.accept(end) {
                    break;
                }
                if !self.accept(',') {
                    return Err("a comma or the end is missing");
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn scan_string(&mut self) -> Result<(), &'static str> {
        let Some(inner) = self.remaining.strip_prefix('"') else {
            return Err("a name in quotes was expected");
        };
        let mut escaped = false;
        for (at, character) in inner.char_indices() {
            match character {
                '\n' => return Err("a text must end on its line"),
                '"' if !escaped => {
                    self.remaining = &inner[at + 1..];
                    return Ok(());
                }
                _ => escaped = character == '\\' && !escaped,
            }
        }
        Err("a quote is missing")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax() {
        let good = ["{}", " [1, -2.5e3, true, null, \"a\\\"b\"] ", "{\"a\": [{\"b\": {}}]}"];
        for text in good {
            assert_eq!(check(text, text.trim().chars().next().expect("a sign")), Ok(()), "{text}");
        }
        let bad = [
            ("", 1, "it must begin with {"),
            ("[]", 1, "it must begin with {"),
            ("{\n\"a\": }", 2, "a value is expected; texts need quotes"),
            ("{\"a\" 1}", 1, "a colon is missing"),
            ("{\"a\": 1\n\"b\": 2}", 2, "a comma or the end is missing"),
            ("{\"a\": \"b}", 1, "a quote is missing"),
            ("{\"a\": 1} x", 1, "more text follows its end"),
            ("{a: 1}", 1, "a name in quotes was expected"),
            ("{\"a\": 1x}", 1, "this is not a number"),
        ];
        for (text, line, why) in bad {
            let told = check(text, '{').map_err(|(line, _, why)| (line, why));
            assert_eq!(told, Err((line, why)), "{text}");
        }
        assert_eq!(quote("a\"\\\n\u{1}"), r#""a\"\\\n\u0001""#);
        assert!(check(&"[".repeat(1000), '[').is_err());
    }

    #[test]
    fn members_of_an_object() {
        let text = " { \"a\\n\\u00e9\" : [1, {\"b\": 2}] , \"c\": \"d\\ud83d\\ude00\", \"e\":null }";
        let told = members(text).expect("an object");
        let pairs: Vec<(&str, &str)> = told.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        assert_eq!(pairs, [("a\né", "[1, {\"b\": 2}]"), ("c", "\"d\\ud83d\\ude00\""), ("e", "null")]);
        assert_eq!(unquote(pairs[1].1).as_deref(), Some("d😀"));
        assert_eq!((unquote("3"), unquote("\"a\\\"b\"")), (None, Some("a\"b".to_owned())));
        assert_eq!(members("{}"), Ok(Vec::new()));
        assert!(members("{\"a\": }").is_err());
        assert!(is_value("12") && is_value(" {} ") && !is_value("1 2") && !is_value("yes"));
    }

    #[test]
    fn columns_count_characters() {
        let cases = [("{\"é\": x}", 1, 7), ("{\n  \"a\": 1,\n  b}", 3, 3), ("", 1, 1)];
        for (text, line, column) in cases {
            let told = check(text, '{').map_err(|(line, column, _)| (line, column));
            assert_eq!(told, Err((line, column)), "{text}");
        }
    }
}
