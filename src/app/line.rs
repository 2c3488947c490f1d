//! Lines typed at the foot of the screen: the filter of the list. What is
//! typed acts at once; Enter keeps it, Esc takes it back.
//!
//! Knows nothing of drawing, or of how rows are found.

use crate::app::App;
use crate::app::keys::{Key, KeyCode};
use crate::app::layers::Layer;
use crate::app::text_line::TextLine;
use crate::model::filter;
use crate::model::queries::ConversationKey;

/// A line being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is for.
    pub kind: Kind,
    /// What was typed.
    pub text: TextLine,
}

/// What a line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Narrows the list; goes back to this row when it is taken back.
    Filter(Option<ConversationKey>),
}

impl App {
    /// Opens the filter line of the list on screen.
    pub(super) fn open_filter(&mut self) {
        self.bring_list();
        let list = self.list();
        let (text, selected) = (list.typed.clone(), list.selected.clone());
        self.open_layer(Layer::Line(Line { kind: Kind::Filter(selected), text: TextLine::new(text) }));
    }

    /// A key in a line.
    pub(super) fn line_key(&mut self, mut line: Line, key: Key) {
        let gone = line.text.is_empty() && key.code == KeyCode::Backspace;
        let aborts = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
        match (&line.kind, key.code) {
            (Kind::Filter(before), _) if gone || aborts => {
                let before = before.clone();
                self.clear_filter(before.as_ref());
            }
            (Kind::Filter(_), KeyCode::Enter) => self.keep_filter(&line),
            (Kind::Filter(_), KeyCode::Tab) => {
                line.text.set(filter::complete(line.text.text()));
                self.typed_line(line);
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
    pub(super) fn paste_into_line(&mut self, mut line: Line, text: &str) {
        line.text.insert(text.trim_end());
        self.typed_line(line);
    }

    /// What a line says has changed: it acts at once.
    fn typed_line(&mut self, line: Line) {
        match &line.kind {
            Kind::Filter(_) => self.list_mut().set_typed(line.text.text()),
        }
        self.layers.push(Layer::Line(line));
    }

    fn keep_filter(&mut self, line: &Line) {
        if let Some(mistake) = filter::parse(line.text.text()).mistakes.into_iter().next() {
            self.warn(mistake.words);
        }
    }

    /// Shows the whole view again, at the row where the filter was opened.
    pub(super) fn clear_filter(&mut self, before: Option<&ConversationKey>) {
        let visible = self.list_rows(&self.areas());
        let list = self.list_mut();
        list.set_typed("");
        if let Some(before) = before {
            list.select(before, visible);
        }
    }
}
