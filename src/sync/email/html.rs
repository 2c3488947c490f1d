//! HTML mail as text, in bounded time: no script runs and no resource is fetched.
//!
//! A tokenizer walks the mail once and writes the structure that text can show (paragraphs, lists,
//! quotations, headings) as small, well-formed HTML, which `html2text` lays out. Deep nesting, tables and
//! styles never reach that library because its cost grows with them. Links become numbers with their real
//! host; hidden text is marked as hidden.

use model::text::SafeText;

mod elements;
mod simple;
mod targets;
#[cfg(test)]
mod tests;

/// Maximum bytes of a mail's HTML that are read.
const MAX_HTML_BYTES: usize = 1024 * 1024;
/// Maximum bytes of simplified HTML given to the library: below the limit of a text, so that the notes
/// appended to it are not cut off.
const MAX_SIMPLE_HTML_BYTES: usize = 160 * 1024;
/// Maximum bytes of one tag; longer ones (inline pictures) are left out.
const MAX_TAG_BYTES: usize = 8 * 1024;
/// Layout width in columns: the screen wraps lines, not the library.
const LAYOUT_COLUMNS: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenderedHtml {
    /// Text followed by the link targets.
    pub text: SafeText,
    /// Targets of the numbered links, in order.
    pub links: Vec<SafeText>,
}

pub fn html_to_text(html: &str) -> RenderedHtml {
    let (cut, was_cut) = truncate_bytes(html, MAX_HTML_BYTES);
    let found = simple::simplify(&remove_long_tags(cut));
    let mut text = lay_out_html(&found.html).unwrap_or_else(|| found.text.clone());
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
            .map(|(at, link)| format!("[{}] {}", at + 1, link.to_line()))
            .collect();
        more(lines.join("\n"));
    }
    RenderedHtml {
        text: SafeText::block(text.trim()),
        links: found.links.iter().map(|link| SafeText::line(&link.target)).collect(),
    }
}

/// Text shown for a mail whose conversion exceeded the time limit.
pub fn too_complex_notice(html: &str) -> RenderedHtml {
    let (cut, _) = truncate_bytes(html, MAX_SIMPLE_HTML_BYTES / 4);
    let found = simple::simplify(&remove_long_tags(cut));
    let text = format!("(too complex to lay out: only its words are shown)\n\n{}", found.text.trim());
    RenderedHtml { text: SafeText::block(&text), links: Vec::new() }
}

/// Lays out simplified HTML; `None` if the library fails.
fn lay_out_html(html: &str) -> Option<String> {
    let config = html2text::config::plain().link_footnotes(false).allow_width_overflow();
    let text = config.string_from_read(html.as_bytes(), LAYOUT_COLUMNS).ok()?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Some(lines.join("\n"))
}

fn truncate_bytes(text: &str, bytes: usize) -> (&str, bool) {
    if text.len() <= bytes {
        return (text, false);
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], true)
}

/// Removes tags longer than [`MAX_TAG_BYTES`].
fn remove_long_tags(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let tag = &rest[at..];
        let end = tag.find('>').map_or(tag.len(), |entry| entry + 1);
        if end <= MAX_TAG_BYTES {
            out.push_str(&tag[..end]);
        }
        rest = &tag[end..];
    }
    out.push_str(rest);
    out
}
