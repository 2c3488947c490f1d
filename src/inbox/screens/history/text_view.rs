//! Draws one line of a message: sender and time, text, media and delivery state.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::desk::Desk;
use crate::layout::Area;
use crate::pane_sizes::MAIL_INDENT_WIDTH;
use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::pictures_view;
use crate::screens::mail::header_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::messages::{DeliveryStatus, Direction, MessageRow, Sender};
use model::text::SafeText;

/// Area of an item's text: a mail uses the whole width, other items start after sender and time.
pub(crate) fn text_area(item: &HistoryItem, row: Area) -> Area {
    let indent = match item.mail_message() {
        Some(_) => MAIL_INDENT_WIDTH,
        None => Desk::gutter_width(usize::from(row.width)),
    };
    let indent = u16::try_from(indent).unwrap_or(0).min(row.width);
    Area { x: row.x + indent, width: row.width - indent, ..row }
}

/// Draws a part of an item's text; `first` and `last` mark its first and last line.
pub(crate) fn draw(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    item: &HistoryItem,
    (part, first, last): (&Range<usize>, bool, bool),
    area: Area,
    buffer: &mut Buffer,
) {
    let is_mail = item.mail_message().is_some();
    if first && !is_mail {
        draw_sender(inbox, theme, history, item, area, buffer);
    }
    let place = text_area(item, area);
    let words = &item.text()[part.clone()];
    let style =
        if is_mail { header_view::text_style(theme, item.text(), part) } else { text_style(theme, item) };
    if let HistoryItem::Note(_) = item {
        // Mark every line, so that a note is recognizable without colours.
        paint_view::text(buffer, area.x, area.y, 1, "#", style);
    }
    let used = paint_view::text(buffer, place.x, area.y, place.width, words.trim_end(), style);
    draw_marks(theme, history, item, part, place, buffer);
    if let HistoryItem::Message(row) = item
        && last
    {
        let behind = Area { x: place.x + used, width: place.width.saturating_sub(used), ..place };
        draw_media(inbox, theme, row, behind, buffer);
        if !is_mail {
            draw_trailer(theme, row, area, buffer);
        }
    }
}

fn draw_marks(
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

pub(crate) fn draw_sender(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    item: &HistoryItem,
    area: Area,
    buffer: &mut Buffer,
) {
    let gutter = u16::try_from(Desk::gutter_width(usize::from(area.width))).unwrap_or(18);
    let customer = history.customer();
    let first_name = customer.as_str().split(' ').next().unwrap_or("");
    let name_width = gutter - 9;
    let sender = item.sender(first_name, &inbox.context.settings.senders);
    let selected = history.selected.as_ref() == Some(&item.key());
    let style = sender_style(theme, item);
    let style = if selected { style.patch(theme.selected()) } else { style };
    paint_view::text(buffer, area.x + 1, area.y, name_width, &sender, style);
    let time = item
        .at()
        .map_or_else(|| "--:--".to_owned(), |time| time.hour_and_minute(&inbox.context.settings.zone));
    paint_view::text(buffer, area.x + 2 + name_width, area.y, 5, &time, theme.dim());
}

fn sender_style(theme: Theme, item: &HistoryItem) -> Style {
    match item {
        HistoryItem::Outbox(..) => theme.you(),
        HistoryItem::Note(_) => theme.private_note().patch(theme.strong()),
        HistoryItem::Message(_) if item.is_own() => theme.you(),
        HistoryItem::Message(row) if row.message.agent.is_some() => theme.colleague(),
        HistoryItem::Message(row) => match row.message.sender {
            Sender::Customer => theme.customer(),
            Sender::Ai => theme.ai(),
            Sender::Human | Sender::Api | Sender::Unknown(_) => theme.colleague(),
            Sender::Broadcast => theme.you(),
        },
    }
}

fn text_style(theme: Theme, item: &HistoryItem) -> Style {
    match item {
        HistoryItem::Note(_) => theme.private_note(),
        HistoryItem::Outbox(row, _) if !row.operation.is_customer_message() => theme.dim(),
        HistoryItem::Message(row) if row.message.unreadable => theme.urgent(),
        _ => Style::new(),
    }
}

fn draw_media(inbox: &Inbox, theme: Theme, row: &MessageRow, area: Area, buffer: &mut Buffer) {
    if let Some(label) = lines::media_label(row) {
        let opens = match pictures_view::can_show(inbox, row) {
            true => inbox.context.fill_in_keys(" · {show-picture} shows, {open-outside} opens"),
            false if lines::has_file(row) => inbox.context.fill_in_keys(" · {open-outside} opens"),
            false => String::new(),
        };
        let lead = if row.message.content.is_empty() { "" } else { " " };
        // Only outbound messages have a delivery state at the end of the line.
        let inbound = row.message.direction == Direction::Inbound;
        let trailer = if inbound { 1 } else { crate::pane_sizes::TRAILER_WIDTH + 1 };
        let room = area.width.saturating_sub(u16::try_from(trailer).unwrap_or(0));
        let whole = format!("{lead}{label}{opens}");
        // Without room for the keys, keep the label.
        let fits = wrap::cells(&whole) <= usize::from(room);
        let words = if fits { whole } else { format!("{lead}{label}") };
        paint_view::text(buffer, area.x, area.y, room, &words, theme.dim());
    }
}

fn draw_trailer(theme: Theme, row: &MessageRow, area: Area, buffer: &mut Buffer) {
    if let Some((word, style)) = delivery_label(theme, row) {
        let width = area.width.saturating_sub(1);
        paint_view::runs_right(buffer, area.x, area.y, width, &[(word.as_str(), style)]);
    }
}

/// Delivery state of an outbound message; `None` for inbound ones.
pub(crate) fn delivery_label(theme: Theme, row: &MessageRow) -> Option<(SafeText, Style)> {
    if row.message.direction == Direction::Inbound {
        return None;
    }
    let style = match row.message.delivery {
        DeliveryStatus::Failed => theme.urgent(),
        _ => theme.dim(),
    };
    Some((SafeText::line(row.message.delivery.word()), style))
}
