//! The header line above a mail, and styles of quoted text.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Run;
use crate::layout::Area;
use crate::pane_sizes::MAIL_INDENT_WIDTH;
use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::text_view;
use crate::screens::mail::reading::{self, HeaderLine};
use crate::theme_view::Theme;
use crate::wrap;
use model::email::quotes;
use model::messages::Direction;

/// Draws sender and date of a mail, and the delivery state of a sent one.
pub(crate) fn draw_sender(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    item: &HistoryItem,
    area: Area,
    buffer: &mut Buffer,
) {
    let HistoryItem::Message(row) = item else { return };
    let Some(letter) = &row.mail else { return };
    let name = match row.message.direction {
        Direction::Inbound => letter.from_name.as_ref().map(ToString::to_string),
        // Sent by another program: the name in the mail is more specific.
        _ if item.is_from_elsewhere(&inbox.context.settings.senders) => {
            letter.from_name.as_ref().map(ToString::to_string)
        }
        // Sent from here: an agent or the AI.
        _ => Some(item.sender("", &inbox.context.settings.senders)),
    };
    let named = name.filter(|name| !name.is_empty() && *name != letter.from.as_str());
    let address = match (&named, letter.from.is_empty()) {
        (_, true) => String::new(),
        (None, false) => letter.from.to_string(),
        (Some(_), false) => format!(" <{}>", letter.from),
    };
    let zone = &inbox.context.settings.zone;
    let delivery = text_view::delivery_label(theme, row);
    let reached = delivery.as_ref().map_or_else(String::new, |(word, _)| format!(" · {word}"));
    let inner = Area { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let wanted = wrap::cells(named.as_deref().unwrap_or("")) + wrap::cells(&address) + wrap::cells(&reached);
    let when = match row.written_at() {
        None => "no date".to_owned(),
        Some(at) => {
            let (whole, short) = reading::format_times(at, zone);
            // The sender has priority over weekday and year.
            let fits = wanted + wrap::cells(&whole) < usize::from(inner.width);
            if fits { whole } else { short }
        }
    };
    let mut runs: Vec<Run<'_>> = vec![(when.as_str(), theme.dim())];
    if let Some((word, style)) = &delivery {
        runs.extend([(" · ", theme.dim()), (word.as_str(), *style)]);
    }
    let used = paint_view::runs_right(buffer, inner.x, inner.y, inner.width, &runs);
    let selected = history.selected == Some(item.key());
    let style = if selected { theme.selected() } else { theme.strong() };
    let room = inner.width.saturating_sub(used + 1);
    let who = [
        (named.as_deref().unwrap_or(""), style),
        (address.as_str(), if named.is_some() { Style::new() } else { style }),
    ];
    paint_view::runs(buffer, inner.x, inner.y, room, &who);
}

pub(crate) fn draw_field(theme: Theme, line: &HeaderLine, area: Area, buffer: &mut Buffer) {
    let indent = u16::try_from(MAIL_INDENT_WIDTH).unwrap_or(0);
    let style = if line.is_marked { theme.strong() } else { theme.dim() };
    paint_view::text(buffer, area.x + indent, area.y, area.width.saturating_sub(indent), &line.text, style);
}

/// Style of a part of a mail's text; deeper quotes are less prominent.
pub(crate) fn text_style(theme: Theme, text: &str, part: &Range<usize>) -> Style {
    // A wrapped line has its quote marks only at its start.
    let start = text[..part.start].rfind('\n').map_or(0, |entry| entry + 1);
    let line = text[start..].lines().next().unwrap_or("");
    match quotes::quote_depth(line) {
        0 if quotes::is_fold_line(line) => theme.dim(),
        0 => Style::new(),
        1 | 2 => theme.dim(),
        _ => theme.dim().add_modifier(Modifier::ITALIC),
    }
}
