//! Telegram's HTML (`sendTelegramMessage`, `parseMode`): a few tags, four named entities and character
//! references.

const SUPPORTED_TAGS: [&str; 15] = [
    "b",
    "strong",
    "i",
    "em",
    "u",
    "ins",
    "s",
    "strike",
    "del",
    "code",
    "pre",
    "a",
    "tg-spoiler",
    "span",
    "blockquote",
];

/// Converts HTML to the visible text. Fails for markup the platform would refuse.
pub fn to_plain_text(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = if from.starts_with('<') { read_tag(from, &mut open)? } else { read_entity(from, &mut out) };
    }
    out.push_str(rest);
    match open.last() {
        Some(name) => Err(format!("the tag <{name}> is not closed")),
        None => Ok(out),
    }
}

/// Parses a tag at the start of `from` and returns the rest.
fn read_tag<'a>(from: &'a str, open: &mut Vec<String>) -> Result<&'a str, String> {
    let Some((inside, rest)) = from[1..].split_once('>') else {
        return Err("a < is not part of a tag; write &lt;".to_owned());
    };
    let (closing, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let name = inside.split([' ', '\n', '\t']).next().unwrap_or("").to_ascii_lowercase();
    if !SUPPORTED_TAGS.contains(&name.as_str()) {
        return Err(format!("the tag <{}> is not supported; write &lt; for a <", shorten(&name)));
    }
    if !closing {
        open.push(name);
    } else if open.pop().as_deref() != Some(name.as_str()) {
        return Err(format!("the tag </{name}> closes nothing"));
    }
    Ok(rest)
}

/// Parses an entity at the start of `from` and returns the rest; a lone ampersand is kept.
pub fn read_entity<'a>(from: &'a str, out: &mut String) -> &'a str {
    for (name, character) in [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"')] {
        if let Some(rest) = from.strip_prefix(name) {
            out.push(character);
            return rest;
        }
    }
    if let Some((number, rest)) = from.strip_prefix("&#").and_then(|text| text.split_once(';')) {
        let value = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        };
        if let Some(character) = value.and_then(char::from_u32).filter(|entry| *entry != '\0') {
            out.push(character);
            return rest;
        }
    }
    out.push('&');
    &from[1..]
}

fn shorten(name: &str) -> String {
    name.chars().take(20).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_platform_takes() {
        let good = [
            ("a &lt; b &amp; c", "a < b & c"),
            ("<b>bold</b> and <a href=\"https://x.example\">link</a>", "bold and link"),
            ("AT&T & co", "AT&T & co"),
            ("&#65;&#x42;&#0;", "AB&#0;"),
            ("a > b", "a > b"),
            ("", ""),
        ];
        for (text, shown) in good {
            assert_eq!(to_plain_text(text).as_deref(), Ok(shown), "{text}");
        }
        for bad in ["a < b", "<b>", "</b>", "<b><i></b></i>", "<script>x</script>", "<", "x <img src=y> z"] {
            assert!(to_plain_text(bad).is_err(), "{bad}");
        }
    }
}
