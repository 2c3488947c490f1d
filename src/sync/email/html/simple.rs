//! Single pass over a mail's HTML that extracts its structure as simple HTML and its link targets.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::email::html::SIMPLE;
use crate::email::html::elements::{is_block, is_filler, is_hidden, is_void, value};
use crate::email::html::targets::{Link, host_of, host_words, is_openable, is_same_site, named_host};

/// Maximum nesting depth of lists and quotations.
const DEEPEST: usize = 8;
/// Maximum number of numbered links.
const LINKS: usize = 500;
/// Maximum characters shown of hidden text.
const HIDDEN: usize = 120;
/// Bytes given to the tokenizer between two checks of its progress.
const PIECE_BYTES: usize = 4 * 1024;
/// Maximum consecutive pieces inside one tag or comment: the tokenizer's cost grows with the square of a
/// tag's attributes.
const MAX_PIECES_WITHOUT_TOKEN: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct SimplifiedHtml {
    pub(crate) html: String,
    pub(crate) words: String,
    pub(crate) links: Vec<Link>,
    pub(crate) pictures: usize,
    pub(crate) was_cut: bool,
}

pub(crate) fn simplify(html: &str) -> SimplifiedHtml {
    let tokenizer = Tokenizer::new(HtmlWalk::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = html;
    let mut pieces_without_token = 0;
    while !rest.is_empty() && pieces_without_token < MAX_PIECES_WITHOUT_TOKEN {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE_BYTES.min(rest.len())));
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
    state.found.was_cut |= !rest.is_empty();
    state.finish()
}

#[derive(Default)]
struct HtmlWalk {
    state: RefCell<SimplifierState>,
    has_token: Cell<bool>,
}

#[derive(Default)]
struct SimplifierState {
    found: SimplifiedHtml,
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
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.starts(&tag),
            Token::TagToken(tag) => state.ends(&tag.name),
            Token::CharacterTokens(text) => state.text(&text),
            _ => (),
        }
        TokenSinkResult::Continue
    }
}

impl SimplifierState {
    fn starts(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if let Some((skipped, depth)) = &mut self.skipping {
            *depth += usize::from(skipped == name && !tag.self_closing);
            return raw(name);
        }
        if let Some((hidden, depth, _)) = &mut self.hiding {
            *depth += usize::from(hidden == name && !tag.self_closing);
            return raw(name);
        }
        match name {
            "script" | "style" | "title" | "noscript" | "noembed" | "noframes" | "iframe" | "xmp"
            | "textarea" | "template" | "svg" | "math" | "object" | "audio" | "video" | "select" | "head" => {
                // An unclosed head must not hide the mail.
                if !tag.self_closing && name != "head" {
                    self.skipping = Some((name.to_owned(), 1));
                }
                return raw(name);
            }
            _ if is_hidden(tag) && !is_void(name) => {
                self.hiding = Some((name.to_owned(), 1, String::new()));
            }
            "img" => self.picture(tag),
            "a" | "area" => self.link_starts(tag),
            "form" => {
                self.words(&format!("[form, sent nowhere from here{}] ", host_words(&value(tag, "action"))))
            }
            "input" | "button" => (),
            "br" => self.push("<br>"),
            "hr" => self.block(Some("p"), "----------"),
            "li" => self.item(),
            "ul" | "ol" | "blockquote" => self.container(name),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.block(Some("h3"), ""),
            "pre" | "listing" | "plaintext" => self.block(Some("pre"), ""),
            "td" | "th" => self.cell(),
            "tr" => {
                self.cells = 0;
                self.block(Some("div"), "");
            }
            "p" => self.block(Some("p"), ""),
            _ if is_block(name) => self.block(Some("div"), ""),
            _ => (),
        }
        TokenSinkResult::Continue
    }

    fn ends(&mut self, name: &str) {
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
                self.unhide();
            }
            return;
        }
        match name {
            "a" => self.link_ends(),
            "ul" | "ol" | "blockquote" => {
                if let Some(at) = self.open.iter().rposition(|text| *text == name) {
                    self.block(None, "");
                    self.in_item = false;
                    while self.open.len() > at {
                        self.close_container();
                    }
                }
            }
            "td" | "th" => (),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" => self.block(None, ""),
            _ if is_block(name) || matches!(name, "p" | "tr" | "li") => self.block(None, ""),
            _ => (),
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipping.is_some() {
            return;
        }
        if let Some((_, _, hidden)) = &mut self.hiding {
            if hidden.len() < 4 * HIDDEN {
                hidden.push_str(text);
            }
            return;
        }
        self.words(text);
    }

    fn words(&mut self, text: &str) {
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
        for it in text.chars() {
            if self.is_full() {
                return;
            }
            self.found.words.push(it);
            match it {
                '<' => self.found.html.push_str("&lt;"),
                '>' => self.found.html.push_str("&gt;"),
                '&' => self.found.html.push_str("&amp;"),
                it if it.is_control() && !matches!(it, '\n' | '\t') => self.found.html.push('\u{fffd}'),
                it => self.found.html.push(it),
            }
        }
    }

    fn push(&mut self, html: &str) {
        if !self.is_full() {
            self.found.html.push_str(html);
            if html == "<br>" {
                self.found.words.push('\n');
            }
        }
    }

    fn is_full(&mut self) -> bool {
        let full = self.found.html.len() >= SIMPLE;
        self.found.was_cut |= full;
        full
    }

    /// Ends the current block and starts another.
    fn block(&mut self, name: Option<&'static str>, words: &str) {
        if let Some(open) = self.in_block.take() {
            self.found.html.push_str(&format!("</{open}>"));
            self.found.words.push('\n');
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
                self.words(words);
            }
        }
    }

    fn open_block(&mut self, name: &'static str) {
        self.found.html.push_str(&format!("<{name}>"));
        self.in_block = Some(name);
    }

    fn container(&mut self, name: &str) {
        self.block(None, "");
        self.in_item = false;
        let name = match name {
            "ul" => "ul",
            "ol" => "ol",
            _ => "blockquote",
        };
        // Containers below the maximum depth are flattened.
        if self.open.len() < DEEPEST && !self.is_full() {
            self.open.push(name);
            self.found.html.push_str(&format!("<{name}>"));
        }
    }

    fn close_container(&mut self) {
        if let Some(name) = self.open.pop() {
            self.found.html.push_str(&format!("</{name}>"));
        }
    }

    fn item(&mut self) {
        let in_list = matches!(self.open.last(), Some(&"ul" | &"ol"));
        self.block(None, "");
        if self.is_full() {
            return;
        }
        if in_list {
            // Empty list items are left out.
            self.in_item = true;
        } else {
            self.words("* ");
        }
    }

    /// Separates the cells of a table row.
    fn cell(&mut self) {
        if self.cells > 0 && self.in_block.is_some() {
            self.words(" · ");
        }
        self.cells += 1;
    }

    fn picture(&mut self, tag: &Tag) {
        if !value(tag, "src").is_empty() {
            self.found.pictures += 1;
        }
        let alt = value(tag, "alt");
        if !alt.trim().is_empty() {
            let words: String = alt.trim().chars().take(200).collect();
            self.words(&format!("[{words}]"));
        }
    }

    fn link_starts(&mut self, tag: &Tag) {
        self.link_ends();
        let target = value(tag, "href");
        let target = target.trim();
        if !target.is_empty() && !target.starts_with('#') && self.found.links.len() < LINKS {
            self.link = Some((target.chars().take(2_000).collect(), self.found.words.len()));
        }
    }

    /// Appends the link's number and real host to its text.
    fn link_ends(&mut self) {
        let Some((target, began)) = self.link.take() else { return };
        let said = self.found.words.get(began..).unwrap_or("").trim().to_owned();
        let host = host_of(&target);
        let lies = is_openable(&target)
            && named_host(&said).is_some_and(|named| !is_same_site(&named, host.as_deref().unwrap_or("")));
        if let Some(address) = target.strip_prefix("mailto:") {
            if !said.contains(address.split('?').next().unwrap_or("")) {
                self.words(&format!(" ({})", address.split('?').next().unwrap_or("")));
            }
            return;
        }
        self.found.links.push(Link { target, lies });
        let number = self.found.links.len();
        let host = host.unwrap_or_else(|| "cannot be opened".to_owned());
        let warning = if lies { "NOT " } else { "" };
        self.words(&match lies {
            true => format!(" [{number}: {host}, {warning}what it says]"),
            false => format!(" [{number}: {host}]"),
        });
    }

    /// Writes hidden text with a marker: it is meant for programs, not readers.
    fn unhide(&mut self) {
        let Some((_, _, words)) = self.hiding.take() else { return };
        let words: Vec<&str> = words.split_whitespace().collect();
        let words: String = words.join(" ").chars().filter(|character| !is_filler(*character)).collect();
        let cut: String = words.trim().chars().take(HIDDEN).collect();
        if !cut.trim().is_empty() {
            let more = if cut.len() < words.trim().len() { "…" } else { "" };
            self.words(&format!("[hidden in the mail: {}{more}] ", cut.trim()));
        }
    }

    fn finish(mut self) -> SimplifiedHtml {
        self.unhide();
        self.link_ends();
        self.block(None, "");
        while !self.open.is_empty() {
            self.close_container();
        }
        self.found
    }
}

/// Tokenizer state for elements whose content is not markup.
fn raw(name: &str) -> TokenSinkResult<()> {
    match name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        _ => TokenSinkResult::Continue,
    }
}
