//! Classes of HTML elements: block, void, hidden.

use html5ever::tokenizer::Tag;

/// Value of an attribute; empty if absent.
pub(super) fn attribute(tag: &Tag, name: &str) -> String {
    let found = tag.attrs.iter().find(|attr| &*attr.name.local == name);
    found.map_or_else(String::new, |attribute| attribute.value.to_string())
}

pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "img"
            | "br"
            | "hr"
            | "input"
            | "meta"
            | "link"
            | "col"
            | "area"
            | "base"
            | "wbr"
            | "embed"
            | "source"
            | "track"
    )
}

pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "main"
            | "aside"
            | "nav"
            | "center"
            | "address"
            | "table"
            | "tbody"
            | "thead"
            | "tfoot"
            | "caption"
            | "dl"
            | "dt"
            | "dd"
            | "fieldset"
            | "legend"
            | "figure"
            | "figcaption"
            | "details"
            | "summary"
            | "body"
            | "html"
            | "dir"
            | "menu"
            | "form"
    )
}

/// True if a mail program would not show the element.
pub(super) fn is_hidden(tag: &Tag) -> bool {
    if tag.attrs.iter().any(|attr| &*attr.name.local == "hidden") {
        return true;
    }
    let style: String =
        attribute(tag, "style").chars().take(2_000).filter(|character| !character.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    let says = |what: &str| style.split(';').any(|part| part.trim_end_matches("!important") == what);
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0",
        "font-size:0px",
        "font-size:1px",
        "mso-hide:all",
        "max-height:0",
        "max-height:0px",
    ]
    .iter()
    .any(|text| says(text))
        || is_same_color(&style)
}

/// True if text and background have the same colour.
fn is_same_color(style: &str) -> bool {
    let of = |name: &str| style.split(';').find_map(|part| part.strip_prefix(name).map(normalize_color));
    match (of("color:"), of("background-color:").or_else(|| of("background:"))) {
        (Some(ink), Some(ground)) => ink == ground,
        _ => false,
    }
}

fn normalize_color(word: &str) -> String {
    match word.trim_end_matches("!important") {
        "white" | "#fff" | "#ffffff" | "rgb(255,255,255)" => "#ffffff".to_owned(),
        "black" | "#000" | "#000000" | "rgb(0,0,0)" => "#000000".to_owned(),
        other => other.to_owned(),
    }
}

/// Invisible characters with which newsletters pad the preview line.
pub(super) fn is_filler(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'
            ..='\u{200f}'
                | '\u{34f}'
                | '\u{ad}'
                | '\u{a0}'
                | '\u{2007}'
                | '\u{feff}'
                | '\u{61c}'
                | '\u{180e}'
    )
}
