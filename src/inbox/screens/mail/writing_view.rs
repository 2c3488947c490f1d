//! A mail being written: its head with what goes along over its text, what is
//! quoted below.

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
use crate::screens::mail::head::{BODY, Head, LABELS, SUBJECT};
use crate::screens::mail::last_look::file_words;
use crate::tab::Tab;
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::bounds;
use model::email::quoting::QuoteStyle;
use model::prices::{self, Price};
use model::text::SafeText;
use model::time::SECOND;

/// Columns of the fields' names.
const LABEL: u16 = 9;

/// Draws the mail; says where the cursor stands.
pub fn compose(
    inbox: &Inbox,
    theme: Theme,
    composer: &Composer,
    head: &Head,
    area: Area,
    buffer: &mut Buffer,
) -> Option<Position> {
    let tab = inbox.desk.tab();
    let focused = inbox.context.layers.is_empty();
    let (label, style) = tabs_view::environment(tab, theme);
    let word = if head.html { "Mail as HTML · " } else { "Mail · " };
    let counted = counted(theme, head);
    let right = [(counted.0.as_str(), counted.1)];
    let left = [(word, theme.strong()), (label, style)];
    let right: &[paint_view::Run<'_>] = if counted.0.is_empty() { &[] } else { &right };
    paint_view::frame(buffer, area, theme, focused, Sides::Joined, (&left, right));
    bottom(inbox, theme, tab, area, buffer);
    let inner = area.inner();
    let (y, mut cursor) = fields(theme, head, inner, buffer);
    let below = below(inbox, theme, head, inner, buffer);
    let text = Area { y, height: (inner.y + inner.height).saturating_sub(y + below), ..inner };
    composer.area().render(paint_view::rect(text), buffer);
    if head.at == BODY {
        let (row, column) = composer.cursor_cell();
        cursor = Some(Position {
            x: text.x + column.min(text.width.saturating_sub(1)),
            y: text.y + row.min(text.height.saturating_sub(1)),
        });
    }
    cursor.filter(|_| focused)
}

/// The fields, who is offered, the files, and what is wrong; the row after them.
fn fields(theme: Theme, head: &Head, area: Area, buffer: &mut Buffer) -> (u16, Option<Position>) {
    let mut y = area.y;
    let end = area.y + area.height.saturating_sub(2);
    let mut cursor = None;
    if let Some(from) = head.from.as_ref().filter(|_| y < end) {
        paint_view::text(buffer, area.x, y, LABEL, "From", theme.quiet());
        let (x, width) = (area.x + LABEL, area.width.saturating_sub(LABEL));
        paint_view::text(buffer, x, y, width, SafeText::line(from).as_str(), theme.quiet());
        y += 1;
    }
    if let Some(note) = head.answer_note.as_ref().filter(|_| y < end) {
        paint_view::text(
            buffer,
            area.x,
            y,
            area.width,
            SafeText::line(note).as_str(),
            theme.needs_a_person(),
        );
        y += 1;
    }
    let shown: Vec<usize> = head.shown().collect();
    for at in shown {
        if y >= end {
            break;
        }
        let here = at == head.at;
        let style = if here { theme.strong() } else { theme.quiet() };
        paint_view::text(buffer, area.x, y, LABEL, LABELS[at], style);
        let place = Area { x: area.x + LABEL, y, width: area.width.saturating_sub(LABEL), height: 1 };
        let column = line(&head.fields[at], place, here, buffer);
        if here {
            cursor = Some(Position { x: column, y });
        }
        y += 1;
        if !here {
            continue;
        }
        for (index, it) in head.offered.iter().enumerate().take(usize::from(end.saturating_sub(y))) {
            let name = it.name.as_ref().map_or_else(String::new, |name| format!("  {name}"));
            let words = format!("{}{name}", it.email);
            let style = if index == head.chosen { theme.selected() } else { theme.quiet() };
            paint_view::text(buffer, place.x, y, place.width, &words, style);
            y += 1;
        }
    }
    for (row, place) in head.listed().enumerate() {
        if y >= end {
            break;
        }
        let here = head.file_at() == Some(place);
        let label = if row == 0 { "Files" } else { "" };
        paint_view::text(buffer, area.x, y, LABEL, label, theme.quiet());
        let words = listed_file(head, place, here);
        let (x, width) = (area.x + LABEL, area.width.saturating_sub(LABEL));
        let style = if here { theme.selected() } else { Style::new() };
        paint_view::text(buffer, x, y, width, SafeText::line(&words).as_str(), style);
        if here {
            cursor = Some(Position { x, y });
        }
        y += 1;
    }
    if let Some(wrong) = head.wrong.as_ref().filter(|_| y < end) {
        paint_view::text(buffer, area.x, y, area.width, SafeText::line(wrong).as_str(), theme.error());
        y += 1;
    }
    let across = theme.border_set()[4];
    for x in area.x..area.x + area.width {
        paint_view::text(buffer, x, y, 1, across, theme.quiet());
    }
    (y + 1, cursor)
}

/// A file of the list, with how many there are where not all are seen.
fn listed_file(head: &Head, place: usize, here: bool) -> String {
    let words = head.files.get(place).map(file_words).unwrap_or_default();
    let (count, listed) = (head.files.len(), head.listed());
    let counted = match listed.len() < count && place + 1 == listed.end {
        true => format!(" · {}/{count}", place + 1),
        false => String::new(),
    };
    let key = if here { " · Del takes it off" } else { "" };
    format!("{words}{counted}{key}")
}

/// A field with the part around its cursor in sight; the cursor's column.
fn line(field: &TextLine, place: Area, here: bool, buffer: &mut Buffer) -> u16 {
    let (before, after) = (SafeText::line(field.before()), field.after().to_owned());
    // A blank at the end is trimmed, and yet the cursor stands behind it.
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

/// What is quoted; how many lines it takes.
fn below(inbox: &Inbox, theme: Theme, head: &Head, area: Area, buffer: &mut Buffer) -> u16 {
    let mut lines = Vec::new();
    if let Some(quote) = &head.quote {
        let count = quote.lines().count();
        let key = |command| inbox.context.settings.keymap.named_in_text(command);
        let (turn, take) = (key(Command::TurnMarkup), key(Command::SwitchMode));
        let go = match head.quoting {
            QuoteStyle::Above => "go above",
            QuoteStyle::Nowhere => "stay out",
            QuoteStyle::Below | QuoteStyle::Between => "go below",
        };
        let place = head.quoting.next().word();
        lines.push(format!("▸ {count} quoted lines {go} · {turn} {place} · {take} takes them into the text"));
    }
    let count = u16::try_from(lines.len()).unwrap_or(0);
    let first = (area.y + area.height).saturating_sub(count);
    for (y, words) in (first..).zip(&lines) {
        paint_view::text(buffer, area.x, y, area.width, SafeText::line(words).as_str(), theme.quiet());
    }
    count
}

fn counted(theme: Theme, head: &Head) -> (String, Style) {
    let length = bounds::count_chars(head.fields[SUBJECT].text());
    if length * 5 < bounds::MAX_SUBJECT_CHARS * 4 {
        return (String::new(), theme.quiet());
    }
    let style = if length > bounds::MAX_SUBJECT_CHARS { theme.error() } else { theme.needs_a_person() };
    (format!("subject {length}/{}", bounds::MAX_SUBJECT_CHARS), style)
}

/// The price of a mail, as it stands on the key.
fn price(tab: &Tab) -> String {
    tab.price_words(Price::exactly(prices::EMAIL_CREDITS))
}

fn bottom(inbox: &Inbox, theme: Theme, tab: &Tab, area: Area, buffer: &mut Buffer) {
    let y = area.y + area.height.saturating_sub(1);
    let held = match inbox.context.settings.mail_hold / SECOND {
        0 => "at once".to_owned(),
        seconds => format!("held {seconds} s"),
    };
    let key = |command| inbox.context.settings.keymap.named_in_text(command);
    let (review, file) = (key(Command::Send), key(Command::Attach));
    let words = format!(" {review} review · {} · {held} · Tab fields · {file} file ", price(tab));
    paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, theme.quiet());
}
