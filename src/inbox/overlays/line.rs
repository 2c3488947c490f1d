//! Lines typed at the foot of the screen: the filter of the list, what is
//! looked for in a history, a command. A filter and words looked for act as
//! they are typed; Enter keeps them, Esc takes them back.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::history::lines::ItemKey;
use model::filter;
use model::queries::ConversationKey;
use model::text::SafeText;

/// A line being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePrompt {
    /// What it is for.
    pub kind: LineKind,
    /// What was typed.
    pub text: TextLine,
}

/// What a line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineKind {
    /// Narrows the list; goes back to this row when it is taken back.
    Filter(Option<ConversationKey>),
    /// Looks in the history; goes back to this item when it is taken back.
    Find(Option<ItemKey>),
    /// Searches the rows of a page; what was looked for before.
    Rows(String),
    /// A command.
    Command {
        /// How many lines back in those said before.
        back: usize,
        /// What was typed before the first completion, and which it is.
        completing: Option<(String, usize)>,
    },
}

impl Inbox {
    /// Opens the filter line of the list on screen.
    pub(crate) fn open_filter(&mut self) {
        self.bring_list();
        let list = self.list();
        let (text, selected) = (TextLine::given(list.typed.as_str(), 0), list.selected.clone());
        self.open_layer(Layer::Line(LinePrompt { kind: LineKind::Filter(selected), text }));
    }

    /// A key in a line.
    pub(crate) fn line_key(&mut self, mut line: LinePrompt, key: KeyPress) {
        let gone = line.text.is_empty() && key.code == KeyCode::Backspace;
        let aborts = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
        match (&line.kind, key.code) {
            (LineKind::Filter(before), _) if gone || aborts => {
                let before = before.clone();
                self.clear_filter(before.as_ref());
            }
            (LineKind::Find(before), _) if gone || aborts => {
                let before = before.clone();
                self.forget_find(before.as_ref());
            }
            (LineKind::Rows(_), _) if gone || aborts => self.look_for_rows(""),
            (LineKind::Rows(_), KeyCode::Enter) => (),
            (LineKind::Command { .. }, _) if gone || aborts => (),
            (LineKind::Filter(_), KeyCode::Enter) => self.keep_filter(&line),
            (LineKind::Find(_), KeyCode::Enter) => self.keep_find(),
            (LineKind::Filter(_), KeyCode::Tab) => {
                line.text.set(filter::complete(line.text.text()));
                self.typed_line(line);
            }
            (LineKind::Command { .. }, _) => {
                let line = self.command_line_key(line, key);
                self.layers.extend(line.map(Layer::Line));
            }
            _ => {
                if line.text.key(key) {
                    self.typed_line(line);
                } else {
                    self.layers.push(Layer::Line(line));
                }
            }
        }
    }

    /// Text was pasted into a line.
    pub(crate) fn paste_into_line(&mut self, mut line: LinePrompt, text: &str) {
        line.text.insert(text.trim_end());
        self.typed_line(line);
    }

    /// What a line says has changed: it acts at once.
    fn typed_line(&mut self, line: LinePrompt) {
        match &line.kind {
            LineKind::Filter(_) => self.list_mut().set_typed(line.text.text()),
            LineKind::Find(_) => self.look_for(line.text.text()),
            LineKind::Rows(_) => self.look_for_rows(line.text.text()),
            LineKind::Command { .. } => (),
        }
        self.layers.push(Layer::Line(line));
    }

    fn keep_filter(&mut self, line: &LinePrompt) {
        if let Some(mistake) = filter::parse(line.text.text()).mistakes.into_iter().next() {
            self.warn(mistake.words);
        }
    }

    fn keep_find(&mut self) {
        let place = self.tab().history.as_ref().and_then(|it| it.find.as_ref()).map(|it| it.place());
        if let Some(place) = place {
            self.say(format!("{place} · n goes to the older, N to the newer"));
        }
    }

    /// Shows the whole view again, where something narrows it, and says so.
    pub(crate) fn drop_filter(&mut self) {
        let list = self.list();
        if list.typed.is_empty() {
            return;
        }
        let (typed, selected) = (SafeText::line(&list.typed), list.selected.clone());
        self.clear_filter(selected.as_ref());
        self.say(self.keyed(&format!("the filter is cleared: {typed} · {{filter-list}} sets another")));
    }

    /// Shows the whole view again, at the row where the filter was opened.
    pub(crate) fn clear_filter(&mut self, before: Option<&ConversationKey>) {
        let visible = self.list_rows(&self.areas());
        let list = self.list_mut();
        list.set_typed("");
        if let Some(before) = before {
            list.select(before, visible);
        }
    }
}
