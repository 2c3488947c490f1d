//! How a key sequence that was begun can go on, over the foot of the page: the
//! next key of every command of the places that act here, and what it does.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command;
use crate::components::paint_view;
use crate::keymap;
use crate::layout::Area;
use crate::theme_view::Theme;
use crate::wrap;

/// Columns an entry is given where there is room.
const ENTRY: u16 = 60;

/// Draws the list while a sequence has begun.
pub fn draw(inbox: &Inbox, theme: Theme, body: Area, buffer: &mut Buffer) {
    if inbox.keyboard.pressed.is_empty() || !inbox.context.layers.is_empty() {
        return;
    }
    let keymap = &inbox.context.settings.keymap;
    let all = keymap.continuations(&inbox.desk.places(), &inbox.keyboard.pressed);
    let entries: Vec<(String, String, &str)> =
        all.into_iter().map(|(key, entry)| (key, keymap.doc(entry), command::row(entry).word)).collect();
    let most = usize::from(body.height.saturating_sub(2)).max(1);
    let columns = entries.len().div_ceil(most).max(usize::from(body.width / ENTRY)).max(1);
    let rows = entries.len().div_ceil(columns);
    let height = (u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2)).min(body.height);
    let area = Area { y: body.y + body.height - height, height, ..body };
    let begun = keymap::named(&inbox.keyboard.pressed);
    let titles = ([(begun.as_str(), theme.strong())], [("Esc cancels", theme.quiet())]);
    paint_view::popup(buffer, area, theme, (&titles.0, &titles.1));
    let inner = area.inner();
    let width = inner.width / u16::try_from(columns).unwrap_or(u16::MAX).max(1);
    let widest = entries.iter().map(|entry| wrap::cells(&entry.0)).max().unwrap_or(0);
    let keys = u16::try_from(widest).unwrap_or(u16::MAX).min(width / 2);
    for (column, entries) in entries.chunks(rows.max(1)).enumerate() {
        let x = inner.x + 1 + width * u16::try_from(column).unwrap_or(0);
        let room = width.saturating_sub(keys + 3);
        for (y, (key, doc, word)) in (inner.y..inner.y + inner.height).zip(entries) {
            paint_view::text(buffer, x, y, keys, key, theme.own());
            // What is cut begins with what the place is called.
            let named = doc.strip_prefix("The ").is_some_and(|entry| entry.starts_with(word));
            let fits = wrap::cells(doc) <= usize::from(room);
            let doc = if named || fits { doc.clone() } else { format!("{word}: {doc}") };
            let doc = wrap::cut(&doc, usize::from(room));
            paint_view::text(buffer, x + keys + 1, y, room, &doc, Style::new());
        }
    }
}
