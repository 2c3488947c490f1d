//! The mouse: a click focuses and selects, the wheel scrolls what lies under
//! it, the divider between list and history can be dragged. It never sends,
//! decides or confirms anything.
//!
//! Where the tabs lie only the drawing knows, so a click on one arrives as the
//! tab itself.

use crate::Inbox;
use crate::availability;
use crate::commands::Command;
use crate::keys::{KeyCode, KeyPress};
use crate::layout::Area;
use crate::pages::{DRAFT_LINES, OUTBOX_LINES, PageKind};
use crate::tab::Focus;

/// Lines one notch of the wheel scrolls a text.
const NOTCH: isize = 3;
/// Least and most columns of the list, and the least beside it.
const LIST_WIDTHS: (u16, u16, u16) = (24, 80, 40);

/// What the mouse did, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    /// The button went down in this cell.
    Down(u16, u16),
    /// The button went down on a tab.
    Tab(usize),
    /// The button went down on the place of all tabs.
    AllTabs,
    /// The mouse moved with the button down.
    Drag(u16, u16),
    /// The button went up.
    Up,
    /// The wheel turned over this cell: down is positive.
    Wheel(u16, u16, i8),
}

impl Inbox {
    /// The mouse did something.
    pub(crate) fn pointer(&mut self, pointer: Pointer) {
        match pointer {
            Pointer::Up => self.dragging = false,
            Pointer::Drag(x, _) if self.dragging => self.divide_at(x),
            Pointer::Wheel(x, y, notches) => self.wheel((x, y), notches),
            // What lies over the desk is answered by keys alone.
            _ if !self.layers.is_empty() => (),
            Pointer::Tab(index) if index < self.tabs.len() => self.go_to_tab(index),
            Pointer::AllTabs => self.go_everywhere(),
            Pointer::Down(x, y) => self.click((x, y)),
            Pointer::Tab(_) | Pointer::Drag(..) => (),
        }
    }

    fn click(&mut self, at: (u16, u16)) {
        self.pressed.clear();
        let areas = self.areas();
        if !self.is_inbox_shown() {
            return self.click_row(at);
        }
        if let (Some(list), Some(_)) = (areas.list, areas.history)
            && at.0 + 1 >= list.x + list.width
            && at.0 <= list.x + list.width
            && areas.body.contains(at)
        {
            self.dragging = true;
        } else if let Some(list) = areas.list.filter(|it| it.contains(at)) {
            self.click_list(list.inner(), at);
        } else if let Some(history) = areas.history.filter(|it| it.contains(at)) {
            self.click_history(history, at);
        } else if areas.composer.is_some_and(|it| it.contains(at)) {
            self.click_composer();
        }
    }

    /// A click selects; on the selected row, or where only the list is seen,
    /// it opens.
    fn click_list(&mut self, inner: Area, at: (u16, u16)) {
        let stacked = self.areas().history.is_none();
        let visible = self.list_rows(&self.areas());
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
            self.open(Focus::History);
        }
    }

    fn click_history(&mut self, area: Area, at: (u16, u16)) {
        self.open(Focus::History);
        let Some(history) = &mut self.tab_mut().history else { return };
        if at.1 > area.y {
            history.select_line(usize::from(at.1 - area.y - 1));
        }
    }

    /// A click into the composer is its key: it says why where it cannot be.
    fn click_composer(&mut self) {
        match availability::check(self, Command::Write) {
            Ok(()) => self.open(Focus::Composer),
            Err(why) => self.warn(why),
        }
    }

    /// Selects a row of the outbox or the drafts.
    fn click_row(&mut self, at: (u16, u16)) {
        let inner = self.areas().body.inner();
        if !inner.contains(at) {
            return;
        }
        let line = usize::from(at.1 - inner.y);
        match self.page {
            PageKind::Outbox => self.outbox.select_shown(line / OUTBOX_LINES),
            PageKind::Drafts => self.drafts.select_shown(line / DRAFT_LINES),
            PageKind::People => self.people.rows.select_shown(line),
            PageKind::Broadcasts => self.board.rows.select_shown(line),
            PageKind::Inbox => (),
            _ => self.deck.cards.select_shown(line),
        }
    }

    fn wheel(&mut self, at: (u16, u16), notches: i8) {
        let notches = isize::from(notches);
        if !self.layers.is_empty() {
            let code = if notches > 0 { KeyCode::Down } else { KeyCode::Up };
            return self.layer_scrolls(KeyPress::plain(code));
        }
        let areas = self.areas();
        if !self.is_inbox_shown() {
            return self.step_rows(notches);
        }
        let visible = self.list_rows(&areas);
        if areas.list.is_some_and(|it| it.contains(at)) {
            self.list_mut().scroll(notches, visible);
        } else if areas.history.is_some_and(|it| it.contains(at))
            && let Some(history) = &mut self.tab_mut().history
        {
            history.scroll(notches * NOTCH);
        }
    }

    /// Makes the list end at a column.
    pub(crate) fn divide_at(&mut self, x: u16) {
        let (least, most, beside) = LIST_WIDTHS;
        let most = most.min(self.context.size.0.saturating_sub(beside)).max(least);
        self.list_width = Some((x + 1).clamp(least, most));
    }
}
