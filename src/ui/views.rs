//! The menu of saved views.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::paint::{self, Sides};
use crate::theme::Theme;
use app::App;
use app::layout::Area;

/// Columns of a view's name.
const NAME: u16 = 20;

/// Draws the menu in the place it was given.
pub fn draw(app: &App, theme: Theme, chosen: usize, area: Area, buffer: &mut Buffer) {
    paint::blank(buffer, area);
    let title = [("Views", theme.strong())];
    let hint = [("its key or Enter shows · Esc back", theme.dim())];
    paint::frame(buffer, area, theme, true, Sides::All, (&title, &hint));
    let inner = area.inner();
    let height = usize::from(inner.height).max(1);
    let first = (chosen + 1).saturating_sub(height);
    for (row, (index, view)) in app.views.iter().enumerate().skip(first).take(height).enumerate() {
        let y = inner.y + u16::try_from(row).unwrap_or(0);
        let place = Area { y, height: 1, ..inner };
        let key = view.key.map_or_else(|| " ".to_owned(), |it| it.to_string());
        paint::text(buffer, inner.x + 1, y, 2, &key, theme.strong());
        paint::text(buffer, inner.x + 3, y, NAME, &view.name, Style::new());
        let count = app.counted.as_ref().map(|it| it.get(index).copied().flatten());
        let count = count.map(|it| it.map_or_else(|| "many".to_owned(), |it| it.to_string()));
        let count = [(count.as_deref().unwrap_or(""), theme.strong())];
        let taken = paint::runs_right(buffer, inner.x, y, inner.width.saturating_sub(1), &count);
        let room = inner.width.saturating_sub(NAME + 7 + taken);
        paint::text(buffer, inner.x + NAME + 4, y, room, &view.text, theme.dim());
        if index == chosen {
            paint::stripe(buffer, place, theme.selected());
        }
    }
}
