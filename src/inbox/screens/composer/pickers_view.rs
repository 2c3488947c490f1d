//! Pickers and the composer's menu.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::picker::Picker;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::composer::canned::ReplyPicker;
use crate::screens::composer::emoji::EmojiPicker;
use crate::screens::composer::menu;
use crate::screens::composer::menu::{ComposerMenu, ComposerMenuItem};
use crate::theme_view::Theme;
use crate::wrap;
use model::emoji;
use model::replies::{self, CannedReply, ReplyOrigin};
use model::text::SafeText;

const PICKER_ROWS: u16 = 7;

pub struct PickerTexts {
    pub title: String,
    pub hint: String,
    pub empty: String,
    pub entries: Vec<(String, String)>,
}

impl PickerTexts {
    /// Returns the text for plain mode.
    pub(crate) fn describe(&self, picker: &Picker) -> SpokenPage {
        let rows = self.entries.iter().map(|(short, long)| SpokenRow::new([short, long]));
        let chosen = picker.chosen.min(self.entries.len().saturating_sub(1));
        let empty = if self.entries.is_empty() { self.empty.as_str() } else { "" };
        let query = SafeText::line(&picker.query);
        let page = SpokenPage::new([self.title.as_str(), query.as_str()]).text(empty);
        page.rows(rows, Some(chosen)).keys(&self.hint)
    }
}

fn picker_area(inbox: &Inbox) -> Area {
    let (columns, rows) = inbox.context.size;
    centered(inbox, columns.min(86), rows.min(20))
}

pub fn shown_entries(inbox: &Inbox, picker: &Picker, count: usize) -> ShownRows {
    // The first line is the query; the selected entry must stay visible below.
    let inner = picker_area(inbox).inner();
    let height = PICKER_ROWS.min(inner.height.saturating_sub(2));
    ShownRows::centered(Area { y: inner.y + 1, height, ..inner }, count, picker.chosen)
}

/// Draws query, entries and hint; returns the area left for a preview.
pub fn draw_picker(
    inbox: &Inbox,
    theme: Theme,
    picker: &Picker,
    words: &PickerTexts,
    buffer: &mut Buffer,
) -> Area {
    let area = picker_area(inbox);
    let count = format!("{}", words.entries.len());
    let titles = (&[(words.title.as_str(), theme.strong())][..], &[(count.as_str(), theme.dim())][..]);
    paint_view::popup(buffer, area, theme, titles);
    let hint = format!(" {} ", words.hint);
    paint_view::text(buffer, area.x + 1, area.y + area.height - 1, area.width - 2, &hint, theme.dim());
    let inner = area.inner();
    let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
    let query = SafeText::line(&picker.query);
    paint_view::runs(
        buffer,
        x,
        inner.y,
        width,
        &[("> ", theme.strong()), (query.as_str(), Style::new()), ("_", theme.dim())],
    );
    if words.entries.is_empty() {
        let place = Area { x, y: inner.y + 2, width, height: inner.height.saturating_sub(2) };
        paint_view::paragraph(buffer, place, &words.empty, theme.dim());
        return Area { height: 0, ..place };
    }
    let shown = PICKER_ROWS.min(inner.height.saturating_sub(2));
    let rows = shown_entries(inbox, picker, words.entries.len());
    let wide = words.entries.iter().map(|(text, _)| wrap::cells(text)).max().unwrap_or(0).clamp(4, 24);
    let column = u16::try_from(wide).unwrap_or(24);
    for (index, place) in rows.areas() {
        let ((short, long), y) = (&words.entries[index], place.y);
        paint_view::text(buffer, x + 1, y, column, short, theme.strong());
        paint_view::text(buffer, x + column + 3, y, width.saturating_sub(column + 3), long, Style::new());
        if index == rows.chosen {
            paint_view::stripe(buffer, place, theme.selected());
        }
    }
    let y = inner.y + 2 + shown;
    Area { x, y, width, height: (inner.y + inner.height).saturating_sub(y) }
}

impl ReplyPicker {
    fn texts(&self, inbox: &Inbox) -> PickerTexts {
        let canned = &inbox.desk.canned;
        let found = canned.search(&self.picker.query, inbox.desk.tab());
        let line = |text: &str| SafeText::line(text).to_string();
        let title = |reply: &CannedReply| {
            let origin = match &reply.origin {
                ReplyOrigin::Local => None,
                ReplyOrigin::LocalInsteadOfShared => Some("yours, not the team's".to_owned()),
                ReplyOrigin::Shared(author) => Some(format!("shared by {author}")),
            };
            let title = Some(line(&reply.title)).filter(|title| !title.is_empty());
            title.into_iter().chain(origin).collect::<Vec<_>>().join(" · ")
        };
        let entries = found.iter().map(|reply| (line(&reply.name), title(reply))).collect();
        let folder = line(&canned.folder);
        let empty = match &canned.replies {
            None => "Reading…".to_owned(),
            Some(all) if all.is_empty() => {
                format!(
                    "No canned replies yet. Each file NAME.md in {folder} is one, with fields such as \
                     {{contact.first_name}}, {{agent.name}} and {{order?}}."
                )
            }
            Some(_) => "No match".to_owned(),
        };
        let hint = "Enter inserts · type to find · Esc back".to_owned();
        PickerTexts { title: "Canned replies".to_owned(), hint, empty, entries }
    }

    /// Text of the chosen reply, with its fields filled in.
    fn preview(&self, inbox: &Inbox) -> Option<SafeText> {
        let found = inbox.desk.canned.search(&self.picker.query, inbox.desk.tab());
        let chosen = found.get(self.picker.chosen.min(found.len().saturating_sub(1)))?;
        let variables = inbox.connections.reply_variables(&inbox.desk, &inbox.context);
        Some(SafeText::block(&replies::fill_fields(&chosen.body, &variables)))
    }

    /// Names the first file that could not be read.
    fn describe_problem(inbox: &Inbox) -> Option<String> {
        let problems = &inbox.desk.canned.problems;
        let problem = problems.first()?;
        let more = problems.len() - 1;
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        Some(SafeText::line(&format!("not read: {problem}{more}")).to_string())
    }
}

impl OverlayView for ReplyPicker {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let page = self.texts(inbox).describe(&self.picker);
        let page = page.text(Self::describe_problem(inbox).unwrap_or_default());
        page.detail(self.preview(inbox).unwrap_or_default().as_str())
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let found = inbox.desk.canned.search(&self.picker.query, inbox.desk.tab()).len();
        Some(shown_entries(inbox, &self.picker, found))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let mut place = draw_picker(inbox, theme, &self.picker, &self.texts(inbox), buffer);
        if let Some(text) = Self::describe_problem(inbox) {
            let y = (place.y + place.height).saturating_sub(1);
            paint_view::text(buffer, place.x, y, place.width, &text, theme.urgent());
            place.height = place.height.saturating_sub(1);
        }
        if let Some(text) = self.preview(inbox) {
            paint_view::paragraph(buffer, place, text.as_str(), Style::new());
            highlight_fields(buffer, place, theme);
        }
        None
    }
}

impl EmojiPicker {
    fn texts(&self) -> PickerTexts {
        let entry =
            |emoji: emoji::Emoji| (emoji.glyph.to_owned(), format!(":{}:  {}", emoji.short_name, emoji.name));
        PickerTexts {
            title: "Emoji".to_owned(),
            hint: "Enter inserts · type to find · Esc back".to_owned(),
            empty: "No match".to_owned(),
            entries: emoji::search(&self.picker.query).into_iter().map(entry).collect(),
        }
    }
}

impl OverlayView for EmojiPicker {
    fn describe(&self, _inbox: &Inbox) -> SpokenPage {
        self.texts().describe(&self.picker)
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(shown_entries(inbox, &self.picker, emoji::search(&self.picker.query).len()))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        draw_picker(inbox, theme, &self.picker, &self.texts(), buffer);
        None
    }
}

fn menu_area(inbox: &Inbox) -> Area {
    centered(inbox, 66, u16::try_from(menu::shown_items(inbox).len()).unwrap_or(20) + 2)
}

const MENU_TITLE: &str = "Write or send";
const MENU_KEYS: &str = "letter or Enter · Esc back";

impl OverlayView for ComposerMenu {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let row = |item: &ComposerMenuItem| {
            let (key, words) = item.key_and_label();
            let off = menu::unavailable_reason(inbox, *item).unwrap_or_default();
            SpokenRow::new([format!("{key} {words}"), off])
        };
        let items = menu::shown_items(inbox);
        let rows = items.iter().map(row);
        SpokenPage::new([MENU_TITLE]).rows(rows, Some(self.chosen)).keys(MENU_KEYS)
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        Some(ShownRows::centered(menu_area(inbox).inner(), menu::shown_items(inbox).len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = menu_area(inbox);
        paint_view::popup(buffer, area, theme, (&[(MENU_TITLE, theme.strong())], &[]));
        let hint = format!(" {MENU_KEYS} ");
        paint_view::text(buffer, area.x + 1, area.y + area.height - 1, area.width - 2, &hint, theme.dim());
        let inner = area.inner();
        let items = menu::shown_items(inbox);
        for (index, place) in self.rows(inbox).into_iter().flat_map(ShownRows::areas) {
            let (entry, y) = (items[index], place.y);
            let (key, words) = entry.key_and_label();
            let off = menu::unavailable_reason(inbox, entry);
            let style = if off.is_some() { theme.dim() } else { Style::new() };
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
                paint_view::text(buffer, inner.x + 3 + used, y, room, &why, theme.dim());
            }
            if index == self.chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
        }
        None
    }
}

pub fn highlight_fields(buffer: &mut Buffer, area: Area, theme: Theme) {
    for y in area.y..area.y + area.height {
        // Byte offsets of the cells: field names are plain letters.
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
