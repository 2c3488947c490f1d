//! Telegram's MarkdownV2 (`sendTelegramMessage`, `parseMode`): paired marks, links, and backslashes before
//! other reserved characters.

/// Paired marks, longest first.
const SPAN_MARKS: [&str; 7] = ["```", "||", "__", "*", "_", "~", "`"];
/// Characters that need a backslash in plain text.
const RESERVED: &str = "[]()>#+-=|{}.!";

/// Converts MarkdownV2 to the visible text. Fails for markup the platform would refuse.
pub fn to_plain_text(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let in_code = open.last().is_some_and(|text| text.starts_with('`'));
        if next == '\\' {
            let mut characters = rest[1..].chars();
            let escaped = characters.next().ok_or("a backslash ends the text")?;
            out.push(escaped);
            rest = characters.as_str();
        } else if let Some(mark) = span_mark(rest, in_code, open.last().copied()) {
            close_or_open(mark, &mut open)?;
            rest = &rest[mark.len()..];
        } else if !in_code && next == '[' {
            rest = read_link(rest, &mut out)?;
        } else if !in_code && next == '>' && (out.is_empty() || out.ends_with('\n')) {
            // A quotation at the start of a line.
            rest = &rest[1..];
        } else if !in_code && RESERVED.contains(next) {
            return Err(format!("the character {next} must be written \\{next}"));
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    match open.last() {
        Some(mark) => Err(format!("the mark {mark} is not closed")),
        None => Ok(out),
    }
}

/// Returns the mark at the start of `rest`; within code only the closing mark counts.
fn span_mark(rest: &str, in_code: bool, last: Option<&'static str>) -> Option<&'static str> {
    let found = SPAN_MARKS.into_iter().find(|mark| rest.starts_with(mark))?;
    if in_code { last.filter(|text| rest.starts_with(text)) } else { Some(found) }
}

fn close_or_open(mark: &'static str, open: &mut Vec<&'static str>) -> Result<(), String> {
    if open.last() == Some(&mark) {
        open.pop();
    } else if open.contains(&mark) {
        return Err(format!("the mark {mark} closes before the one inside it"));
    } else {
        open.push(mark);
    }
    Ok(())
}

/// Parses `[text](address)` at the start of `from` and returns the rest.
fn read_link<'a>(from: &'a str, out: &mut String) -> Result<&'a str, String> {
    let wrong = "a [ is not part of a link; write \\[";
    let (inside, behind) = from[1..].split_once("](").ok_or(wrong)?;
    let (address, rest) = behind.split_once(')').ok_or(wrong)?;
    if address.is_empty() || inside.contains('[') {
        return Err(wrong.to_owned());
    }
    out.push_str(&to_plain_text(inside)?);
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_platform_takes() {
        let good = [
            ("plain text", "plain text"),
            ("*bold* and _it_ and __un__ and ~no~ and ||hid||", "bold and it and un and no and hid"),
            ("1\\. one \\- two\\!", "1. one - two!"),
            ("`a.b*c` ```x_y\nz```", "a.b*c x_y\nz"),
            ("[shop](https://shop.example/a?b=1)", "shop"),
            (">quoted\n>twice", "quoted\ntwice"),
            ("", ""),
        ];
        for (text, shown) in good {
            assert_eq!(to_plain_text(text).as_deref(), Ok(shown), "{text}");
        }
        for bad in ["one.", "a - b", "*open", "*a _b* c_", "[x]", "[x](", "a > b", "ends \\", "(x)"] {
            assert!(to_plain_text(bad).is_err(), "{bad}");
        }
    }
}
