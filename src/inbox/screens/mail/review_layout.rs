//! Layout of the mail review: rows wrapped to the screen, and the keys below, which do not scroll.

use crate::components::spoken::SpokenPage;
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::composer::Composer;
use crate::screens::mail::review::send_warnings;
use crate::wrap;
use model::email::attached::DraftFile;
use model::email::compose::ComposedMail;
use model::email::files;
use model::email::quoting::QuoteStyle;
use model::prices::{self, Price};
use model::text::SafeText;
use model::time::SECOND;

pub(super) const REVIEW_TITLE: &str = "Send this mail?";
/// Maximum width, in columns.
const MAX_WIDTH: u16 = 100;
/// Columns and rows of border and margin.
const BORDER_SIZE: (u16, u16) = (4, 2);
/// Rows below it, for notices.
const NOTICE_ROWS: u16 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewRowKind {
    /// Part of the mail.
    Plain,
    Warning,
    /// Remark about the mail.
    Dim,
    Keys,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewLayout {
    pub rows: Vec<(ReviewRowKind, String)>,
    /// Rows at the end, which do not scroll.
    pub footer: Vec<(ReviewRowKind, String)>,
    pub visible_rows: usize,
    /// Columns and rows in total.
    pub size: (u16, u16),
}

struct ReviewFooter {
    facts: [String; 2],
    keys: [String; 7],
    /// Key that switches HTML on or off.
    format: &'static str,
}

impl ReviewLayout {
    pub fn max_first_row(&self) -> usize {
        self.rows.len().saturating_sub(self.visible_rows)
    }

    /// Returns the first row after a key; `None` if the key does not scroll.
    pub(crate) fn first_row_after_key(&self, first: usize, key: KeyPress) -> Option<usize> {
        let page = self.visible_rows.saturating_sub(1).max(1);
        let moved = match key.code {
            KeyCode::Char('j') | KeyCode::Down => first + 1,
            KeyCode::Char('k') | KeyCode::Up => first.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => first + page,
            KeyCode::PageUp => first.saturating_sub(page),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => self.max_first_row(),
            _ => return None,
        };
        Some(moved.min(self.max_first_row()))
    }
}

/// Lays out the review; `preview` shows the quote in full.
pub fn lay_out_review(desk: &Desk, preview: bool, context: &Context) -> Option<ReviewLayout> {
    let composer = desk.tab().composer.as_ref()?;
    let written = composer.composed_mail()?;
    let (columns, rows) = context.size;
    let size = (columns.min(MAX_WIDTH).min(columns.saturating_sub(2)), rows.saturating_sub(NOTICE_ROWS));
    let width = usize::from(size.0.saturating_sub(BORDER_SIZE.0));
    let foot = pack_footer(&review_footer(desk, written.html, context), width);
    // One row between mail and foot shows the scroll position.
    let taken = foot.len() + usize::from(BORDER_SIZE.1) + 1;
    let shown = usize::from(size.1).saturating_sub(taken).max(1);
    let mut rows = Vec::new();
    for (kind, words) in review_texts(composer, &written, preview) {
        let row = |range: std::ops::Range<usize>| (kind, words.as_str()[range].trim_end().to_owned());
        rows.extend(wrap::wrap(words.as_str(), width).into_iter().map(row));
    }
    Some(ReviewLayout { rows, footer: foot, visible_rows: shown, size })
}

/// Returns the review for plain mode.
pub(crate) fn describe_review(desk: &Desk, preview: bool, context: &Context) -> Option<SpokenPage> {
    let composer = desk.tab().composer.as_ref()?;
    let written = composer.composed_mail()?;
    let footer = review_footer(desk, written.html, context);
    let texts = review_texts(composer, &written, preview).into_iter();
    let page = texts.fold(SpokenPage::new([REVIEW_TITLE]), |page, (_, words)| page.text(words.as_str()));
    let page = page.text(footer.facts.join(", "));
    Some(page.keys(&footer.keys.join(" · ")).keys(footer.format))
}

fn review_footer(desk: &Desk, html: bool, context: &Context) -> ReviewFooter {
    let held = match context.settings.mail_hold / SECOND {
        0 => "sent at once".to_owned(),
        seconds => format!("held {seconds} s here"),
    };
    let price = desk.tab().describe_price(Price::exactly(prices::EMAIL_CREDITS));
    let facts = [price, format!("no undo on the server; {held}")];
    let keys = ["y send", "e edit", "a attach", "d detach", "v preview", "p postpone", "n discard"]
        .map(str::to_owned);
    ReviewFooter { facts, keys, format: if html { "m without HTML" } else { "m Markdown as HTML, too" } }
}

fn pack_footer(footer: &ReviewFooter, width: usize) -> Vec<(ReviewRowKind, String)> {
    let facts = pack_rows(&footer.facts, " · ", width).into_iter().map(|text| (ReviewRowKind::Dim, text));
    let keys = pack_rows(&footer.keys, "   ", width).into_iter().map(|text| (ReviewRowKind::Keys, text));
    facts.chain(keys).chain([(ReviewRowKind::Dim, footer.format.to_owned())]).collect()
}

/// Header fields and text of the mail, not wrapped.
fn review_texts(
    composer: &Composer,
    written: &ComposedMail,
    preview: bool,
) -> Vec<(ReviewRowKind, SafeText)> {
    let sizes = composer.header.as_ref().map(|head| head.files.as_slice()).unwrap_or_default();
    let rows = header_rows(written, sizes).into_iter().chain(text_rows(written, preview));
    rows.map(|(kind, words)| (kind, SafeText::block(&words))).collect()
}

/// Packs parts into as few rows as possible without splitting one.
fn pack_rows(parts: &[String], gap: &str, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for part in parts {
        match rows.last_mut() {
            Some(row) if wrap::cells(row) + wrap::cells(gap) + wrap::cells(part) <= width => {
                row.push_str(gap);
                row.push_str(part);
            }
            _ => rows.push(part.clone()),
        }
    }
    rows
}

fn header_rows(written: &ComposedMail, files: &[(DraftFile, Option<u64>)]) -> Vec<(ReviewRowKind, String)> {
    let line =
        |label: &str, words: &str| (ReviewRowKind::Plain, format!("{label:<9}{}", SafeText::line(words)));
    let mut lines: Vec<_> = written.from.iter().map(|text| line("From", text)).collect();
    lines.push(line("To", &written.to));
    for (label, words) in [("Cc", &written.cc), ("Bcc", &written.bcc)] {
        if !words.trim().is_empty() {
            lines.push(line(label, words));
        }
    }
    lines.push(line("Subject", &written.subject));
    if !files.is_empty() {
        let words: Vec<String> = files.iter().map(describe_file).collect();
        lines.push(line("Files", &words.join(", ")));
    }
    if written.html {
        lines.push(line("Format", "plain text, and its Markdown as HTML"));
    }
    lines.extend(send_warnings(written).iter().map(|doubt| (ReviewRowKind::Warning, format!("! {doubt}"))));
    lines.push((ReviewRowKind::Plain, String::new()));
    lines
}

fn text_rows(written: &ComposedMail, preview: bool) -> Vec<(ReviewRowKind, String)> {
    if preview {
        return vec![(ReviewRowKind::Plain, written.full_text())];
    }
    let mut lines = vec![(ReviewRowKind::Plain, written.body.trim_end().to_owned())];
    if let Some(quote) = &written.quote {
        let folded = (ReviewRowKind::Dim, format!("▸ {} quoted lines", quote.lines().count()));
        match written.quoting {
            QuoteStyle::Above => lines.insert(0, folded),
            QuoteStyle::Below | QuoteStyle::Between => lines.push(folded),
            QuoteStyle::Nowhere => (),
        }
    }
    lines
}

/// Name and size of a file, and its size after encoding.
pub fn describe_file((file, size): &(DraftFile, Option<u64>)) -> String {
    let name = file.name();
    match size {
        Some(size) if file.is_fetched_by_service() => {
            format!("{name} ({}, by its link)", files::format_size(*size))
        }
        Some(size) => {
            format!(
                "{name} ({}, sent as {})",
                files::format_size(*size),
                files::format_size(size.div_ceil(3) * 4)
            )
        }
        None if file.is_fetched_by_service() => format!("{name} (by its link)"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_whole_in_narrow_rows() {
        let parts = ["y send", "e edit", "n discard"].map(str::to_owned);
        assert_eq!(pack_rows(&parts, "   ", 80), ["y send   e edit   n discard"]);
        assert_eq!(pack_rows(&parts, "   ", 20), ["y send   e edit", "n discard"]);
        assert_eq!(pack_rows(&parts, "   ", 3), ["y send", "e edit", "n discard"]);
    }
}
