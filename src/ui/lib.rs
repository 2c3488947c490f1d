//! Show: draws the app.
//!
//! [`draw`] is a function of the app: it changes nothing and may be skipped.

pub mod attaching;
pub mod blur;
pub mod broadcasts;
pub mod card;
pub mod composer;
pub mod connection;
mod connections;
pub mod conversations;
pub mod deck;
pub mod email;
pub mod forms;
pub mod found;
mod help;
pub mod history;
mod known_names;
pub mod layers;
pub mod line;
pub mod listing;
pub mod loading;
mod macros;
mod menus;
mod names;
pub mod pages;
pub mod paint;
pub mod palette;
pub mod people;
pub mod phone;
mod pickers;
pub mod pictures;
pub mod questions;
pub mod row_state;
pub mod rows;
pub mod search;
pub mod spoken;
mod spoken_frames;
pub mod spoken_help;
pub mod status;
pub mod sweep;
mod tab_names;
pub mod tabs;
mod templates;
pub mod theme;
pub mod views;
pub mod wall;
mod webhooks;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::theme::Theme;
use app::App;
use app::deck::is_deck;
use app::layout;
use app::pages::PageKind;

/// Draws one frame into an empty buffer; says where the cursor stands, if it
/// is seen.
pub fn draw(app: &App, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
    let (width, height) = app.context.size;
    if layout::too_small(width, height) {
        let words = format!("frontdesk needs {}x{}", layout::LEAST_WIDTH, layout::LEAST_HEIGHT);
        paint::text(buffer, 0, 0, width, &words, Style::new());
        return None;
    }
    let areas = app.areas();
    let mut cursor = None;
    tabs::draw(app, theme, areas.tabs, buffer);
    if app.page == PageKind::Outbox {
        rows::outbox(app, theme, areas.body, buffer);
    } else if app.page == PageKind::Drafts {
        rows::drafts(app, theme, areas.body, buffer);
    } else if app.page == PageKind::Broadcasts {
        broadcasts::draw(app, theme, areas.body, buffer);
    } else if app.page == PageKind::Wall {
        wall::draw(app, theme, areas.body, buffer);
    } else if is_deck(app.page) {
        deck::draw(app, theme, areas.body, buffer);
    } else if app.page == PageKind::People {
        people::draw(app, theme, areas.body, buffer);
    } else if app.tab().is_inbox() {
        if let Some(area) = areas.header {
            email::header(app, theme, area, buffer);
        }
        if let Some(area) = areas.list {
            conversations::draw(app, theme, area, buffer);
        }
        if let Some(area) = areas.history {
            history::draw(app, theme, area, buffer);
        }
        if let (Some(area), Some(second)) = (areas.beside, app.second()) {
            history::draw_second(app, theme, second, area, buffer);
        }
        if let Some(area) = areas.card {
            card::draw(app, theme, area, buffer);
        }
        if let Some(triage) = app.tab().triage().filter(|it| it.is_over()) {
            email::summary(app, triage, theme, areas.body, buffer);
        }
        if let Some(area) = areas.composer {
            cursor = composer::draw(app, theme, area, buffer);
        }
    } else {
        pages::draw(app, theme, areas.body, buffer);
    }
    status::draw_status(app, theme, areas.status, buffer);
    status::draw_hints(app, theme, areas.hints, buffer);
    cursor = search::draw(app, theme, areas.body, buffer).or(cursor);
    loading::draw(app, theme, &areas, buffer);
    layers::draw(app, theme, buffer);
    cursor = palette::draw(app, theme, buffer).or(cursor);
    cursor = line::draw(app, theme, &areas, buffer).or(cursor);
    if app.blurred {
        blur::blur(app, theme, buffer);
    }
    theme.plain_marks(buffer);
    theme.lay_ground(buffer);
    sweep::sweep(buffer);
    cursor
}
