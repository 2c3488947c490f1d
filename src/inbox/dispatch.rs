//! Keys, pastes and the wheel on their way: to a popup, the composer, a macro or a
//! command.

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandScope, Reason, TABLE, VERBS};
use crate::commands;
use crate::features::macros::playing::update as playing;
use crate::features::macros::recording::update as recording;
use crate::features::macros::steps::RecordedStep;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::guard::update as guard;
use crate::overlays::overlay::KeyOutcome;
use crate::screens::composer::attachments;
use crate::screens::composer::typing;
use model::filter;
use model::nearest::nearest_word;

/// Lines remembered.
const REMEMBERED: usize = 50;

impl Inbox {
    /// Text was pasted by the person.
    pub(crate) fn pasted(&mut self, text: &str) {
        if !recording::asks_a_person(&self.context)
            && (!self.context.layers.is_empty() || self.desk.is_typing())
        {
            self.features.macros.recorded(RecordedStep::Paste(text.to_owned()), &mut self.context);
        }
        self.paste(text);
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: KeyPress) {
        self.context.pointed = None;
        self.context.settings.keymap.tells_shift_enter |= key.code == KeyCode::Enter && key.shift;
        // Who goes on working does not want to leave any more.
        self.keyboard.leaving = false;
        self.press(key);
    }

    /// Does what a key means, pressed or replayed.
    pub(crate) fn press(&mut self, key: KeyPress) {
        self.features.macros.record_layer_key(key, &mut self.context);
        if self.layer_takes(key) {
            return;
        }
        if self.desk.is_typing() {
            return typing::composer_key(self, key);
        }
        if let Some(letter) =
            recording::fixed_macro(&self.context, key).filter(|_| self.keyboard.pressed.is_empty())
        {
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
                let names: Vec<String> =
                    self.keyboard.pressed.drain(..).map(|key_press| key_press.to_string()).collect();
                // Esc ends what was begun.
                if names.last().is_some_and(|name| name != "Esc") {
                    let help = self.context.key_of(Command::Help);
                    self.context
                        .warn(format!("{} is not a key here; {help} shows the keys", names.join(" ")));
                }
            }
        }
    }

    /// Whether a command can be done now.
    pub fn enabled(&self, command: Command) -> Result<(), Reason> {
        let (enabled, _) = commands::functions(command);
        enabled(self).map_err(|error| self.context.keyed(&error))
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
        let is_answer = asks && guard::answers(self).is_some_and(|all| all.iter().any(|pair| pair.0 == key));
        if asks && !self.desk.allow_key(key, is_answer, &mut self.context) {
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
        if self.context.layers.last().is_some_and(|layer| !layer.is_question()) {
            self.layer_takes(key);
        }
    }

    /// Pasted text is text in the composer and nothing anywhere else.
    pub(crate) fn paste(&mut self, text: &str) {
        if self.layer_pastes(text) {
            return;
        }
        let now = self.context.moment;
        if self.context.layers.is_empty() && self.desk.paste_into_head(text, &self.context) {
            return;
        }
        if !self.context.layers.is_empty() || !self.desk.is_typing() {
            return self
                .context
                .warn(self.context.keyed("pasted text was ignored: press {reply} first to write"));
        }
        let fits = self.desk.tab_mut().composer.as_mut().is_none_or(|composer| composer.paste(text, now));
        if !fits {
            return self.context.warn("the pasted text was too long and has been cut");
        }
        attachments::recognise_path(self, text);
    }

    /// Does what a line says, or says why not.
    pub(crate) fn run_line(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.keyboard.command_history.last().is_none_or(|entry| entry != text) {
            self.keyboard.command_history.push(text.to_owned());
        }
        let over = self.keyboard.command_history.len().saturating_sub(REMEMBERED);
        self.keyboard.command_history.drain(..over);
        let (name, rest) = text.split_once(' ').map_or((text, ""), |(name, rest)| (name, rest.trim()));
        let verb = VERBS.iter().find(|verb| verb.name == name);
        if let Some((verb, (run, _))) = verb.zip(commands::verb(name)) {
            self.features.macros.recorded(RecordedStep::Line(text.to_owned()), &mut self.context);
            // What was wrong with the line before is over.
            self.context.notice = None;
            let done = match rest {
                "" if verb.needs_words() => Err(format!("{name} needs {}", verb.takes)),
                _ => run(self, rest),
            };
            return done.unwrap_or_else(|why| self.context.warn(why));
        }
        match command::named(name).filter(|_| rest.is_empty()) {
            Some(command) => match self.why_disabled(command) {
                Some(reason) => self.context.warn(format!("{name}: {reason}")),
                None => self.call(command, KeyPress::plain(KeyCode::Enter)),
            },
            None => self.context.warn(unknown(name, rest)),
        }
    }

    /// What a line begun so can become.
    pub fn completions(&self, begun: &str) -> Vec<String> {
        match begun.split_once(' ') {
            None => {
                let verbs = VERBS.iter().map(|verb| format!("{} ", verb.name));
                let names = TABLE.iter().map(|command_row| command::name(command_row.command));
                let short = ["help", "quit"].map(str::to_owned);
                let mut all: Vec<String> =
                    verbs.chain(short).chain(names).filter(|verb| verb.starts_with(begun)).collect();
                let mut seen = Vec::new();
                all.retain(|text| {
                    !seen.contains(&text.trim().to_owned()) && {
                        seen.push(text.trim().to_owned());
                        true
                    }
                });
                all
            }
            Some(("filter", rest)) => vec![format!("filter {}", filter::complete(rest))],
            Some((name, rest)) => {
                let Some((_, known)) = commands::verb(name) else { return Vec::new() };
                let lower = rest.to_lowercase();
                let known = known(self).into_iter().filter(|text| text.to_lowercase().starts_with(&lower));
                known.map(|text| format!("{name} {text}")).collect()
            }
        }
    }

    /// Why a command cannot be run from where the person is.
    pub(crate) fn why_disabled(&self, command: Command) -> Option<String> {
        let place = command::row(command).place;
        if !self.desk.places().contains(&place) && !self.desk.is_typing() {
            return Some(format!("it is for another place: {}", place.heading().to_lowercase()));
        }
        self.enabled(command).err()
    }
}

/// What is near an unknown word.
fn unknown(name: &str, rest: &str) -> String {
    if command::named(name).is_some() {
        return format!("{name} takes nothing after it, not {rest:?}");
    }
    let names: Vec<String> = TABLE.iter().map(|command_row| command::name(command_row.command)).collect();
    let all: Vec<&str> = VERBS.iter().map(|verb| verb.name).chain(names.iter().map(String::as_str)).collect();
    let begun = all.iter().find(|entry| entry.starts_with(name)).copied();
    match begun.or_else(|| nearest_word(name, &all)) {
        Some(near) => format!("{name} is not a command; did you mean {near}?"),
        None => format!("{name} is not a command; Tab shows those there are"),
    }
}
