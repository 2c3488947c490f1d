//! The header above a mail, and the colors of quoted text by depth.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Run;
use crate::layout::Area;
use crate::pane_sizes::MAIL_INDENT;
use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::text_view;
use crate::screens::mail::reading;
use crate::theme_view::Theme;
use crate::wrap;
use model::email::quotes;
use model::messages::Direction;

/// Draws who wrote a mail, when, and how far one of ours came.
pub(crate) fn from(
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
        // Sent with another program: the name in the mail tells more.
        _ if item.is_from_elsewhere(&inbox.context.settings.senders) => {
            letter.from_name.as_ref().map(ToString::to_string)
        }
        // Which of ours wrote: a person here, the AI.
        _ => Some(item.sender("", &inbox.context.settings.senders)),
    };
    let named = name.filter(|name| !name.is_empty() && *name != letter.from.as_str());
    let address = match (&named, letter.from.is_empty()) {
        (_, true) => String::new(),
        (None, false) => letter.from.to_string(),
        (Some(_), false) => format!(" <{}>", letter.from),
    };
    let zone = &inbox.context.settings.zone;
    let delivery = text_view::delivery(theme, row);
    let reached = delivery.as_ref().map_or_else(String::new, |(word, _)| format!(" · {word}"));
    let inner = Area { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let wanted = wrap::cells(named.as_deref().unwrap_or("")) + wrap::cells(&address) + wrap::cells(&reached);
    let when = match row.written_at() {
        None => "no date".to_owned(),
        Some(at) => {
            let (whole, short) = reading::when(at, zone);
            // Who it is from goes before the weekday and the year.
            let fits = wanted + wrap::cells(&whole) < usize::from(inner.width);
            if fits { whole } else { short }
        }
    };
    let mut runs: Vec<Run<'_>> = vec![(when.as_str(), theme.quiet())];
    if let Some((word, style)) = &delivery {
        runs.extend([(" · ", theme.quiet()), (word.as_str(), *style)]);
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

/// Draws a line of the whole header.
pub(crate) fn field(theme: Theme, words: &str, area: Area, buffer: &mut Buffer) {
    let indent = u16::try_from(MAIL_INDENT).unwrap_or(0);
    paint_view::text(
        buffer,
        area.x + indent,
        area.y,
        area.width.saturating_sub(indent),
        words,
        theme.quiet(),
    );
}

/// How a part of a mail's text looks: quotations step back the further, the
/// deeper they are.
pub(crate) fn text_style(theme: Theme, text: &str, part: &Range<usize>) -> Style {
    // A long line goes on below: its marks stand where it begins.
    let start = text[..part.start].rfind('\n').map_or(0, |entry| entry + 1);
    let line = text[start..].lines().next().unwrap_or("");
    match quotes::quote_depth(line) {
        0 if quotes::is_fold_line(line) => theme.quiet(),
        0 => Style::new(),
        1 => theme.own(),
        2 => theme.quiet(),
        _ => theme.quiet().add_modifier(Modifier::ITALIC),
    }
}
