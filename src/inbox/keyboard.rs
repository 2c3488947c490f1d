//! Who gets a key: the topmost layer, the composer, or the key map.

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandScope, Reason};
use crate::commands;
use crate::desk::Desk;
use crate::features::macros::steps::RecordedStep;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress};
use crate::pages::PageKind;
use crate::screens::cards::is_deck;
use crate::tab::Focus;
use model::time::Timestamp;

/// What the keyboard is in the middle of.
#[derive(Debug, Default)]
pub struct Keyboard {
    /// The start of a key sequence.
    pub pressed: Vec<KeyPress>,
    /// Command lines said before, newest last.
    pub(crate) command_history: Vec<String>,
    /// Commands that were piped to, the newest last.
    pub(crate) piped: Vec<String>,
    /// When the first Ctrl-C was pressed.
    pub(crate) interrupted_at: Option<Timestamp>,
    /// Whether the desk ends as soon as nothing is paused from here.
    pub(crate) leaving: bool,
    /// Whether what comes back from the editor is JSON of the person's own.
    pub(crate) edits_json: bool,
    /// The next step of the exercise, while one goes on.
    pub(crate) tutor: Option<usize>,
}

impl Desk {
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
}

impl Inbox {
    /// A key was pressed.
    pub(crate) fn key(&mut self, key: KeyPress) {
        if self.features.macros.pressed_while_playing(key, &mut self.context) {
            return;
        }
        self.context.settings.keymap.tells_shift_enter |= key.code == KeyCode::Enter && key.shift;
        // Who goes on working does not want to leave any more.
        self.keyboard.leaving = false;
        self.press(key);
    }

    /// Does what a key means, whoever pressed it.
    pub(crate) fn press(&mut self, key: KeyPress) {
        self.features.macros.record_layer_key(key, &mut self.context);
        if self.layer_takes(key) {
            return;
        }
        if self.desk.is_typing() {
            return self.composer_key(key);
        }
        if let Some(letter) = self.context.fixed_macro(key).filter(|_| self.keyboard.pressed.is_empty()) {
            return self.play_macro(letter);
        }
        self.keyboard.pressed.push(key);
        match self.context.settings.keymap.resolve(&self.desk.places(), &self.keyboard.pressed) {
            Resolution::Pending => (),
            Resolution::Matched(command) => {
                self.keyboard.pressed.clear();
                self.call(command, key);
            }
            Resolution::Unknown => {
                let names: Vec<String> = self.keyboard.pressed.drain(..).map(|it| it.to_string()).collect();
                // Esc ends what was begun.
                if names.last().is_some_and(|it| it != "Esc") {
                    let help = self.context.key_of(Command::Help);
                    self.context
                        .warn(format!("{} is not a key here; {help} shows the keys", names.join(" ")));
                }
            }
        }
    }

    /// Whether a command can be done now.
    ///
    /// # Errors
    /// The reason it cannot, in words for the status line.
    pub fn enabled(&self, command: Command) -> Result<(), Reason> {
        let (enabled, _) = commands::functions(command);
        enabled(self).map_err(|it| self.context.keyed(&it))
    }

    /// Runs a command a person called and records it, or says why it cannot be
    /// done.
    pub(crate) fn call(&mut self, command: Command, key: KeyPress) {
        let row = command::row(command);
        if let Err(reason) = self.enabled(command) {
            return self.context.warn(format!("{}: {reason}", row.word));
        }
        self.features.macros.recorded(RecordedStep::Command(command, key), &mut self.context);
        if row.place == CommandScope::Conversation {
            self.desk.list_mut().touch();
        }
        let (_, run) = commands::functions(command);
        run(self, key);
        self.keyboard.tutor_saw(command, &mut self.context);
    }
}
