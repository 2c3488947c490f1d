//! Hyperlinked cells of messages and card. A text is linked only if all of it is on screen, and
//! only to the address it shows or whose host it names.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::Inbox;
use crate::layout::Area;
use crate::pages::PageKind;
use crate::screens::conversations::card::update as card;
use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::{HistoryItem, HistoryLine};
use crate::screens::history::text_view;
use crate::wrap;
use model::links;
use model::text::SafeText;

/// Cells of one row that share a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedCells {
    /// Column and row of the first cell.
    pub at: (u16, u16),
    pub cells: u16,
    /// A web address, or a mail address with its scheme.
    pub target: String,
    /// Equal for all rows of one link.
    pub id: u32,
}

/// A part of a link and the cell where it should start.
struct LinkPart<'a> {
    at: (u16, u16),
    text: &'a str,
}

pub fn links(inbox: &Inbox, buffer: &Buffer) -> Vec<LinkedCells> {
    let mut found = Vec::new();
    if inbox.desk.page != PageKind::Inbox || !inbox.desk.tab().is_inbox() {
        return found;
    }
    let areas = inbox.desk.areas(&inbox.context);
    if let (Some(history), Some(area)) = (&inbox.desk.tab().history, areas.history) {
        let inner = Area { height: area.height.saturating_sub(1), ..area.inner() };
        collect_history_links(history, inner, buffer, &mut found);
    }
    if let Some(area) = areas.card {
        collect_card_links(inbox, area.inner(), buffer, &mut found);
    }
    found.sort_by_key(|linked_cells| (linked_cells.at.1, linked_cells.at.0));
    found
}

/// A text line on screen: item, byte range, first cell, true for the item's last line.
type TextRow<'a> = (usize, &'a Range<usize>, (u16, u16), bool);

fn collect_history_links(history: &History, inner: Area, buffer: &Buffer, found: &mut Vec<LinkedCells>) {
    let mut rows: Vec<TextRow<'_>> = Vec::new();
    for (place, line) in history.lines_in(inner) {
        if let HistoryLine::Text { item, part, last, .. } = line
            && let Some(said) = history.items.get(*item)
        {
            rows.push((*item, part, (text_view::text_area(said, place).x, place.y), *last));
        }
    }
    for rows in rows.chunk_by(|one, next| one.0 == next.0) {
        let Some(item) = history.items.get(rows[0].0) else { continue };
        let text = item.text();
        let seen = rows[0].1.start..rows[rows.len() - 1].1.end;
        let words = expand_to_words(text, &seen);
        for link in links::find_links(&text[words.clone()]) {
            let range = link.range.start + words.start..link.range.end + words.start;
            if seen.start <= range.start && range.end <= seen.end {
                let pieces = rows.iter().filter_map(|(_, part, at, _)| link_part(text, &range, part, *at));
                push_link(pieces.collect(), &link.target, buffer, found);
            }
        }
        if let (Some((_, part, at, true)), HistoryItem::Message(row)) = (rows.last(), item) {
            let before = wrap::cells(text[(*part).clone()].trim_end());
            if let (Some(url), Some(label)) = (&row.message.media_url, lines::media_label(row)) {
                let lead = usize::from(!text.is_empty());
                collect_host_link(url.as_str(), &label, (at.0, at.1), before + lead, buffer, found);
            }
        }
    }
}

/// Links the customer's mail addresses where they are whole words of the card.
fn collect_card_links(inbox: &Inbox, inner: Area, buffer: &Buffer, found: &mut Vec<LinkedCells>) {
    let own = inbox
        .desk
        .current_conversation()
        .and_then(|current_conversation| current_conversation.conversation.email.as_ref());
    let contact = card::current_card(&inbox.desk).and_then(|current_card| current_card.contact.as_ref());
    let kept = contact.and_then(|contact| contact.email.as_ref()).filter(|text| Some(*text) != own);
    let is_gap = |x: u16, y: u16| buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == " ");
    for words in [own, kept].into_iter().flatten().map(SafeText::as_str) {
        let all = links::find_links(words);
        let Some(link) = all.iter().find(|text_link| text_link.range == (0..words.len())) else { continue };
        let cells = u16::try_from(words.len()).unwrap_or(u16::MAX);
        let rows = inner.y..inner.y + inner.height;
        for (x, y) in rows.flat_map(|y| (inner.x..inner.x + inner.width).map(move |x| (x, y))) {
            let piece = LinkPart { at: (x, y), text: words };
            if is_gap(x.saturating_sub(1), y)
                && is_gap(x.saturating_add(cells), y)
                && is_on_screen(&piece, buffer)
            {
                push_link(vec![piece], &link.target, buffer, found);
            }
        }
    }
}

/// Extends a range to whole words.
fn expand_to_words(text: &str, range: &Range<usize>) -> Range<usize> {
    let is_space = |character: char| character.is_whitespace();
    let start = text[..range.start].rfind(is_space).unwrap_or(0);
    let end = text[range.end..].find(is_space).map_or(text.len(), |number| range.end + number);
    start..end
}

/// Returns the part of a link that lies in a line.
fn link_part<'a>(
    text: &'a str,
    link: &Range<usize>,
    part: &Range<usize>,
    at: (u16, u16),
) -> Option<LinkPart<'a>> {
    let (start, end) = (link.start.max(part.start), link.end.min(part.end));
    (start < end).then(|| {
        let before = u16::try_from(wrap::cells(&text[part.start..start])).unwrap_or(u16::MAX);
        LinkPart { at: (at.0.saturating_add(before), at.1), text: &text[start..end] }
    })
}

/// Links the host at the end of a file's label to the file.
fn collect_host_link(
    url: &str,
    label: &str,
    at: (u16, u16),
    before: usize,
    buffer: &Buffer,
    found: &mut Vec<LinkedCells>,
) {
    let Some(host) =
        links::host_of(url).filter(|host| links::is_plain(url) && label.ends_with(host.as_str()))
    else {
        return;
    };
    let before = before + wrap::cells(label) - wrap::cells(&host);
    let x = at.0.saturating_add(u16::try_from(before).unwrap_or(u16::MAX));
    push_link(vec![LinkPart { at: (x, at.1), text: &host }], url, buffer, found);
}

fn push_link(pieces: Vec<LinkPart<'_>>, target: &str, buffer: &Buffer, found: &mut Vec<LinkedCells>) {
    if !pieces.iter().all(|piece| is_on_screen(piece, buffer)) {
        return;
    }
    let mut hasher = DefaultHasher::new();
    target.hash(&mut hasher);
    let id = u32::try_from(hasher.finish() & u64::from(u32::MAX)).unwrap_or(0);
    found.extend(pieces.into_iter().map(|piece| LinkedCells {
        at: piece.at,
        cells: u16::try_from(piece.text.len()).unwrap_or(u16::MAX),
        target: target.to_owned(),
        id,
    }));
}

/// True if the cells show these words; only single-cell characters match.
fn is_on_screen(piece: &LinkPart<'_>, buffer: &Buffer) -> bool {
    let (x, y) = piece.at;
    let mut cells = (x..).map(|x| buffer.cell((x, y)).map_or("", |cell| cell.symbol()));
    piece.text.bytes().all(|byte| cells.next().is_some_and(|cell| cell.as_bytes() == [byte]))
}
