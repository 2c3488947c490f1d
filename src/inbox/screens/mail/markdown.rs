//! Converts a mail's Markdown to HTML. HTML in the text is escaped, so that quoted mail cannot
//! inject markup.

use pulldown_cmark::{Event, Options, Parser, html};

pub fn to_html(text: &str) -> String {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let events = Parser::new_ext(text, options).map(|new_ext| match new_ext {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        // Keep typed line breaks.
        Event::SoftBreak => Event::HardBreak,
        other => other,
    });
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, events);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html_and_html_stays_text() {
        let cases = [
            ("**Hi**\nthere", "<p><strong>Hi</strong><br />\nthere</p>\n"),
            ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("> said", "<blockquote>\n<p>said</p>\n</blockquote>\n"),
        ];
        for (text, html) in cases {
            assert_eq!(to_html(text), html, "{text}");
        }
    }
}
