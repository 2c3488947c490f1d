//! The little of JSON that the mind needs: a text in quotes, and whether what
//! a person typed has its syntax.
//!
//! Knows nothing of shapes.

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for it in text.chars() {
        match it {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            it if u32::from(it) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(it))),
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

/// Deepest nesting that is looked at.
const DEEPEST: usize = 64;

/// Checks the syntax of a JSON text that begins with a certain sign.
///
/// # Errors
/// The line and the column, counted from 1, and what is wrong there.
pub fn check(text: &str, begins: char) -> Result<(), (usize, usize, &'static str)> {
    let mut walk = Walk { rest: text, depth: 0 };
    walk.blank();
    let checked = if walk.rest.starts_with(begins) {
        walk.value().and_then(|()| {
            walk.blank();
            if walk.rest.is_empty() { Ok(()) } else { Err("something follows its end") }
        })
    } else {
        Err(if begins == '[' { "it must begin with [" } else { "it must begin with {" })
    };
    let read = text.len() - walk.rest.len();
    checked.map_err(|why| {
        let before = &text[..read];
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (before.matches('\n').count() + 1, column, why)
    })
}

struct Walk<'a> {
    rest: &'a str,
    depth: usize,
}

impl Walk<'_> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\r', '\t']);
    }

    fn takes(&mut self, sign: char) -> bool {
        self.blank();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self) -> Result<(), &'static str> {
        self.blank();
        match self.rest.chars().next() {
            Some('{') => self.list('}', true),
            Some('[') => self.list(']', false),
            Some('"') => self.string(),
            Some(it) if it == '-' || it.is_ascii_digit() => {
                let end = self.rest.find(|it: char| !(it.is_ascii_alphanumeric() || "+-.".contains(it)));
                let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                number.parse::<f64>().map_err(|_| "this is no number")?;
                self.rest = rest;
                Ok(())
            }
            Some(_) => {
                let word = ["true", "false", "null"].into_iter().find(|it| self.rest.starts_with(it));
                self.rest = &self.rest[word.ok_or("a value was expected; texts stand in quotes")?.len()..];
                Ok(())
            }
            None => Err("it ends too early"),
        }
    }

    fn list(&mut self, end: char, named: bool) -> Result<(), &'static str> {
        self.rest = &self.rest[1..];
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply");
        }
        if !self.takes(end) {
            loop {
                if named {
                    self.blank();
                    self.string()?;
                    if !self.takes(':') {
                        return Err("a colon is missing");
                    }
                }
                self.value()?;
                if self.takes(end) {
                    break;
                }
                if !self.takes(',') {
                    return Err("a comma or the end is missing");
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), &'static str> {
        let Some(inner) = self.rest.strip_prefix('"') else { return Err("a name in quotes was expected") };
        let mut escaped = false;
        for (at, it) in inner.char_indices() {
            match it {
                '\n' => return Err("a text ends on its line"),
                '"' if !escaped => {
                    self.rest = &inner[at + 1..];
                    return Ok(());
                }
                _ => escaped = it == '\\' && !escaped,
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
            ("{\n\"a\": }", 2, "a value was expected; texts stand in quotes"),
            ("{\"a\" 1}", 1, "a colon is missing"),
            ("{\"a\": 1\n\"b\": 2}", 2, "a comma or the end is missing"),
            ("{\"a\": \"b}", 1, "a quote is missing"),
            ("{\"a\": 1} x", 1, "something follows its end"),
            ("{a: 1}", 1, "a name in quotes was expected"),
            ("{\"a\": 1x}", 1, "this is no number"),
        ];
        for (text, line, why) in bad {
            let told = check(text, '{').map_err(|(line, _, why)| (line, why));
            assert_eq!(told, Err((line, why)), "{text}");
        }
        assert_eq!(quoted("a\"\\\n\u{1}"), r#""a\"\\\n\u0001""#);
        assert!(check(&"[".repeat(1000), '[').is_err());
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
