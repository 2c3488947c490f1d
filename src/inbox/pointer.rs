//! The mouse: a click focuses and selects, the wheel scrolls the pane under it, the divider between
//! list and history can be dragged, a hint acts as its key. In a popup the first click selects and
//! the second activates: a single click, such as one that raises the window, never sends, decides
//! or confirms.
//!
//! Only the drawing knows the position of tabs, so a click on one arrives as the tab itself.

use crate::Inbox;
use crate::actions;
use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::hints;
use crate::hints::HintTarget;
use crate::keys::Pointer;
use crate::keys::{KeyCode, KeyPress};
use crate::layout::Area;
use crate::overlays::overlay::PopupTarget;
use crate::pages::update as pages;
use crate::pages::{DRAFT_LINES, OUTBOX_LINES, PROPOSAL_LINES, PageKind};
use crate::screens::conversations::card::update as card;
use crate::screens::conversations::card_view;
use crate::screens::reviews::REVIEW_LINES;
use crate::tab::Focus;

/// Lines per notch of the wheel.
const LINES_PER_NOTCH: isize = 3;
/// Minimum and maximum columns of the list, and the minimum beside it.
const LIST_WIDTHS: (u16, u16, u16) = (24, 80, 40);

pub(crate) fn handle_pointer(inbox: &mut Inbox, pointer: Pointer) {
    match pointer {
        Pointer::Up => inbox.desk.panes.is_dragging = false,
        Pointer::Drag(x, _) if inbox.desk.panes.is_dragging => {
            move_divider_to(&mut inbox.desk, x, &inbox.context)
        }
        Pointer::Wheel(x, y, notches) => scroll_wheel(inbox, (x, y), notches),
        Pointer::Down(x, y) if !inbox.context.overlays.is_empty() => click_popup(inbox, (x, y)),
        _ if !inbox.context.overlays.is_empty() => (),
        Pointer::Tab(index) if index < inbox.desk.tabs.len() => {
            inbox.keyboard.go_to_tab(index, &mut inbox.desk)
        }
        Pointer::AllTabs => inbox.desk.go_to_all_tabs(&mut inbox.context),
        Pointer::Down(x, y) => click(inbox, (x, y)),
        Pointer::Tab(_) | Pointer::Drag(..) => (),
    }
}

/// Selects a row or a key of the topmost popup, or activates the one selected by the previous click.
fn click_popup(inbox: &mut Inbox, at: (u16, u16)) {
    let Some(top) = inbox.context.overlays.last() else { return };
    let (target, rows) = (top.target_at(inbox, at), top.rows(inbox));
    let again = target.is_some_and(|target| inbox.context.is_second_click(target));
    match (target, rows) {
        (Some(PopupTarget::Key(key)), _) if again => return inbox.handle_key(key),
        (Some(PopupTarget::Row(_)), _) if again => return inbox.handle_key(KeyPress::plain(KeyCode::Enter)),
        (Some(PopupTarget::Row(row)), Some(rows)) => {
            let code = if row > rows.chosen { KeyCode::Down } else { KeyCode::Up };
            (0..row.abs_diff(rows.chosen)).for_each(|_| inbox.handle_key(KeyPress::plain(code)));
        }
        _ => (),
    }
    inbox.context.last_click = target.map(|target| (inbox.context.overlays.len(), target));
}

fn click(inbox: &mut Inbox, at: (u16, u16)) {
    let areas = inbox.desk.areas(&inbox.context);
    if areas.status.contains(at) {
        return click_hint(inbox, hints::target_at(inbox, areas.status, at.0));
    }
    inbox.keyboard.pressed.clear();
    if !inbox.desk.is_inbox_shown() {
        return click_row(inbox, at);
    }
    if let (Some(list), Some(_)) = (areas.list, areas.history)
        && at.0 + 1 == list.x + list.width
        && areas.body.contains(at)
    {
        inbox.desk.panes.is_dragging = true;
    } else if let Some(list) = areas.list.filter(|list| list.contains(at)) {
        click_list(&mut inbox.desk, list.inner(), at, &mut inbox.context);
    } else if let Some(history) = areas.history.filter(|history| history.contains(at)) {
        click_history(&mut inbox.desk, history, at, &mut inbox.context);
    } else if areas.composer.is_some_and(|composer| composer.contains(at)) {
        click_composer(inbox);
    } else if let Some(area) = areas.card.filter(|area| area.contains(at))
        && let Some(key) = card_view::conversation_at(inbox, area, at.1)
    {
        card::open_other(inbox, &key);
    }
}

/// A click on a hint acts as its key, except for sending: it may only have raised the window.
fn click_hint(inbox: &mut Inbox, target: HintTarget) {
    match target {
        HintTarget::Nothing => (),
        HintTarget::Line(line) => inbox.run_line(line),
        HintTarget::Command(Command::GoToTab) => inbox.context.show_notice("the tabs above can be clicked"),
        HintTarget::Command(command @ (Command::Send | Command::RowNow)) => {
            let key = inbox.context.key_of(command);
            inbox.context.show_warning(format!("the mouse cannot send: {key} send"));
        }
        HintTarget::Command(command) => {
            inbox.keyboard.pressed.clear();
            let keys = inbox.context.settings.keymap.keys(command).first().cloned();
            keys.into_iter().flatten().for_each(|key| inbox.handle_key(key));
        }
    }
}

/// A click into the composer acts as its key, with the reason if writing is not possible.
fn click_composer(inbox: &mut Inbox) {
    match inbox.check_enabled(Command::Write) {
        Ok(()) => {
            actions::open(&mut inbox.desk, Focus::Composer, &mut inbox.context);
        }
        Err(why) => inbox.context.show_warning(why),
    }
}

/// Selects a row of the outbox or the drafts.
fn click_row(inbox: &mut Inbox, at: (u16, u16)) {
    let inner = inbox.desk.areas(&inbox.context).body.inner();
    if !inner.contains(at) {
        return;
    }
    let line = usize::from(at.1 - inner.y);
    match inbox.desk.page {
        PageKind::Outbox => inbox.outbox.rows.select_visible(line / OUTBOX_LINES),
        PageKind::Proposals => inbox.outbox.proposals.select_visible(line / PROPOSAL_LINES),
        PageKind::Reviews => inbox.outbox.reviews.rows.select_visible(line / REVIEW_LINES),
        PageKind::Drafts => inbox.outbox.drafts.select_visible(line / DRAFT_LINES),
        PageKind::People => inbox.people.rows.select_visible(line),
        PageKind::Broadcasts => inbox.broadcasts.rows.select_visible(line),
        PageKind::Inbox => (),
        _ => inbox.cards.cards.select_visible(line),
    }
}

fn scroll_wheel(inbox: &mut Inbox, at: (u16, u16), notches: i8) {
    let notches = isize::from(notches);
    if !inbox.context.overlays.is_empty() {
        let code = if notches > 0 { KeyCode::Down } else { KeyCode::Up };
        return inbox.scroll_overlay(KeyPress::plain(code));
    }
    let areas = inbox.desk.areas(&inbox.context);
    if !inbox.desk.is_inbox_shown() {
        return pages::move_row_selection(inbox, notches);
    }
    let visible = inbox.desk.list_rows(&areas);
    if areas.list.is_some_and(|list| list.contains(at)) {
        inbox.desk.list_mut().scroll(notches, visible);
    } else if areas.history.is_some_and(|history| history.contains(at))
        && let Some(history) = &mut inbox.desk.tab_mut().history
    {
        history.scroll(notches * LINES_PER_NOTCH);
    }
}

/// A click selects; on the selected row, or if only the list is visible, it opens.
fn click_list(desk: &mut Desk, inner: Area, at: (u16, u16), context: &mut Context) {
    let stacked = desk.areas(context).history.is_none();
    let visible = desk.list_rows(&desk.areas(context));
    let tab = desk.tab_mut();
    let was_focused = tab.focus == Focus::List;
    tab.focus = Focus::List;
    if !inner.contains(at) {
        return;
    }
    let list = desk.list_mut();
    let Some(index) = list.row_at(at.1 - inner.y, inner.height) else { return };
    let again = was_focused && list.index() == Some(index);
    list.select_index(index, visible);
    desk.activate_selected_tab();
    if again || stacked {
        actions::open(desk, Focus::History, context);
    }
}

fn click_history(desk: &mut Desk, area: Area, at: (u16, u16), context: &mut Context) {
    if !actions::open(desk, Focus::History, context) {
        return;
    }
    let Some(history) = &mut desk.tab_mut().history else { return };
    if at.1 > area.y {
        history.select_row(usize::from(at.1 - area.y - 1));
    }
}

/// Moves the right edge of the list to a column.
pub(crate) fn move_divider_to(desk: &mut Desk, x: u16, context: &Context) {
    let (least, most, beside) = LIST_WIDTHS;
    let most = most.min(context.size.0.saturating_sub(beside)).max(least);
    desk.panes.list_width = Some((x + 1).clamp(least, most));
}
