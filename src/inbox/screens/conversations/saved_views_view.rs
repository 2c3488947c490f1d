//! The menu of saved views.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::theme_view::Theme;

/// Columns of a view's name.
const NAME: u16 = 20;

/// Draws the menu in the place it was given.
pub fn draw(inbox: &Inbox, theme: Theme, chosen: usize, area: Area, buffer: &mut Buffer) {
    paint_view::blank(buffer, area);
    let title = [("Views", theme.strong())];
    let hint = [("its key or Enter shows · Esc back", theme.dim())];
    paint_view::frame(buffer, area, theme, true, Sides::All, (&title, &hint));
    let inner = area.inner();
    let height = usize::from(inner.height).max(1);
    let first = (chosen + 1).saturating_sub(height);
    for (row, (index, view)) in inbox.views.iter().enumerate().skip(first).take(height).enumerate() {
        let y = inner.y + u16::try_from(row).unwrap_or(0);
        let place = Area { y, height: 1, ..inner };
        let key = view.key.map_or_else(|| " ".to_owned(), |it| it.to_string());
        paint_view::text(buffer, inner.x + 1, y, 2, &key, theme.strong());
        paint_view::text(buffer, inner.x + 3, y, NAME, &view.name, Style::new());
        let count = inbox.counted.as_ref().map(|it| it.get(index).copied().flatten());
        let count = count.map(|it| it.map_or_else(|| "many".to_owned(), |it| it.to_string()));
        let count = [(count.as_deref().unwrap_or(""), theme.strong())];
        let taken = paint_view::runs_right(buffer, inner.x, y, inner.width.saturating_sub(1), &count);
        let room = inner.width.saturating_sub(NAME + 7 + taken);
        paint_view::text(buffer, inner.x + NAME + 4, y, room, &view.text, theme.dim());
        if index == chosen {
            paint_view::stripe(buffer, place, theme.selected());
        }
    }
}
