//! Draws a mail being written: header fields, attachments, text and quote.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::screens::composer::Composer;
use crate::screens::mail::compose_header::{BODY_FOCUS, ComposeHeader, FIELD_LABELS, SUBJECT_FIELD};
use crate::screens::mail::review_layout::describe_file;
use crate::tab::Tab;
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::bounds;
use model::email::quoting::QuoteStyle;
use model::prices::{self, Price};
use model::text::SafeText;
use model::time::SECOND;

const LABEL_WIDTH: u16 = 9;

pub fn draw(
    inbox: &Inbox,
    theme: Theme,
    composer: &Composer,
    head: &ComposeHeader,
    area: Area,
    buffer: &mut Buffer,
) -> Option<Position> {
    let tab = inbox.desk.tab();
    let focused = inbox.context.overlays.is_empty();
    let (label, style) = tabs_view::environment_label(tab, theme);
    let word = if head.html { "Mail as HTML" } else { "Mail" };
    let dot = if label.is_empty() { "" } else { " · " };
    let counted = format_count(theme, head);
    let right = [(counted.0.as_str(), counted.1)];
    let left = [(word, theme.strong()), (dot, theme.dim()), (label, style)];
    let right: &[paint_view::Run<'_>] = if counted.0.is_empty() { &[] } else { &right };
    paint_view::frame(buffer, area, theme, focused, Sides::Joined, (&left, right));
    draw_footer(inbox, theme, tab, area, buffer);
    let inner = area.inner();
    let (y, mut cursor) = draw_fields(theme, head, inner, buffer);
    let below = draw_quote_line(inbox, theme, head, inner, buffer);
    let text = Area { y, height: (inner.y + inner.height).saturating_sub(y + below), ..inner };
    composer.text_area().render(paint_view::rect(text), buffer);
    if head.focus == BODY_FOCUS {
        let (row, column) = composer.cursor_cell();
        cursor = Some(Position {
            x: text.x + column.min(text.width.saturating_sub(1)),
            y: text.y + row.min(text.height.saturating_sub(1)),
        });
    }
    cursor.filter(|_| focused)
}

/// Draws fields, suggestions, attachments and errors; returns the next row and the cursor.
fn draw_fields(
    theme: Theme,
    head: &ComposeHeader,
    area: Area,
    buffer: &mut Buffer,
) -> (u16, Option<Position>) {
    let mut y = area.y;
    let end = area.y + area.height.saturating_sub(2);
    let mut cursor = None;
    if let Some(from) = head.from.as_ref().filter(|_| y < end) {
        paint_view::text(buffer, area.x, y, LABEL_WIDTH, "From", theme.dim());
        let (x, width) = (area.x + LABEL_WIDTH, area.width.saturating_sub(LABEL_WIDTH));
        paint_view::text(buffer, x, y, width, SafeText::line(from).as_str(), theme.dim());
        y += 1;
    }
    if let Some(note) = head.answer_note.as_ref().filter(|_| y < end) {
        paint_view::text(buffer, area.x, y, area.width, SafeText::line(note).as_str(), theme.soon());
        y += 1;
    }
    let shown: Vec<usize> = head.visible_fields().collect();
    for at in shown {
        if y >= end {
            break;
        }
        let here = at == head.focus;
        let style = if here { theme.strong() } else { theme.dim() };
        paint_view::text(buffer, area.x, y, LABEL_WIDTH, FIELD_LABELS[at], style);
        let place =
            Area { x: area.x + LABEL_WIDTH, y, width: area.width.saturating_sub(LABEL_WIDTH), height: 1 };
        let column = draw_field(&head.fields[at], place, here, buffer);
        if here {
            cursor = Some(Position { x: column, y });
        }
        y += 1;
        if !here {
            continue;
        }
        for (index, suggestion) in
            head.suggestions.iter().enumerate().take(usize::from(end.saturating_sub(y)))
        {
            let name = suggestion.name.as_ref().map_or_else(String::new, |name| format!("  {name}"));
            let words = format!("{}{name}", suggestion.email);
            let style = if index == head.chosen { theme.selected() } else { theme.dim() };
            paint_view::text(buffer, place.x, y, place.width, &words, style);
            y += 1;
        }
    }
    for (row, place) in head.listed_files().enumerate() {
        if y >= end {
            break;
        }
        let here = head.focused_file() == Some(place);
        let label = if row == 0 { "Files" } else { "" };
        paint_view::text(buffer, area.x, y, LABEL_WIDTH, label, theme.dim());
        let words = file_label(head, place, here);
        let (x, width) = (area.x + LABEL_WIDTH, area.width.saturating_sub(LABEL_WIDTH));
        let style = if here { theme.selected() } else { Style::new() };
        paint_view::text(buffer, x, y, width, SafeText::line(&words).as_str(), style);
        if here {
            cursor = Some(Position { x, y });
        }
        y += 1;
    }
    if let Some(wrong) = head.error.as_ref().filter(|_| y < end) {
        paint_view::text(buffer, area.x, y, area.width, SafeText::line(wrong).as_str(), theme.urgent());
        y += 1;
    }
    let across = theme.border_set()[4];
    for x in area.x..area.x + area.width {
        paint_view::text(buffer, x, y, 1, across, theme.dim());
    }
    (y + 1, cursor)
}

/// An attachment with its number if not all are visible.
fn file_label(head: &ComposeHeader, place: usize, here: bool) -> String {
    let words = head.files.get(place).map(describe_file).unwrap_or_default();
    let (count, listed) = (head.files.len(), head.listed_files());
    let counted = match listed.len() < count && place + 1 == listed.end {
        true => format!(" · {}/{count}", place + 1),
        false => String::new(),
    };
    let key = if here { " · Del takes it off" } else { "" };
    format!("{words}{counted}{key}")
}

/// Draws a field scrolled to its cursor; returns the cursor's column.
fn draw_field(field: &TextLine, place: Area, here: bool, buffer: &mut Buffer) -> u16 {
    let (before, after) = (SafeText::line(field.before()), field.after().to_owned());
    // `SafeText` trims trailing blanks, but the cursor is after them.
    let blanks = field.before().len() - field.before().trim_end().len();
    let before = format!("{before}{}", " ".repeat(blanks));
    let room = usize::from(place.width.saturating_sub(1));
    let skip = if here { wrap::cells(&before).saturating_sub(room.saturating_sub(2)) } else { 0 };
    let shown: String = before.chars().skip(skip).collect();
    let used = paint_view::text(buffer, place.x, place.y, place.width, &shown, Style::new());
    let rest = SafeText::line(&after);
    paint_view::text(
        buffer,
        place.x + used,
        place.y,
        place.width.saturating_sub(used),
        rest.as_str(),
        Style::new(),
    );
    place.x + used.min(place.width.saturating_sub(1))
}

/// Draws the line about the quote; returns the number of lines used.
fn draw_quote_line(
    inbox: &Inbox,
    theme: Theme,
    head: &ComposeHeader,
    area: Area,
    buffer: &mut Buffer,
) -> u16 {
    let mut lines = Vec::new();
    if let Some(quote) = &head.quote {
        let count = quote.lines().count();
        let key = |command| inbox.context.settings.keymap.key_name_in_text(command);
        let (turn, take) = (key(Command::TurnMarkup), key(Command::SwitchMode));
        let go = match head.quoting {
            QuoteStyle::Above => "above",
            QuoteStyle::Nowhere => "left out",
            QuoteStyle::Below | QuoteStyle::Between => "below",
        };
        let place = head.quoting.next().word();
        lines.push(format!("▸ {count} quoted lines {go} · {turn} {place} · {take} into the text"));
    }
    let count = u16::try_from(lines.len()).unwrap_or(0);
    let first = (area.y + area.height).saturating_sub(count);
    for (y, words) in (first..).zip(&lines) {
        let words = SafeText::line(words);
        let words = wrap::cut_at_word(words.as_str(), usize::from(area.width));
        paint_view::text(buffer, area.x, y, area.width, &words, theme.dim());
    }
    count
}

fn format_count(theme: Theme, head: &ComposeHeader) -> (String, Style) {
    let length = bounds::count_chars(head.fields[SUBJECT_FIELD].text());
    if length * 5 < bounds::MAX_SUBJECT_CHARS * 4 {
        return (String::new(), theme.dim());
    }
    let style = if length > bounds::MAX_SUBJECT_CHARS { theme.urgent() } else { theme.soon() };
    (format!("subject {length}/{}", bounds::MAX_SUBJECT_CHARS), style)
}

fn describe_price(tab: &Tab) -> String {
    tab.describe_price(Price::exactly(prices::EMAIL_CREDITS))
}

fn draw_footer(inbox: &Inbox, theme: Theme, tab: &Tab, area: Area, buffer: &mut Buffer) {
    let y = area.y + area.height.saturating_sub(1);
    let held = match inbox.context.settings.mail_hold / SECOND {
        0 => "at once".to_owned(),
        seconds => format!("held {seconds} s"),
    };
    let key = |command| inbox.context.settings.keymap.key_name_in_text(command);
    let (review, file) = (key(Command::Send), key(Command::Attach));
    let words = format!(" {review} review · {} · {held} · Tab fields · {file} file ", describe_price(tab));
    let width = area.width.saturating_sub(2);
    let words = wrap::cut_at_word(&words, usize::from(width));
    paint_view::text(buffer, area.x + 1, y, width, &words, theme.dim());
}
