//! What a line changed that nothing else reads out, so that no line is answered
//! with silence.

use crate::Inbox;
use crate::screens::history::lines::ItemKey;
use crate::tab::Focus;
use crate::wrap;
use model::text::SafeText;

/// What can change without being read out.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsaidPlace {
    /// The text that is being written.
    text: Option<String>,
    /// The selected message.
    message: Option<ItemKey>,
    rest: (usize, bool, String),
}

impl UnsaidPlace {
    /// As it is now.
    pub fn of(inbox: &Inbox) -> Self {
        let tab = inbox.desk.tab();
        let history = tab.history.as_ref();
        let message = history
            .and_then(|history| history.items.get(history.selected_index()?))
            .map(|history_item| history_item.key());
        let marks = inbox.desk.list().marks.clone();
        Self {
            text: tab.composer.as_ref().map(|composer| composer.sheet().text()),
            message,
            rest: (inbox.desk.active, inbox.desk.everywhere, format!("{marks:?}")),
        }
    }

    /// What became of a line that nothing was said to.
    pub fn told(&self, inbox: &Inbox) -> String {
        SafeText::line(&self.words(inbox)).to_string()
    }

    fn words(&self, inbox: &Inbox) -> String {
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
