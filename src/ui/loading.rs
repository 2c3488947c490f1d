//! What a pane says while what it shows could not be read, or is still being
//! read.

use ratatui::buffer::Buffer;

use crate::paint;
use crate::theme::Theme;
use app::App;
use app::layers::Layer;
use app::layout::{Area, Areas};
use app::loads::Pane;
use app::pages::PageKind;

/// What stands in an empty pane.
pub fn words(app: &App, pane: Pane) -> String {
    app.shown(pane).words().unwrap_or_else(|| "Reading…".to_owned())
}

/// Says at the edge of each pane that has something to show why it may not be
/// what the files hold now.
pub fn draw(app: &App, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let last = |area: Area| Area { y: area.y + area.height.saturating_sub(1), ..area };
    if app.page != PageKind::Inbox {
        edge(app, theme, Pane::Page, last(areas.body), buffer);
    } else if app.is_inbox_shown() {
        let loaded = app.tab().history.as_ref().is_some_and(|it| it.loaded);
        let history = areas.history.filter(|_| loaded).map(Area::inner);
        let panes = [
            (Pane::List, areas.list.map(last)),
            // Its last line is the newest message.
            (Pane::History, history),
            (Pane::Beside, areas.beside.map(last)),
            (Pane::Card, areas.card.map(last)),
        ];
        for (pane, area) in panes {
            if let Some(area) = area {
                edge(app, theme, pane, area, buffer);
            }
        }
    }
    if app.layers.last() == Some(&Layer::Search) {
        edge(app, theme, Pane::Layer, last(areas.body), buffer);
    }
}

fn edge(app: &App, theme: Theme, pane: Pane, area: Area, buffer: &mut Buffer) {
    if let Some(words) = app.shown(pane).words() {
        let words = format!(" {words} ");
        paint::text(buffer, area.x + 2, area.y, area.width.saturating_sub(4), &words, theme.waiting());
    }
}
