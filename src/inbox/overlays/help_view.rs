//! Draws the help: entries in columns, each a key and a label.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::{self, Command};
use crate::components::paint_view;
use crate::components::spoken::SpokenPage;
use crate::layout::Area;
use crate::overlays::help::{self, ENTRY_WIDTH, Help};
use crate::overlays::overlay::RESERVED_ROWS;
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;

/// Keys on the frame.
const KEYS: &str = "{open-palette} all commands · Esc back";
const MAX_COLUMNS: u16 = 4;

impl OverlayView for Help {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let page = SpokenPage::new(["Keys", help::place_name(inbox)]);
        // The size of the screen decides if the card can be shown.
        let card = command::row(Command::Card).word;
        let entries = help::help_entries(inbox, usize::MAX).into_iter().filter(|entry| entry.word != card);
        let page = entries.fold(page, |page, entry| page.text(format!("{}: {}", entry.key, entry.word)));
        page.text(self.message.as_deref().unwrap_or_default()).keys(&inbox.context.fill_in_keys(KEYS))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let (width, rows) = inbox.context.size;
        let columns = (width.saturating_sub(3) / ENTRY_WIDTH).clamp(1, MAX_COLUMNS);
        let most = rows.saturating_sub(RESERVED_ROWS + 2).max(1);
        let entries = help::help_entries(inbox, usize::from(columns * most));
        let lines = u16::try_from(entries.len().div_ceil(usize::from(columns))).unwrap_or(most).max(1);
        let area = centered(inbox, columns * ENTRY_WIDTH + 3, lines + 2);
        let title = [("Keys", theme.strong()), (" · ", theme.dim()), (help::place_name(inbox), theme.dim())];
        paint_view::popup(buffer, area, theme, (&title, &[]));
        draw_footer(inbox, theme, self, area, buffer);
        let inner = area.inner();
        for (column, entries) in entries.chunks(usize::from(lines)).enumerate() {
            let x = inner.x + 1 + u16::try_from(column).unwrap_or(0) * ENTRY_WIDTH;
            let keys = help::key_width(entries);
            for (y, entry) in (inner.y..inner.y + inner.height).zip(entries) {
                paint_view::text(buffer, x, y, keys, &entry.key, theme.accent());
                let room = ENTRY_WIDTH.saturating_sub(keys + 2);
                paint_view::text(buffer, x + keys + 1, y, room, &entry.word, Style::new());
            }
        }
        None
    }
}

/// The reason why the last key did nothing, or the keys of the help.
fn draw_footer(inbox: &Inbox, theme: Theme, help: &Help, area: Area, buffer: &mut Buffer) {
    let (x, y) = (area.x + 1, area.y + area.height.saturating_sub(1));
    let width = area.width.saturating_sub(2);
    let (text, style) = match &help.message {
        Some(message) => (format!(" {message} "), theme.soon()),
        None => (inbox.context.fill_in_keys(&format!(" {KEYS} ")), theme.dim()),
    };
    paint_view::text(buffer, x, y, width, &text, style);
}
