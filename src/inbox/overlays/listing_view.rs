//! Lists that lie over the desk.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::list::ListLine;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::layout::Area;
use crate::overlays::listing;
use crate::overlays::listing::ListOverlay;
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;
use crate::wrap;

/// Columns of a list at most.
const WIDTH: u16 = 110;

impl ListOverlay {
    /// The whole popup.
    fn area(inbox: &Inbox) -> Area {
        let (columns, rows) = inbox.context.size;
        centered(inbox, columns.saturating_sub(4).min(WIDTH), rows.saturating_sub(4))
    }
}

impl OverlayView for ListOverlay {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let count = listing::list_lines(inbox, self.kind).len();
        Some(ShownRows::around(Self::area(inbox).inner(), count, self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let (kind, chosen) = (self.kind, self.chosen);
        let area = Self::area(inbox);
        let (title, hint) = listing::list_head(inbox, kind);
        let titles = ([(title.as_str(), theme.strong())], [(hint.as_str(), theme.quiet())]);
        paint_view::popup(buffer, area, theme, (&titles.0, &titles.1));
        let inner = area.inner();
        let lines = listing::list_lines(inbox, kind);
        if lines.is_empty() {
            let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
            paint_view::paragraph(buffer, place, listing::list_empty(inbox, kind), theme.quiet());
            return None;
        }
        let rows = ShownRows::around(inner, lines.len(), chosen);
        let widest = lines.iter().map(|line| wrap::cells(line.name.as_str())).max().unwrap_or(0);
        let name = u16::try_from(widest).unwrap_or(u16::MAX).min(inner.width * 2 / 5);
        for (index, place) in rows.places() {
            draw_line(theme, &lines[index], name, place, buffer);
            if index == rows.chosen {
                paint_view::stripe(buffer, place, theme.selected());
                paint_view::text(buffer, place.x, place.y, 1, theme.mark(), theme.strong());
            }
        }
        None
    }
}

fn draw_line(theme: Theme, line: &ListLine, name: u16, area: Area, buffer: &mut Buffer) {
    let (x, width) = (area.x + 1, area.width.saturating_sub(2));
    let right = paint_view::runs_right(buffer, x, area.y, width, &[(&line.right, theme.quiet())]);
    let plain = if line.dim { theme.quiet() } else { Style::new() };
    paint_view::text(buffer, x, area.y, name, line.name.as_str(), plain);
    let style = if line.loud { theme.error() } else { theme.quiet() };
    let room = width.saturating_sub(name + 2 + right + u16::from(right > 0));
    paint_view::text(buffer, x + name + 2, area.y, room, line.words.as_str(), style);
}
