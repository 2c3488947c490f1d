use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::components::paint_view;
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

/// Draws a text scrolled to its cursor.
pub(crate) fn draw(
    theme: Theme,
    value: &TextLine,
    (focused, style): (bool, Style),
    area: Area,
    buffer: &mut Buffer,
) {
    let (before, after) = (SafeText::line(value.before()), SafeText::line(value.after()));
    let skip = wrap::cells(before.as_str()).saturating_sub(usize::from(area.width.saturating_sub(2)));
    let before: String = before.as_str().chars().skip(if focused { skip } else { 0 }).collect();
    let cursor = if focused { "_" } else { "" };
    let runs = [(before.as_str(), style), (cursor, theme.strong()), (after.as_str(), style)];
    paint_view::runs(buffer, area.x, area.y, area.width, &runs);
}
