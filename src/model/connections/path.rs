//! Paths into a JSON answer in JSONPath syntax: `$.orders[*].total`. Supports names, indexes and
//! wildcards only; no filters and no `..`, so evaluation is linear in the size of the answer.

use std::fmt;

const MAX_SEGMENTS: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathSegment {
    Name(String),
    /// Index; negative values count from the end.
    Index(i32),
    /// Every item or member.
    All,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path(pub Vec<PathSegment>);

impl Path {
    /// Parses a path; the leading `$` is optional.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is not a path; write $.name, $.list[0], $.list[*].name or \
                 $['a name']"
            )
        };
        let text = text.trim();
        let mut rest = text.strip_prefix('$').unwrap_or(text);
        let mut steps = Vec::new();
        if !text.starts_with(['$', '.', '[']) && !text.is_empty() {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(parse_name(&rest[..end]).ok_or_else(wrong)?);
            rest = &rest[end..];
        }
        while !rest.is_empty() {
            let (step, after) = parse_segment(rest).ok_or_else(wrong)?;
            steps.push(step);
            rest = after;
            if steps.len() > MAX_SEGMENTS {
                return Err(format!("a path has at most {MAX_SEGMENTS} steps"));
            }
        }
        Ok(Self(steps))
    }
}

fn parse_segment(rest: &str) -> Option<(PathSegment, &str)> {
    if let Some(rest) = rest.strip_prefix('.') {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        return Some((parse_name(&rest[..end])?, &rest[end..]));
    }
    let inner = rest.strip_prefix('[')?;
    for quote in ['\'', '"'] {
        if let Some(quoted) = inner.strip_prefix(quote) {
            let (name, after) = quoted.split_once(quote)?;
            return Some((PathSegment::Name(name.to_owned()), after.strip_prefix(']')?));
        }
    }
    let (word, after) = inner.split_once(']')?;
    let step = if word == "*" { PathSegment::All } else { PathSegment::Index(word.parse().ok()?) };
    Some((step, after))
}

fn parse_name(word: &str) -> Option<PathSegment> {
    let odd = |character: char| {
        character.is_whitespace() || character.is_control() || "()?@'\"]*$:,".contains(character)
    };
    match word {
        "*" => Some(PathSegment::All),
        "" => None,
        word if word.contains(odd) => None,
        word => Some(PathSegment::Name(word.to_owned())),
    }
}

impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("$")?;
        for step in &self.0 {
            match step {
                PathSegment::Name(word)
                    if matches!(parse_name(word), Some(PathSegment::Name(_)))
                        && !word.contains(['.', '[']) =>
                {
                    write!(out, ".{word}")?;
                }
                PathSegment::Name(word) if word.contains('\'') => write!(out, "[\"{word}\"]")?,
                PathSegment::Name(word) => write!(out, "['{word}']")?,
                PathSegment::Index(number) => write!(out, "[{number}]")?,
                PathSegment::All => out.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_written() {
        for (text, written) in [
            ("$", "$"),
            ("", "$"),
            ("$.orders[*].total", "$.orders[*].total"),
            ("orders[0].id", "$.orders[0].id"),
            (".a.*", "$.a[*]"),
            ("$['a b'][-1]", "$['a b'][-1]"),
            ("$[\"it's\"]", "$[\"it's\"]"),
            ("$['a.b']", "$['a.b']"),
            ("$.größe", "$.größe"),
        ] {
            let path = Path::parse(text).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(path.to_string(), written, "{text}");
            assert_eq!(Path::parse(written), Ok(path), "{text}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in
            ["$..a", "$.a.", "$[", "$[a]", "$['a]", "$.a b", "$[?(@.x)]", "$[1:2]", "$[99999999999]", "a$"]
        {
            assert!(Path::parse(text).is_err(), "{text}");
        }
        assert!(Path::parse(&format!("${}", ".a".repeat(MAX_SEGMENTS + 1))).is_err());
    }
}
