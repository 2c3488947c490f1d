//! The page that looks for words in everything seen: the line, what was
//! found, and how far back this desk's data goes.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::layout::Area;
use crate::loads::Pane;
use crate::loads::update as loads;
use crate::overlays::found_view;
use crate::overlays::search::{LINES, Search, SearchPrompt};
use crate::overlays::view::OverlayView;
use crate::theme_view::Theme;
use crate::wrap;

impl OverlayView for SearchPrompt {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        // Its first two lines are what is looked for, and how far back.
        let inner = inbox.desk.areas(&inbox.context).body.inner();
        let area = Area { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
        let search = &inbox.features.search;
        Some(ShownRows::scrolled(area, LINES, search.first, (search.found.len(), search.chosen)))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = inbox.desk.areas(&inbox.context).body;
        let search = &inbox.features.search;
        let scope = if search.only_here { inbox.desk.tab().channel.name.as_str() } else { "all tabs" };
        let title = format!("Search · {scope}");
        let (titles, count) = ([(title.as_str(), theme.strong())], count(search));
        paint_view::popup(buffer, area, theme, (&titles, &[(count.as_str(), Style::new())]));
        let inner = area.inner();
        let prompt = "look for ";
        let used = paint_view::text(buffer, inner.x + 1, inner.y, inner.width, prompt, theme.strong());
        let x = inner.x + 1 + used;
        let room = inner.width.saturating_sub(used + 2);
        // What was looked for before is marked: the next character replaces it.
        let (kept, given) = search.text.text().split_at(search.text.replaced_from());
        paint_view::runs(buffer, x, inner.y, room, &[(kept, Style::new()), (given, theme.selected())]);
        let before = u16::try_from(wrap::cells(search.text.before())).unwrap_or(u16::MAX);
        let cursor = Position { x: x + before.min(room), y: inner.y };
        paint_view::text(
            buffer,
            inner.x + 1,
            inner.y + 1,
            inner.width.saturating_sub(2),
            &reach(inbox),
            theme.quiet(),
        );
        let list = Area { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
        if search.found.is_empty() {
            let words = nothing(inbox);
            let place = Area { x: list.x + 1, width: list.width.saturating_sub(2), ..list };
            paint_view::paragraph(buffer, place, &words, theme.quiet());
        }
        for (index, place) in self.rows(inbox).into_iter().flat_map(ShownRows::places) {
            found_view::draw(inbox, theme, &search.found[index], place, buffer);
            if index == search.chosen {
                paint_view::text(buffer, place.x, place.y, 1, theme.mark(), theme.strong());
                paint_view::text(buffer, place.x, place.y + 1, 1, theme.mark(), theme.strong());
                paint_view::stripe(buffer, Area { height: 1, ..place }, theme.selected());
            }
        }
        loading_view::edge(
            inbox,
            theme,
            Pane::Layer,
            Area { y: area.y + area.height.saturating_sub(1), ..area },
            buffer,
        );
        Some(cursor)
    }
}

fn count(search: &Search) -> String {
    match (search.answered, search.more, search.found.len()) {
        (false, _, 0) => String::new(),
        (_, true, count) => format!("{count}+"),
        (_, false, count) => count.to_string(),
    }
}

/// How far back what can be found goes.
fn reach(inbox: &Inbox) -> String {
    let since = inbox.features.search.since.map(|at| at.day_name(&inbox.context.settings.zone));
    let base = match since {
        Some(day) => format!("what this desk has read, back to {day}; then the server's contacts"),
        None => "what this desk has read; then the server's contacts".to_owned(),
    };
    if inbox.features.search.partial {
        format!("{base}; older messages are still being made ready")
    } else {
        base
    }
}

fn nothing(inbox: &Inbox) -> String {
    let search = &inbox.features.search;
    match loads::shown(inbox, Pane::Layer).describe() {
        _ if !search.is_asked() => {
            "Type two letters or more: beginnings of words, all of which must be found.".to_owned()
        }
        _ if search.answered => "Not found in what this desk has read.".to_owned(),
        Some(words) => words,
        None => "Looking…".to_owned(),
    }
}
