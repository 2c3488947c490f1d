//! Lists that lie over the desk: what was done from here, what became of the
//! last action on many, whose AI is paused. One layer, one set of keys.
//!
//! A line is data.

use crate::Inbox;
use crate::commands;
use crate::commands::Command;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::tab::Focus;
use model::queries::{ConversationKey, OutboxFate};
use model::text::SafeText;
use model::time::short_span;

/// Letters that move in every list, or leave it.
const MOVES: &str = "jkgGq";

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// What was done from here.
    Done,
    /// What became of the last action on many.
    Results,
    /// Whose AI was paused from here.
    Paused,
    /// The balance, and what was spent.
    Credits,
    /// The requests of the last while.
    Calls,
    /// The calls of connections.
    Connections,
}

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLine {
    /// What it is about.
    pub name: SafeText,
    /// What is said of it.
    pub words: SafeText,
    /// At its end.
    pub right: String,
    /// Whether it needs a person.
    pub loud: bool,
    /// Whether nothing can be done about it.
    pub dim: bool,
    /// Where Enter goes.
    pub goes_to: Option<ConversationKey>,
}

impl Inbox {
    /// The title of a list, and what its keys do.
    pub fn list_head(&self, kind: ListKind) -> (String, String) {
        let key = |command| self.list_key_of(command);
        let (title, keys) = match kind {
            ListKind::Done => {
                let keys = format!("{} takes it back · j k move · Esc back", key(Command::Undo));
                return ("What was done from here".to_owned(), keys);
            }
            ListKind::Paused => {
                let keys = format!("{} hands back · Enter opens · Esc back", key(Command::HandBack));
                return ("AI paused by you".to_owned(), keys);
            }
            ListKind::Calls => self.calls_head(),
            ListKind::Connections => {
                ("Calls of connections · newest first".to_owned(), "r anew · j k move · Esc back")
            }
            ListKind::Credits => ("Credits".to_owned(), "A sends what waited · Esc back"),
            ListKind::Results => {
                let Some(batch) = &self.batch else { return (String::new(), String::new()) };
                let (finished, total) = batch.progress();
                let left_out = batch.items.len() - total;
                let left_out = if left_out > 0 { format!(" · {left_out} left out") } else { String::new() };
                let title = format!("{}: {finished} of {total}{left_out}", batch.wish.verb());
                (title, "x stops · Enter opens · Esc")
            }
        };
        (title, keys.to_owned())
    }

    /// The key of a command in a list: a person's own where it is one key
    /// that does not move in lists, else the table's.
    fn list_key_of(&self, command: Command) -> KeyPress {
        let one = |keys: &Vec<KeyPress>| <[KeyPress; 1]>::try_from(keys.as_slice()).ok().map(|[key]| key);
        let free = |key: &KeyPress| match key.code {
            KeyCode::Char(it) if key.ctrl => !"du".contains(it),
            KeyCode::Char(it) => !MOVES.contains(it),
            KeyCode::F(_) => true,
            _ => false,
        };
        let own = commands::row(command).keys.iter().find_map(|it| KeyPress::parse(it));
        let chosen = self.context.settings.keymap.keys(command).iter().filter_map(one).find(free);
        chosen.or(own).unwrap_or(KeyPress::plain(KeyCode::Enter))
    }

    /// What an empty list says.
    pub fn list_empty(&self, kind: ListKind) -> &'static str {
        match kind {
            ListKind::Done => "Nothing yet. What you send, close, pause, snooze or mark stands here.",
            ListKind::Paused => "You have paused no AI. Where others have, the filter ai:off finds it.",
            ListKind::Results => "Nothing was done with many yet.",
            ListKind::Calls => "Nothing was asked of a server that would stand here.",
            ListKind::Connections => "No connection was asked yet.",
            ListKind::Credits => "No account has answered yet.",
        }
    }

    /// The lines of a list.
    pub fn list_lines(&self, kind: ListKind) -> Vec<ListLine> {
        match kind {
            ListKind::Done => self.done_lines(),
            ListKind::Paused => self.paused_lines(),
            ListKind::Results => self.result_lines(),
            ListKind::Credits => self.credit_lines(),
            ListKind::Calls => self.call_lines(),
            ListKind::Connections => self.connection_lines(),
        }
    }

    fn done_lines(&self) -> Vec<ListLine> {
        let line = |(done, why): (&crate::features::undo::Done, Option<&'static str>)| ListLine {
            name: done.words.clone(),
            words: SafeText::line(why.unwrap_or("can be taken back")),
            right: short_span(self.context.now.since(done.at)),
            loud: false,
            dim: why.is_some(),
            goes_to: None,
        };
        self.done().map(line).collect()
    }

    fn result_lines(&self) -> Vec<ListLine> {
        let Some(batch) = &self.batch else { return Vec::new() };
        let line = |item: &crate::screens::conversations::bulk_plan::BulkItem| {
            let (words, loud, dim) = match &item.fate {
                Err(why) => (format!("left out: {why}"), false, true),
                Ok(OutboxFate::Waiting) => ("waits to leave".to_owned(), false, false),
                Ok(OutboxFate::Sending) => ("on its way".to_owned(), false, false),
                Ok(OutboxFate::Asks(why)) => (format!("needs you: {why}"), true, false),
                Ok(OutboxFate::Done) => ("done".to_owned(), false, false),
                Ok(OutboxFate::TakenBack) => ("stopped before it left".to_owned(), false, true),
                Ok(OutboxFate::Dropped) => ("given up, or replaced by a newer wish".to_owned(), false, true),
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

    pub(crate) fn show_list(&mut self, kind: ListKind) {
        self.open_layer(Layer::List { kind, chosen: 0 });
    }

    /// A key goes to a list.
    pub(crate) fn list_key(&mut self, kind: ListKind, chosen: usize, key: KeyPress) {
        let lines = self.list_lines(kind);
        let last = lines.len().saturating_sub(1);
        let page = usize::from(self.context.size.1).saturating_sub(6).max(1);
        let moved = match key.code {
            KeyCode::Char('j') | KeyCode::Down => chosen + 1,
            KeyCode::Char('k') | KeyCode::Up => chosen.saturating_sub(1),
            KeyCode::PageDown => chosen + page,
            KeyCode::PageUp => chosen.saturating_sub(page),
            KeyCode::Char('d') if key.ctrl => chosen + page / 2,
            KeyCode::Char('u') if key.ctrl => chosen.saturating_sub(page / 2),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            KeyCode::Esc | KeyCode::Char('q') => return,
            KeyCode::Enter => match lines.get(chosen).and_then(|it| it.goes_to.clone()) {
                Some(key) => return self.visit(&key.channel, &key.conversation, Focus::History),
                None => chosen,
            },
            _ => {
                self.list_letter(kind, chosen, key);
                chosen
            }
        };
        self.layers.push(Layer::List { kind, chosen: moved.min(last) });
    }

    fn list_letter(&mut self, kind: ListKind, chosen: usize, key: KeyPress) {
        let calls = |command| key == self.list_key_of(command);
        match (kind, key.typed()) {
            (ListKind::Done, _) if calls(Command::Undo) => {
                let found = self.done().nth(chosen).map(|(done, why)| (done.group, why));
                match found {
                    Some((group, None)) => self.undo_group(group),
                    Some((_, Some(why))) => self.warn(format!("undo: {why}")),
                    None => (),
                }
            }
            (ListKind::Paused, _) if calls(Command::HandBack) => self.hand_back_chosen(chosen),
            (ListKind::Calls, Some(letter)) => self.calls_letter(chosen, letter),
            (ListKind::Connections, Some('r')) => self.show_connection_calls(),
            (ListKind::Credits, Some('A')) => self.ask_unpaid(),
            (ListKind::Results, Some('x')) => self.cancel_batch(),
            _ => (),
        }
    }
}
