//! Messages of a pane whose data could not be read, or is being read.

use ratatui::buffer::Buffer;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::{Area, Areas};
use crate::loads::Pane;
use crate::loads::update as loads;
use crate::pages::PageKind;
use crate::theme_view::Theme;

pub fn empty_pane_text(inbox: &Inbox, pane: Pane) -> String {
    loads::pane_state(inbox, pane).describe().unwrap_or_else(|| "Reading…".to_owned())
}

/// Shows at the edge of each pane with data why it may be outdated.
pub fn draw(inbox: &Inbox, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let last = |area: Area| Area { y: area.y + area.height.saturating_sub(1), ..area };
    if inbox.desk.page != PageKind::Inbox {
        draw_edge(inbox, theme, Pane::Page, last(areas.body), buffer);
    } else if inbox.desk.is_inbox_shown() {
        let loaded = inbox.desk.tab().history.as_ref().is_some_and(|history| history.loaded);
        let history = areas.history.filter(|_| loaded).map(Area::inner);
        let panes = [
            (Pane::List, areas.list.map(last)),
            // Its last line is the newest message.
            (Pane::History, history),
            (Pane::Card, areas.card.map(last)),
        ];
        for (pane, area) in panes {
            if let Some(area) = area {
                draw_edge(inbox, theme, pane, area, buffer);
            }
        }
    }
}

/// Shows at the edge of a pane why it may be outdated.
pub fn draw_edge(inbox: &Inbox, theme: Theme, pane: Pane, area: Area, buffer: &mut Buffer) {
    if let Some(words) = loads::pane_state(inbox, pane).describe() {
        let words = format!(" {words} ");
        paint_view::text(buffer, area.x + 2, area.y, area.width.saturating_sub(4), &words, theme.strong());
    }
}
