//! Show: draws the app.
//!
//! [`draw`] is a function of the app: it changes nothing and may be skipped.
//! Knows nothing of what happens next.

pub mod card;
pub mod composer;
pub mod conversations;
pub mod history;
pub mod layers;
pub mod pages;
pub mod paint;
pub mod status;
pub mod sweep;
pub mod tabs;
pub mod theme;

use ratatui::Frame;
use ratatui::style::Style;

use crate::app::App;
use crate::app::layout;
use crate::ui::theme::Theme;

/// Draws one frame.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>) {
    let theme = *theme;
    let (width, height) = app.size;
    if layout::too_small(width, height) {
        let words = format!("frontdesk needs {}x{}", layout::LEAST_WIDTH, layout::LEAST_HEIGHT);
        paint::text(frame.buffer_mut(), 0, 0, width, &words, Style::new());
        return;
    }
    let areas = app.areas();
    tabs::draw(app, theme, areas.tabs, frame.buffer_mut());
    if app.tab().is_inbox() {
        if let Some(area) = areas.list {
            conversations::draw(app, theme, area, frame.buffer_mut());
        }
        if let Some(area) = areas.history {
            history::draw(app, theme, area, frame.buffer_mut());
        }
        if let Some(area) = areas.card {
            card::draw(app, theme, area, frame.buffer_mut());
        }
        if let Some(area) = areas.composer {
            composer::draw(app, theme, area, frame);
        }
    } else {
        pages::draw(app, theme, areas.body, frame.buffer_mut());
    }
    status::draw_status(app, theme, areas.status, frame.buffer_mut());
    status::draw_hints(app, theme, areas.hints, frame.buffer_mut());
    layers::draw(app, theme, frame.buffer_mut());
    sweep::sweep(frame.buffer_mut());
}
