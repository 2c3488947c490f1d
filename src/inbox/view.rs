//! Show: draws the inbox.
//!
//! [`draw`] is a function of the inbox: it changes nothing and may be skipped.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::{self, Area};
use crate::pages::PageKind;
use crate::screens::cards::is_deck;
use crate::theme_view::Theme;

/// Draws one frame into an empty buffer; says where the cursor stands, if it
/// is seen.
pub fn draw(inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
    if layout::is_too_small(inbox.context.size) {
        too_small(inbox, buffer);
        return None;
    }
    let areas = inbox.desk.areas(&inbox.context);
    let mut cursor = None;
    crate::tabs_view::draw(inbox, theme, areas.tabs, buffer);
    if inbox.desk.page == PageKind::Outbox {
        crate::screens::outbox::view::outbox(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Drafts {
        crate::screens::outbox::view::drafts(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Proposals {
        crate::screens::proposals::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Reviews {
        crate::screens::reviews::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Broadcasts {
        crate::screens::broadcasts::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Wall {
        crate::screens::overview::view::draw(inbox, theme, areas.body, buffer);
    } else if is_deck(inbox.desk.page) {
        crate::screens::cards::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::People {
        crate::screens::people::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.tab().is_inbox() {
        if let Some(area) = areas.header {
            crate::screens::mail::view::header(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.list {
            crate::screens::conversations::view::draw(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.history {
            crate::screens::history::view::draw(inbox, theme, area, buffer);
        }
        if let (Some(area), Some(second)) = (areas.beside, inbox.desk.second()) {
            crate::screens::history::view::draw_second(inbox, theme, second, area, buffer);
        }
        if let Some(area) = areas.card {
            crate::screens::conversations::card_view::draw(inbox, theme, area, buffer);
        }
        if let Some(triage) = inbox.desk.tab().triage().filter(|triage| triage.is_over()) {
            crate::screens::mail::view::summary(inbox, triage, theme, areas.body, buffer);
        }
        if let Some(area) = areas.suggestion {
            crate::screens::composer::suggesting::view::draw_brief(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.composer {
            cursor = crate::screens::composer::view::draw(inbox, theme, area, buffer);
        }
    } else {
        crate::pages_view::draw(inbox, theme, areas.body, buffer);
    }
    crate::status_view::draw_status(inbox, theme, areas.status, buffer);
    crate::hints_view::draw(inbox, theme, &areas, buffer);
    crate::components::loading_view::draw(inbox, theme, &areas, buffer);
    crate::overlays::which_key_view::draw(inbox, theme, areas.body, buffer);
    cursor = crate::overlays::view::draw(inbox, theme, buffer).or(cursor);
    if inbox.desk.panes.blurred {
        crate::features::privacy::view::blur(inbox, theme, buffer);
    }
    theme.plain_marks(buffer);
    theme.lay_ground(buffer);
    crate::sweep_view::sweep(buffer);
    cursor
}

/// What is shown where nothing fits: the size that is needed first.
fn too_small(inbox: &Inbox, buffer: &mut Buffer) {
    let (width, height) = inbox.context.size;
    let needs = format!("frontdesk needs {}x{}.", layout::LEAST_WIDTH, layout::LEAST_HEIGHT);
    let interrupted = inbox
        .keyboard
        .interrupted_until()
        .is_some_and(|interrupted_until| inbox.context.moment < interrupted_until);
    let leaves = if interrupted { "{interrupt} again quits." } else { "{interrupt} twice quits." };
    let words = inbox.context.keyed(&format!("{needs} Until then no key acts; {leaves}"));
    paint_view::paragraph(buffer, Area { x: 0, y: 0, width, height }, &words, Style::new());
}
