//! Continuations of a key sequence: the next key and the label of every command of the active scopes.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command;
use crate::components::paint_view;
use crate::keymap;
use crate::layout::Area;
use crate::theme_view::Theme;
use crate::wrap;

/// Columns of an entry if there is room.
const ENTRY_WIDTH: u16 = 24;

pub fn draw(inbox: &Inbox, theme: Theme, body: Area, buffer: &mut Buffer) {
    if inbox.keyboard.pressed.is_empty() || !inbox.context.overlays.is_empty() {
        return;
    }
    let keymap = &inbox.context.settings.keymap;
    let all = keymap.continuations(&inbox.desk.active_scopes(), &inbox.keyboard.pressed);
    let entries: Vec<(String, &str)> =
        all.into_iter().map(|(key, entry)| (key, command::row(entry).word)).collect();
    let most = usize::from(body.height.saturating_sub(2)).max(1);
    let columns = entries.len().div_ceil(most).max(usize::from(body.width / ENTRY_WIDTH)).max(1);
    let rows = entries.len().div_ceil(columns);
    let height = (u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2)).min(body.height);
    let area = Area { y: body.y + body.height - height, height, ..body };
    let begun = keymap::sequence_name(&inbox.keyboard.pressed);
    let titles = ([(begun.as_str(), theme.strong())], [("Esc cancels", theme.dim())]);
    paint_view::popup(buffer, area, theme, (&titles.0, &titles.1));
    let inner = area.inner();
    let width = inner.width / u16::try_from(columns).unwrap_or(u16::MAX).max(1);
    let widest = entries.iter().map(|entry| wrap::cells(&entry.0)).max().unwrap_or(0);
    let keys = u16::try_from(widest).unwrap_or(u16::MAX).min(width / 2);
    for (column, entries) in entries.chunks(rows.max(1)).enumerate() {
        let x = inner.x + 1 + width * u16::try_from(column).unwrap_or(0);
        let room = width.saturating_sub(keys + 3);
        for (y, (key, word)) in (inner.y..inner.y + inner.height).zip(entries) {
            paint_view::text(buffer, x, y, keys, key, theme.accent());
            paint_view::text(buffer, x + keys + 1, y, room, word, Style::new());
        }
    }
}
