//! Draws the last line: keys and words, or what the exercise says.

use ratatui::buffer::Buffer;

use crate::Inbox;
use crate::components::paint_view;
use crate::hints;
use crate::layout::Areas;
use crate::theme_view::Theme;

/// Draws the hints. Where their line is hidden, what belongs to what is going on
/// stands over the status.
pub fn draw(inbox: &Inbox, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let area = match areas.hints.height {
        0 if hints::is_wanted(inbox) => {
            paint_view::blank(buffer, areas.status);
            areas.status
        }
        0 => return,
        _ => areas.hints,
    };
    let (from, end) = hints::span(area);
    if let Some(words) = inbox.keyboard.tutor_line(&inbox.context) {
        paint_view::text(buffer, from, area.y, end - from, &words, theme.strong());
        return;
    }
    for (x, hint) in hints::placed(inbox, from, end) {
        let used = paint_view::text(buffer, x, area.y, end - x, &hint.key, theme.strong());
        let x = x + used + 1;
        paint_view::text(buffer, x, area.y, end.saturating_sub(x), &hint.word, theme.quiet());
    }
}
