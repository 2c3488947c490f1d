//! Keys, pastes and the wheel on their way: to a popup, the composer, a macro or a
//! command.

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandScope, Reason};
use crate::commands;
use crate::features::macros::playing;
use crate::features::macros::steps::RecordedStep;
use crate::keymap::Resolution;
use crate::keys::KeyCode;
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::attachments;
use crate::screens::composer::typing;

impl Inbox {
    /// Text was pasted by the person.
    pub(crate) fn pasted(&mut self, text: &str) {
        if self.features.macros.playing.is_some() {
            return self
                .features
                .macros
                .stop_playing("text was pasted meanwhile, which was ignored", &mut self.context);
        }
        if !self.context.asks_a_person() && (!self.context.layers.is_empty() || self.desk.is_typing()) {
            self.features.macros.recorded(RecordedStep::Paste(text.to_owned()), &mut self.context);
        }
        self.paste(text);
    }
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
            return typing::composer_key(self, key);
        }
        if let Some(letter) = self.context.fixed_macro(key).filter(|_| self.keyboard.pressed.is_empty()) {
            return playing::play_macro(self, letter);
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
    /// A key goes to the topmost popup; true if there is one.
    pub(crate) fn layer_takes(&mut self, key: KeyPress) -> bool {
        let Some(top) = self.context.layers.last() else { return false };
        let asks = top.is_question();
        if asks && !self.desk.guard_lets(key, &mut self.context) {
            return true;
        }
        let depth = self.context.layers.len() - 1;
        let Some(mut overlay) = self.context.layers.pop() else { return false };
        let step = overlay.key(self, key);
        if step != KeyOutcome::Done {
            self.context.layers.insert(depth, overlay);
        }
        if step == KeyOutcome::Ignored && asks {
            self.desk.went_astray(key, &mut self.context);
        }
        true
    }

    /// Text was pasted while a popup is open; false if it is nothing to it.
    pub(crate) fn layer_pastes(&mut self, text: &str) -> bool {
        let depth = self.context.layers.len().saturating_sub(1);
        let Some(mut overlay) = self.context.layers.pop() else { return false };
        let taken = overlay.paste(self, text);
        self.context.layers.insert(depth, overlay);
        taken
    }

    /// The wheel turned over the topmost popup: texts scroll, questions stay.
    pub(crate) fn layer_scrolls(&mut self, key: KeyPress) {
        if self.context.layers.last().is_some_and(|it| !it.is_question()) {
            self.layer_takes(key);
        }
    }

    /// Pasted text is text in the composer and nothing anywhere else.
    pub(crate) fn paste(&mut self, text: &str) {
        if self.layer_pastes(text) {
            return;
        }
        let now = self.context.now;
        if self.context.layers.is_empty() && self.desk.paste_into_head(text, &self.context) {
            return;
        }
        if !self.context.layers.is_empty() || !self.desk.is_typing() {
            return self
                .context
                .warn(self.context.keyed("pasted text was ignored: press {reply} first to write"));
        }
        let fits = self.desk.tab_mut().composer.as_mut().is_none_or(|it| it.paste(text, now));
        if !fits {
            return self.context.warn("the pasted text was too long and has been cut");
        }
        attachments::recognise_path(self, text);
    }
}
