//! The pages of cards: a list, and all of the chosen card beside or below it.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::loads::Pane;
use crate::loads::update as loads;
use crate::pages::update as pages;
use crate::resource::LoadState;
use crate::screens::cards::{Bar, CardEmphasis, PageCard};
use crate::screens::people::view::divide;
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

/// Columns of a card's kind.
const KIND: u16 = 12;
/// Columns of a label at least.
const LABEL: usize = 10;
/// Columns of a bar at most.
const BAR: u16 = 40;

/// Draws the current page.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (list, detail) = pages::page_areas(inbox);
    frame(inbox, theme, area, buffer);
    let cards = &inbox.cards.cards;
    if cards.rows.is_empty() {
        let inner = area.inner();
        let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        paint_view::paragraph(buffer, place, &deck_empty(inbox), theme.quiet());
        return;
    }
    let chosen = cards.index();
    for (index, card) in cards.rows.iter().enumerate().skip(cards.first).take(usize::from(list.height)) {
        let y = list.y + u16::try_from(index - cards.first).unwrap_or(0);
        let place = Area { y, height: 1, ..list };
        row(theme, card, place, buffer);
        if chosen == Some(index) {
            paint_view::stripe(buffer, place, theme.selected());
            paint_view::text(buffer, place.x, y, 1, theme.mark(), theme.strong());
        }
    }
    if let (Some(area), Some(card)) = (detail, cards.chosen()) {
        divide(theme, list, area, buffer);
        let below = area.x <= list.x;
        let top = area.y + u16::from(below);
        let height = (area.y + area.height).saturating_sub(top);
        whole(
            theme,
            card,
            Area { x: area.x + 1, y: top, width: area.width.saturating_sub(2), height },
            buffer,
        );
    }
}

fn deck_empty(inbox: &Inbox) -> String {
    match loads::shown(inbox, Pane::Page) {
        LoadState::Well => inbox.cards.deck_empty(&inbox.desk, &inbox.context),
        LoadState::Slow(_) | LoadState::Failed(_) => loading_view::empty_pane_text(inbox, Pane::Page),
    }
}

fn frame(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (name, asking) = inbox.cards.deck_head(&inbox.desk);
    let search = SafeText::line(inbox.cards.search.trim());
    let looks = if search.is_empty() { String::new() } else { format!(" · {search}") };
    let title = format!("{name} · {}", inbox.desk.tab().channel.name);
    let asks = if asking { "asking the server · " } else { "" };
    let count = inbox.cards.cards.rows.len().to_string();
    let titles = [(title.as_str(), theme.strong()), (looks.as_str(), theme.own())];
    let right = [(asks, theme.quiet()), (count.as_str(), Style::new())];
    paint_view::frame(buffer, area, theme, inbox.context.layers.is_empty(), Sides::All, (&titles, &right));
}

fn row(theme: Theme, card: &PageCard, area: Area, buffer: &mut Buffer) {
    let (x, width) = (area.x + 2, area.width.saturating_sub(3));
    let plain = match card.weight {
        CardEmphasis::Plain => Style::new(),
        CardEmphasis::Loud => theme.error(),
        CardEmphasis::Dim => theme.quiet(),
    };
    let kind = if card.weight == CardEmphasis::Loud { theme.error() } else { theme.quiet() };
    paint_view::text(buffer, x, area.y, KIND - 1, &card.kind, kind);
    let used = paint_view::runs_right(
        buffer,
        x + KIND,
        area.y,
        width.saturating_sub(KIND),
        &[(&card.right, theme.quiet())],
    );
    let room = width.saturating_sub(KIND + used + 1);
    let title =
        paint_view::text(buffer, x + KIND, area.y, room, card.title.as_str(), plain.patch(theme.strong()));
    let left = room.saturating_sub(title + 2);
    paint_view::text(buffer, x + KIND + title + 2, area.y, left, card.words.as_str(), theme.quiet());
}

/// All lines of a card, each as long as it needs, and its chart, as far as
/// there is room.
fn whole(theme: Theme, card: &PageCard, area: Area, buffer: &mut Buffer) {
    let labels = card.lines.iter().map(|line| &line.0).chain(card.bars.iter().map(|bar| &bar.label));
    let widest = labels.map(|label| wrap::cells(label.as_str())).max().unwrap_or(0);
    let most = usize::from(area.width) * 2 / 5;
    let indent = u16::try_from(widest.max(LABEL).min(most) + 1).unwrap_or(0);
    let end = area.y + area.height;
    let column = usize::from(area.width.saturating_sub(indent));
    let rows = card.lines.iter().map(|line| wrap::wrap(line.1.as_str(), column).len().max(1));
    let all_fit = rows.sum::<usize>() <= usize::from(area.height);
    let mut y = area.y;
    for (place, (label, words)) in card.lines.iter().enumerate() {
        if y >= end {
            return;
        }
        let left = card.lines.len() - place;
        if y + 1 == end && left > 1 {
            let words = format!("… {left} more; a wider or higher screen shows them");
            paint_view::text(buffer, area.x, y, area.width, &words, theme.quiet());
            return;
        }
        paint_view::text(buffer, area.x, y, indent.saturating_sub(1), label.as_str(), theme.quiet());
        // Where not all fits, one long value leaves room for the others.
        let height = (end - y).min(if left > 1 && !all_fit { 4 } else { u16::MAX });
        let room = Area { x: area.x + indent, y, width: area.width.saturating_sub(indent), height };
        y += paint_view::paragraph(buffer, room, words.as_str(), Style::new()).max(1);
    }
    let chart = Area { y, height: end.saturating_sub(y), ..area };
    bars(theme, &card.bars, indent, chart, buffer);
}

/// A chart: a line for each bar, the longest as long as there is room.
fn bars(theme: Theme, bars: &[Bar], indent: u16, area: Area, buffer: &mut Buffer) {
    let longest = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let words = bars.iter().map(|bar| wrap::cells(&bar.words)).max().unwrap_or(0);
    let words = u16::try_from(words).unwrap_or(0) + 1;
    let room = area.width.saturating_sub(indent + words).min(BAR);
    let full = if theme.ascii { "#" } else { "█" };
    for (bar, y) in bars.iter().zip(area.y..area.y + area.height) {
        paint_view::text(buffer, area.x, y, indent.saturating_sub(1), bar.label.as_str(), theme.quiet());
        let cells =
            (1..=room).filter(|entry| bar.value * f64::from(room) >= longest * f64::from(*entry)).count();
        // What is more than nothing is seen.
        let cells = cells.max(usize::from(bar.value > 0.0 && room > 0));
        let used = paint_view::text(buffer, area.x + indent, y, room, &full.repeat(cells), theme.own());
        let after = area.x + indent + used + u16::from(used > 0);
        paint_view::text(
            buffer,
            after,
            y,
            (area.x + area.width).saturating_sub(after),
            &bar.words,
            Style::new(),
        );
    }
}
