//! The line being typed at the foot of the screen: where the status was, with
//! what is wrong or what may follow where the hints were.
//!
//! Knows nothing of what the line does.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::app::App;
use crate::app::layers::Layer;
use crate::app::layout::{Area, Areas};
use crate::app::line::{Kind, Line};
use crate::app::text_line::TextLine;
use crate::app::wrap;
use crate::model::filter;
use crate::ui::paint;
use crate::ui::theme::Theme;

/// Draws the line, if one is being typed; says where its cursor stands.
pub fn draw(app: &App, theme: Theme, areas: &Areas, buffer: &mut Buffer) -> Option<Position> {
    let Some(Layer::Line(line)) = app.layers.last() else { return None };
    paint::blank(buffer, areas.status);
    paint::blank(buffer, areas.hints);
    let place = Area { x: areas.status.x + 1, width: areas.status.width.saturating_sub(2), ..areas.status };
    let mistakes = mistakes(line);
    let cursor = typed(prompt(&line.kind), &line.text, &mistakes, place, theme, buffer);
    let hints = Area { x: areas.hints.x + 1, width: areas.hints.width.saturating_sub(2), ..areas.hints };
    match mistakes.first() {
        Some(mistake) => paint::text(buffer, hints.x, hints.y, hints.width, &mistake.words, theme.error()),
        None => paint::text(buffer, hints.x, hints.y, hints.width, &help(app, line), theme.dim()),
    };
    Some(cursor)
}

fn prompt(kind: &Kind) -> &'static str {
    match kind {
        Kind::Filter(_) => "filter / ",
    }
}

/// What is wrong in the line.
fn mistakes(line: &Line) -> Vec<filter::Mistake> {
    match line.kind {
        Kind::Filter(_) => filter::parse(line.text.text()).mistakes,
    }
}

/// What may follow.
fn help(_app: &App, line: &Line) -> String {
    match line.kind {
        Kind::Filter(_) => filter_help(line.text.text()),
    }
}

fn filter_help(text: &str) -> String {
    let word = text.rsplit(' ').next().unwrap_or("").trim_start_matches('-');
    let field = word.split_once(':').map(|(field, _)| field);
    match field.map(|it| (it, filter::known_values(it))) {
        Some((field, known @ [_, ..])) => format!("{field}: {}", known.join("  ")),
        _ => "Enter keeps · Esc clears · status: ai: window: from: tag: has: is: · -not · \"a phrase\""
            .to_owned(),
    }
}

/// Draws prompt and text, scrolled so that the cursor is seen; what is wrong
/// is marked.
fn typed(
    prompt: &str,
    text: &TextLine,
    mistakes: &[filter::Mistake],
    place: Area,
    theme: Theme,
    buffer: &mut Buffer,
) -> Position {
    let used = paint::text(buffer, place.x, place.y, place.width, prompt, theme.strong());
    let room = place.width.saturating_sub(used + 1);
    let skipped = skipped(text.before(), usize::from(room));
    let mut x = place.x + used;
    for (at, it) in text.text().char_indices().skip_while(|(at, _)| *at < skipped) {
        let wrong = mistakes.iter().any(|mistake| mistake.at.contains(&at));
        let style = if wrong { theme.error().patch(theme.selected()) } else { Style::new() };
        let left = (place.x + place.width).saturating_sub(x);
        x += paint::text(buffer, x, place.y, left, it.encode_utf8(&mut [0; 4]), style);
    }
    let before = wrap::cells(&text.before()[skipped..]);
    Position { x: place.x + used + u16::try_from(before).unwrap_or(0).min(room), y: place.y }
}

/// Bytes that are scrolled out of sight at the left.
fn skipped(before: &str, room: usize) -> usize {
    let too_wide = |at: &usize| wrap::cells(&before[*at..]) > room;
    let starts = before.char_indices().map(|(at, _)| at);
    starts
        .take_while(too_wide)
        .last()
        .map_or(0, |at| before[at..].char_indices().nth(1).map_or(before.len(), |(next, _)| at + next))
}
