//! Draws the inbox. [`draw`] is a function of the inbox: it changes nothing and may be skipped.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::{self, Area};
use crate::pages::PageKind;
use crate::screens::cards::is_card_page;
use crate::screens::conversations::card::update as card;
use crate::tab::Focus;
use crate::theme_view::Theme;

/// Draws one frame into an empty buffer; returns the position of a visible cursor.
pub fn draw(inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
    if layout::is_too_small(inbox.context.size) {
        too_small(inbox, buffer);
        return None;
    }
    let areas = inbox.desk.areas(&inbox.context);
    let mut cursor = None;
    crate::tabs_view::draw(inbox, theme, areas.tabs, buffer);
    if inbox.desk.page == PageKind::Outbox {
        crate::screens::outbox::view::draw_outbox(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Drafts {
        crate::screens::outbox::view::draw_drafts(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Proposals {
        crate::screens::proposals::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Reviews {
        crate::screens::reviews::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Broadcasts {
        crate::screens::broadcasts::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::Wall {
        crate::screens::overview::view::draw(inbox, theme, areas.body, buffer);
    } else if is_card_page(inbox.desk.page) {
        crate::screens::cards::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.page == PageKind::People {
        crate::screens::people::view::draw(inbox, theme, areas.body, buffer);
    } else if inbox.desk.tab().is_inbox() {
        if let Some(area) = areas.header {
            crate::screens::mail::view::draw_header(inbox, theme, area, buffer);
        }
        // Panes share the border between them; the one with the focus is drawn last.
        let list_has_focus = inbox.desk.tab().focus == Focus::List;
        let card_has_focus = card::has_focus(&inbox.desk);
        if let Some(area) = areas.card.filter(|_| !card_has_focus) {
            crate::screens::conversations::card_view::draw(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.list.filter(|_| !list_has_focus) {
            crate::screens::conversations::view::draw(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.history {
            crate::screens::history::view::draw(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.suggestion {
            crate::screens::composer::suggestions::view::draw_brief(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.composer {
            cursor = crate::screens::composer::view::draw(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.list.filter(|_| list_has_focus) {
            crate::screens::conversations::view::draw(inbox, theme, area, buffer);
        }
        if let Some(area) = areas.card.filter(|_| card_has_focus) {
            crate::screens::conversations::card_view::draw(inbox, theme, area, buffer);
        }
        if let Some(triage) = inbox.desk.tab().triage().filter(|triage| triage.is_over()) {
            crate::screens::mail::view::draw_summary(inbox, triage, theme, areas.body, buffer);
        }
    } else {
        crate::pages_view::draw(inbox, theme, areas.body, buffer);
    }
    crate::status_view::draw(inbox, theme, areas.status, buffer);
    crate::components::loading_view::draw(inbox, theme, &areas, buffer);
    crate::overlays::which_key_view::draw(inbox, theme, areas.body, buffer);
    cursor = crate::overlays::view::draw(inbox, theme, buffer).or(cursor);
    theme.replace_marks(buffer);
    theme.color_selected_text(buffer);
    crate::sweep_view::sweep(buffer);
    cursor
}

/// Message of a too small terminal, beginning with the required size.
fn too_small(inbox: &Inbox, buffer: &mut Buffer) {
    let (width, height) = inbox.context.size;
    let needs = format!("frontdesk needs {}x{}.", layout::MIN_WIDTH, layout::MIN_HEIGHT);
    let interrupted = inbox
        .keyboard
        .interrupted_until()
        .is_some_and(|interrupted_until| inbox.context.moment < interrupted_until);
    let leaves = if interrupted { "{interrupt} again quits." } else { "{interrupt} twice quits." };
    let words = inbox.context.fill_in_keys(&format!("{needs} Enlarge the terminal; {leaves}"));
    paint_view::paragraph(buffer, Area { x: 0, y: 0, width, height }, &words, Style::new());
}
