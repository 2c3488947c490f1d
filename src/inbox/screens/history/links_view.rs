//! Which cells of messages and card are links: addresses that stand whole on
//! the screen, and nothing over them.
//!
//! A link leads where its cells say, or is the name of the host it leads to;
//! what is cut, hidden or half below the fold is none.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::Inbox;
use crate::layout::Area;
use crate::pages::PageKind;
use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::{HistoryItem, HistoryLine};
use crate::screens::history::text_view;
use crate::wrap;
use model::links;
use model::text::SafeText;

/// Cells of one row that lead somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedCells {
    /// The first of them.
    pub at: (u16, u16),
    pub cells: u16,
    /// Where they lead: a web address, or a mail address with its scheme.
    pub target: String,
    /// The same for all rows of one link.
    pub id: u32,
}

/// A part of a link and the cell it should begin at.
struct Piece<'a> {
    at: (u16, u16),
    words: &'a str,
}

/// The links of a finished frame, by rows.
pub fn links(inbox: &Inbox, buffer: &Buffer) -> Vec<LinkedCells> {
    let mut found = Vec::new();
    if inbox.desk.page != PageKind::Inbox || !inbox.desk.tab().is_inbox() {
        return found;
    }
    let areas = inbox.desk.areas(&inbox.context);
    let second = inbox.desk.second().map(|second| &second.history);
    for (history, area) in [(inbox.desk.tab().history.as_ref(), areas.history), (second, areas.beside)] {
        if let (Some(history), Some(area)) = (history, area) {
            let inner = Area { height: area.height.saturating_sub(1), ..area.inner() };
            of_history(history, inner, buffer, &mut found);
        }
    }
    if let Some(area) = areas.card {
        of_card(inbox, area.inner(), buffer, &mut found);
    }
    found.sort_by_key(|linked_cells| (linked_cells.at.1, linked_cells.at.0));
    found
}

/// A row of a text on screen: its item, its part of the text, where it begins, and
/// whether it is the last of it.
type TextRow<'a> = (usize, &'a Range<usize>, (u16, u16), bool);

fn of_history(history: &History, inner: Area, buffer: &Buffer, found: &mut Vec<LinkedCells>) {
    let mut rows: Vec<TextRow<'_>> = Vec::new();
    for (place, line) in history.lines_in(inner) {
        if let HistoryLine::Text { item, part, last, .. } = line
            && let Some(said) = history.items.get(*item)
        {
            rows.push((*item, part, (text_view::place(said, place).x, place.y), *last));
        }
    }
    for rows in rows.chunk_by(|one, next| one.0 == next.0) {
        let Some(item) = history.items.get(rows[0].0) else { continue };
        let text = item.text();
        let seen = rows[0].1.start..rows[rows.len() - 1].1.end;
        let words = words_around(text, &seen);
        for link in links::find_links(&text[words.clone()]) {
            let range = link.range.start + words.start..link.range.end + words.start;
            if seen.start <= range.start && range.end <= seen.end {
                let pieces = rows.iter().filter_map(|(_, part, at, _)| piece(text, &range, part, *at));
                join(pieces.collect(), &link.target, buffer, found);
            }
        }
        if let (Some((_, part, at, true)), HistoryItem::Message(row)) = (rows.last(), item) {
            let before = wrap::cells(text[(*part).clone()].trim_end());
            if let (Some(url), Some(label)) = (&row.message.media_url, lines::media_label(row)) {
                let lead = usize::from(!text.is_empty());
                host(url.as_str(), &label, (at.0, at.1), before + lead, buffer, found);
            }
        }
    }
}

/// The mail addresses of the customer, each where it is a word of the card.
fn of_card(inbox: &Inbox, inner: Area, buffer: &Buffer, found: &mut Vec<LinkedCells>) {
    let own = inbox
        .desk
        .current_conversation()
        .and_then(|current_conversation| current_conversation.conversation.email.as_ref());
    let contact = inbox.desk.current_card().and_then(|current_card| current_card.contact.as_ref());
    let kept = contact.and_then(|contact| contact.email.as_ref()).filter(|text| Some(*text) != own);
    let is_gap = |x: u16, y: u16| buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == " ");
    for words in [own, kept].into_iter().flatten().map(SafeText::as_str) {
        let all = links::find_links(words);
        let Some(link) = all.iter().find(|text_link| text_link.range == (0..words.len())) else { continue };
        let cells = u16::try_from(words.len()).unwrap_or(u16::MAX);
        let rows = inner.y..inner.y + inner.height;
        for (x, y) in rows.flat_map(|y| (inner.x..inner.x + inner.width).map(move |x| (x, y))) {
            let piece = Piece { at: (x, y), words };
            if is_gap(x.saturating_sub(1), y) && is_gap(x.saturating_add(cells), y) && stands(&piece, buffer)
            {
                join(vec![piece], &link.target, buffer, found);
            }
        }
    }
}

/// A range of a text with the words it begins and ends in.
fn words_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let is_space = |character: char| character.is_whitespace();
    let start = text[..range.start].rfind(is_space).unwrap_or(0);
    let end = text[range.end..].find(is_space).map_or(text.len(), |number| range.end + number);
    start..end
}

/// What of a link stands in a line.
fn piece<'a>(text: &'a str, link: &Range<usize>, part: &Range<usize>, at: (u16, u16)) -> Option<Piece<'a>> {
    let (start, end) = (link.start.max(part.start), link.end.min(part.end));
    (start < end).then(|| {
        let before = u16::try_from(wrap::cells(&text[part.start..start])).unwrap_or(u16::MAX);
        Piece { at: (at.0.saturating_add(before), at.1), words: &text[start..end] }
    })
}

/// The host at the end of a file's label leads to the file.
fn host(
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
    join(vec![Piece { at: (x, at.1), words: &host }], url, buffer, found);
}

/// Adds a link where all of its parts are on the screen.
fn join(pieces: Vec<Piece<'_>>, target: &str, buffer: &Buffer, found: &mut Vec<LinkedCells>) {
    if !pieces.iter().all(|piece| stands(piece, buffer)) {
        return;
    }
    let mut hasher = DefaultHasher::new();
    target.hash(&mut hasher);
    let id = u32::try_from(hasher.finish() & u64::from(u32::MAX)).unwrap_or(0);
    found.extend(pieces.into_iter().map(|piece| LinkedCells {
        at: piece.at,
        cells: u16::try_from(piece.words.len()).unwrap_or(u16::MAX),
        target: target.to_owned(),
        id,
    }));
}

/// Whether the cells say these words, which are of characters of one cell.
fn stands(piece: &Piece<'_>, buffer: &Buffer) -> bool {
    let (x, y) = piece.at;
    let mut cells = (x..).map(|x| buffer.cell((x, y)).map_or("", |cell| cell.symbol()));
    piece.words.bytes().all(|byte| cells.next().is_some_and(|cell| cell.as_bytes() == [byte]))
}
