//! HTML mail as text: nothing in it runs, nothing of it is fetched, and it
//! costs little however it is built.
//!
//! A tokenizer walks the mail once and writes the little of it that text can
//! show - paragraphs, lists, quotations, headings - as small, whole HTML,
//! which a library then lays out. What nests too deep, tables and styles never
//! reach the library: its cost grows with them. Links become numbers with the
//! host they really lead to; what the mail hides is shown as hidden.

use model::text::SafeText;

mod elements;
mod simple;
mod targets;
#[cfg(test)]
mod tests;

/// Bytes of a mail's HTML that are looked at.
const BYTES: usize = 1024 * 1024;
/// Bytes of simple HTML the library is given: less than a text may hold, so
/// that what is said below it is not cut off.
const SIMPLE: usize = 160 * 1024;
/// Bytes of one tag that are looked at: a picture inside the mail is left out.
const TAG: usize = 8 * 1024;
/// Columns the library may use: the screen wraps, not the library.
const WIDTH: usize = 4_000;

/// What became of a mail's HTML.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenderedHtml {
    /// The text, with the links' targets below it.
    pub text: SafeText,
    /// Where the numbered links lead, in order.
    pub links: Vec<SafeText>,
}

/// Makes text of HTML.
pub fn as_text(html: &str) -> RenderedHtml {
    let (cut, was_cut) = head(html, BYTES);
    let found = simple::simplify(&without_giants(cut));
    let mut text = laid_out(&found.html).unwrap_or_else(|| found.words.clone());
    let mut more = |words: String| {
        text.push_str("\n\n");
        text.push_str(&words);
    };
    if was_cut || found.was_cut {
        more("(too long: the rest is not shown; the raw view has all of it)".to_owned());
    }
    if found.pictures > 0 {
        let pictures =
            if found.pictures == 1 { "1 picture".to_owned() } else { format!("{} pictures", found.pictures) };
        more(format!("({pictures} not loaded)"));
    }
    if !found.links.is_empty() {
        let lines: Vec<String> = found
            .links
            .iter()
            .enumerate()
            .map(|(at, link)| format!("[{}] {}", at + 1, link.shown()))
            .collect();
        more(lines.join("\n"));
    }
    RenderedHtml {
        text: SafeText::block(text.trim()),
        links: found.links.iter().map(|link| SafeText::line(&link.target)).collect(),
    }
}

/// What is shown of a mail that took too long.
pub fn too_complex(html: &str) -> RenderedHtml {
    let (cut, _) = head(html, SIMPLE / 4);
    let found = simple::simplify(&without_giants(cut));
    let text = format!("(too complex to lay out: only its words are shown)\n\n{}", found.words.trim());
    RenderedHtml { text: SafeText::block(&text), links: Vec::new() }
}

/// The library's layout; `None` where it finds none.
fn laid_out(html: &str) -> Option<String> {
    let config = html2text::config::plain().link_footnotes(false).allow_width_overflow();
    let text = config.string_from_read(html.as_bytes(), WIDTH).ok()?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Some(lines.join("\n"))
}

fn head(text: &str, bytes: usize) -> (&str, bool) {
    if text.len() <= bytes {
        return (text, false);
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], true)
}

/// Leaves out tags that are too long to be looked at: pictures inside the
/// mail, and attributes without end.
fn without_giants(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let tag = &rest[at..];
        let end = tag.find('>').map_or(tag.len(), |entry| entry + 1);
        if end <= TAG {
            out.push_str(&tag[..end]);
        }
        rest = &tag[end..];
    }
    out.push_str(rest);
    out
}
