//! Says in place of the composer that the past is shown.

use ratatui::buffer::Buffer;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::features::past::NOT_RECORDED;
use crate::features::past::update::note_words;
use crate::layout::Area;
use crate::theme_view::Theme;
use crate::wrap;

/// Draws it.
pub(crate) fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let Some(past) = inbox.context.past else { return };
    let words = inbox.context.past_words().unwrap_or_default();
    let title = [("THE PAST", theme.needs_a_person()), (" · ", theme.quiet()), (&words, theme.strong())];
    let right = [("read only · Esc returns", theme.quiet())];
    paint_view::frame(buffer, area, theme, false, Sides::Joined, (&title, &right));
    let inner = area.inner();
    let before = past.note.and_then(|note| note.since).is_some_and(|time| past.at < time);
    let early = past.note.filter(|note| before || note.is_cut).map(|note| note_words(&inbox.context, note));
    let early = early.map_or_else(String::new, |text| text + " ");
    let whole = format!("{early}Not recorded: {NOT_RECORDED}.");
    let fits = wrap::wrap(&whole, usize::from(inner.width)).len() <= usize::from(inner.height);
    let words = if fits || early.is_empty() { whole } else { early };
    paint_view::paragraph(buffer, inner, &words, theme.quiet());
}
