//! Text in a popup, wrapped and scrolled.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::spoken::SpokenPage;
use crate::keys::{KeyCode, KeyPress};
use crate::layout::Area;
use crate::overlays::overlay::{KeyOutcome, Overlay, RESERVED_ROWS};
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

/// Keys on the frame.
const KEYS: &str = "j k scroll · Esc back";

/// Any key that does not scroll closes the view.
#[derive(Debug)]
pub struct TextView {
    pub title: String,
    pub lines: Vec<SafeText>,
    pub first_visible: usize,
    /// True for a popup that is no larger than its text.
    is_fitted: bool,
}

impl TextView {
    pub fn new(title: impl Into<String>, lines: Vec<SafeText>) -> Self {
        Self { title: title.into(), lines, first_visible: 0, is_fitted: false }
    }

    /// A popup that is no larger than its text, scrolled to a line.
    pub(crate) fn fitted(title: impl Into<String>, lines: Vec<SafeText>, first_visible: usize) -> Self {
        Self { first_visible, is_fitted: true, ..Self::new(title, lines) }
    }

    fn area(&self, inbox: &Inbox) -> Area {
        let (columns, rows) = inbox.context.size;
        let most = rows.saturating_sub(2);
        let width = columns.saturating_sub(4);
        if !self.is_fitted {
            return centered(inbox, width, most);
        }
        let widest = self.lines.iter().map(|line| wrap::cells(line.as_str())).max().unwrap_or(0);
        // Corners, and a space on both sides of each title.
        let titles = wrap::cells(&self.title) + wrap::cells(KEYS) + 7;
        let width = width.min(u16::try_from(titles.max(widest + 4)).unwrap_or(u16::MAX));
        let inner = centered(inbox, width, most).inner().width.saturating_sub(2);
        let height = u16::try_from(self.rows(inner).count() + 2).unwrap_or(most);
        centered(inbox, width, height.min(most))
    }

    fn rows(&self, width: u16) -> impl Iterator<Item = &str> {
        self.lines.iter().flat_map(move |line| {
            let parts = wrap::wrap(line.as_str(), usize::from(width));
            parts.into_iter().map(|part| line.as_str()[part].trim_end())
        })
    }
}

impl Overlay for TextView {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let total = self.rows(self.area(inbox).inner().width.saturating_sub(2)).count();
        match scroll_offset_after_key(self.first_visible, key, usize::from(inbox.context.size.1), total) {
            Some(first) => self.first_visible = first,
            None => return KeyOutcome::Done,
        }
        KeyOutcome::Stay
    }
}

impl OverlayView for TextView {
    fn describe(&self, _inbox: &Inbox) -> SpokenPage {
        let page = SpokenPage::new([&self.title]);
        self.lines.iter().fold(page, |page, line| page.text(line.as_str())).keys(KEYS)
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = self.area(inbox);
        paint_view::popup(
            buffer,
            area,
            theme,
            (&[(self.title.as_str(), theme.strong())], &[(KEYS, theme.dim())]),
        );
        let inner = area.inner();
        let width = inner.width.saturating_sub(2);
        for (y, row) in (inner.y..inner.y + inner.height).zip(self.rows(width).skip(self.first_visible)) {
            paint_view::text(buffer, inner.x + 1, y, width, row, Style::new());
        }
        None
    }
}

/// First visible line after a key; `None` if the key does not scroll.
pub(crate) fn scroll_offset_after_key(
    first: usize,
    key: KeyPress,
    rows: usize,
    total: usize,
) -> Option<usize> {
    // Some rows stay free around a popup, two are its border.
    let shown = rows.saturating_sub(usize::from(RESERVED_ROWS) + 2).max(1);
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
