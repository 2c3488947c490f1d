//! Pickers and the composer's menu: what was typed, the entries it finds, and
//! what the chosen one would bring.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::picker::Picker;
use crate::components::shown_rows::ShownRows;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::composer::canned::ReplyPicker;
use crate::screens::composer::emoji::EmojiPicker;
use crate::screens::composer::menu;
use crate::screens::composer::menu::{ComposerMenu, ComposerMenuItem};
use crate::theme_view::Theme;
use crate::wrap;
use model::emoji;
use model::replies;
use model::text::SafeText;

/// Rows of a picker's list.
const ROWS: u16 = 7;

/// A picker's words: title, hint, what stands where nothing is found, and the
/// entries.
pub struct Words<'a> {
    pub title: &'a str,
    pub hint: &'a str,
    /// Said where there are no entries.
    pub none: &'a str,
    pub entries: &'a [(String, String)],
}

/// The whole popup of a picker.
fn picker_area(inbox: &Inbox) -> Area {
    let (columns, rows) = inbox.context.size;
    centered(inbox, columns.min(86), rows.min(20))
}

/// The rows of a picker with so many entries.
pub fn shown_entries(inbox: &Inbox, picker: &Picker, count: usize) -> ShownRows {
    // Its first line is what was typed; the chosen entry is seen below.
    let inner = picker_area(inbox).inner();
    let height = ROWS.min(inner.height.saturating_sub(2));
    ShownRows::around(Area { y: inner.y + 1, height, ..inner }, count, picker.chosen)
}

/// Draws question, entries and hint; returns the area left for a preview.
pub fn list(inbox: &Inbox, theme: Theme, picker: &Picker, words: &Words<'_>, buffer: &mut Buffer) -> Area {
    let area = picker_area(inbox);
    let count = format!("{}", words.entries.len());
    let titles = (&[(words.title, theme.strong())][..], &[(count.as_str(), theme.quiet())][..]);
    paint_view::popup(buffer, area, theme, titles);
    let hint = format!(" {} ", words.hint);
    paint_view::text(buffer, area.x + 1, area.y + area.height - 1, area.width - 2, &hint, theme.quiet());
    let inner = area.inner();
    let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
    let query = SafeText::line(&picker.query);
    paint_view::runs(
        buffer,
        x,
        inner.y,
        width,
        &[("> ", theme.strong()), (query.as_str(), Style::new()), ("_", theme.quiet())],
    );
    if words.entries.is_empty() {
        let place = Area { x, y: inner.y + 2, width, height: inner.height.saturating_sub(2) };
        paint_view::paragraph(buffer, place, words.none, theme.quiet());
        return Area { height: 0, ..place };
    }
    let shown = ROWS.min(inner.height.saturating_sub(2));
    let rows = shown_entries(inbox, picker, words.entries.len());
    let wide = words.entries.iter().map(|(text, _)| wrap::cells(text)).max().unwrap_or(0).clamp(4, 24);
    let column = u16::try_from(wide).unwrap_or(24);
    for (index, place) in rows.places() {
        let ((short, long), y) = (&words.entries[index], place.y);
        paint_view::text(buffer, x + 1, y, column, short, theme.own());
        paint_view::text(buffer, x + column + 3, y, width.saturating_sub(column + 3), long, Style::new());
        if index == rows.chosen {
            paint_view::stripe(buffer, place, theme.selected());
        }
    }
    let y = inner.y + 2 + shown;
    Area { x, y, width, height: (inner.y + inner.height).saturating_sub(y) }
}

impl OverlayView for ReplyPicker {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let found = inbox.desk.canned.search(&self.picker.query, inbox.desk.tab()).len();
        Some(shown_entries(inbox, &self.picker, found))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let canned = &inbox.desk.canned;
        let found = canned.search(&self.picker.query, inbox.desk.tab());
        let line = |text: &str| SafeText::line(text).to_string();
        let entries: Vec<(String, String)> =
            found.iter().map(|canned_reply| (line(&canned_reply.name), line(&canned_reply.title))).collect();
        let folder = line(&canned.folder);
        let none = match &canned.replies {
            None => "Reading…".to_owned(),
            Some(all) if all.is_empty() => {
                format!(
                    "No canned replies. Each file NAME.md in {folder} is one; {{contact.first_name}}, {{agent.name}} \
                     and {{order?}} are fields in it."
                )
            }
            Some(_) => "Nothing has all these words.".to_owned(),
        };
        let words = Words {
            title: "Canned replies",
            hint: "Enter inserts, never sends · type to find · Esc back",
            none: &none,
            entries: &entries,
        };
        let mut place = list(inbox, theme, &self.picker, &words, buffer);
        if let Some(problem) = canned.problems.first() {
            let y = (place.y + place.height).saturating_sub(1);
            let more = canned.problems.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            let text = line(&format!("not read: {problem}{more}"));
            paint_view::text(buffer, place.x, y, place.width, &text, theme.error());
            place.height = place.height.saturating_sub(1);
        }
        if let Some(chosen) = found.get(self.picker.chosen.min(found.len().saturating_sub(1))) {
            let text = SafeText::block(&replies::fill_fields(
                &chosen.body,
                &inbox.connections.facts(&inbox.desk, &inbox.context),
            ));
            paint_view::paragraph(buffer, place, text.as_str(), Style::new());
            fields(buffer, place, theme);
        }
        None
    }
}

impl OverlayView for EmojiPicker {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(shown_entries(inbox, &self.picker, emoji::search(&self.picker.query).len()))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let entries: Vec<(String, String)> = emoji::search(&self.picker.query)
            .iter()
            .map(|emoji| (emoji.glyph.to_owned(), format!(":{}:  {}", emoji.short_name, emoji.name)))
            .collect();
        let words = Words {
            title: "Emoji",
            hint: "Enter inserts · type to find · Esc back",
            none: "No emoji of sure width is called so.",
            entries: &entries,
        };
        list(inbox, theme, &self.picker, &words, buffer);
        None
    }
}

/// The whole menu of the composer.
fn menu_area(inbox: &Inbox) -> Area {
    centered(inbox, 66, u16::try_from(ComposerMenuItem::ALL.len()).unwrap_or(20) + 2)
}

impl OverlayView for ComposerMenu {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(ShownRows::around(menu_area(inbox).inner(), ComposerMenuItem::ALL.len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = menu_area(inbox);
        paint_view::popup(buffer, area, theme, (&[("Write or send", theme.strong())], &[]));
        let hint = " letter or Enter · Esc back ";
        paint_view::text(buffer, area.x + 1, area.y + area.height - 1, area.width - 2, hint, theme.quiet());
        let inner = area.inner();
        for (index, place) in self.rows(inbox).into_iter().flat_map(ShownRows::places) {
            let (entry, y) = (ComposerMenuItem::ALL[index], place.y);
            let (key, words) = entry.key_and_label();
            let off = menu::entry_is_off(inbox, entry);
            let style = if off.is_some() { theme.quiet() } else { Style::new() };
            let key = key.to_string();
            let used = paint_view::runs(
                buffer,
                inner.x + 1,
                y,
                inner.width - 2,
                &[(&key, theme.strong()), ("  ", style), (words, style)],
            );
            if let Some(why) = off {
                let room = inner.width.saturating_sub(used + 4);
                paint_view::text(buffer, inner.x + 3 + used, y, room, &why, theme.quiet());
            }
            if index == self.chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
        }
        None
    }
}

/// Marks the fields that are still to be filled in, as they stand on screen.
pub fn fields(buffer: &mut Buffer, area: Area, theme: Theme) {
    for y in area.y..area.y + area.height {
        // What a cell holds and where: fields are of plain letters.
        let mut row = String::new();
        let mut cells = Vec::new();
        for x in area.x..area.x + area.width {
            let Some(cell) = buffer.cell((x, y)) else { continue };
            cells.push((row.len(), x));
            row.push_str(cell.symbol());
        }
        for field in replies::unfilled_fields(&row) {
            let within = cells.iter().filter(|(at, _)| field.contains(at));
            for (_, x) in within {
                if let Some(cell) = buffer.cell_mut((*x, y)) {
                    cell.set_style(theme.selected());
                }
            }
        }
    }
}
