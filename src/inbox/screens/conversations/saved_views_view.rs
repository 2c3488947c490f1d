//! The menu of saved views.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::conversations::saved_views::ViewMenu;
use crate::theme_view::Theme;

/// Columns of a view's name.
const NAME: u16 = 20;

/// The whole popup.
fn area(inbox: &Inbox) -> Area {
    let rows = u16::try_from(inbox.desk.views.len()).unwrap_or(u16::MAX).saturating_add(2);
    centered(inbox, 64, rows)
}

impl OverlayView for ViewMenu {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(ShownRows::around(area(inbox).inner(), inbox.desk.views.len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = area(inbox);
        let title = [("Views", theme.strong())];
        let hint = [("its key or Enter shows · Esc back", theme.quiet())];
        paint_view::popup(buffer, area, theme, (&title, &hint));
        let inner = area.inner();
        let rows = ShownRows::around(inner, inbox.desk.views.len(), self.chosen);
        for (index, place) in rows.places() {
            let (view, y) = (&inbox.desk.views[index], place.y);
            let key = view.key.map_or_else(|| " ".to_owned(), |key| key.to_string());
            paint_view::text(buffer, inner.x + 1, y, 2, &key, theme.strong());
            paint_view::text(buffer, inner.x + 3, y, NAME, &view.name, Style::new());
            let count = inbox.desk.counted.as_ref().map(|numbers| numbers.get(index).copied().flatten());
            let count = count.map(|count| count.map_or_else(|| "many".to_owned(), |entry| entry.to_string()));
            let count = [(count.as_deref().unwrap_or(""), theme.strong())];
            let taken = paint_view::runs_right(buffer, inner.x, y, inner.width.saturating_sub(1), &count);
            let room = inner.width.saturating_sub(NAME + 7 + taken);
            paint_view::text(buffer, inner.x + NAME + 4, y, room, &view.text, theme.quiet());
            if index == rows.chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
        }
        None
    }
}
