//! Lists over the desk: changes made from here, results of the last bulk action, entries that need a person.
//! All share one layer and one set of keys.
//!
//! A line is data.

use crate::Inbox;
use crate::changes::Changes;
use crate::command;
use crate::command::Command;
use crate::components::list::ListLine;
use crate::components::list::selection_after_key;
use crate::context::Context;
use crate::event::Load;
use crate::features::attention::{lines, update as attention};
use crate::features::undo::update as undo;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::connections::log;
use crate::tab::Focus;
use model::queries::OutboxOutcome;
use model::text::SafeText;
use model::time::format_short_span;

/// Letters that move in every list, or close it.
const MOVE_KEYS: &str = "jkgGq";
/// Maximum columns of a list.
pub(crate) const MAX_WIDTH: u16 = 110;
/// Columns that a list leaves free at the sides of the screen.
pub(crate) const MARGIN: u16 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    Journal,
    /// Results of the last bulk action.
    BulkResults,
    NeedsYou,
    ServiceLevels,
    /// Balance and spending.
    Credits,
    RequestLog,
    Connections,
}

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
            KeyCode::Enter if self.kind == ListKind::NeedsYou => return attention::go_to(inbox, self.chosen),
            KeyCode::Enter => {
                if let Some(key) = lines.get(self.chosen).and_then(|line| line.target.clone()) {
                    inbox.desk.open_conversation(
                        &key.channel,
                        &key.conversation,
                        Focus::History,
                        &mut inbox.context,
                    );
                    return KeyOutcome::Done;
                }
            }
            _ => match selection_after_key(key, self.chosen, lines.len(), page) {
                Some(chosen) => self.chosen = chosen,
                None => handle_list_letter(inbox, self.kind, self.chosen, key),
            },
        }
        self.chosen = self.chosen.min(lines.len().saturating_sub(1));
        KeyOutcome::Stay
    }

    fn shows_load(&self, load: &Load) -> bool {
        match self.kind {
            ListKind::NeedsYou => matches!(load, Load::NeedsYou(_)),
            ListKind::ServiceLevels => matches!(load, Load::ServiceLevels(..)),
            ListKind::Credits => matches!(load, Load::Spending | Load::Unpaid | Load::ModelUsage(_)),
            ListKind::Journal | ListKind::BulkResults => matches!(load, Load::RowOutcomes(_)),
            ListKind::RequestLog | ListKind::Connections => false,
        }
    }

    fn hints(&self, inbox: &Inbox) -> Option<Vec<(String, String)>> {
        let (_, keys) = list_title_and_keys(inbox, self.kind);
        let hint = |said: &str| match said.strip_prefix("j k ") {
            Some(words) => ("j k".to_owned(), words.to_owned()),
            None => {
                let (key, words) = said.split_once(' ').unwrap_or((said, "back"));
                (key.to_owned(), words.to_owned())
            }
        };
        Some(keys.split(" · ").filter(|part| !part.is_empty()).map(hint).collect())
    }
}

pub fn list_title_and_keys(inbox: &Inbox, kind: ListKind) -> (String, String) {
    let key = |command| list_key_for(&inbox.context, command);
    let (title, keys) = match kind {
        ListKind::Journal => {
            let keys = format!("{} undo · j k move · Esc back", key(Command::Undo));
            return ("Done from this desk".to_owned(), keys);
        }
        ListKind::NeedsYou => {
            let keys = lines::key_words(&inbox.context, usize::MAX);
            return (inbox.features.attention.title(&inbox.context), keys);
        }
        ListKind::ServiceLevels => {
            (inbox.features.service_levels.title(), inbox.features.service_levels.keys())
        }
        ListKind::RequestLog => inbox.features.request_log.title_and_keys(),
        ListKind::Connections => {
            ("Calls of connections · newest first".to_owned(), "r refresh · j k move · Esc back")
        }
        ListKind::Credits => ("Credits".to_owned(), "A send waiting messages · Esc back"),
        ListKind::BulkResults => {
            let Some(batch) = &inbox.changes.batch else { return (String::new(), String::new()) };
            let (finished, total) = batch.progress();
            let left_out = batch.items.len() - total;
            let left_out = if left_out > 0 { format!(" · {left_out} left out") } else { String::new() };
            let title = format!("{}: {finished} of {total}{left_out}", batch.action.verb());
            (title, "x stops · Enter opens · Esc")
        }
    };
    (title, keys.to_owned())
}

pub fn empty_list_text(inbox: &Inbox, kind: ListKind) -> &'static str {
    match kind {
        ListKind::Journal => "Nothing yet. Your sends, closes, pauses, snoozes and marks appear here.",
        ListKind::NeedsYou => inbox.features.attention.empty(),
        ListKind::ServiceLevels => inbox.features.service_levels.empty_text(&inbox.context),
        ListKind::BulkResults => "No bulk action yet.",
        ListKind::RequestLog => "No such requests lately.",
        ListKind::Connections => "No connection calls yet.",
        ListKind::Credits => "No account has answered yet.",
    }
}

pub fn list_lines(inbox: &Inbox, kind: ListKind) -> Vec<ListLine> {
    match kind {
        ListKind::Journal => inbox.changes.journal_lines(&inbox.context),
        ListKind::NeedsYou => inbox.features.attention.lines(&inbox.desk, &inbox.context),
        ListKind::ServiceLevels => inbox.features.service_levels.lines(&inbox.desk, &inbox.context),
        ListKind::BulkResults => inbox.changes.bulk_result_lines(),
        ListKind::Credits => inbox.features.credits.credit_lines(&inbox.desk, &inbox.context),
        ListKind::RequestLog => inbox.features.request_log.request_lines(&inbox.desk, &inbox.context),
        ListKind::Connections => inbox.connections.call_lines(&inbox.desk, &inbox.context),
    }
}

fn handle_list_letter(inbox: &mut Inbox, kind: ListKind, chosen: usize, key: KeyPress) {
    let calls = |command| key == list_key_for(&inbox.context, command);
    match (kind, key.typed()) {
        (ListKind::Journal, _) if calls(Command::Undo) => {
            let found = inbox
                .changes
                .journal_entries(&inbox.context)
                .nth(chosen)
                .map(|(done, why)| (done.group, why));
            match found {
                Some((group, None)) => undo::undo_group(inbox, group),
                Some((_, Some(why))) => inbox.context.show_warning(format!("undo: {why}")),
                None => (),
            }
        }
        (ListKind::NeedsYou, _) => attention::pressed(inbox, chosen, key),
        (ListKind::RequestLog, Some(letter)) => {
            inbox.features.request_log.handle_letter(chosen, letter, &mut inbox.context)
        }
        (ListKind::ServiceLevels, Some(letter)) => {
            inbox.features.service_levels.handle_letter(letter, &inbox.desk, &mut inbox.context)
        }
        (ListKind::Connections, Some('r')) => log::show_connection_calls(&mut inbox.context),
        (ListKind::Credits, Some('A')) => {
            inbox.features.credits.ask_to_send_unpaid(&inbox.desk, &mut inbox.context)
        }
        (ListKind::BulkResults, Some('x')) => inbox.changes.cancel_batch(&mut inbox.context),
        _ => (),
    }
}

/// Key of a command in a list: a single configured key that does not move, else the default.
pub(crate) fn list_key_for(context: &Context, command: Command) -> KeyPress {
    let one = |keys: &Vec<KeyPress>| <[KeyPress; 1]>::try_from(keys.as_slice()).ok().map(|[key]| key);
    let free = |key: &KeyPress| match key.code {
        KeyCode::Char(character) if key.ctrl => !"du".contains(character),
        KeyCode::Char(character) => !MOVE_KEYS.contains(character),
        KeyCode::F(_) => true,
        _ => false,
    };
    let own = command::row(command).keys.iter().find_map(|key| KeyPress::parse(key));
    let chosen = context.settings.keymap.keys(command).iter().filter_map(one).find(free);
    chosen.or(own).unwrap_or(KeyPress::plain(KeyCode::Enter))
}

/// Columns of the names of a list, whose widest has `widest`, in `inner` columns.
pub(crate) fn name_columns(inner: u16, widest: usize) -> u16 {
    u16::try_from(widest).unwrap_or(u16::MAX).min(inner * 2 / 5)
}

/// Columns of the text of a line that nothing follows, where the widest name has `widest`.
pub(crate) fn text_columns(context: &Context, widest: usize) -> usize {
    let inner = context.size.0.saturating_sub(MARGIN).min(MAX_WIDTH).saturating_sub(2);
    usize::from(inner.saturating_sub(name_columns(inner, widest) + 4))
}

pub(crate) fn show_list(context: &mut Context, kind: ListKind) {
    context.open(ListOverlay { kind, chosen: 0 });
}

pub(crate) fn shows_list(context: &Context, kind: ListKind) -> bool {
    context.overlays.top::<ListOverlay>().is_some_and(|top| top.kind == kind)
}

impl Changes {
    fn journal_lines(&self, context: &Context) -> Vec<ListLine> {
        let line = |(done, why): (&crate::features::undo::JournalEntry, Option<&'static str>)| ListLine {
            name: done.description.clone(),
            text: SafeText::line(why.unwrap_or("can be undone")),
            trailing: format_short_span(context.moment.since(done.at)),
            is_urgent: false,
            dim: why.is_some(),
            target: None,
        };
        self.journal_entries(context).map(line).collect()
    }

    fn bulk_result_lines(&self) -> Vec<ListLine> {
        let Some(batch) = &self.batch else { return Vec::new() };
        let line = |item: &crate::screens::conversations::bulk_plan::BulkItem| {
            let (words, loud, dim) = match &item.outcome {
                Err(why) => (format!("left out: {why}"), false, true),
                Ok(OutboxOutcome::Waiting) => ("waiting to send".to_owned(), false, false),
                Ok(OutboxOutcome::Sending) => ("sending".to_owned(), false, false),
                Ok(OutboxOutcome::NeedsDecision(why)) => (format!("needs you: {why}"), true, false),
                Ok(OutboxOutcome::Done) => ("done".to_owned(), false, false),
                Ok(OutboxOutcome::Recalled) => ("stopped before sending".to_owned(), false, true),
                Ok(OutboxOutcome::Refused(why)) => (format!("refused: {why}"), true, false),
                Ok(OutboxOutcome::Dropped) => {
                    ("dropped, or replaced by a newer change".to_owned(), false, true)
                }
            };
            ListLine {
                name: item.title.clone(),
                text: SafeText::line(&words),
                trailing: String::new(),
                is_urgent: loud,
                dim,
                target: Some(item.key.clone()),
            }
        };
        batch.items.iter().map(line).collect()
    }
}
