//! Draws the search page: the line, the hits, and the range of local data.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::SpokenPage;
use crate::layout::Area;
use crate::loads::Pane;
use crate::loads::update as loads;
use crate::overlays::overlay::Overlay;
use crate::overlays::search::{LINES_PER_HIT, Search, SearchPrompt};
use crate::overlays::search_result_view;
use crate::overlays::view::OverlayView;
use crate::theme_view::Theme;
use crate::wrap;
use model::text::SafeText;

const PROMPT: &str = "search ";

impl OverlayView for SearchPrompt {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let search = &inbox.features.search;
        let title = [search_title(inbox), result_count(search)];
        let empty = if search.results.is_empty() { empty_text(inbox) } else { String::new() };
        let typed = format!("{PROMPT}{}", SafeText::line(search.text.text()));
        let page = SpokenPage::new(title).text(typed).text(search_scope(inbox)).text(empty);
        let rows = search.results.iter().map(|found| search_result_view::describe(inbox, found));
        let keys = self.hints(inbox).unwrap_or_default();
        let keys: Vec<String> = keys.into_iter().map(|(key, word)| format!("[{key}] {word}")).collect();
        page.rows(rows, Some(search.chosen)).key_line(keys.join(", "))
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        // Its first two lines are the search text and its range.
        let inner = inbox.desk.areas(&inbox.context).body.inner();
        let area = Area { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
        let search = &inbox.features.search;
        Some(ShownRows::scrolled_to(
            area,
            LINES_PER_HIT,
            search.first_visible,
            (search.results.len(), search.chosen),
        ))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = inbox.desk.areas(&inbox.context).body;
        let search = &inbox.features.search;
        let title = search_title(inbox);
        let (titles, count) = ([(title.as_str(), theme.strong())], result_count(search));
        paint_view::popup(buffer, area, theme, (&titles, &[(count.as_str(), Style::new())]));
        let inner = area.inner();
        let used = paint_view::text(buffer, inner.x + 1, inner.y, inner.width, PROMPT, theme.strong());
        let x = inner.x + 1 + used;
        let room = inner.width.saturating_sub(used + 2);
        // The previous search is marked: the next character replaces it.
        let (kept, given) = search.text.text().split_at(search.text.replaced_from());
        paint_view::runs(buffer, x, inner.y, room, &[(kept, Style::new()), (given, theme.selected())]);
        let before = u16::try_from(wrap::cells(search.text.before())).unwrap_or(u16::MAX);
        let cursor = Position { x: x + before.min(room), y: inner.y };
        paint_view::text(
            buffer,
            inner.x + 1,
            inner.y + 1,
            inner.width.saturating_sub(2),
            &search_scope(inbox),
            theme.dim(),
        );
        let list = Area { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
        if search.results.is_empty() {
            let words = empty_text(inbox);
            let place = Area { x: list.x + 1, width: list.width.saturating_sub(2), ..list };
            paint_view::paragraph(buffer, place, &words, theme.dim());
        }
        for (index, place) in self.rows(inbox).into_iter().flat_map(ShownRows::areas) {
            search_result_view::draw(inbox, theme, &search.results[index], place, buffer);
            if index == search.chosen {
                paint_view::text(buffer, place.x, place.y, 1, theme.selection_mark(), theme.strong());
                paint_view::text(buffer, place.x, place.y + 1, 1, theme.selection_mark(), theme.strong());
                paint_view::stripe(buffer, Area { height: 1, ..place }, theme.selected());
            }
        }
        loading_view::draw_edge(
            inbox,
            theme,
            Pane::Overlay,
            Area { y: area.y + area.height.saturating_sub(1), ..area },
            buffer,
        );
        Some(cursor)
    }
}

fn search_title(inbox: &Inbox) -> String {
    let only_active_tab = inbox.features.search.only_active_tab;
    let scope = if only_active_tab { inbox.desk.tab().channel.name.as_str() } else { "all channels" };
    format!("Search · {scope}")
}

fn result_count(search: &Search) -> String {
    match (search.answered, search.has_more, search.count()) {
        (false, _, 0) => String::new(),
        (_, true, count) => format!("{count}+"),
        (_, false, count) => count.to_string(),
    }
}

fn search_scope(inbox: &Inbox) -> String {
    let since = inbox.features.search.oldest_message_at.map(|at| at.day_name(&inbox.context.settings.zone));
    let base = match since {
        Some(day) => format!("messages on this desk since {day}, then contacts on the server"),
        None => "messages on this desk, then contacts on the server".to_owned(),
    };
    if inbox.features.search.is_indexing {
        format!("{base}; older messages are still being indexed")
    } else {
        base
    }
}

fn empty_text(inbox: &Inbox) -> String {
    let search = &inbox.features.search;
    match loads::pane_state(inbox, Pane::Overlay).describe() {
        _ if !search.has_query_text() => {
            "Type two letters or more. All words must match; word beginnings are enough.".to_owned()
        }
        _ if search.answered => "No match in the messages on this desk.".to_owned(),
        Some(words) => words,
        None => "Looking…".to_owned(),
    }
}
