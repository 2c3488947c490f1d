//! Who gets a key: the topmost layer, the composer, or the key map.

use crate::Inbox;
use crate::availability;
use crate::commands;
use crate::commands::{Command, CommandScope};
use crate::features::macros::steps::RecordedStep;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress};
use crate::pages::PageKind;
use crate::screens::cards::is_deck;
use crate::tab::Focus;

impl Inbox {
    /// The places whose keys act now, nearest first.
    pub fn places(&self) -> Vec<CommandScope> {
        let tab = self.tab();
        match tab.focus {
            _ if self.page == PageKind::Outbox => {
                vec![CommandScope::Outbox, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Drafts => vec![CommandScope::Rows, CommandScope::Desk],
            _ if self.page == PageKind::Webhooks => {
                vec![CommandScope::Webhooks, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Broadcasts => {
                vec![CommandScope::Broadcasts, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Wall => vec![CommandScope::Rows, CommandScope::Desk],
            _ if is_deck(self.page) => vec![CommandScope::Deck, CommandScope::Rows, CommandScope::Desk],
            _ if self.page == PageKind::People => {
                vec![CommandScope::People, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            Focus::Composer => vec![CommandScope::Composer],
            _ if tab.is_in_triage() => vec![
                CommandScope::Triage,
                CommandScope::History,
                CommandScope::Conversation,
                CommandScope::Desk,
            ],
            _ if !tab.is_inbox() => vec![CommandScope::Desk],
            Focus::List => vec![CommandScope::List, CommandScope::Conversation, CommandScope::Desk],
            Focus::History => vec![CommandScope::History, CommandScope::Conversation, CommandScope::Desk],
        }
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: KeyPress) {
        if self.pressed_while_playing(key) {
            return;
        }
        self.context.settings.keymap.tells_shift_enter |= key.code == KeyCode::Enter && key.shift;
        // Who goes on working does not want to leave any more.
        self.leaving = false;
        self.press(key);
    }

    /// Does what a key means, whoever pressed it.
    pub(crate) fn press(&mut self, key: KeyPress) {
        self.record_layer_key(key);
        if self.layer_takes(key) {
            return;
        }
        if self.is_typing() {
            return self.composer_key(key);
        }
        if let Some(letter) = self.fixed_macro(key).filter(|_| self.pressed.is_empty()) {
            return self.play_macro(letter);
        }
        self.pressed.push(key);
        match self.context.settings.keymap.resolve(&self.places(), &self.pressed) {
            Resolution::Pending => (),
            Resolution::Matched(command) => {
                self.pressed.clear();
                self.call(command, key);
            }
            Resolution::Unknown => {
                let names: Vec<String> = self.pressed.drain(..).map(|it| it.to_string()).collect();
                // Esc ends what was begun.
                if names.last().is_some_and(|it| it != "Esc") {
                    let help = self.key_of(Command::Help);
                    self.warn(format!("{} is not a key here; {help} shows the keys", names.join(" ")));
                }
            }
        }
    }

    /// Runs a command a person called, and records it.
    pub(crate) fn call(&mut self, command: Command, key: KeyPress) {
        if availability::check(self, command).is_ok() {
            self.recorded(RecordedStep::Command(command, key));
            if commands::row(command).place == CommandScope::Conversation {
                self.list_mut().touch();
            }
        }
        self.command(command, key);
    }

    /// Runs a command, or says why it cannot be done.
    pub(crate) fn command(&mut self, command: Command, key: KeyPress) {
        match availability::check(self, command) {
            Ok(()) => {
                self.perform(command, key);
                self.tutor_saw(command);
            }
            Err(reason) => self.warn(format!("{}: {reason}", commands::row(command).word)),
        }
    }
}
