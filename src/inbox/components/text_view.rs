//! Lines that are read and scrolled, over the screen. Long ones go on below.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::keys::{KeyCode, KeyPress};
use crate::layout::Area;
use crate::overlays::overlay::{AROUND, KeyOutcome, Overlay};
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

/// The lines; any key that does not scroll closes them.
#[derive(Debug)]
pub struct TextView {
    pub title: String,
    pub lines: Vec<SafeText>,
    /// First row on screen.
    pub first: usize,
}

impl TextView {
    /// These lines, from the first on.
    pub fn new(title: impl Into<String>, lines: Vec<SafeText>) -> Self {
        Self { title: title.into(), lines, first: 0 }
    }

    /// The rows it takes at a width.
    fn rows(&self, width: u16) -> impl Iterator<Item = &str> {
        self.lines.iter().flat_map(move |line| {
            let parts = wrap::wrap(line.as_str(), usize::from(width));
            parts.into_iter().map(|part| line.as_str()[part].trim_end())
        })
    }
}

impl Overlay for TextView {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let total = self.rows(place(inbox).inner().width.saturating_sub(2)).count();
        match scrolled(self.first, key, usize::from(inbox.context.size.1), total) {
            Some(first) => self.first = first,
            None => return KeyOutcome::Done,
        }
        KeyOutcome::Stay
    }
}

impl OverlayView for TextView {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = place(inbox);
        let hint = "j k scroll · Esc back";
        paint_view::popup(
            buffer,
            area,
            theme,
            (&[(self.title.as_str(), theme.strong())], &[(hint, theme.quiet())]),
        );
        let inner = area.inner();
        let width = inner.width.saturating_sub(2);
        for (y, row) in (inner.y..inner.y + inner.height).zip(self.rows(width).skip(self.first)) {
            paint_view::text(buffer, inner.x + 1, y, width, row, Style::new());
        }
        None
    }
}

fn place(inbox: &Inbox) -> Area {
    let (columns, rows) = inbox.context.size;
    centered(inbox, columns.saturating_sub(4), rows.saturating_sub(2))
}

/// The first of so many lines after a key; `None` for a key that does not scroll.
pub(crate) fn scrolled(first: usize, key: KeyPress, rows: usize, total: usize) -> Option<usize> {
    // Some rows stay free around a layer, two are its border.
    let shown = rows.saturating_sub(usize::from(AROUND) + 2).max(1);
    let page = shown.saturating_sub(2).max(1);
    let last = total.saturating_sub(shown);
    let moved = match key.code {
        KeyCode::Char('j') | KeyCode::Down => Some(first + 1),
        KeyCode::Char('k') | KeyCode::Up => Some(first.saturating_sub(1)),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(first + page),
        KeyCode::PageUp => Some(first.saturating_sub(page)),
        KeyCode::Char('d') if key.ctrl => Some(first + page / 2),
        KeyCode::Char('u') if key.ctrl => Some(first.saturating_sub(page / 2)),
        KeyCode::Home | KeyCode::Char('g') => Some(0),
        KeyCode::End | KeyCode::Char('G') => Some(last),
        _ => None,
    };
    moved.map(|entry| entry.min(last))
}
