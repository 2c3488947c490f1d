//! Conversion of HTML mail to text, in one pass and linear time.

use crate::telegram::html::read_entity;

/// Elements whose content is invisible.
const SKIPPED_ELEMENTS: [&str; 4] = ["script", "style", "head", "title"];
/// Elements that end a line.
const BLOCK_ELEMENTS: [&str; 12] =
    ["br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "blockquote", "table", "ul"];

/// Returns the visible text with white space folded.
pub fn html_to_text(html: &str) -> String {
    let mut out = String::with_capacity(html.len().min(4096));
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = if from.starts_with('<') { after_tag(from, &mut out) } else { after_entity(from, &mut out) };
    }
    out.push_str(rest);
    fold_spaces(&out)
}

fn after_entity<'a>(from: &'a str, out: &mut String) -> &'a str {
    match from.strip_prefix("&nbsp;") {
        Some(rest) => {
            out.push(' ');
            rest
        }
        None => read_entity(from, out),
    }
}

/// Skips a tag, and the content of an invisible element.
fn after_tag<'a>(from: &'a str, out: &mut String) -> &'a str {
    if let Some(comment) = from.strip_prefix("<!--") {
        return comment.split_once("-->").map_or("", |(_, rest)| rest);
    }
    let inside = &from[1..];
    if !inside.starts_with(|inside: char| {
        inside.is_ascii_alphabetic() || inside == '/' || inside == '!' || inside == '?'
    }) {
        out.push('<');
        return inside;
    }
    let Some((tag, rest)) = inside.split_once('>') else { return "" };
    let name: String = tag
        .trim_start_matches('/')
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    if BLOCK_ELEMENTS.contains(&name.as_str()) {
        out.push('\n');
    }
    if SKIPPED_ELEMENTS.contains(&name.as_str()) && !tag.starts_with('/') && !tag.ends_with('/') {
        return after_end_of(&name, rest);
    }
    rest
}

/// Returns the text after an element's end tag; empty if there is none.
fn after_end_of<'a>(name: &str, text: &'a str) -> &'a str {
    for (at, _) in text.match_indices("</") {
        let end = &text[at + 2..];
        if end.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name)) {
            return end.split_once('>').map_or("", |(_, rest)| rest);
        }
    }
    ""
}

/// Folds white space to single spaces and line breaks.
fn fold_spaces(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_read() {
        let cases = [
            ("<p>Hello <b>Maria</b>,</p><p>thanks &amp; bye</p>", "Hello Maria,\nthanks & bye"),
            ("<html><head><title>x</title></head><body>a<br/>b</body></html>", "a\nb"),
            ("<style>p{}</style>a<SCRIPT>if (a<b) {}</script >b", "ab"),
            ("<!-- <p>hidden</p> -->seen", "seen"),
            ("1 < 2 &nbsp;&lt; 3", "1 < 2 < 3"),
            ("<script>never ends", ""),
            ("<p", ""),
            ("plain", "plain"),
            ("", ""),
        ];
        for (html, text) in cases {
            assert_eq!(html_to_text(html), text, "{html}");
        }
        let deep = "<div>".repeat(200_000) + "x";
        assert_eq!(html_to_text(&deep), "x");
        assert_eq!(html_to_text(&"<style>".repeat(100_000)), "");
    }
}
