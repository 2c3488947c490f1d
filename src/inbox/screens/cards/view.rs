//! Pages of cards: a list, and the selected card beside or below it.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::spoken::{SpokenPage, SpokenRow, count_rows};
use crate::layout::Area;
use crate::loads::Pane;
use crate::loads::update as loads;
use crate::pages::update as pages;
use crate::resource::LoadState;
use crate::screens::cards::{CardEmphasis, ChartBar, PageCard};
use crate::screens::people::view::draw_divider;
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

const KIND_WIDTH: u16 = 12;
const MIN_LABEL_WIDTH: usize = 10;
const MAX_BAR_WIDTH: u16 = 40;

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (list, detail) = pages::page_areas(inbox);
    draw_frame(inbox, theme, area, buffer);
    let cards = &inbox.cards.cards;
    if cards.rows.is_empty() {
        let inner = area.inner();
        let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        paint_view::paragraph(buffer, place, &empty_text(inbox), theme.dim());
        return;
    }
    let chosen = cards.index();
    for (index, card) in
        cards.rows.iter().enumerate().skip(cards.first_visible).take(usize::from(list.height))
    {
        let y = list.y + u16::try_from(index - cards.first_visible).unwrap_or(0);
        let place = Area { y, height: 1, ..list };
        draw_row(theme, card, place, buffer);
        if chosen == Some(index) {
            paint_view::stripe(buffer, place, theme.selected());
            paint_view::text(buffer, place.x, y, 1, theme.selection_mark(), theme.strong());
        }
    }
    if let (Some(area), Some(card)) = (detail, cards.chosen()) {
        draw_divider(theme, list, area, buffer);
        let below = area.x <= list.x;
        let top = area.y + u16::from(below);
        let height = (area.y + area.height).saturating_sub(top);
        draw_card(
            theme,
            card,
            Area { x: area.x + 1, y: top, width: area.width.saturating_sub(2), height },
            buffer,
        );
    }
}

fn empty_text(inbox: &Inbox) -> String {
    match loads::pane_state(inbox, Pane::Page) {
        LoadState::Current => inbox.cards.empty_text(&inbox.desk, &inbox.context),
        LoadState::Slow(_) | LoadState::Failed(_) => loading_view::empty_pane_text(inbox, Pane::Page),
    }
}

/// Returns the text of the page for plain mode.
pub(crate) fn describe(inbox: &Inbox) -> SpokenPage {
    let cards = &inbox.cards.cards;
    let (title, search, asking) = frame_titles(inbox);
    let count = count_rows(&cards.rows.len().to_string());
    let page = SpokenPage::new([title + &search, asking.to_owned(), count]);
    let page = page.text(if cards.rows.is_empty() { empty_text(inbox) } else { String::new() });
    let rows = cards.rows.iter().map(|card| {
        SpokenRow::new([card.kind.as_str(), card.title.as_str(), card.text.as_str()])
            .with_times(card.trailing.as_str())
    });
    let page = page.rows(rows, cards.index());
    let Some(card) = cards.chosen() else { return page };
    let lines = card.lines.iter().map(|(label, words)| format!("{label} {words}"));
    let bars = card.bars.iter().map(|bar| format!("{} {}", bar.label, bar.caption));
    lines.chain(bars).fold(page, |page, words| page.detail(words))
}

/// Title of the page, its search, and its loading state.
fn frame_titles(inbox: &Inbox) -> (String, String, &'static str) {
    let (name, asking) = inbox.cards.page_title(&inbox.desk);
    let search = SafeText::line(inbox.cards.search.trim());
    let looks = if search.is_empty() { String::new() } else { format!(" · {search}") };
    let title = format!("{name} · {}", inbox.desk.tab().channel.name);
    (title, looks, if asking { "asking the server" } else { "" })
}

fn draw_frame(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (title, looks, asking) = frame_titles(inbox);
    let asks = if asking.is_empty() { String::new() } else { format!("{asking} · ") };
    let count = inbox.cards.cards.rows.len().to_string();
    let titles = [(title.as_str(), theme.strong()), (looks.as_str(), theme.strong())];
    let right = [(asks.as_str(), theme.dim()), (count.as_str(), Style::new())];
    paint_view::frame(buffer, area, theme, inbox.context.overlays.is_empty(), Sides::All, (&titles, &right));
}

fn draw_row(theme: Theme, card: &PageCard, area: Area, buffer: &mut Buffer) {
    let (x, width) = (area.x + 2, area.width.saturating_sub(3));
    let plain = match card.emphasis {
        CardEmphasis::Plain => Style::new(),
        CardEmphasis::Loud => theme.urgent(),
        CardEmphasis::Dim => theme.dim(),
    };
    let kind = if card.emphasis == CardEmphasis::Loud { theme.urgent() } else { theme.dim() };
    paint_view::text(buffer, x, area.y, KIND_WIDTH - 1, &card.kind, kind);
    let used = paint_view::runs_right(
        buffer,
        x + KIND_WIDTH,
        area.y,
        width.saturating_sub(KIND_WIDTH),
        &[(&card.trailing, theme.dim())],
    );
    let room = width.saturating_sub(KIND_WIDTH + used + 1);
    let title = paint_view::text(
        buffer,
        x + KIND_WIDTH,
        area.y,
        room,
        card.title.as_str(),
        plain.patch(theme.strong()),
    );
    let left = room.saturating_sub(title + 2);
    paint_view::text(buffer, x + KIND_WIDTH + title + 2, area.y, left, card.text.as_str(), theme.dim());
}

/// Draws the lines of a card, wrapped, and its chart, as far as there is room.
fn draw_card(theme: Theme, card: &PageCard, area: Area, buffer: &mut Buffer) {
    let labels = card.lines.iter().map(|line| &line.0).chain(card.bars.iter().map(|bar| &bar.label));
    let widest = labels.map(|label| wrap::cells(label.as_str())).max().unwrap_or(0);
    let most = usize::from(area.width) * 2 / 5;
    let indent = u16::try_from(widest.max(MIN_LABEL_WIDTH).min(most) + 1).unwrap_or(0);
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
            let words = format!("… {left} more on a larger screen");
            paint_view::text(buffer, area.x, y, area.width, &words, theme.dim());
            return;
        }
        paint_view::text(buffer, area.x, y, indent.saturating_sub(1), label.as_str(), theme.dim());
        // If not everything fits, limit the height of a value.
        let height = (end - y).min(if left > 1 && !all_fit { 4 } else { u16::MAX });
        let room = Area { x: area.x + indent, y, width: area.width.saturating_sub(indent), height };
        y += paint_view::paragraph(buffer, room, words.as_str(), Style::new()).max(1);
    }
    let chart = Area { y, height: end.saturating_sub(y), ..area };
    draw_bars(theme, &card.bars, indent, chart, buffer);
}

/// Draws one line per bar, scaled to the longest.
fn draw_bars(theme: Theme, bars: &[ChartBar], indent: u16, area: Area, buffer: &mut Buffer) {
    let longest = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let words = bars.iter().map(|bar| wrap::cells(&bar.caption)).max().unwrap_or(0);
    let words = u16::try_from(words).unwrap_or(0) + 1;
    let room = area.width.saturating_sub(indent + words).min(MAX_BAR_WIDTH);
    let full = if theme.ascii { "#" } else { "█" };
    for (bar, y) in bars.iter().zip(area.y..area.y + area.height) {
        paint_view::text(buffer, area.x, y, indent.saturating_sub(1), bar.label.as_str(), theme.dim());
        let cells =
            (1..=room).filter(|entry| bar.value * f64::from(room) >= longest * f64::from(*entry)).count();
        // A positive value gets at least one cell.
        let cells = cells.max(usize::from(bar.value > 0.0 && room > 0));
        let used = paint_view::text(buffer, area.x + indent, y, room, &full.repeat(cells), theme.accent());
        let after = area.x + indent + used + u16::from(used > 0);
        paint_view::text(
            buffer,
            after,
            y,
            (area.x + area.width).saturating_sub(after),
            &bar.caption,
            Style::new(),
        );
    }
}
