//! The command line: every command by its name, and some with what follows
//! it, each a row of `commands.rs`.

use crate::Inbox;
use crate::command;
use crate::command::{TABLE, VERBS, VerbRow};
use crate::commands;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::features::macros::steps::RecordedStep;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::line::{LineKind, LinePrompt};
use crate::overlays::overlay::KeyOutcome;
use model::filter;
use model::nearest::nearest;

/// Lines remembered.
const REMEMBERED: usize = 50;

impl Context {
    /// Opens the command line, begun with this.
    pub(crate) fn open_command_line(&mut self, begun: &str) {
        let kind = LineKind::Command { back: 0, completing: None };
        self.open(LinePrompt { kind, text: TextLine::new(begun) });
    }
}

impl Inbox {
    /// Does a command of the line that was chosen, or asks for what follows it.
    pub(crate) fn choose_verb(&mut self, verb: &VerbRow) {
        match verb.needs_words() {
            true => self.context.open_command_line(&format!("{} ", verb.name)),
            false => self.say_command(verb.name),
        }
    }

    /// A key that means something to the command line alone.
    pub(crate) fn command_line_key(&mut self, line: &mut LinePrompt, key: KeyPress) -> KeyOutcome {
        let LineKind::Command { back, completing } = &mut line.kind else { return KeyOutcome::Stay };
        match key.code {
            KeyCode::Enter => {
                let text = line.text.text().trim().to_owned();
                self.say_command(&text);
                return KeyOutcome::Done;
            }
            KeyCode::Up | KeyCode::Down => {
                let older = key.code == KeyCode::Up;
                *back = if older {
                    (*back + 1).min(self.keyboard.command_history.len())
                } else {
                    back.saturating_sub(1)
                };
                let text = self
                    .keyboard
                    .command_history
                    .len()
                    .checked_sub(*back)
                    .and_then(|at| self.keyboard.command_history.get(at));
                line.text.set(text.filter(|_| *back > 0).cloned().unwrap_or_default());
            }
            KeyCode::Tab | KeyCode::BackTab => {
                let (begun, at) = match completing.take() {
                    Some((begun, at)) => (begun, Some(at)),
                    None => (line.text.text().to_owned(), None),
                };
                let all = self.completions(&begun);
                let count = all.len().max(1);
                let next = match (at, key.code) {
                    (None, KeyCode::Tab) => 0,
                    (None, _) => count - 1,
                    (Some(at), KeyCode::Tab) => (at + 1) % count,
                    (Some(at), _) => (at + count - 1) % count,
                };
                if let Some(text) = all.get(next) {
                    line.text.set(text.clone());
                    *completing = Some((begun, next));
                }
            }
            _ => {
                if line.text.key(key) {
                    *completing = None;
                }
            }
        }
        KeyOutcome::Stay
    }

    /// What a line begun so can become.
    pub fn completions(&self, begun: &str) -> Vec<String> {
        match begun.split_once(' ') {
            None => {
                let verbs = VERBS.iter().map(|it| format!("{} ", it.name));
                let names = TABLE.iter().map(|it| command::name(it.command));
                let short = ["help", "quit"].map(str::to_owned);
                let mut all: Vec<String> =
                    verbs.chain(short).chain(names).filter(|it| it.starts_with(begun)).collect();
                let mut seen = Vec::new();
                all.retain(|it| {
                    !seen.contains(&it.trim().to_owned()) && {
                        seen.push(it.trim().to_owned());
                        true
                    }
                });
                all
            }
            Some(("filter", rest)) => vec![format!("filter {}", filter::complete(rest))],
            Some((name, rest)) => {
                let Some((_, known)) = commands::verb(name) else { return Vec::new() };
                let lower = rest.to_lowercase();
                let known = known(self).into_iter().filter(|it| it.to_lowercase().starts_with(&lower));
                known.map(|it| format!("{name} {it}")).collect()
            }
        }
    }

    /// Does what a line says, or says why not.
    pub(crate) fn say_command(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.keyboard.command_history.last().is_none_or(|it| it != text) {
            self.keyboard.command_history.push(text.to_owned());
        }
        let over = self.keyboard.command_history.len().saturating_sub(REMEMBERED);
        self.keyboard.command_history.drain(..over);
        let (name, rest) = text.split_once(' ').map_or((text, ""), |(name, rest)| (name, rest.trim()));
        let verb = VERBS.iter().find(|it| it.name == name);
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
            Some(command) => match self.why_off(command) {
                Some(reason) => self.context.warn(format!("{name}: {reason}")),
                None => self.call(command, KeyPress::plain(KeyCode::Enter)),
            },
            None => self.context.warn(unknown(name, rest)),
        }
    }
}

/// What is near an unknown word.
fn unknown(name: &str, rest: &str) -> String {
    if command::named(name).is_some() {
        return format!("{name} takes nothing after it, not {rest:?}");
    }
    let names: Vec<String> = TABLE.iter().map(|it| command::name(it.command)).collect();
    let all: Vec<&str> = VERBS.iter().map(|it| it.name).chain(names.iter().map(String::as_str)).collect();
    let begun = all.iter().find(|it| it.starts_with(name)).copied();
    match begun.or_else(|| nearest(name, &all)) {
        Some(near) => format!("{name} is not a command; did you mean {near}?"),
        None => format!("{name} is not a command; Tab shows those there are"),
    }
}
