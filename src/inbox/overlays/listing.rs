//! Lists that lie over the desk: what was done from here, what became of the
//! last action on many, whose AI is paused. One layer, one set of keys.
//!
//! A line is data.

use crate::Inbox;
use crate::changes::Changes;
use crate::command;
use crate::command::Command;
use crate::components::list::ListLine;
use crate::components::list::chosen_after;
use crate::context::Context;
use crate::event::Load;
use crate::features::absence::update as absence;
use crate::features::attention::update as attention;
use crate::features::privacy::names::NameIndex;
use crate::features::undo::update as undo;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::connections::log;
use crate::tab::Focus;
use model::queries::OutboxOutcome;
use model::text::SafeText;
use model::time::format_short_span;

/// Letters that move in every list, or leave it.
const MOVES: &str = "jkgGq";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    Done,
    /// What became of the last action on many.
    Results,
    Paused,
    /// What needs a person, by urgency.
    NeedsYou,
    /// What happened since the person left.
    Since,
    /// How fast customers are answered.
    ServiceLevels,
    /// The balance, and what was spent.
    Credits,
    /// The requests of the last while.
    Calls,
    /// The calls of connections.
    Connections,
}

/// A list over the screen.
#[derive(Debug)]
pub(crate) struct ListOverlay {
    pub(crate) kind: ListKind,
    pub(crate) chosen: usize,
}

impl Overlay for ListOverlay {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let lines = list_lines(inbox, self.kind);
        let page = usize::from(inbox.context.size.1).saturating_sub(6).max(1);
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return KeyOutcome::Done,
            KeyCode::Enter if self.kind == ListKind::Since => return absence::go_to(inbox, self.chosen),
            KeyCode::Enter if self.kind == ListKind::NeedsYou => return attention::go_to(inbox, self.chosen),
            KeyCode::Enter => {
                if let Some(key) = lines.get(self.chosen).and_then(|line| line.goes_to.clone()) {
                    inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
                    return KeyOutcome::Done;
                }
            }
            _ => match chosen_after(key, self.chosen, lines.len(), page) {
                Some(chosen) => self.chosen = chosen,
                None => list_letter(inbox, self.kind, self.chosen, key),
            },
        }
        self.chosen = self.chosen.min(lines.len().saturating_sub(1));
        KeyOutcome::Stay
    }

    fn shows(&self, load: &Load) -> bool {
        match self.kind {
            ListKind::Paused => matches!(load, Load::Paused(_)),
            ListKind::Since => matches!(load, Load::Digest(_)),
            ListKind::NeedsYou => matches!(load, Load::Attention(_)),
            ListKind::ServiceLevels => matches!(load, Load::ServiceLevels(..)),
            ListKind::Credits => matches!(load, Load::Spent | Load::Unpaid | Load::ModelUsage(_)),
            ListKind::Done | ListKind::Results => matches!(load, Load::Fates(_)),
            ListKind::Calls | ListKind::Connections => false,
        }
    }

    fn hints(&self, inbox: &Inbox) -> Option<Vec<(String, String)>> {
        let (_, keys) = list_head(inbox, self.kind);
        let hint = |said: &str| match said.strip_prefix("j k ") {
            Some(words) => ("j k".to_owned(), words.to_owned()),
            None => {
                let (key, words) = said.split_once(' ').unwrap_or((said, "back"));
                (key.to_owned(), words.to_owned())
            }
        };
        Some(keys.split(" · ").filter(|part| !part.is_empty()).map(hint).collect())
    }

    /// Lists that name people do it by themselves, or behind what was done.
    fn names(&self, inbox: &Inbox, names: &mut NameIndex) {
        match self.kind {
            ListKind::Results => {
                let items = inbox.changes.batch.iter().flat_map(|batch| &batch.items);
                items.for_each(|item| names.add(item.title.as_str()));
            }
            ListKind::Paused | ListKind::Since | ListKind::NeedsYou => {
                list_lines(inbox, self.kind).iter().for_each(|line| names.add(line.name.as_str()))
            }
            ListKind::Done => {
                for line in list_lines(inbox, self.kind) {
                    let name = line.name.as_str().rsplit_once(" · ").map_or("", |(_, name)| name);
                    if !name.starts_with(|name: char| name.is_ascii_digit()) {
                        names.add(name);
                    }
                }
            }
            ListKind::Connections => {
                inbox.connections.names_called_about(&inbox.desk).iter().for_each(|text| names.add(text))
            }
            ListKind::Credits | ListKind::Calls | ListKind::ServiceLevels => (),
        }
    }
}

/// The title of a list, and what its keys do.
pub fn list_head(inbox: &Inbox, kind: ListKind) -> (String, String) {
    let key = |command| list_key_of(&inbox.context, command);
    let (title, keys) = match kind {
        ListKind::Done => {
            let keys = format!("{} takes it back · j k move · Esc back", key(Command::Undo));
            return ("What was done from here".to_owned(), keys);
        }
        ListKind::Paused => {
            let keys = format!("{} hands back · Enter opens · Esc back", key(Command::HandBack));
            return ("AI paused by you".to_owned(), keys);
        }
        ListKind::Since => {
            let title = inbox.features.absence.digest_title(&inbox.context);
            return (title, "Enter goes there · Esc back".to_owned());
        }
        ListKind::NeedsYou => {
            return (inbox.features.attention.title(), attention::keys_said(&inbox.context));
        }
        ListKind::ServiceLevels => (inbox.features.service_levels.title(), "m measure · d days · Esc back"),
        ListKind::Calls => inbox.features.request_log.calls_head(),
        ListKind::Connections => {
            ("Calls of connections · newest first".to_owned(), "r anew · j k move · Esc back")
        }
        ListKind::Credits => ("Credits".to_owned(), "A sends what waited · Esc back"),
        ListKind::Results => {
            let Some(batch) = &inbox.changes.batch else { return (String::new(), String::new()) };
            let (finished, total) = batch.progress();
            let left_out = batch.items.len() - total;
            let left_out = if left_out > 0 { format!(" · {left_out} left out") } else { String::new() };
            let title = format!("{}: {finished} of {total}{left_out}", batch.wish.verb());
            (title, "x stops · Enter opens · Esc")
        }
    };
    (title, keys.to_owned())
}

/// What an empty list says.
pub fn list_empty(inbox: &Inbox, kind: ListKind) -> &'static str {
    match kind {
        ListKind::Done => {
            "Nothing since this start. What you send, close, pause, snooze or mark stands here."
        }
        ListKind::Paused => "You have paused no AI. Where others have, the filter ai:off finds it.",
        ListKind::Since => inbox.features.absence.digest_empty(&inbox.context),
        ListKind::NeedsYou => inbox.features.attention.empty(),
        ListKind::ServiceLevels => inbox.features.service_levels.empty(),
        ListKind::Results => "Nothing was done with many yet.",
        ListKind::Calls => "No such request was made lately.",
        ListKind::Connections => "No connection was asked yet.",
        ListKind::Credits => "No account has answered yet.",
    }
}

pub fn list_lines(inbox: &Inbox, kind: ListKind) -> Vec<ListLine> {
    match kind {
        ListKind::Done => inbox.changes.done_lines(&inbox.context),
        ListKind::Paused => inbox.features.pauses.paused_lines(&inbox.context),
        ListKind::Since => inbox.features.absence.digest_lines(&inbox.desk, &inbox.context),
        ListKind::NeedsYou => inbox.features.attention.lines(&inbox.desk, &inbox.context),
        ListKind::ServiceLevels => inbox.features.service_levels.lines(&inbox.desk),
        ListKind::Results => inbox.changes.result_lines(),
        ListKind::Credits => inbox.features.credits.credit_lines(&inbox.desk, &inbox.context),
        ListKind::Calls => inbox.features.request_log.call_lines(&inbox.desk, &inbox.context),
        ListKind::Connections => inbox.connections.connection_lines(&inbox.desk, &inbox.context),
    }
}

fn list_letter(inbox: &mut Inbox, kind: ListKind, chosen: usize, key: KeyPress) {
    let calls = |command| key == list_key_of(&inbox.context, command);
    match (kind, key.typed()) {
        (ListKind::Done, _) if calls(Command::Undo) => {
            let found = inbox.changes.done(&inbox.context).nth(chosen).map(|(done, why)| (done.group, why));
            match found {
                Some((group, None)) => undo::undo_group(inbox, group),
                Some((_, Some(why))) => inbox.context.warn(format!("undo: {why}")),
                None => (),
            }
        }
        (ListKind::Paused, _) if calls(Command::HandBack) => {
            inbox.features.pauses.hand_back_chosen(chosen, &mut inbox.desk, &mut inbox.context)
        }
        (ListKind::NeedsYou, _) => attention::pressed(inbox, chosen, key),
        (ListKind::Calls, Some(letter)) => {
            inbox.features.request_log.calls_letter(chosen, letter, &mut inbox.context)
        }
        (ListKind::ServiceLevels, Some(letter)) => {
            inbox.features.service_levels.letter(letter, &inbox.desk, &mut inbox.context)
        }
        (ListKind::Connections, Some('r')) => log::show_connection_calls(&mut inbox.context),
        (ListKind::Credits, Some('A')) => inbox.features.credits.ask_unpaid(&inbox.desk, &mut inbox.context),
        (ListKind::Results, Some('x')) => inbox.changes.cancel_batch(&mut inbox.context),
        _ => (),
    }
}

/// The key of a command in a list: a person's own where it is one key
/// that does not move in lists, else the table's.
pub(crate) fn list_key_of(context: &Context, command: Command) -> KeyPress {
    let one = |keys: &Vec<KeyPress>| <[KeyPress; 1]>::try_from(keys.as_slice()).ok().map(|[key]| key);
    let free = |key: &KeyPress| match key.code {
        KeyCode::Char(it) if key.ctrl => !"du".contains(it),
        KeyCode::Char(it) => !MOVES.contains(it),
        KeyCode::F(_) => true,
        _ => false,
    };
    let own = command::row(command).keys.iter().find_map(|key| KeyPress::parse(key));
    let chosen = context.settings.keymap.keys(command).iter().filter_map(one).find(free);
    chosen.or(own).unwrap_or(KeyPress::plain(KeyCode::Enter))
}

pub(crate) fn show_list(context: &mut Context, kind: ListKind) {
    context.open(ListOverlay { kind, chosen: 0 });
}

/// Whether this list is on top.
pub(crate) fn shows_list(context: &Context, kind: ListKind) -> bool {
    context.layers.top::<ListOverlay>().is_some_and(|top| top.kind == kind)
}

impl Changes {
    fn done_lines(&self, context: &Context) -> Vec<ListLine> {
        let line = |(done, why): (&crate::features::undo::Done, Option<&'static str>)| ListLine {
            name: done.words.clone(),
            words: SafeText::line(why.unwrap_or("can be taken back")),
            right: format_short_span(context.moment.since(done.at)),
            loud: false,
            dim: why.is_some(),
            goes_to: None,
        };
        self.done(context).map(line).collect()
    }

    fn result_lines(&self) -> Vec<ListLine> {
        let Some(batch) = &self.batch else { return Vec::new() };
        let line = |item: &crate::screens::conversations::bulk_plan::BulkItem| {
            let (words, loud, dim) = match &item.fate {
                Err(why) => (format!("left out: {why}"), false, true),
                Ok(OutboxOutcome::Waiting) => ("waits to leave".to_owned(), false, false),
                Ok(OutboxOutcome::Sending) => ("on its way".to_owned(), false, false),
                Ok(OutboxOutcome::NeedsDecision(why)) => (format!("needs you: {why}"), true, false),
                Ok(OutboxOutcome::Done) => ("done".to_owned(), false, false),
                Ok(OutboxOutcome::Recalled) => ("stopped before it left".to_owned(), false, true),
                Ok(OutboxOutcome::Refused(why)) => (format!("refused: {why}"), true, false),
                Ok(OutboxOutcome::Dropped) => {
                    ("given up, or replaced by a newer wish".to_owned(), false, true)
                }
            };
            ListLine {
                name: item.title.clone(),
                words: SafeText::line(&words),
                right: String::new(),
                loud,
                dim,
                goes_to: Some(item.key.clone()),
            }
        };
        batch.items.iter().map(line).collect()
    }
}
