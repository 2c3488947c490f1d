//! Routing of keys, pastes and the wheel to a popup, the composer, a macro or a command.

use crate::Inbox;
use crate::command;
use crate::command::{Command, CommandScope, Reason, TABLE, VERBS};
use crate::commands;
use crate::features::macros;
use crate::features::macros::playback;
use crate::features::macros::steps::MacroStep;
use crate::keymap::Resolution;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::KeyOutcome;
use crate::overlays::prompt_guard::update as guard;
use crate::screens::composer::attachments;
use crate::screens::composer::typing;
use crate::screens::mail::writing::update as writing;
use model::filter;
use model::nearest::nearest_word;

const COMMAND_HISTORY_LIMIT: usize = 50;

impl Inbox {
    pub(crate) fn handle_paste(&mut self, text: &str) {
        if !macros::is_question_open(&self.context)
            && (!self.context.overlays.is_empty() || self.desk.is_typing())
        {
            self.features.macros.record(MacroStep::Paste(text.to_owned()));
        }
        self.paste(text);
    }

    pub(crate) fn handle_key(&mut self, key: KeyPress) {
        self.context.last_click = None;
        self.context.settings.keymap.reports_shift_enter |= key.code == KeyCode::Enter && key.shift;
        // A person who goes on working does not want to leave.
        self.keyboard.quits_after_hand_back = false;
        self.dispatch_key(key);
    }

    pub(crate) fn dispatch_key(&mut self, key: KeyPress) {
        self.features.macros.record_overlay_key(key, &self.context);
        if self.pass_key_to_overlay(key) {
            return;
        }
        if self.desk.is_typing() {
            return typing::handle_composer_key(self, key);
        }
        if let Some(letter) =
            macros::macro_letter(&self.context, key).filter(|_| self.keyboard.pressed.is_empty())
        {
            return playback::play_macro(self, letter);
        }
        self.keyboard.pressed.push(key);
        match self.context.settings.keymap.resolve(&self.desk.active_scopes(), &self.keyboard.pressed) {
            Resolution::Pending => (),
            Resolution::Matched(command) => {
                self.keyboard.pressed.clear();
                self.run_command(command, key);
            }
            Resolution::Unknown => {
                let names: Vec<String> =
                    self.keyboard.pressed.drain(..).map(|key_press| key_press.to_string()).collect();
                // Esc cancels a begun sequence.
                if names.last().is_some_and(|name| name != "Esc") {
                    let help = self.context.key_of(Command::Help);
                    self.context.show_warning(format!(
                        "{} is not a key here; {help} shows the keys",
                        names.join(" ")
                    ));
                }
            }
        }
    }

    pub fn check_enabled(&self, command: Command) -> Result<(), Reason> {
        let (enabled, _) = commands::functions(command);
        enabled(self).map_err(|error| self.context.fill_in_keys(&error))
    }

    /// Runs and records a command, or shows the reason why it cannot run.
    pub(crate) fn run_command(&mut self, command: Command, key: KeyPress) {
        let row = command::row(command);
        if let Err(reason) = self.check_enabled(command) {
            return self.context.show_warning(format!("{}: {reason}", row.word));
        }
        self.features.macros.record(MacroStep::Command(command, key));
        if row.place == CommandScope::Conversation {
            self.desk.list_mut().mark_touched();
        }
        let (_, run) = commands::functions(command);
        run(self, key);
    }

    /// Passes a key to the topmost popup; returns false if there is none.
    pub(crate) fn pass_key_to_overlay(&mut self, key: KeyPress) -> bool {
        let Some(top) = self.context.overlays.last() else { return false };
        let asks = top.is_question();
        let is_answer =
            asks && guard::question_answers(self).is_some_and(|all| all.iter().any(|pair| pair.0 == key));
        if asks && !guard::allow_key(&mut self.desk, key, is_answer, &mut self.context) {
            return true;
        }
        let depth = self.context.overlays.len() - 1;
        let Some(mut overlay) = self.context.overlays.pop() else { return false };
        let step = overlay.key(self, key);
        if step != KeyOutcome::Done {
            self.context.overlays.insert(depth, overlay);
        }
        if step == KeyOutcome::Ignored && asks {
            guard::handle_stray_key(&mut self.desk, key, &mut self.context);
        }
        true
    }

    /// Pastes into the topmost popup; returns false if it takes no text.
    pub(crate) fn paste_into_overlay(&mut self, text: &str) -> bool {
        let depth = self.context.overlays.len().saturating_sub(1);
        let Some(mut overlay) = self.context.overlays.pop() else { return false };
        let taken = overlay.paste(self, text);
        self.context.overlays.insert(depth, overlay);
        taken
    }

    /// Scrolls the topmost popup unless it is a question.
    pub(crate) fn scroll_overlay(&mut self, key: KeyPress) {
        if self.context.overlays.last().is_some_and(|layer| !layer.is_question()) {
            self.pass_key_to_overlay(key);
        }
    }

    /// Pastes into a popup or the composer; ignored elsewhere.
    pub(crate) fn paste(&mut self, text: &str) {
        if self.paste_into_overlay(text) {
            return;
        }
        let now = self.context.moment;
        if self.context.overlays.is_empty() && writing::paste_into_header(&mut self.desk, text, &self.context)
        {
            return;
        }
        if !self.context.overlays.is_empty() || !self.desk.is_typing() {
            return self.context.show_warning(
                self.context.fill_in_keys("pasted text was ignored: press {reply} first to write"),
            );
        }
        let fits = self.desk.tab_mut().composer.as_mut().is_none_or(|composer| composer.paste(text, now));
        if !fits {
            return self.context.show_warning("the pasted text was too long and has been cut");
        }
        attachments::check_pasted_path(self, text);
    }

    pub(crate) fn run_line(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.keyboard.command_history.last().is_none_or(|entry| entry != text) {
            self.keyboard.command_history.push(text.to_owned());
        }
        let over = self.keyboard.command_history.len().saturating_sub(COMMAND_HISTORY_LIMIT);
        self.keyboard.command_history.drain(..over);
        let (name, rest) = text.split_once(' ').map_or((text, ""), |(name, rest)| (name, rest.trim()));
        let verb = VERBS.iter().find(|verb| verb.name == name);
        if let Some((verb, (run, _))) = verb.zip(commands::verb(name)) {
            self.features.macros.record(MacroStep::Line(text.to_owned()));
            // The error of the previous line is over.
            self.context.notice = None;
            let done = match rest {
                "" if verb.needs_argument() => Err(format!("{name} needs {}", verb.takes)),
                _ => run(self, rest),
            };
            return done.unwrap_or_else(|why| self.context.show_warning(why));
        }
        match command::find_by_name(name).filter(|_| rest.is_empty()) {
            Some(command) => match self.disabled_reason(command) {
                Some(reason) => self.context.show_warning(format!("{name}: {reason}")),
                None => self.run_command(command, KeyPress::plain(KeyCode::Enter)),
            },
            None => self.context.show_warning(unknown_command_message(name, rest)),
        }
    }

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

    /// Reason why a command cannot run from the current place.
    pub(crate) fn disabled_reason(&self, command: Command) -> Option<String> {
        let place = command::row(command).place;
        if !self.desk.active_scopes().contains(&place) && !self.desk.is_typing() {
            return Some(format!("works only in: {}", place.heading().to_lowercase()));
        }
        self.check_enabled(command).err()
    }
}

fn unknown_command_message(name: &str, rest: &str) -> String {
    if command::find_by_name(name).is_some() {
        return format!("{name} takes no argument, not {rest:?}");
    }
    let names: Vec<String> = TABLE.iter().map(|command_row| command::name(command_row.command)).collect();
    let all: Vec<&str> = VERBS.iter().map(|verb| verb.name).chain(names.iter().map(String::as_str)).collect();
    let begun = all.iter().find(|entry| entry.starts_with(name)).copied();
    match begun.or_else(|| nearest_word(name, &all)) {
        Some(near) => format!("{name} is not a command; did you mean {near}?"),
        None => format!("{name} is not a command; Tab lists the commands"),
    }
}
