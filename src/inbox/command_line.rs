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
use crate::overlays::palette;
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

/// Does a command of the line that was chosen, or asks for what follows it.
pub(crate) fn choose_verb(inbox: &mut Inbox, verb: &VerbRow) {
    match verb.needs_words() {
        true => inbox.context.open_command_line(&format!("{} ", verb.name)),
        false => say_command(inbox, verb.name),
    }
}

/// A key that means something to the command line alone.
pub(crate) fn command_line_key(inbox: &mut Inbox, line: &mut LinePrompt, key: KeyPress) -> KeyOutcome {
    let LineKind::Command { back, completing } = &mut line.kind else { return KeyOutcome::Stay };
    match key.code {
        KeyCode::Enter => {
            let text = line.text.text().trim().to_owned();
            say_command(inbox, &text);
            return KeyOutcome::Done;
        }
        KeyCode::Up | KeyCode::Down => {
            let older = key.code == KeyCode::Up;
            *back = if older {
                (*back + 1).min(inbox.keyboard.command_history.len())
            } else {
                back.saturating_sub(1)
            };
            let text = inbox
                .keyboard
                .command_history
                .len()
                .checked_sub(*back)
                .and_then(|at| inbox.keyboard.command_history.get(at));
            line.text.set(text.filter(|_| *back > 0).cloned().unwrap_or_default());
        }
        KeyCode::Tab | KeyCode::BackTab => {
            let (begun, at) = match completing.take() {
                Some((begun, at)) => (begun, Some(at)),
                None => (line.text.text().to_owned(), None),
            };
            let all = completions(inbox, &begun);
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
pub fn completions(inbox: &Inbox, begun: &str) -> Vec<String> {
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
            let known = known(inbox).into_iter().filter(|it| it.to_lowercase().starts_with(&lower));
            known.map(|it| format!("{name} {it}")).collect()
        }
    }
}

/// Does what a line says, or says why not.
pub(crate) fn say_command(inbox: &mut Inbox, text: &str) {
    if text.is_empty() {
        return;
    }
    if inbox.keyboard.command_history.last().is_none_or(|it| it != text) {
        inbox.keyboard.command_history.push(text.to_owned());
    }
    let over = inbox.keyboard.command_history.len().saturating_sub(REMEMBERED);
    inbox.keyboard.command_history.drain(..over);
    let (name, rest) = text.split_once(' ').map_or((text, ""), |(name, rest)| (name, rest.trim()));
    let verb = VERBS.iter().find(|it| it.name == name);
    if let Some((verb, (run, _))) = verb.zip(commands::verb(name)) {
        inbox.features.macros.recorded(RecordedStep::Line(text.to_owned()), &mut inbox.context);
        // What was wrong with the line before is over.
        inbox.context.notice = None;
        let done = match rest {
            "" if verb.needs_words() => Err(format!("{name} needs {}", verb.takes)),
            _ => run(inbox, rest),
        };
        return done.unwrap_or_else(|why| inbox.context.warn(why));
    }
    match command::named(name).filter(|_| rest.is_empty()) {
        Some(command) => match palette::why_off(inbox, command) {
            Some(reason) => inbox.context.warn(format!("{name}: {reason}")),
            None => inbox.call(command, KeyPress::plain(KeyCode::Enter)),
        },
        None => inbox.context.warn(unknown(name, rest)),
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
