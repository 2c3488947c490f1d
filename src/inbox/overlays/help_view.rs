//! The help over the desk: keys at the left, what they do at the right, and
//! at the foot what is looked for.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::help::{Help, HelpLine, WIDTH, columns};
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;

impl OverlayView for Help {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let help = self;
        let (width, rows) = inbox.context.size;
        let area = centered(inbox, width.min(WIDTH), rows.saturating_sub(2));
        let title = if help.find.is_empty() { "Keys" } else { "Keys that fit" };
        paint_view::popup(buffer, area, theme, (&[(title, theme.strong())], &[]));
        foot(theme, help, area, buffer);
        let inner = area.inner();
        let lines = inbox.desk.help_lines(help.find.text(), &inbox.context);
        if lines.is_empty() {
            let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
            paint_view::paragraph(
                buffer,
                place,
                "No key, name or explanation has all these words.",
                theme.quiet(),
            );
        }
        let (keys, words) = columns(inner.width);
        let height = usize::from(inner.height);
        let first = help.first.min(lines.len().saturating_sub(height));
        for (row, line) in lines.iter().skip(first).take(height).enumerate() {
            let y = inner.y + u16::try_from(row).unwrap_or(0);
            match line {
                HelpLine::Heading(heading) => {
                    paint_view::text(buffer, inner.x + 1, y, inner.width, heading, theme.strong());
                }
                HelpLine::Row(key, doc) => {
                    paint_view::text(buffer, inner.x + 3, y, keys, key, theme.own());
                    paint_view::text(buffer, inner.x + 4 + keys, y, words, doc, Style::new());
                }
            }
        }
        None
    }
}

/// What is looked for, why the last key did nothing, or the keys of the help.
fn foot(theme: Theme, help: &Help, area: Area, buffer: &mut Buffer) {
    let (x, y) = (area.x + 1, area.y + area.height.saturating_sub(1));
    let width = area.width.saturating_sub(2);
    if let Some(told) = &help.told {
        paint_view::text(buffer, x, y, width, &format!(" {told} "), theme.needs_a_person());
        return;
    }
    let text = &help.find;
    if text.is_empty() && !help.typing {
        paint_view::text(buffer, x, y, width, " / finds · j k scroll · Esc back ", theme.quiet());
        return;
    }
    let cursor = match (help.typing, theme.ascii) {
        (false, _) => "",
        (true, true) => "_",
        (true, false) => "▏",
    };
    let keys = if help.typing { " · Enter keeps · Esc shows all " } else { " · Esc shows all " };
    let runs = [
        (" find / ", theme.strong()),
        (text.before(), Style::new()),
        (cursor, theme.quiet()),
        (text.after(), Style::new()),
        (keys, theme.quiet()),
    ];
    paint_view::runs(buffer, x, y, width, &runs);
}
