//! Lines typed at the bottom: list filter, history search, command. Filter and search act while
//! typing; Enter keeps them, Esc reverts them.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Load;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::pages::PageKind;
use crate::screens::history::find::update as find;
use crate::screens::history::lines::ItemKey;
use model::filter;
use model::queries::ConversationKey;
use model::text::SafeText;

#[derive(Debug, Clone, PartialEq)]
pub struct LinePrompt {
    pub kind: LinePromptKind,
    pub text: TextLine,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinePromptKind {
    /// Filters the list; Esc returns to this row.
    Filter(Option<ConversationKey>),
    /// Searches the history; Esc returns to this item.
    FindInHistory(Option<ItemKey>),
    /// Searches the rows of a page; holds the earlier search.
    SearchRows(String),
    Command {
        /// Position in the earlier lines, counted back.
        back: usize,
        /// Text before the first completion, and the current completion.
        completing: Option<(String, usize)>,
    },
}

impl LinePrompt {
    fn apply(&self, inbox: &mut Inbox) {
        match &self.kind {
            LinePromptKind::Filter(_) => inbox.desk.list_mut().set_typed_filter(self.text.text()),
            LinePromptKind::FindInHistory(_) => {
                find::start_find(&mut inbox.desk, self.text.text(), &mut inbox.context)
            }
            LinePromptKind::SearchRows(_) => search_rows(inbox, self.text.text()),
            LinePromptKind::Command { .. } => (),
        }
    }
}

impl Overlay for LinePrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let gone = self.text.is_empty() && key.code == KeyCode::Backspace;
        let aborts = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
        match (&self.kind, key.code) {
            (LinePromptKind::Filter(before), _) if gone || aborts => {
                clear_filter(&mut inbox.desk, before.as_ref(), &inbox.context)
            }
            (LinePromptKind::FindInHistory(before), _) if gone || aborts => {
                find::end_find(&mut inbox.desk, before.as_ref())
            }
            (LinePromptKind::SearchRows(_), _) if gone || aborts => search_rows(inbox, ""),
            (LinePromptKind::SearchRows(_), KeyCode::Enter) => (),
            (LinePromptKind::Command { .. }, _) if gone || aborts => (),
            (LinePromptKind::Filter(_), KeyCode::Enter) => report_filter_error(&mut inbox.context, self),
            (LinePromptKind::FindInHistory(_), KeyCode::Enter) => {
                explain_find(&mut inbox.desk, &mut inbox.context)
            }
            (LinePromptKind::Filter(_), KeyCode::Tab) => {
                self.text.set(filter::complete(self.text.text()));
                self.apply(inbox);
                return KeyOutcome::Stay;
            }
            (LinePromptKind::Command { .. }, _) => return command_key(inbox, self, key),
            _ => {
                if self.text.key(key) {
                    self.apply(inbox);
                }
                return KeyOutcome::Stay;
            }
        }
        KeyOutcome::Done
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        self.text.insert(text.trim_end());
        self.apply(inbox);
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn is_line(&self) -> bool {
        true
    }

    fn shows_load(&self, load: &Load) -> bool {
        matches!(load, Load::Search(query) if query.conversation.is_some())
    }
}

pub(crate) fn open_filter(desk: &mut Desk, context: &mut Context) {
    desk.go_to_list(context);
    let list = desk.list();
    let (text, selected) = (TextLine::with_replaceable(list.typed.as_str(), 0), list.selected.clone());
    context.open(LinePrompt { kind: LinePromptKind::Filter(selected), text });
}

fn explain_find(desk: &mut Desk, context: &mut Context) {
    let place = desk
        .tab()
        .history
        .as_ref()
        .and_then(|history| history.find.as_ref())
        .map(|find| find.position_label());
    if let Some(place) = place {
        context.show_notice(format!("{place} · n older, N newer"));
    }
}

/// Removes the filter, with a message.
pub(crate) fn remove_filter(desk: &mut Desk, context: &mut Context) {
    let list = desk.list();
    if list.typed.is_empty() {
        return;
    }
    let (typed, selected) = (SafeText::line(&list.typed), list.selected.clone());
    clear_filter(desk, selected.as_ref(), context);
    context.show_notice(context.fill_in_keys(&format!("filter cleared: {typed} · {{filter-list}} filter")));
}

/// Removes the filter and returns to the row where it was opened.
pub(crate) fn clear_filter(desk: &mut Desk, before: Option<&ConversationKey>, context: &Context) {
    let visible = desk.list_rows(&desk.areas(context));
    let list = desk.list_mut();
    list.set_typed_filter("");
    if let Some(before) = before {
        list.select(before, visible);
    }
}

fn report_filter_error(context: &mut Context, line: &LinePrompt) {
    if let Some(mistake) = filter::parse(line.text.text()).mistakes.into_iter().next() {
        context.show_warning(mistake.message);
    }
}

pub(crate) fn open_command_line(context: &mut Context, begun: &str) {
    let kind = LinePromptKind::Command { back: 0, completing: None };
    context.open(LinePrompt { kind, text: TextLine::new(begun) });
}

fn command_key(inbox: &mut Inbox, line: &mut LinePrompt, key: KeyPress) -> KeyOutcome {
    let LinePromptKind::Command { back, completing } = &mut line.kind else { return KeyOutcome::Stay };
    match key.code {
        KeyCode::Enter => {
            let text = line.text.text().trim().to_owned();
            inbox.run_line(&text);
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
            let all = inbox.completions(&begun);
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

pub(crate) fn open_row_search(inbox: &mut Inbox) {
    let before = row_search(inbox).to_owned();
    let text = TextLine::with_replaceable(before.clone(), 0);
    inbox.context.open(LinePrompt { kind: LinePromptKind::SearchRows(before), text });
}

pub fn row_search(inbox: &Inbox) -> &str {
    match inbox.desk.page {
        PageKind::People => &inbox.people.search,
        PageKind::Inbox
        | PageKind::Outbox
        | PageKind::Drafts
        | PageKind::Proposals
        | PageKind::Reviews
        | PageKind::Broadcasts
        | PageKind::Wall => "",
        _ => &inbox.cards.search,
    }
}

fn search_rows(inbox: &mut Inbox, text: &str) {
    match inbox.desk.page {
        PageKind::People => inbox.people.search_people(text, &inbox.context),
        PageKind::Inbox
        | PageKind::Outbox
        | PageKind::Drafts
        | PageKind::Proposals
        | PageKind::Reviews
        | PageKind::Broadcasts
        | PageKind::Wall => {}
        _ => inbox.cards.search = text.to_owned(),
    }
}
