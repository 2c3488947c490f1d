//! A mail as a page for the browser: its HTML sanitised by an allow-list, in a document whose policy forbids
//! every request.
//!
//! Only listed elements, attributes and properties pass: no script runs, nothing is fetched, and only a
//! followed link leads elsewhere. Pictures inside the mail are shown; of others the description remains.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ammonia::{Builder, UrlRelative};

use sync::mail_html;

mod measure;

/// Maximum bytes of HTML; a larger mail is cut.
const MAX_HTML_BYTES: usize = 8 * 1024 * 1024;
/// Start of the document. `frame-ancestors` and `sandbox` have no effect in a `meta` element; DNS prefetching
/// must be switched off.
const PAGE_HEAD: &str = "<!doctype html>\n<html><head><meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
    img-src data:; form-action 'none'; base-uri 'none'\">\n\
    <meta name=\"referrer\" content=\"no-referrer\">\n\
    <meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">\n\
    <title>Mail</title></head><body>\n";
const PAGE_TAIL: &str = "\n</body></html>\n";

const ALLOWED_TAGS: [&str; 74] = [
    "a",
    "abbr",
    "acronym",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "wbr",
    "label",
];
/// Elements removed with their content.
const DROPPED_TAGS: [&str; 12] = [
    "script", "style", "title", "template", "noscript", "noembed", "noframes", "iframe", "object", "svg",
    "math", "xmp",
];
const ALLOWED_ATTRIBUTES: [&str; 24] = [
    "abbr",
    "align",
    "alt",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "color",
    "colspan",
    "dir",
    "face",
    "height",
    "href",
    "lang",
    "nowrap",
    "rowspan",
    "size",
    "span",
    "src",
    "start",
    "style",
    "title",
    "valign",
    "width",
];
/// Properties that neither fetch, cover nor hide anything.
const ALLOWED_PROPERTIES: [&str; 44] = [
    "background-color",
    "border",
    "border-bottom",
    "border-collapse",
    "border-color",
    "border-left",
    "border-radius",
    "border-right",
    "border-spacing",
    "border-style",
    "border-top",
    "border-width",
    "caption-side",
    "color",
    "direction",
    "font",
    "font-family",
    "font-size",
    "font-style",
    "font-variant",
    "font-weight",
    "height",
    "letter-spacing",
    "line-height",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-width",
    "min-width",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "table-layout",
    "text-align",
    "text-decoration",
    "vertical-align",
    "white-space",
    "width",
    "word-break",
];
/// CSS functions that only name a colour.
const COLOUR_FUNCTIONS: [&str; 4] = ["rgb", "rgba", "hsl", "hsla"];
const PICTURE_TYPES: [&str; 4] = ["png", "jpeg", "gif", "webp"];

/// Returns the whole document for a mail's HTML, as plain text if its tree would be too large.
pub fn page(html: &str) -> String {
    let html = &html[..html.floor_char_boundary(MAX_HTML_BYTES)];
    let body = if measure::is_within_limits(html) {
        cleaner().clean(html).to_string()
    } else {
        let words = mail_html::too_complex_notice(html).text;
        format!("<pre>{}</pre>", words.as_str().replace('&', "&amp;").replace('<', "&lt;"))
    };
    format!("{PAGE_HEAD}{body}{PAGE_TAIL}")
}

fn cleaner() -> Builder<'static> {
    let mut cleaner = Builder::empty();
    cleaner
        .tags(HashSet::from(ALLOWED_TAGS))
        .clean_content_tags(HashSet::from(DROPPED_TAGS))
        .generic_attributes(HashSet::from(ALLOWED_ATTRIBUTES))
        .tag_attributes(HashMap::new())
        .url_schemes(HashSet::from(["https", "mailto", "data"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .filter_style_properties(HashSet::from(ALLOWED_PROPERTIES))
        .attribute_filter(attribute);
    cleaner
}

/// Value an attribute keeps, `None` if it is removed.
fn attribute<'a>(tag: &str, name: &str, value: &'a str) -> Option<Cow<'a, str>> {
    match (tag, name) {
        ("a", "href") => is_external_link(value).then_some(Cow::Borrowed(value)),
        ("img", "src") => is_picture(value).then_some(Cow::Borrowed(value)),
        (_, "href" | "src") => None,
        (_, "style") => Some(Cow::Owned(style(value))),
        _ => Some(Cow::Borrowed(value)),
    }
}

fn has_prefix(value: &str, with: &str) -> bool {
    value.get(..with.len()).is_some_and(|text| text.eq_ignore_ascii_case(with))
}

/// True for `https` and `mailto` links.
fn is_external_link(value: &str) -> bool {
    let value = value.trim_ascii();
    has_prefix(value, "https://") || has_prefix(value, "mailto:")
}

/// True for pictures inside the mail.
fn is_picture(value: &str) -> bool {
    PICTURE_TYPES
        .iter()
        .any(|picture| has_prefix(value.trim_ascii(), &format!("data:image/{picture};base64,")))
}

/// Keeps declarations whose only functions are colours. The sanitiser then filters them by property.
fn style(value: &str) -> String {
    // An escape could spell any function.
    if value.contains('\\') {
        return String::new();
    }
    let calls = |text: &&str| {
        text.match_indices('(')
            .all(|(at, _)| COLOUR_FUNCTIONS.iter().any(|name| has_suffix(&text[..at], name)))
    };
    value.split(';').filter(calls).collect::<Vec<_>>().join(";")
}

fn has_suffix(text: &str, with: &str) -> bool {
    let start = text.len().checked_sub(with.len());
    let Some((before, last)) = start.and_then(|start| text.split_at_checked(start)) else { return false };
    last.eq_ignore_ascii_case(with)
        && !before.ends_with(|character: char| character.is_alphanumeric() || "-_".contains(character))
}
