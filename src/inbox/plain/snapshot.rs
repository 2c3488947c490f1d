//! Describes a change that is announced nowhere else, so that every line gets an answer.

use crate::Inbox;
use crate::screens::history::lines::ItemKey;
use crate::tab::Focus;
use crate::wrap;
use model::text::SafeText;

/// State that can change without an announcement.
#[derive(Debug, Clone, PartialEq)]
pub struct UiSnapshot {
    /// Text in the composer.
    text: Option<String>,
    /// Selected message.
    message: Option<ItemKey>,
    selection: (usize, bool, String),
}

impl UiSnapshot {
    pub fn of(inbox: &Inbox) -> Self {
        let tab = inbox.desk.tab();
        let history = tab.history.as_ref();
        let message = history
            .and_then(|history| history.items.get(history.selected_index()?))
            .map(|history_item| history_item.key());
        let marks = inbox.desk.list().marks.clone();
        Self {
            text: tab.composer.as_ref().map(|composer| composer.buffer().text()),
            message,
            selection: (inbox.desk.active, inbox.desk.shows_all_tabs, format!("{marks:?}")),
        }
    }

    pub fn describe_change(&self, inbox: &Inbox) -> String {
        SafeText::line(&self.change_text(inbox)).to_string()
    }

    fn change_text(&self, inbox: &Inbox) -> String {
        let now = Self::of(inbox);
        let tab = inbox.desk.tab();
        if self.text != now.text {
            return match now.text.as_deref().map(str::trim) {
                None | Some("") => "The text is empty now".to_owned(),
                Some(text) => format!("The text is now \"{}\"", wrap::cut(text, 200)),
            };
        }
        let history =
            tab.history.as_ref().filter(|_| self.message != now.message && tab.focus != Focus::List);
        if let Some(item) = history.and_then(|history| history.items.get(history.selected_index()?)) {
            return format!("Message: {}", item.text());
        }
        match *self == now {
            true => "nothing was done".to_owned(),
            false => "done".to_owned(),
        }
    }
}
