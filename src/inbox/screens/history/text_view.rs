//! One line of what was said: who said it and when, the words, what goes with
//! them and how far they came.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::desk::Desk;
use crate::layout::Area;
use crate::pane_sizes::MAIL_INDENT;
use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::pictures_view;
use crate::screens::mail::header_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::messages::{DeliveryStatus, Direction, MessageRow, Sender};
use model::text::SafeText;

/// Where an item's text stands in its row: a mail's has the whole width below
/// its header, any other stands beside sender and time.
pub(crate) fn place(item: &HistoryItem, row: Area) -> Area {
    let indent = match item.letter() {
        Some(_) => MAIL_INDENT,
        None => Desk::gutter(usize::from(row.width)),
    };
    let indent = u16::try_from(indent).unwrap_or(0).min(row.width);
    Area { x: row.x + indent, width: row.width - indent, ..row }
}

/// Draws a part of an item's text; `first` and `last` say whether it begins or
/// ends it.
pub(crate) fn draw(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    item: &HistoryItem,
    (part, first, last): (&Range<usize>, bool, bool),
    area: Area,
    buffer: &mut Buffer,
) {
    let is_mail = item.letter().is_some();
    if first && !is_mail {
        head(inbox, theme, history, item, area, buffer);
    }
    let place = place(item, area);
    let words = &item.text()[part.clone()];
    let style =
        if is_mail { header_view::text_style(theme, item.text(), part) } else { text_style(theme, item) };
    if let HistoryItem::Note(_) = item {
        // Every line is marked: in one colour it must not look said.
        paint_view::text(buffer, area.x, area.y, 1, "#", style);
    }
    let used = paint_view::text(buffer, place.x, area.y, place.width, words.trim_end(), style);
    marks(theme, history, item, part, place, buffer);
    if let HistoryItem::Message(row) = item
        && last
    {
        let behind = Area { x: place.x + used, width: place.width.saturating_sub(used), ..place };
        media(inbox, theme, row, behind, buffer);
        if !is_mail {
            trailer(theme, row, area, buffer);
        }
    }
}

/// Marks the words that are looked for.
fn marks(
    theme: Theme,
    history: &History,
    item: &HistoryItem,
    part: &Range<usize>,
    place: Area,
    buffer: &mut Buffer,
) {
    let Some(find) = &history.find else { return };
    let text = item.text();
    for found in find.terms.find(text).unwrap_or_default() {
        let (start, end) = (found.start.max(part.start), found.end.min(part.end));
        if start < end {
            let before = u16::try_from(wrap::cells(&text[part.start..start])).unwrap_or(u16::MAX);
            let room = place.width.saturating_sub(before);
            paint_view::text(
                buffer,
                place.x.saturating_add(before),
                place.y,
                room,
                &text[start..end],
                theme.match_highlight(),
            );
        }
    }
}

/// Sender and time before the first line of an item.
fn head(inbox: &Inbox, theme: Theme, history: &History, item: &HistoryItem, area: Area, buffer: &mut Buffer) {
    let gutter = u16::try_from(Desk::gutter(usize::from(area.width))).unwrap_or(18);
    let customer = history.customer();
    let first_name = customer.as_str().split(' ').next().unwrap_or("");
    let name_width = gutter - 9;
    let sender = item.sender(first_name, &inbox.context.settings.senders);
    let selected = history.selected.as_ref() == Some(&item.key());
    let style = if selected { theme.selected() } else { sender_style(theme, item) };
    paint_view::text(buffer, area.x + 1, area.y, name_width, &sender, style);
    let time = item
        .at()
        .map_or_else(|| "--:--".to_owned(), |time| time.hour_and_minute(&inbox.context.settings.zone));
    paint_view::text(buffer, area.x + 2 + name_width, area.y, 5, &time, theme.quiet());
}

fn sender_style(theme: Theme, item: &HistoryItem) -> Style {
    match item {
        HistoryItem::Outbox(..) => Style::new(),
        HistoryItem::Note(_) => theme.private_note().patch(theme.strong()),
        HistoryItem::Message(row) if row.sent_here => Style::new(),
        HistoryItem::Message(row) => match row.message.sender {
            Sender::Customer => theme.customer(),
            Sender::Ai => theme.ai_on(),
            _ => Style::new(),
        },
    }
}

fn text_style(theme: Theme, item: &HistoryItem) -> Style {
    match item {
        HistoryItem::Note(_) => theme.private_note(),
        HistoryItem::Outbox(row, _) if !row.operation.is_customer_message() => theme.quiet(),
        HistoryItem::Message(row) if row.message.unreadable => theme.error(),
        _ => Style::new(),
    }
}

fn media(inbox: &Inbox, theme: Theme, row: &MessageRow, area: Area, buffer: &mut Buffer) {
    if let Some(label) = lines::media_label(row) {
        let opens = match pictures_view::can_show(inbox, row) {
            true => inbox.context.keyed(" · {show-picture} shows, {open-outside} opens"),
            false if lines::has_file(row) => inbox.context.keyed(" · {open-outside} opens"),
            false => String::new(),
        };
        let lead = if row.message.content.is_empty() { "" } else { " " };
        // Only what went out has its delivery at the end of the line.
        let inbound = row.message.direction == Direction::Inbound;
        let trailer = if inbound { 1 } else { crate::pane_sizes::TRAILER };
        let room = area.width.saturating_sub(u16::try_from(trailer).unwrap_or(0));
        let whole = format!("{lead}{label}{opens}");
        // Where there is no room for keys, what it is comes first.
        let fits = wrap::cells(&whole) <= usize::from(room);
        let words = if fits { whole } else { format!("{lead}{label}") };
        paint_view::text(buffer, area.x, area.y, room, &words, theme.quiet());
    }
}

/// How far an outbound message came, in a word.
fn trailer(theme: Theme, row: &MessageRow, area: Area, buffer: &mut Buffer) {
    if let Some((word, style)) = delivery(theme, row) {
        let width = area.width.saturating_sub(1);
        paint_view::runs_right(buffer, area.x, area.y, width, &[(word.as_str(), style)]);
    }
}

/// The word for how far an outbound message came; inbound ones have none.
pub(crate) fn delivery(theme: Theme, row: &MessageRow) -> Option<(SafeText, Style)> {
    if row.message.direction == Direction::Inbound {
        return None;
    }
    let style = match row.message.delivery {
        DeliveryStatus::Failed => theme.error(),
        _ => theme.quiet(),
    };
    Some((SafeText::line(row.message.delivery.word()), style))
}
