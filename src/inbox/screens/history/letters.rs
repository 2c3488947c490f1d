//! The mails of a history: each gets the text it is shown with when it comes,
//! and again when it is to be shown in another way.

use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use crate::screens::mail::reading;
use crate::screens::mail::reading::MailView;
use model::email::NEW_MAIL_PREFIX;
use model::messages::MessageRow;
use model::text::SafeText;

impl History {
    /// Whether it is of a mail that has no thread yet.
    pub fn is_new_mail(&self) -> bool {
        self.conversation.as_str().starts_with(NEW_MAIL_PREFIX)
    }

    /// The subject of the thread.
    pub fn subject(&self) -> Option<&SafeText> {
        self.row.as_ref()?.thread.as_ref()?.subject.as_ref()
    }

    /// Messages with the texts their mails are shown with.
    pub(crate) fn with_letters(&self, mut messages: Vec<MessageRow>) -> Vec<MessageRow> {
        let subject = self.subject();
        messages.iter_mut().for_each(|message| reading::compose(message, self.letters, subject));
        messages
    }

    /// Shows mails in the other of two ways; tells how they are shown now.
    pub fn turn_letters(&mut self, html: bool) -> MailView {
        let view = &mut self.letters;
        if html {
            view.rich = !view.rich;
        } else {
            view.unfolded = !view.unfolded;
        }
        let (view, subject) = (self.letters, self.subject().cloned());
        for item in &mut self.items {
            if let HistoryItem::Message(row) = item {
                reading::compose(row, view, subject.as_ref());
            }
        }
        self.rebuild();
        view
    }
}
