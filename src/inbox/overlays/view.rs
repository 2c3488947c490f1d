//! Popups: boxes of text and lists.

use std::fmt::Debug;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::SpokenPage;
use crate::keys::KeyPress;
use crate::layout::Area;
use crate::overlays::overlay::{PopupTarget, RESERVED_ROWS};
use crate::theme_view::Theme;
use crate::wrap;

/// Content of a popup: lines in a box, or its own drawing.
pub trait OverlayView: Debug {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        Dialog::default()
    }

    /// Text for plain mode. A popup with its own drawing has its own text.
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        self.dialog(inbox).describe()
    }

    /// Rows of its list, if a row can be selected.
    fn rows(&self, _inbox: &Inbox) -> Option<ShownRows> {
        None
    }

    /// Draws the popup; returns the position of the cursor.
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let words = fit_dialog(inbox, self.dialog(inbox));
        let mark = if theme.ascii { "_" } else { "▏" };
        let lines = words.lines.iter().map(|line| (line.with_cursor(mark), tone_style(theme, line.tone)));
        dialog(inbox, theme, &words.title, &lines.collect::<Lines>(), buffer);
        let is_pointed = |key| inbox.context.is_second_click(PopupTarget::Key(key));
        for (_, place) in answer_areas(inbox, &words).into_iter().filter(|(key, _)| is_pointed(*key)) {
            paint_view::stripe(buffer, place, theme.selected());
        }
        None
    }

    fn target_at(&self, inbox: &Inbox, cell: (u16, u16)) -> Option<PopupTarget> {
        let answers = answer_areas(inbox, &fit_dialog(inbox, self.dialog(inbox)));
        let answer = answers.into_iter().find(|(_, place)| place.contains(cell));
        let row = || self.rows(inbox)?.row_at(cell).map(PopupTarget::Row);
        answer.map(|(key, _)| PopupTarget::Key(key)).or_else(row)
    }
}

/// Draws the topmost popup; returns the position of the cursor.
pub fn draw(inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
    inbox.context.overlays.last()?.draw(inbox, theme, buffer)
}

pub(crate) type Lines = Vec<(String, Style)>;

pub(crate) fn plain_line(words: impl Into<String>) -> (String, Style) {
    (words.into(), Style::new())
}

pub(crate) fn blank_line() -> (String, Style) {
    plain_line("")
}

pub(crate) fn tone_style(theme: Theme, tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => theme.strong(),
        Tone::Dim => theme.dim(),
        Tone::Error => theme.urgent(),
        Tone::NeedsAttention => theme.soon(),
        Tone::Own => theme.you(),
        Tone::Customer => theme.customer(),
        Tone::Selected => theme.selected(),
    }
}

/// A box in the middle of the screen, which leaves the tabs and the last line visible.
pub fn centered(inbox: &Inbox, width: u16, height: u16) -> Area {
    let (columns, rows) = inbox.context.size;
    let width = width.min(columns.saturating_sub(2));
    let height = height.min(rows.saturating_sub(RESERVED_ROWS));
    let y = ((rows - height) / 2).min(rows.saturating_sub(height + 1));
    Area { x: (columns - width) / 2, y, width, height }
}

/// Shortens the text so that the answers below it fit.
fn fit_dialog(inbox: &Inbox, mut dialog: Dialog) -> Dialog {
    let width = text_width(dialog_width(inbox));
    let room = usize::from(inbox.context.size.1.saturating_sub(RESERVED_ROWS + 2));
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
            let part = wrap::wrap(&line.text, width)[has - over - 1].clone();
            let last = wrap::cut(&format!("{}…", line.text[part.clone()].trim_end()), width);
            line.text = format!("{}{last}", &line.text[..part.start]);
        }
        over = over.saturating_sub(has);
    }
    dialog
}

fn answer_areas(inbox: &Inbox, dialog: &Dialog) -> Vec<(KeyPress, Area)> {
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

/// Cells of a line in a box of this width.
fn text_width(width: u16) -> usize {
    usize::from(width.saturating_sub(4))
}

fn dialog_width(inbox: &Inbox) -> u16 {
    74.min(inbox.context.size.0.saturating_sub(2))
}

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
