//! The mouse: a click focuses and selects, the wheel scrolls what lies under
//! it, the divider between list and history can be dragged, a hint is its key.
//! In a popup a click selects, and a second one on the same takes it: one click
//! alone, such as one that brings the window to the front, sends, decides and
//! confirms nothing.
//!
//! Where the tabs lie only the drawing knows, so a click on one arrives as the
//! tab itself.

use crate::Inbox;
use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::hints;
use crate::hints::HintTarget;
use crate::keyboard::ahead::TypedInput;
use crate::keyboard::ahead::update as ahead;
use crate::keys::Pointer;
use crate::keys::{KeyCode, KeyPress};
use crate::layout::Area;
use crate::overlays::overlay::PopupTarget;
use crate::pages::update as pages;
use crate::pages::{DRAFT_LINES, OUTBOX_LINES, PROPOSAL_LINES, PageKind};
use crate::screens::reviews::REVIEW_LINES;
use crate::tab::Focus;

/// Lines one notch of the wheel scrolls a text.
const NOTCH: isize = 3;
/// Least and most columns of the list, and the least beside it.
const LIST_WIDTHS: (u16, u16, u16) = (24, 80, 40);

/// The mouse did something.
pub(crate) fn pointer(inbox: &mut Inbox, pointer: Pointer) {
    match pointer {
        Pointer::Up => inbox.desk.panes.dragging = false,
        Pointer::Drag(x, _) if inbox.desk.panes.dragging => inbox.desk.divide_at(x, &inbox.context),
        Pointer::Wheel(x, y, notches) => wheel(inbox, (x, y), notches),
        Pointer::Down(x, y) if !inbox.context.layers.is_empty() => click_popup(inbox, (x, y)),
        _ if !inbox.context.layers.is_empty() => (),
        Pointer::Tab(index) if index < inbox.desk.tabs.len() => {
            inbox.keyboard.go_to_tab(index, &mut inbox.desk)
        }
        Pointer::AllTabs => inbox.desk.go_everywhere(&mut inbox.context),
        Pointer::Down(x, y) => click(inbox, (x, y)),
        Pointer::Tab(_) | Pointer::Drag(..) => (),
    }
}

/// A click that is a key.
fn press(inbox: &mut Inbox, key: KeyPress) {
    ahead::typed(inbox, TypedInput::Key(key));
}

/// Selects a row or a key of the topmost popup, or takes the one that was
/// selected by the click before.
fn click_popup(inbox: &mut Inbox, at: (u16, u16)) {
    let Some(top) = inbox.context.layers.last() else { return };
    let (target, rows) = (top.target_at(inbox, at), top.rows(inbox));
    let again = target.is_some_and(|target| inbox.context.is_pointed(target));
    match (target, rows) {
        (Some(PopupTarget::Key(key)), _) if again => return press(inbox, key),
        (Some(PopupTarget::Row(_)), _) if again => return press(inbox, KeyPress::plain(KeyCode::Enter)),
        (Some(PopupTarget::Row(row)), Some(rows)) => {
            let code = if row > rows.chosen { KeyCode::Down } else { KeyCode::Up };
            (0..row.abs_diff(rows.chosen)).for_each(|_| press(inbox, KeyPress::plain(code)));
        }
        _ => (),
    }
    inbox.context.pointed = target.map(|target| (inbox.context.layers.len(), target));
}

fn click(inbox: &mut Inbox, at: (u16, u16)) {
    let areas = inbox.desk.areas(&inbox.context);
    if areas.hints.contains(at) {
        return click_hint(inbox, hints::target_at(inbox, areas.hints, at.0));
    }
    inbox.keyboard.pressed.clear();
    if !inbox.desk.is_inbox_shown() {
        return click_row(inbox, at);
    }
    if let (Some(list), Some(_)) = (areas.list, areas.history)
        && at.0 + 1 >= list.x + list.width
        && at.0 <= list.x + list.width
        && areas.body.contains(at)
    {
        inbox.desk.panes.dragging = true;
    } else if let Some(list) = areas.list.filter(|list| list.contains(at)) {
        inbox.desk.click_list(list.inner(), at, &mut inbox.context);
    } else if let Some(history) = areas.history.filter(|history| history.contains(at)) {
        inbox.desk.click_history(history, at, &mut inbox.context);
    } else if areas.composer.is_some_and(|composer| composer.contains(at)) {
        click_composer(inbox);
    }
}

/// A click on a hint is its key, but for what sends: a click that was only
/// meant to bring the window to the front would send, too.
fn click_hint(inbox: &mut Inbox, target: HintTarget) {
    match target {
        HintTarget::Nothing => (),
        HintTarget::Line(line) => inbox.run_line(line),
        HintTarget::Keys(Command::GoToTab) => inbox.context.say("the tabs above can be clicked"),
        HintTarget::Keys(command @ (Command::Send | Command::RowNow)) => {
            let key = inbox.context.key_of(command);
            inbox.context.warn(format!("the mouse sends nothing: {key} does"));
        }
        HintTarget::Keys(command) => {
            inbox.keyboard.pressed.clear();
            let keys = inbox.context.settings.keymap.keys(command).first().cloned();
            keys.into_iter().flatten().for_each(|key| press(inbox, key));
        }
    }
}

/// A click into the composer is its key: it says why where it cannot be.
fn click_composer(inbox: &mut Inbox) {
    match inbox.enabled(Command::Write) {
        Ok(()) => {
            inbox.desk.open(Focus::Composer, &mut inbox.context);
        }
        Err(why) => inbox.context.warn(why),
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
        PageKind::Outbox => inbox.outbox.rows.select_shown(line / OUTBOX_LINES),
        PageKind::Proposals => inbox.outbox.proposals.select_shown(line / PROPOSAL_LINES),
        PageKind::Reviews => inbox.outbox.reviews.rows.select_shown(line / REVIEW_LINES),
        PageKind::Drafts => inbox.outbox.drafts.select_shown(line / DRAFT_LINES),
        PageKind::People => inbox.people.rows.select_shown(line),
        PageKind::Broadcasts => inbox.broadcasts.rows.select_shown(line),
        PageKind::Inbox => (),
        _ => inbox.cards.cards.select_shown(line),
    }
}

fn wheel(inbox: &mut Inbox, at: (u16, u16), notches: i8) {
    let notches = isize::from(notches);
    if !inbox.context.layers.is_empty() {
        let code = if notches > 0 { KeyCode::Down } else { KeyCode::Up };
        return inbox.layer_scrolls(KeyPress::plain(code));
    }
    let areas = inbox.desk.areas(&inbox.context);
    if !inbox.desk.is_inbox_shown() {
        return pages::step_rows(inbox, notches);
    }
    let visible = inbox.desk.list_rows(&areas);
    if areas.list.is_some_and(|list| list.contains(at)) {
        inbox.desk.list_mut().scroll(notches, visible);
    } else if areas.history.is_some_and(|history| history.contains(at))
        && let Some(history) = &mut inbox.desk.tab_mut().history
    {
        history.scroll(notches * NOTCH);
    }
}

impl Desk {
    /// A click selects; on the selected row, or where only the list is seen,
    /// it opens.
    fn click_list(&mut self, inner: Area, at: (u16, u16), context: &mut Context) {
        let stacked = self.areas(context).history.is_none();
        let visible = self.list_rows(&self.areas(context));
        let tab = self.tab_mut();
        let was_focused = tab.focus == Focus::List;
        tab.focus = Focus::List;
        if !inner.contains(at) {
            return;
        }
        let list = self.list_mut();
        let index = list.first + usize::from((at.1 - inner.y) / 2);
        if index >= list.page.rows.len() {
            return;
        }
        let again = was_focused && list.index() == Some(index);
        list.select_index(index, visible);
        self.follow_row();
        if again || stacked {
            self.open(Focus::History, context);
        }
    }

    fn click_history(&mut self, area: Area, at: (u16, u16), context: &mut Context) {
        if !self.open(Focus::History, context) {
            return;
        }
        let Some(history) = &mut self.tab_mut().history else { return };
        if at.1 > area.y {
            history.select_row(usize::from(at.1 - area.y - 1));
        }
    }

    /// Makes the list end at a column.
    pub(crate) fn divide_at(&mut self, x: u16, context: &Context) {
        let (least, most, beside) = LIST_WIDTHS;
        let most = most.min(context.size.0.saturating_sub(beside)).max(least);
        self.panes.list_width = Some((x + 1).clamp(least, most));
    }
}
