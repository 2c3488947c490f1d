//! Draws the last line.

use ratatui::buffer::Buffer;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::view::tone_style;
use crate::status::{self, LineStart, SEPARATOR, SEPARATOR_CELLS};
use crate::theme_view::Theme;
use crate::wrap;

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let line = status::status_line(inbox, area);
    let (x, width) = (area.x + 1, area.width.saturating_sub(2));
    match &line.start {
        LineStart::Text(text, tone) => {
            let text = wrap::cut_at_word(text, usize::from(width));
            paint_view::text(buffer, x, area.y, width, &text, tone_style(theme, *tone));
        }
        LineStart::Keys(hints) => {
            for (index, (x, hint)) in hints.iter().enumerate() {
                let mut x = *x;
                let runs = [
                    (hint.key.as_str(), theme.strong()),
                    (" ", theme.dim()),
                    (hint.word.as_str(), theme.dim()),
                ];
                x += paint_view::runs(buffer, x, area.y, hint.cells(), &runs);
                if index + 1 < hints.len() {
                    paint_view::text(buffer, x, area.y, SEPARATOR_CELLS, SEPARATOR, theme.dim());
                }
            }
        }
    }
    let mut runs = Vec::new();
    for (text, tone) in &line.news {
        if !runs.is_empty() {
            runs.push((SEPARATOR, theme.dim()));
        }
        runs.push((text.as_str(), tone_style(theme, *tone)));
    }
    paint_view::runs_right(buffer, x, area.y, width, &runs);
}
