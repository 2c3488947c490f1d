//! What lies over the desk: questions, the reaction picker, raw items.

use std::fmt::Debug;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::dialog::{Dialog, Tone};
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::overlay::AROUND;
use crate::theme_view::Theme;
use crate::wrap;

/// What a popup shows: words in a box, or what it draws itself.
pub trait OverlayView: Debug {
    /// The words.
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        Dialog::default()
    }

    /// Draws it; says where its cursor stands.
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let words = self.dialog(inbox);
        let mark = if theme.ascii { "_" } else { "▏" };
        let lines = words.lines.iter().map(|it| (it.with_cursor(mark), toned(theme, it.tone)));
        dialog(inbox, theme, &words.title, &lines.collect::<Lines>(), buffer);
        None
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
fn toned(theme: Theme, tone: Tone) -> Style {
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

pub(crate) fn dialog(
    inbox: &Inbox,
    theme: Theme,
    title: &str,
    lines: &[(String, Style)],
    buffer: &mut Buffer,
) {
    let width = 74.min(inbox.context.size.0.saturating_sub(2));
    let text_width = usize::from(width.saturating_sub(4));
    let rows: usize = lines.iter().map(|(words, _)| wrap::wrap(words, text_width).len()).sum();
    let area = centered(inbox, width, u16::try_from(rows + 2).unwrap_or(u16::MAX));
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
