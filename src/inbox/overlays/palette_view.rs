use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::layout::Area;
use crate::overlays::palette::{CommandPalette, PaletteItem, VISIBLE_ROWS};
use crate::overlays::view::OverlayView;
use crate::theme_view::Theme;
use crate::wrap;

/// Keys on the frame.
const KEYS: &str = "Enter run · Esc back";
const NO_MATCH: &str = "No match";
const KIND_WIDTH: u16 = 8;

impl CommandPalette {
    fn palette_area(inbox: &Inbox) -> Area {
        let (columns, rows) = inbox.context.size;
        let shown = VISIBLE_ROWS.min(usize::from(rows.saturating_sub(6)));
        let width = 96.min(columns.saturating_sub(2));
        let height = u16::try_from(shown).unwrap_or(0) + 3;
        Area { x: (columns - width) / 2, y: 2.min(rows.saturating_sub(height)), width, height }
    }
}

impl OverlayView for CommandPalette {
    fn describe(&self, _inbox: &Inbox) -> SpokenPage {
        let row = |item: &PaletteItem| {
            SpokenRow::new([item.action.kind(), item_text(item).as_str(), item.detail.as_str()])
        };
        let empty = if self.matches.is_empty() { NO_MATCH } else { "" };
        let page = SpokenPage::new([palette_title(self), self.text.text()]).text(empty);
        page.rows(self.matches.iter().map(row), Some(self.chosen)).keys(KEYS)
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        // Its first line is the input.
        let inner = Self::palette_area(inbox).inner();
        let area = Area { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        Some(ShownRows::centered(area, self.matches.len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let palette = self;
        let area = Self::palette_area(inbox);
        let title = [(palette_title(palette), theme.strong())];
        let hint = [(KEYS, theme.dim())];
        paint_view::popup(buffer, area, theme, (&title, &hint));
        let inner = area.inner();
        let room = inner.width.saturating_sub(2);
        paint_view::text(buffer, inner.x + 1, inner.y, room, palette.text.text(), Style::new());
        let before = u16::try_from(wrap::cells(palette.text.before())).unwrap_or(u16::MAX);
        match OverlayView::rows(self, inbox).filter(|_| !palette.matches.is_empty()) {
            Some(rows) => draw_list(theme, palette, rows, buffer),
            None => {
                paint_view::text(buffer, inner.x + 1, inner.y + 1, inner.width, NO_MATCH, theme.dim());
            }
        }
        Some(Position { x: inner.x + 1 + before.min(room), y: inner.y })
    }
}

fn draw_list(theme: Theme, palette: &CommandPalette, rows: ShownRows, buffer: &mut Buffer) {
    for (index, place) in rows.areas() {
        draw_item(theme, &palette.matches[index], place, buffer);
        if index == rows.chosen {
            paint_view::stripe(buffer, place, theme.selected());
        }
    }
}

fn draw_item(theme: Theme, entry: &PaletteItem, place: Area, buffer: &mut Buffer) {
    let (x, width) = (place.x + 1, place.width.saturating_sub(2));
    paint_view::text(buffer, x, place.y, KIND_WIDTH, entry.action.kind(), theme.dim());
    let used = paint_view::runs_right(buffer, x, place.y, width, &[(&entry.detail, theme.accent())]);
    let room = width.saturating_sub(KIND_WIDTH + used + 2);
    let style = if entry.disabled_reason.is_some() { theme.dim() } else { Style::new() };
    paint_view::text(buffer, x + KIND_WIDTH + 1, place.y, room, &item_text(entry), style);
}

/// Name with its description, or the reason why it cannot be chosen now.
fn item_text(item: &PaletteItem) -> String {
    match &item.disabled_reason {
        Some(reason) => format!("{} (off: {reason})", item.name),
        None if item.doc.is_empty() => item.name.clone(),
        None => format!("{} · {}", item.name, item.doc),
    }
}

fn palette_title(palette: &CommandPalette) -> &'static str {
    if palette.is_menu { "Actions" } else { "Find a command or place" }
}
