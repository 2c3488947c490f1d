//! The timeline of a person: the ways to reach them above what was said.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::context::Context;
use crate::features::person::update::ways_lines;
use crate::features::person::{PersonTimeline, TimelineLine, name_of};
use crate::layout::Area;
use crate::loads::Pane;
use crate::overlays::overlay::AROUND;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::history::lines::HistoryItem;
use crate::theme_view::Theme;
use crate::wrap;
use model::messages::Sender;
use model::person::PersonPage;

/// Rows above the messages: the cheapest way, all of them, by what they were
/// joined, and a line.
const HEAD: u16 = 6;
/// Rows for all ways.
const WAYS: u16 = 3;

/// Columns inside the frame.
pub(super) fn width_of(context: &Context) -> usize {
    usize::from(context.size.0.saturating_sub(6))
}

/// Rows for messages.
pub(super) fn rows_of(context: &Context) -> usize {
    usize::from(context.size.1.saturating_sub(AROUND + 2 + HEAD).max(1))
}

impl OverlayView for PersonTimeline {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let (columns, rows) = inbox.context.size;
        let area = centered(inbox, columns.saturating_sub(2), rows);
        let name = self.page.as_ref().and_then(|page| page.conversations.first());
        let name = name.map_or_else(String::new, |name| format!("{} · ", name.row.conversation.title()));
        let title = format!("{name}all channels");
        let hint = "Enter goes there · Esc back";
        let titles = ([(title.as_str(), theme.strong())], [(hint, theme.quiet())]);
        paint_view::popup(buffer, area, theme, (&titles.0, &titles.1));
        let inner = area.inner();
        let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        let Some(page) = &self.page else {
            let words = loading_view::words(inbox, Pane::Layer);
            paint_view::text(buffer, place.x, place.y, place.width, &words, theme.quiet());
            return None;
        };
        head(inbox, theme, page, place, buffer);
        let below = Area { y: place.y + HEAD, height: place.height.saturating_sub(HEAD), ..place };
        let chosen = self.index();
        let shown = self.lines.iter().skip(self.first).take(usize::from(below.height));
        for (y, line) in (below.y..).zip(shown) {
            let place = Area { y, height: 1, ..below };
            draw_line(inbox, theme, page, line, place, buffer);
            if matches!(line, TimelineLine::Text { item, first: true, .. } if *item == chosen) {
                paint_view::text(buffer, inner.x, y, 1, theme.mark(), theme.strong());
            }
        }
        None
    }
}

fn head(inbox: &Inbox, theme: Theme, page: &PersonPage, area: Area, buffer: &mut Buffer) {
    let (best, all) = ways_lines(inbox, page);
    paint_view::text(buffer, area.x, area.y, area.width, &best, theme.strong());
    let ways = Area { y: area.y + 1, height: WAYS, ..area };
    paint_view::paragraph(buffer, ways, &all, Style::new());
    let shared = page.shared.iter().map(|entry| format!("{entry} stands with several numbers: not joined"));
    let by = page.phones.iter().chain(&page.emails).cloned().collect::<Vec<_>>().join(", ");
    let by = match by.is_empty() {
        true => "no number and no mail address is known: nothing is joined".to_owned(),
        false => format!("joined by {by}"),
    };
    let words = std::iter::once(by).chain(shared).collect::<Vec<_>>().join(" · ");
    paint_view::text(buffer, area.x, area.y + 1 + WAYS, area.width, &words, theme.quiet());
    let across = theme.border_set()[4].repeat(usize::from(area.width));
    paint_view::text(buffer, area.x, area.y + HEAD - 1, area.width, &across, theme.quiet());
}

fn draw_line(
    inbox: &Inbox,
    theme: Theme,
    page: &PersonPage,
    line: &TimelineLine,
    area: Area,
    buffer: &mut Buffer,
) {
    match line {
        TimelineLine::Day(words) | TimelineLine::Note(words) => {
            let wide = u16::try_from(wrap::cells(words)).unwrap_or(0).min(area.width);
            let x = area.x + (area.width - wide) / 2;
            paint_view::text(buffer, x, area.y, wide, words, theme.quiet());
        }
        TimelineLine::Text { item, first, words } => {
            let Some(message) = page.messages.get(*item) else { return };
            let conversation = &page.conversations[message.conversation].row;
            if *first {
                let time = message.at.clock_face(&inbox.context.settings.zone);
                paint_view::text(buffer, area.x + 1, area.y, 5, &time, theme.quiet());
                let name = name_of(&inbox.desk.tabs, &conversation.key());
                paint_view::text(buffer, area.x + 7, area.y, 12, &name, theme.strong());
                let title = conversation.conversation.title();
                let customer = title.as_str().split(' ').next().unwrap_or_default().to_owned();
                let said = HistoryItem::Message(Box::new(message.row.clone()));
                let sender = said.sender(&customer, &inbox.context.settings.senders);
                let style = match message.row.message.sender {
                    Sender::Customer => theme.customer(),
                    Sender::Ai => theme.ai_on(),
                    Sender::Api | Sender::Broadcast | Sender::Human | Sender::Unknown(_) => Style::new(),
                };
                paint_view::text(buffer, area.x + 20, area.y, 12, &sender, style);
            }
            let x = area.x + 33;
            paint_view::text(buffer, x, area.y, area.width.saturating_sub(33), words, Style::new());
        }
    }
}
