//! Opening a conversation, moving between panes, and quitting.

use crate::Inbox;
use crate::changes::Changes;
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::keyboard::Keyboard;
use crate::keys::{KeyCode, KeyPress};
use crate::notice::INTERRUPT_WINDOW;
use crate::notice::StatusNotice;
use crate::screens::composer::ComposerMode;
use crate::screens::conversations::card::update as card;
use crate::tab::Focus;

/// Opens the selected conversation; returns false with a message if there is none.
pub(crate) fn open(desk: &mut Desk, focus: Focus, context: &mut Context) -> bool {
    if desk.tab().focus == Focus::List {
        let Some(selected) = desk.list().selected.clone() else {
            context.show_warning(conditions::no_conversation_reason(desk.tab()));
            return false;
        };
        desk.list_mut().mark_touched();
        desk.show_conversation(&selected, context);
    }
    let tab = desk.tab_mut();
    let Some(history) = &mut tab.history else { return false };
    history.opened = true;
    tab.focus = focus;
    true
}

/// Enters the composer, optionally quoting the selected message.
pub(crate) fn write(desk: &mut Desk, quote: bool, context: &mut Context) {
    // An SMS cannot quote.
    let from_history = desk.tab().focus == Focus::History && !desk.tab().is_phone();
    if !open(desk, Focus::Composer, context) {
        return;
    }
    let tab = desk.tab_mut();
    let quoted = match &tab.history {
        Some(history) if quote && from_history && history.selected.is_some() => {
            history.selected_message().map(|selected_message| selected_message.message.id.clone())
        }
        _ => None,
    };
    let Some(composer) = &mut tab.composer else { return };
    composer.mode = ComposerMode::Reply;
    composer.reply_to = quoted.or(composer.reply_to.take());
}

pub(crate) fn select_adjacent_conversation(desk: &mut Desk, rows: isize, context: &mut Context) {
    let visible = desk.list_rows(&desk.areas(context));
    desk.list_mut().step(rows, visible);
    go_to_selected(desk, context);
}

pub(crate) fn go_to_selected(desk: &mut Desk, context: &mut Context) {
    let focus = if desk.tab().focus == Focus::List { Focus::List } else { Focus::History };
    let Some(selected) = desk.list().selected.clone() else { return };
    desk.activate_tab(&selected.channel);
    if focus == Focus::History {
        desk.show_conversation(&selected, context);
        if let Some(history) = &mut desk.tab_mut().history {
            history.opened = true;
        }
    }
    desk.tab_mut().focus = focus;
}

pub(crate) fn focus_adjacent_pane(desk: &mut Desk, by: isize, context: &mut Context) {
    if !desk.is_inbox_shown() {
        return context.show_notice("this page has one pane");
    }
    let on_card = card::has_focus(desk);
    let mut panes = vec![(Focus::List, false), (Focus::History, false), (Focus::Composer, false)];
    if on_card || card::can_take_focus(desk, context) {
        panes.insert(2, (Focus::History, true));
    }
    let current = (desk.tab().focus, on_card);
    let index = panes.iter().position(|pane| *pane == current).unwrap_or(0);
    let (focus, is_card) = panes[(index + panes.len()).saturating_add_signed(by) % panes.len()];
    match focus {
        Focus::List => desk.tab_mut().focus = Focus::List,
        _ if open(desk, focus, context) => card::set_focus(desk, is_card),
        _ => {}
    }
}

impl Keyboard {
    pub(crate) fn go_to_numbered_tab(&mut self, key: KeyPress, desk: &mut Desk, context: &mut Context) {
        let KeyCode::Char(digit) = key.code else { return };
        let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
        if (1..=desk.tabs.len()).contains(&number) {
            self.go_to_tab(number - 1, desk);
        } else {
            context.show_warning(format!("there is no tab {number}"));
        }
    }
}

pub(crate) fn interrupt(inbox: &mut Inbox) {
    let again =
        inbox.keyboard.interrupted_at.is_some_and(|at| inbox.context.moment.since(at) < INTERRUPT_WINDOW);
    if again {
        return inbox.changes.quit(&mut inbox.desk, &mut inbox.context);
    }
    inbox.keyboard.interrupted_at = Some(inbox.context.moment);
    inbox.context.show_status(StatusNotice::Interrupted);
}

impl Changes {
    /// Quits after saving every draft.
    pub(crate) fn quit(&mut self, desk: &mut Desk, context: &mut Context) {
        self.save_all_drafts(desk, context);
        context.push(TerminalOrder::Quit);
    }

    /// Quits after saving every draft; a background process sends the rest.
    pub(crate) fn quit_to_background(&mut self, desk: &mut Desk, context: &mut Context) {
        self.save_all_drafts(desk, context);
        context.push(TerminalOrder::QuitToBackground);
    }
}
