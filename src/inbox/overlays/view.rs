//! What lies over the desk: questions, the reaction picker, raw items.

use std::fmt::Debug;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::keys::KeyPress;
use crate::layout::Area;
use crate::overlays::overlay::{AROUND, PopupTarget};
use crate::theme_view::Theme;
use crate::wrap;

/// What a popup shows: words in a box, or what it draws itself.
pub trait OverlayView: Debug {
    /// The words.
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        Dialog::default()
    }

    /// The rows of its list, if it is one of them that is chosen.
    fn rows(&self, _inbox: &Inbox) -> Option<ShownRows> {
        None
    }

    /// Draws it; says where its cursor stands.
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let words = fitted(inbox, self.dialog(inbox));
        let mark = if theme.ascii { "_" } else { "▏" };
        let lines = words.lines.iter().map(|line| (line.with_cursor(mark), toned(theme, line.tone)));
        dialog(inbox, theme, &words.title, &lines.collect::<Lines>(), buffer);
        let is_pointed = |key| inbox.context.is_pointed(PopupTarget::Key(key));
        for (_, place) in placed_answers(inbox, &words).into_iter().filter(|(key, _)| is_pointed(*key)) {
            paint_view::stripe(buffer, place, theme.selected());
        }
        None
    }

    /// What a click on a cell is about.
    fn target_at(&self, inbox: &Inbox, cell: (u16, u16)) -> Option<PopupTarget> {
        let answers = placed_answers(inbox, &fitted(inbox, self.dialog(inbox)));
        let answer = answers.into_iter().find(|(_, place)| place.contains(cell));
        let row = || self.rows(inbox)?.at(cell).map(PopupTarget::Row);
        answer.map(|(key, _)| PopupTarget::Key(key)).or_else(row)
    }
}

/// Draws the topmost popup, if there is one; says where its cursor stands.
pub fn draw(inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
    inbox.context.layers.last()?.draw(inbox, theme, buffer)
}

/// Words with their styles.
pub(crate) type Lines = Vec<(String, Style)>;

pub(crate) fn plain(words: impl Into<String>) -> (String, Style) {
    (words.into(), Style::new())
}

pub(crate) fn gap() -> (String, Style) {
    plain("")
}

/// The style of a line.
pub(crate) fn toned(theme: Theme, tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => theme.strong(),
        Tone::Dim => theme.quiet(),
        Tone::Error => theme.error(),
        Tone::Waiting => theme.needs_a_person(),
        Tone::Own => theme.own(),
        Tone::Customer => theme.customer(),
        Tone::Ai => theme.ai_on(),
        Tone::Selected => theme.selected(),
    }
}

/// A box in the middle of the screen. The tabs above it and the two lines
/// below it are always seen.
pub fn centered(inbox: &Inbox, width: u16, height: u16) -> Area {
    let (columns, rows) = inbox.context.size;
    let width = width.min(columns.saturating_sub(2));
    let height = height.min(rows.saturating_sub(AROUND));
    let y = ((rows - height) / 2).min(rows.saturating_sub(height + 2));
    Area { x: (columns - width) / 2, y, width, height }
}

/// Words with as much cut off as leaves room for the answers below them.
fn fitted(inbox: &Inbox, mut dialog: Dialog) -> Dialog {
    let width = text_width(dialog_width(inbox));
    let room = usize::from(inbox.context.size.1.saturating_sub(AROUND + 2));
    let rows = |dialog_line: &DialogLine| wrap::wrap(&dialog_line.with_cursor("_"), width).len().max(1);
    let Some(first) = dialog.lines.iter().position(|line| !line.answers.is_empty()) else { return dialog };
    let mut over = dialog.lines.iter().map(rows).sum::<usize>().saturating_sub(room);
    for at in (0..first).rev() {
        let line = &mut dialog.lines[at];
        let has = rows(line);
        if over == 0 || line.cursor.is_some() {
            continue;
        }
        if has <= over {
            dialog.lines.remove(at);
        } else {
            let part = wrap::wrap(&line.words, width)[has - over - 1].clone();
            let last = wrap::cut(&format!("{}…", line.words[part.clone()].trim_end()), width);
            line.words = format!("{}{last}", &line.words[..part.start]);
        }
        over = over.saturating_sub(has);
    }
    dialog
}

/// The keys that a box names, and where.
fn placed_answers(inbox: &Inbox, dialog: &Dialog) -> Vec<(KeyPress, Area)> {
    let lines: Vec<String> = dialog.lines.iter().map(|line| line.with_cursor("_")).collect();
    let area = dialog_area(inbox, lines.iter());
    let (x, mut y) = (area.x + 2, area.y + 1);
    let mut placed = Vec::new();
    for (line, words) in dialog.lines.iter().zip(&lines) {
        let parts = wrap::wrap(words, text_width(area.width));
        for (row, part) in (y..area.y + area.height.saturating_sub(1)).zip(&parts) {
            for (key, at) in &line.answers {
                let (from, to) = (at.start.max(part.start), at.end.min(part.end));
                if from < to {
                    let cells = |text: &str| u16::try_from(wrap::cells(text)).unwrap_or(u16::MAX);
                    let (x, width) = (x + cells(&words[part.start..from]), cells(words[from..to].trim_end()));
                    placed.push((*key, Area { x, y: row, width, height: 1 }));
                }
            }
        }
        y += u16::try_from(parts.len()).unwrap_or(u16::MAX).max(1);
    }
    placed
}

/// Cells of a line in a box this wide.
fn text_width(width: u16) -> usize {
    usize::from(width.saturating_sub(4))
}

fn dialog_width(inbox: &Inbox) -> u16 {
    74.min(inbox.context.size.0.saturating_sub(2))
}

/// A box with room for these lines.
fn dialog_area<'a>(inbox: &Inbox, lines: impl Iterator<Item = &'a String>) -> Area {
    let width = dialog_width(inbox);
    let rows: usize = lines.map(|line| wrap::wrap(line, text_width(width)).len()).sum();
    centered(inbox, width, u16::try_from(rows + 2).unwrap_or(u16::MAX))
}

pub(crate) fn dialog(
    inbox: &Inbox,
    theme: Theme,
    title: &str,
    lines: &[(String, Style)],
    buffer: &mut Buffer,
) {
    let area = dialog_area(inbox, lines.iter().map(|line| &line.0));
    paint_view::popup(buffer, area, theme, (&[(title, theme.strong())], &[]));
    let inner = area.inner();
    let mut y = inner.y;
    for (words, style) in lines {
        let place = Area {
            x: inner.x + 1,
            y,
            width: inner.width.saturating_sub(2),
            height: (inner.y + inner.height).saturating_sub(y),
        };
        y += paint_view::paragraph(buffer, place, words, *style).max(1);
    }
}
