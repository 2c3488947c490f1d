//! What has no words of its own in plain mode, read from its frame, so that no
//! screen is left out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::spoken::THEME;
use crate::{deck, layers, people, rows};
use app::App;
use app::deck::is_deck;
use app::pages::PageKind;

/// The topmost layer, read from its frame.
pub(super) fn layer_lines(app: &App) -> Vec<String> {
    if app.layers.is_empty() {
        return Vec::new();
    }
    framed(app, |buffer| layers::draw(app, THEME, buffer))
}

/// A page that is not the inbox, read from its frame.
pub(super) fn page_lines(app: &App) -> Vec<String> {
    let body = app.areas().body;
    framed(app, |buffer| match app.page {
        PageKind::Outbox => rows::outbox(app, THEME, body, buffer),
        PageKind::Drafts => rows::drafts(app, THEME, body, buffer),
        PageKind::Broadcasts => crate::broadcasts::draw(app, THEME, body, buffer),
        PageKind::Wall => crate::wall::draw(app, THEME, body, buffer),
        page if is_deck(page) => deck::draw(app, THEME, body, buffer),
        PageKind::People => people::draw(app, THEME, body, buffer),
        _ => crate::pages::draw(app, THEME, body, buffer),
    })
}

/// The words of a frame, without its lines.
fn framed(app: &App, draw: impl FnOnce(&mut Buffer)) -> Vec<String> {
    let (width, height) = app.context.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(&mut buffer);
    let mut lines = Vec::new();
    for row in buffer.content.chunks(usize::from(width.max(1))) {
        let text: String = row.iter().map(|it| it.symbol()).collect();
        let text = text.trim().trim_matches(['|', '+', '-', ' ']).trim();
        if !text.is_empty() {
            lines.push(
                text.split("   ")
                    .filter(|it| !it.trim().is_empty())
                    .map(str::trim)
                    .collect::<Vec<_>>()
                    .join(", "),
            );
        }
    }
    lines
}
