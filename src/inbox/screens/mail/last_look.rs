//! What the last look at a mail shows: its rows as they fit the screen, which
//! of them are seen, and the keys below them, which are always seen.

use crate::context::Context;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::mail::review::doubts;
use crate::wrap;
use model::email::attached::DraftFile;
use model::email::compose::ComposedMail;
use model::email::files;
use model::email::quoting::QuoteStyle;
use model::prices::{self, Price};
use model::text::SafeText;
use model::time::SECOND;

/// Columns of the look at most.
const WIDEST: u16 = 100;
/// Columns and rows of its border and margin.
const BORDER: (u16, u16) = (4, 2);
/// Rows below it: what is said of it stands there.
const BELOW: u16 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewRowKind {
    /// Of the mail.
    Plain,
    /// Something odd about it.
    Doubt,
    /// About it.
    Dim,
    Keys,
}

/// What is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastLook {
    pub rows: Vec<(ReviewRowKind, String)>,
    /// The rows at the end, which do not scroll.
    pub foot: Vec<(ReviewRowKind, String)>,
    /// How many rows of the mail are seen at a time.
    pub shown: usize,
    /// Columns and rows of all of it.
    pub size: (u16, u16),
}

impl LastLook {
    /// The first row that can stand on top.
    pub fn last_first(&self) -> usize {
        self.rows.len().saturating_sub(self.shown)
    }

    /// Where it stands after a key; `None` for a key that does not scroll.
    pub(crate) fn scrolled(&self, first: usize, key: KeyPress) -> Option<usize> {
        let page = self.shown.saturating_sub(1).max(1);
        let moved = match key.code {
            KeyCode::Char('j') | KeyCode::Down => first + 1,
            KeyCode::Char('k') | KeyCode::Up => first.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => first + page,
            KeyCode::PageUp => first.saturating_sub(page),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => self.last_first(),
            _ => return None,
        };
        Some(moved.min(self.last_first()))
    }
}

impl Desk {
    /// The last look at the current mail, whole or with what is quoted folded.
    pub fn last_look(&self, preview: bool, context: &Context) -> Option<LastLook> {
        let composer = self.tab().composer.as_ref()?;
        let written = composer.written()?;
        let (columns, rows) = context.size;
        let size = (columns.min(WIDEST).min(columns.saturating_sub(2)), rows.saturating_sub(BELOW));
        let width = usize::from(size.0.saturating_sub(BORDER.0));
        let foot = self.look_foot(written.html, width, context);
        // A row between the mail and the foot tells what is seen of it.
        let taken = foot.len() + usize::from(BORDER.1) + 1;
        let shown = usize::from(size.1).saturating_sub(taken).max(1);
        let sizes = composer.head.as_ref().map(|head| head.files.as_slice()).unwrap_or_default();
        let mut rows = Vec::new();
        for (kind, words) in head(&written, sizes).into_iter().chain(text(&written, preview)) {
            let words = SafeText::block(&words);
            let row = |range: std::ops::Range<usize>| (kind, words.as_str()[range].trim_end().to_owned());
            rows.extend(wrap::wrap(words.as_str(), width).into_iter().map(row));
        }
        Some(LastLook { rows, foot, shown, size })
    }

    fn look_foot(&self, html: bool, width: usize, context: &Context) -> Vec<(ReviewRowKind, String)> {
        let held = match context.settings.mail_hold / SECOND {
            0 => "leaves at once".to_owned(),
            seconds => format!("held {seconds} s here"),
        };
        let price = self.tab().price_words(Price::exactly(prices::EMAIL_CREDITS));
        let told = [price, format!("no undo window on the server; {held}")];
        let keys = ["y send", "e edit", "a attach", "d detach", "v preview", "p postpone", "n discard"]
            .map(str::to_owned);
        let format = if html { "m without HTML" } else { "m Markdown as HTML, too" };
        let mut foot: Vec<(ReviewRowKind, String)> = Vec::new();
        foot.extend(fitted(&told, " · ", width).into_iter().map(|text| (ReviewRowKind::Dim, text)));
        foot.extend(fitted(&keys, "   ", width).into_iter().map(|text| (ReviewRowKind::Keys, text)));
        foot.push((ReviewRowKind::Dim, format.to_owned()));
        foot
    }
}

/// Parts in as few rows as they fit into; none is cut in two.
fn fitted(parts: &[String], gap: &str, width: usize) -> Vec<String> {
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

fn head(written: &ComposedMail, files: &[(DraftFile, Option<u64>)]) -> Vec<(ReviewRowKind, String)> {
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
        let words: Vec<String> = files.iter().map(file_words).collect();
        lines.push(line("Files", &words.join(", ")));
    }
    if written.html {
        lines.push(line("Format", "plain text, and its Markdown as HTML"));
    }
    lines.extend(doubts(written).iter().map(|doubt| (ReviewRowKind::Doubt, format!("! {doubt}"))));
    lines.push((ReviewRowKind::Plain, String::new()));
    lines
}

fn text(written: &ComposedMail, preview: bool) -> Vec<(ReviewRowKind, String)> {
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

/// A file with its size, and what it grows to on its way.
pub fn file_words((file, size): &(DraftFile, Option<u64>)) -> String {
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
        assert_eq!(fitted(&parts, "   ", 80), ["y send   e edit   n discard"]);
        assert_eq!(fitted(&parts, "   ", 20), ["y send   e edit", "n discard"]);
        assert_eq!(fitted(&parts, "   ", 3), ["y send", "e edit", "n discard"]);
    }
}
