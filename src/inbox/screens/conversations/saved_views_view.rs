use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::conversations::saved_views::{SavedView, ViewMenu};
use crate::theme_view::Theme;

const TITLE: &str = "Views";
const KEYS: &str = "key or Enter shows · Esc back";
const NAME_WIDTH: u16 = 20;

fn area(inbox: &Inbox) -> Area {
    let rows = u16::try_from(inbox.desk.views.len()).unwrap_or(u16::MAX).saturating_add(2);
    centered(inbox, 64, rows)
}

/// Number of conversations of a view; empty until they are counted.
fn count_label(inbox: &Inbox, index: usize) -> String {
    let count = inbox.desk.view_counts.as_ref().map(|numbers| numbers.get(index).copied().flatten());
    let count = count.map(|count| count.map_or_else(|| "many".to_owned(), |entry| entry.to_string()));
    count.unwrap_or_default()
}

impl OverlayView for ViewMenu {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let row = |(index, view): (usize, &SavedView)| {
            let key = view.key.map(String::from).unwrap_or_default();
            SpokenRow::new([format!("{key} {}", view.name), count_label(inbox, index), view.text.clone()])
        };
        let rows = inbox.desk.views.iter().enumerate().map(row);
        SpokenPage::new([TITLE]).rows(rows, Some(self.chosen)).keys(KEYS)
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(ShownRows::centered(area(inbox).inner(), inbox.desk.views.len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = area(inbox);
        let title = [(TITLE, theme.strong())];
        let hint = [(KEYS, theme.dim())];
        paint_view::popup(buffer, area, theme, (&title, &hint));
        let inner = area.inner();
        let rows = ShownRows::centered(inner, inbox.desk.views.len(), self.chosen);
        for (index, place) in rows.areas() {
            let (view, y) = (&inbox.desk.views[index], place.y);
            let key = view.key.map_or_else(|| " ".to_owned(), |key| key.to_string());
            paint_view::text(buffer, inner.x + 1, y, 2, &key, theme.strong());
            paint_view::text(buffer, inner.x + 3, y, NAME_WIDTH, &view.name, Style::new());
            let count = count_label(inbox, index);
            let count = [(count.as_str(), theme.strong())];
            let taken = paint_view::runs_right(buffer, inner.x, y, inner.width.saturating_sub(1), &count);
            let room = inner.width.saturating_sub(NAME_WIDTH + 7 + taken);
            paint_view::text(buffer, inner.x + NAME_WIDTH + 4, y, room, &view.text, theme.dim());
            if index == rows.chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
        }
        None
    }
}
