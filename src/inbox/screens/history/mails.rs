//! Mails of a history: their text is composed when they are loaded and when the view changes.

use crate::screens::history::History;
use crate::screens::history::lines::{self, HistoryItem};
use crate::screens::mail::reading;
use crate::screens::mail::reading::MailView;
use model::email::NEW_MAIL_PREFIX;
use model::messages::MessageRow;
use model::text::SafeText;

impl History {
    /// True for a mail without a thread.
    pub fn is_new_mail(&self) -> bool {
        self.conversation.as_str().starts_with(NEW_MAIL_PREFIX)
    }

    pub fn subject(&self) -> Option<&SafeText> {
        self.row.as_ref()?.thread.as_ref()?.subject.as_ref()
    }

    pub(crate) fn with_mail_texts(&self, mut messages: Vec<MessageRow>) -> Vec<MessageRow> {
        let subject = self.subject();
        let newest = messages.iter().rposition(|message| message.mail.is_some());
        for (index, message) in messages.iter_mut().enumerate() {
            reading::set_display_text(message, self.mail_view, subject, newest == Some(index));
        }
        messages
    }

    /// Toggles HTML text (`html`) or the unfolded view; returns the new view.
    pub fn toggle_mail_view(&mut self, html: bool) -> MailView {
        let view = &mut self.mail_view;
        if html {
            view.prefers_html = !view.prefers_html;
        } else {
            view.unfolded = !view.unfolded;
        }
        let (view, subject) = (self.mail_view, self.subject().cloned());
        let newest = lines::newest_mail(&self.items);
        for (index, item) in self.items.iter_mut().enumerate() {
            if let HistoryItem::Message(row) = item {
                reading::set_display_text(row, view, subject.as_ref(), newest == Some(index));
            }
        }
        self.rebuild();
        view
    }
}
