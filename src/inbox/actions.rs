//! Opening a conversation, going from pane to pane, and quitting.

use crate::Inbox;
use crate::changes::Changes;
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::keyboard::Keyboard;
use crate::keys::{KeyCode, KeyPress};
use crate::notice::Fact;
use crate::notice::INTERRUPT;
use crate::screens::composer::ComposerMode;
use crate::tab::Focus;

impl Desk {
    /// Goes into the selected conversation, whether it is the one shown or not;
    /// false, and said why, if there is none.
    pub(crate) fn open(&mut self, focus: Focus, context: &mut Context) -> bool {
        if self.tab().focus == Focus::List {
            let Some(selected) = self.list().selected.clone() else {
                context.warn(conditions::no_conversation(self.tab()));
                return false;
            };
            self.list_mut().touch();
            self.show(&selected, context);
        }
        let tab = self.tab_mut();
        let Some(history) = &mut tab.history else { return false };
        history.opened = true;
        tab.focus = focus;
        true
    }

    /// Goes into the composer, quoting the selected message if asked to.
    pub(crate) fn write(&mut self, quote: bool, context: &mut Context) {
        // An SMS quotes nothing.
        let from_history = self.tab().focus == Focus::History && !self.tab().is_phone();
        if !self.open(Focus::Composer, context) {
            return;
        }
        let tab = self.tab_mut();
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

    /// Reads the next or previous conversation of the list.
    pub(crate) fn neighbour(&mut self, rows: isize, context: &mut Context) {
        let visible = self.list_rows(&self.areas(context));
        self.list_mut().step(rows, visible);
        self.go_to_selected(context);
    }

    /// Opens the selected row while reading.
    pub(crate) fn go_to_selected(&mut self, context: &mut Context) {
        let focus = if self.tab().focus == Focus::List { Focus::List } else { Focus::History };
        let Some(selected) = self.list().selected.clone() else { return };
        self.take_up(&selected.channel);
        if focus == Focus::History {
            self.show(&selected, context);
            if let Some(history) = &mut self.tab_mut().history {
                history.opened = true;
            }
        }
        self.tab_mut().focus = focus;
    }

    pub(crate) fn turn_pane(&mut self, by: isize, context: &mut Context) {
        let order = [Focus::List, Focus::History, Focus::Composer];
        let tab = self.tab();
        if !self.is_inbox_shown() {
            return context.say("this page has one pane");
        }
        let at = order.iter().position(|focus| *focus == tab.focus).unwrap_or(0);
        let next = order[(at + 3).saturating_add_signed(by) % 3];
        match next {
            Focus::List => self.tab_mut().focus = Focus::List,
            _ => {
                self.open(next, context);
            }
        }
    }
}

impl Keyboard {
    pub(crate) fn numbered_tab(&mut self, key: KeyPress, desk: &mut Desk, context: &mut Context) {
        let KeyCode::Char(digit) = key.code else { return };
        let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
        if (1..=desk.tabs.len()).contains(&number) {
            self.go_to_tab(number - 1, desk);
        } else {
            context.warn(format!("there is no tab {number}"));
        }
    }
}

pub(crate) fn interrupt(inbox: &mut Inbox) {
    let again = inbox.keyboard.interrupted_at.is_some_and(|at| inbox.context.moment.since(at) < INTERRUPT);
    if again {
        return inbox.changes.quit(&mut inbox.desk, &mut inbox.context);
    }
    inbox.keyboard.interrupted_at = Some(inbox.context.moment);
    inbox.context.state(Fact::Interrupted);
}

impl Changes {
    /// Leaves, keeping every draft.
    pub(crate) fn quit(&mut self, desk: &mut Desk, context: &mut Context) {
        self.save_every_draft(desk, context);
        context.push(TerminalOrder::Quit);
    }

    /// The same, with what is still to leave sent in the background.
    pub(crate) fn quit_to_background(&mut self, desk: &mut Desk, context: &mut Context) {
        self.save_every_draft(desk, context);
        context.push(TerminalOrder::QuitToBackground);
    }
}
