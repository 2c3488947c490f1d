//! Single pass over a mail's HTML that extracts its structure as simple HTML and its link targets.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::email::html::MAX_SIMPLE_HTML_BYTES;
use crate::email::html::elements::{attribute, is_block, is_filler, is_hidden, is_void};
use crate::email::html::targets::{Link, display_host, host_of, is_openable, is_same_site, parse_named_host};

/// Maximum nesting depth of lists and quotations.
const MAX_DEPTH: usize = 8;
const MAX_LINKS: usize = 500;
/// Maximum characters shown of hidden text.
const MAX_HIDDEN_CHARS: usize = 120;
/// Bytes given to the tokenizer between two checks of its progress.
const CHUNK_BYTES: usize = 4 * 1024;
/// Maximum consecutive pieces inside one tag or comment: the tokenizer's cost grows with the square of a
/// tag's attributes.
const MAX_CHUNKS_WITHOUT_TOKEN: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct SimplifiedHtml {
    pub(crate) html: String,
    pub(crate) text: String,
    pub(crate) links: Vec<Link>,
    pub(crate) pictures: usize,
    pub(crate) was_cut: bool,
}

pub(crate) fn simplify(html: &str) -> SimplifiedHtml {
    let tokenizer = Tokenizer::new(HtmlWalk::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = html;
    let mut pieces_without_token = 0;
    while !rest.is_empty() && pieces_without_token < MAX_CHUNKS_WITHOUT_TOKEN {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(CHUNK_BYTES.min(rest.len())));
        input.push_back(StrTendril::from(piece));
        tokenizer.sink.has_token.set(false);
        // The tokenizer stops only for scripts, which are never run.
        let _ = tokenizer.feed(&input);
        pieces_without_token = if tokenizer.sink.has_token.get() { 0 } else { pieces_without_token + 1 };
        rest = after;
    }
    if rest.is_empty() {
        tokenizer.end();
    }
    let mut state = tokenizer.sink.state.into_inner();
    state.output.was_cut |= !rest.is_empty();
    state.finish()
}

#[derive(Default)]
struct HtmlWalk {
    state: RefCell<SimplifierState>,
    has_token: Cell<bool>,
}

#[derive(Default)]
struct SimplifierState {
    output: SimplifiedHtml,
    open: Vec<&'static str>,
    in_block: Option<&'static str>,
    /// True if the next block is a list item.
    in_item: bool,
    /// Element whose content is dropped, and its nesting depth.
    skipping: Option<(String, usize)>,
    /// Hidden element: name, nesting depth and text.
    hiding: Option<(String, usize, String)>,
    /// Open link: its target and the start of its text.
    link: Option<(String, usize)>,
    cells: usize,
}

impl TokenSink for HtmlWalk {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        self.has_token.set(true);
        let mut state = self.state.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.handle_start_tag(&tag),
            Token::TagToken(tag) => state.handle_end_tag(&tag.name),
            Token::CharacterTokens(text) => state.handle_text(&text),
            _ => (),
        }
        TokenSinkResult::Continue
    }
}

impl SimplifierState {
    fn handle_start_tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if let Some((skipped, depth)) = &mut self.skipping {
            *depth += usize::from(skipped == name && !tag.self_closing);
            return raw_text_result(name);
        }
        if let Some((hidden, depth, _)) = &mut self.hiding {
            *depth += usize::from(hidden == name && !tag.self_closing);
            return raw_text_result(name);
        }
        match name {
            "script" | "style" | "title" | "noscript" | "noembed" | "noframes" | "iframe" | "xmp"
            | "textarea" | "template" | "svg" | "math" | "object" | "audio" | "video" | "select" | "head" => {
                // An unclosed head must not hide the mail.
                if !tag.self_closing && name != "head" {
                    self.skipping = Some((name.to_owned(), 1));
                }
                return raw_text_result(name);
            }
            _ if is_hidden(tag) && !is_void(name) => {
                self.hiding = Some((name.to_owned(), 1, String::new()));
            }
            "img" => self.push_picture(tag),
            "a" | "area" => self.open_link(tag),
            "form" => self.push_text(&format!(
                "[form, cannot be sent from here{}] ",
                display_host(&attribute(tag, "action"))
            )),
            "input" | "button" => (),
            "br" => self.push("<br>"),
            "hr" => self.begin_block(Some("p"), "----------"),
            "li" => self.open_item(),
            "ul" | "ol" | "blockquote" => self.open_container(name),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.begin_block(Some("h3"), ""),
            "pre" | "listing" | "plaintext" => self.begin_block(Some("pre"), ""),
            "td" | "th" => self.open_cell(),
            "tr" => {
                self.cells = 0;
                self.begin_block(Some("div"), "");
            }
            "p" => self.begin_block(Some("p"), ""),
            _ if is_block(name) => self.begin_block(Some("div"), ""),
            _ => (),
        }
        TokenSinkResult::Continue
    }

    fn handle_end_tag(&mut self, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipping {
            *depth -= usize::from(skipped == name);
            if *depth == 0 || matches!(name, "body" | "html") {
                self.skipping = None;
            }
            return;
        }
        if let Some((hidden, depth, _)) = &mut self.hiding {
            *depth -= usize::from(hidden == name);
            if *depth == 0 || matches!(name, "body" | "html") {
                self.push_hidden();
            }
            return;
        }
        match name {
            "a" => self.close_link(),
            "ul" | "ol" | "blockquote" => {
                if let Some(at) = self.open.iter().rposition(|text| *text == name) {
                    self.begin_block(None, "");
                    self.in_item = false;
                    while self.open.len() > at {
                        self.close_container();
                    }
                }
            }
            "td" | "th" => (),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" => self.begin_block(None, ""),
            _ if is_block(name) || matches!(name, "p" | "tr" | "li") => self.begin_block(None, ""),
            _ => (),
        }
    }

    fn handle_text(&mut self, text: &str) {
        if self.skipping.is_some() {
            return;
        }
        if let Some((_, _, hidden)) = &mut self.hiding {
            if hidden.len() < 4 * MAX_HIDDEN_CHARS {
                hidden.push_str(text);
            }
            return;
        }
        self.push_text(text);
    }

    fn push_text(&mut self, text: &str) {
        if text.trim().is_empty() && self.in_block.is_none() {
            return;
        }
        if self.is_full() {
            return;
        }
        if self.in_block.is_none() {
            let name = if std::mem::take(&mut self.in_item) { "li" } else { "div" };
            self.open_block(name);
        }
        for character in text.chars() {
            if self.is_full() {
                return;
            }
            self.output.text.push(character);
            match character {
                '<' => self.output.html.push_str("&lt;"),
                '>' => self.output.html.push_str("&gt;"),
                '&' => self.output.html.push_str("&amp;"),
                character if character.is_control() && !matches!(character, '\n' | '\t') => {
                    self.output.html.push('\u{fffd}')
                }
                character => self.output.html.push(character),
            }
        }
    }

    fn push(&mut self, html: &str) {
        if !self.is_full() {
            self.output.html.push_str(html);
            if html == "<br>" {
                self.output.text.push('\n');
            }
        }
    }

    fn is_full(&mut self) -> bool {
        let full = self.output.html.len() >= MAX_SIMPLE_HTML_BYTES;
        self.output.was_cut |= full;
        full
    }

    /// Ends the current block and starts another.
    fn begin_block(&mut self, name: Option<&'static str>, words: &str) {
        if let Some(open) = self.in_block.take() {
            self.output.html.push_str(&format!("</{open}>"));
            self.output.text.push('\n');
        }
        if self.is_full() {
            return;
        }
        if let Some(name) = name {
            // Empty blocks are left out.
            if matches!(name, "h3" | "pre" | "p") || !words.is_empty() {
                self.open_block(name);
            }
            if !words.is_empty() {
                self.push_text(words);
            }
        }
    }

    fn open_block(&mut self, name: &'static str) {
        self.output.html.push_str(&format!("<{name}>"));
        self.in_block = Some(name);
    }

    fn open_container(&mut self, name: &str) {
        self.begin_block(None, "");
        self.in_item = false;
        let name = match name {
            "ul" => "ul",
            "ol" => "ol",
            _ => "blockquote",
        };
        // Containers below the maximum depth are flattened.
        if self.open.len() < MAX_DEPTH && !self.is_full() {
            self.open.push(name);
            self.output.html.push_str(&format!("<{name}>"));
        }
    }

    fn close_container(&mut self) {
        if let Some(name) = self.open.pop() {
            self.output.html.push_str(&format!("</{name}>"));
        }
    }

    fn open_item(&mut self) {
        let in_list = matches!(self.open.last(), Some(&"ul" | &"ol"));
        self.begin_block(None, "");
        if self.is_full() {
            return;
        }
        if in_list {
            // Empty list items are left out.
            self.in_item = true;
        } else {
            self.push_text("* ");
        }
    }

    /// Separates the cells of a table row.
    fn open_cell(&mut self) {
        if self.cells > 0 && self.in_block.is_some() {
            self.push_text(" · ");
        }
        self.cells += 1;
    }

    fn push_picture(&mut self, tag: &Tag) {
        if !attribute(tag, "src").is_empty() {
            self.output.pictures += 1;
        }
        let alt = attribute(tag, "alt");
        if !alt.trim().is_empty() {
            let words: String = alt.trim().chars().take(200).collect();
            self.push_text(&format!("[{words}]"));
        }
    }

    fn open_link(&mut self, tag: &Tag) {
        self.close_link();
        let target = attribute(tag, "href");
        let target = target.trim();
        if !target.is_empty() && !target.starts_with('#') && self.output.links.len() < MAX_LINKS {
            self.link = Some((target.chars().take(2_000).collect(), self.output.text.len()));
        }
    }

    /// Appends the link's number and real host to its text.
    fn close_link(&mut self) {
        let Some((target, began)) = self.link.take() else { return };
        let said = self.output.text.get(began..).unwrap_or("").trim().to_owned();
        let host = host_of(&target);
        let lies = is_openable(&target)
            && parse_named_host(&said)
                .is_some_and(|named| !is_same_site(&named, host.as_deref().unwrap_or("")));
        if let Some(address) = target.strip_prefix("mailto:") {
            if !said.contains(address.split('?').next().unwrap_or("")) {
                self.push_text(&format!(" ({})", address.split('?').next().unwrap_or("")));
            }
            return;
        }
        self.output.links.push(Link { target, is_misleading: lies });
        let number = self.output.links.len();
        let host = host.unwrap_or_else(|| "cannot be opened".to_owned());
        let warning = if lies { "NOT " } else { "" };
        self.push_text(&match lies {
            true => format!(" [{number}: {host}, {warning}what it says]"),
            false => format!(" [{number}: {host}]"),
        });
    }

    /// Writes hidden text with a marker: it is meant for programs, not readers.
    fn push_hidden(&mut self) {
        let Some((_, _, words)) = self.hiding.take() else { return };
        let words: Vec<&str> = words.split_whitespace().collect();
        let words: String = words.join(" ").chars().filter(|character| !is_filler(*character)).collect();
        let cut: String = words.trim().chars().take(MAX_HIDDEN_CHARS).collect();
        if !cut.trim().is_empty() {
            let more = if cut.len() < words.trim().len() { "…" } else { "" };
            self.push_text(&format!("[hidden in the mail: {}{more}] ", cut.trim()));
        }
    }

    fn finish(mut self) -> SimplifiedHtml {
        self.push_hidden();
        self.close_link();
        self.begin_block(None, "");
        while !self.open.is_empty() {
            self.close_container();
        }
        self.output
    }
}

/// Tokenizer state for elements whose content is not markup.
fn raw_text_result(name: &str) -> TokenSinkResult<()> {
    match name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        _ => TokenSinkResult::Continue,
    }
}
