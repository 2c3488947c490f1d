//! Lines typed at the foot of the screen: the filter of the list, what is
//! looked for in a history, a command. A filter and words looked for act as
//! they are typed; Enter keeps them, Esc takes them back.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Load;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::pages::PageKind;
use crate::screens::history::lines::ItemKey;
use model::filter;
use model::queries::ConversationKey;
use model::text::SafeText;

/// A line being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePrompt {
    pub kind: LineKind,
    /// What was typed.
    pub text: TextLine,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineKind {
    /// Narrows the list; goes back to this row when it is taken back.
    Filter(Option<ConversationKey>),
    /// Looks in the history; goes back to this item when it is taken back.
    Find(Option<ItemKey>),
    /// Searches the rows of a page; what was looked for before.
    Rows(String),
    Command {
        /// How many lines back in those said before.
        back: usize,
        /// What was typed before the first completion, and which it is.
        completing: Option<(String, usize)>,
    },
}

impl LinePrompt {
    /// What it says has changed: it acts at once.
    fn act(&self, inbox: &mut Inbox) {
        match &self.kind {
            LineKind::Filter(_) => inbox.desk.list_mut().set_typed(self.text.text()),
            LineKind::Find(_) => inbox.desk.look_for(self.text.text(), &mut inbox.context),
            LineKind::Rows(_) => look_for_rows(inbox, self.text.text()),
            LineKind::Command { .. } => (),
        }
    }
}

impl Overlay for LinePrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let gone = self.text.is_empty() && key.code == KeyCode::Backspace;
        let aborts = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
        match (&self.kind, key.code) {
            (LineKind::Filter(before), _) if gone || aborts => {
                inbox.desk.clear_filter(before.as_ref(), &inbox.context)
            }
            (LineKind::Find(before), _) if gone || aborts => inbox.desk.forget_find(before.as_ref()),
            (LineKind::Rows(_), _) if gone || aborts => look_for_rows(inbox, ""),
            (LineKind::Rows(_), KeyCode::Enter) => (),
            (LineKind::Command { .. }, _) if gone || aborts => (),
            (LineKind::Filter(_), KeyCode::Enter) => keep_filter(&mut inbox.context, self),
            (LineKind::Find(_), KeyCode::Enter) => inbox.desk.keep_find(&mut inbox.context),
            (LineKind::Filter(_), KeyCode::Tab) => {
                self.text.set(filter::complete(self.text.text()));
                self.act(inbox);
                return KeyOutcome::Stay;
            }
            (LineKind::Command { .. }, _) => return command_key(inbox, self, key),
            _ => {
                if self.text.key(key) {
                    self.act(inbox);
                }
                return KeyOutcome::Stay;
            }
        }
        KeyOutcome::Done
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        self.text.insert(text.trim_end());
        self.act(inbox);
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn is_line(&self) -> bool {
        true
    }

    fn is_recorded(&self) -> bool {
        !matches!(self.kind, LineKind::Command { .. })
    }

    fn is_read_out(&self) -> bool {
        false
    }

    fn shows(&self, load: &Load) -> bool {
        matches!(load, Load::Search(it) if it.conversation.is_some())
    }
}

impl Desk {
    /// Opens the filter line of the list on screen.
    pub(crate) fn open_filter(&mut self, context: &mut Context) {
        self.bring_list(context);
        let list = self.list();
        let (text, selected) = (TextLine::given(list.typed.as_str(), 0), list.selected.clone());
        context.open(LinePrompt { kind: LineKind::Filter(selected), text });
    }

    fn keep_find(&mut self, context: &mut Context) {
        let place =
            self.tab().history.as_ref().and_then(|history| history.find.as_ref()).map(|find| find.place());
        if let Some(place) = place {
            context.say(format!("{place} · n goes to the older, N to the newer"));
        }
    }

    /// Shows the whole view again, where something narrows it, and says so.
    pub(crate) fn drop_filter(&mut self, context: &mut Context) {
        let list = self.list();
        if list.typed.is_empty() {
            return;
        }
        let (typed, selected) = (SafeText::line(&list.typed), list.selected.clone());
        self.clear_filter(selected.as_ref(), context);
        context.say(context.keyed(&format!("the filter is cleared: {typed} · {{filter-list}} sets another")));
    }

    /// Shows the whole view again, at the row where the filter was opened.
    pub(crate) fn clear_filter(&mut self, before: Option<&ConversationKey>, context: &Context) {
        let visible = self.list_rows(&self.areas(context));
        let list = self.list_mut();
        list.set_typed("");
        if let Some(before) = before {
            list.select(before, visible);
        }
    }
}

fn keep_filter(context: &mut Context, line: &LinePrompt) {
    if let Some(mistake) = filter::parse(line.text.text()).mistakes.into_iter().next() {
        context.warn(mistake.message);
    }
}

/// Opens the command line, begun with this.
pub(crate) fn open_command_line(context: &mut Context, begun: &str) {
    let kind = LineKind::Command { back: 0, completing: None };
    context.open(LinePrompt { kind, text: TextLine::new(begun) });
}

/// A key that means something to the command line alone.
fn command_key(inbox: &mut Inbox, line: &mut LinePrompt, key: KeyPress) -> KeyOutcome {
    let LineKind::Command { back, completing } = &mut line.kind else { return KeyOutcome::Stay };
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

/// Opens the search line of the page.
pub(crate) fn open_row_search(inbox: &mut Inbox) {
    let before = row_search(inbox).to_owned();
    let text = TextLine::given(before.clone(), 0);
    inbox.context.open(LinePrompt { kind: LineKind::Rows(before), text });
}

/// What is looked for on the page.
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

/// What is looked for on the page has changed.
fn look_for_rows(inbox: &mut Inbox, text: &str) {
    match inbox.desk.page {
        PageKind::People => inbox.people.look_for_people(text, &inbox.context),
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
