//! Operations: every write of the interface, in a person's terms.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::attachments::{AttachmentSource, FileFacts, ReplyAttachment};
use crate::contacts::ContactChange;
use crate::ids::{ContactId, ConversationId, MessageId, ThreadId, WebhookId};
use crate::outbox::content::{
    Audience, BroadcastContent, ChatContent, ContactPatch, FileToSend, Json, Mail, Markup, PreviewedText,
    ThreadChange,
};
use crate::outbox::lane::Lane;
use crate::templates::NewTemplate;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Operation {
    SendText {
        /// Phone number or bot chat id.
        to: String,
        text: String,
        reply_to: Option<MessageId>,
    },
    /// Send media, a template or other content on a chat channel.
    SendContent {
        /// Phone number or bot chat id.
        to: String,
        content: ChatContent,
        reply_to: Option<MessageId>,
    },
    /// Set a reaction; an empty emoji removes it.
    React {
        message: MessageId,
        emoji: String,
    },
    /// Pause the AI (`false`) or hand back (`true`).
    SetAutomation {
        enabled: bool,
    },
    /// Close the conversation. The interface has no way to reopen it.
    Close,
    SendMail(Box<Mail>),
    ChangeThread {
        thread: ThreadId,
        change: ThreadChange,
    },
    SendSms {
        /// E.164.
        to: String,
        /// 1 to 1600 characters.
        body: String,
        via: Option<String>,
    },
    /// Have the AI call a phone.
    Call {
        /// E.164.
        to: String,
        via: Option<String>,
        /// Instructions for the AI, a JSON object.
        context: Option<Json>,
    },
    Broadcast {
        to: Audience,
        content: BroadcastContent,
    },
    SaveContact(Box<ContactPatch>),
    /// Change the tags of a contact. Merged with the server's tags just before the first attempt.
    ChangeTags {
        phone: String,
        add: Vec<String>,
        remove: Vec<String>,
    },
    /// Create or change a contact. Merged with the server's contact just before the first attempt.
    ChangeContact(Box<ContactChange>),
    DeleteContact {
        contact: ContactId,
        phone: String,
    },
    /// Register a webhook. Its secret is only in the request body.
    AddWebhook {
        url: String,
        /// Event types; empty leaves the choice to the server.
        events: Vec<String>,
    },
    RemoveWebhook {
        webhook: WebhookId,
        url: String,
    },
    /// Have the platform review a template.
    SubmitTemplate(Box<NewTemplate>),
    SendFile(Box<FileToSend>),
    /// Upload a file. Its bytes are only in the request body.
    Upload {
        filename: String,
        mime_type: String,
        /// In bytes.
        size: u64,
    },
}

/// Rule for repeating an operation of unknown outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetryClass {
    /// Reaches one person: repeated with the same key only, while the server remembers it.
    Send,
    /// Reaches many people or rings a phone: repeated with the same key only, and only on a server
    /// known to recognize keys.
    Guarded,
    /// Idempotent: sets a state.
    Upsert,
    /// Registers a webhook: first searched for, then repeated with the same key.
    Webhook,
    /// Upload: free of charge, duplicates are harmless.
    Media,
}

impl RetryClass {
    /// True if a repetition is safe only while the server remembers the key.
    pub fn relies_on_key(self) -> bool {
        match self {
            Self::Send | Self::Guarded | Self::Webhook => true,
            Self::Upsert | Self::Media => false,
        }
    }
}

impl Operation {
    /// Operation of a chat text. `preview` switches the preview of its first link.
    pub fn chat_text(to: &str, text: String, markup: Option<Markup>, preview: Option<bool>) -> Self {
        let (to, reply_to) = (to.to_owned(), None);
        let content = match (preview, markup) {
            (None, None) => return Self::SendText { to, text, reply_to },
            (None, Some(markup)) => ChatContent::Marked { text, markup },
            (Some(preview), markup) => ChatContent::Text(PreviewedText { text, markup, preview }),
        };
        Self::SendContent { to, content, reply_to }
    }

    /// True if no person requested the operation; a failure then asks for no decision.
    pub fn is_automatic(&self) -> bool {
        matches!(self, Self::ChangeThread { change, .. } if change.unasked)
    }

    /// Word in the database and in the outbox view.
    pub fn word(&self) -> &'static str {
        match self {
            Self::SendText { .. } => "send",
            Self::SendContent { .. } => "send-content",
            Self::React { .. } => "react",
            Self::SetAutomation { enabled: false } => "pause",
            Self::SetAutomation { enabled: true } => "resume",
            Self::Close => "close",
            Self::SendMail(_) => "mail",
            Self::ChangeThread { .. } => "thread",
            Self::SendSms { .. } => "sms",
            Self::Call { .. } => "call",
            Self::Broadcast { .. } => "broadcast",
            Self::SaveContact(_) | Self::ChangeTags { .. } | Self::ChangeContact(_) => "contact",
            Self::DeleteContact { .. } => "contact-delete",
            Self::AddWebhook { .. } => "webhook",
            Self::RemoveWebhook { .. } => "webhook-delete",
            Self::SubmitTemplate(_) => "template-submit",
            Self::SendFile(_) | Self::Upload { .. } => "upload",
        }
    }

    pub fn retry_class(&self) -> RetryClass {
        match self {
            Self::SendText { .. } | Self::SendContent { .. } | Self::SendMail(_) | Self::SendSms { .. } => {
                RetryClass::Send
            }
            Self::Call { .. } | Self::Broadcast { .. } => RetryClass::Guarded,
            Self::React { .. }
            | Self::SetAutomation { .. }
            | Self::Close
            | Self::ChangeThread { .. }
            | Self::SaveContact(_)
            | Self::ChangeTags { .. }
            | Self::ChangeContact(_)
            | Self::DeleteContact { .. }
            | Self::RemoveWebhook { .. }
            // The platform refuses a template that it has.
            | Self::SubmitTemplate(_) => RetryClass::Upsert,
            Self::AddWebhook { .. } => RetryClass::Webhook,
            Self::SendFile(_) | Self::Upload { .. } => RetryClass::Media,
        }
    }

    /// True if the operation sends a message into a conversation, where the AI might answer at the
    /// same time.
    pub fn is_customer_message(&self) -> bool {
        matches!(self, Self::SendText { .. } | Self::SendContent { .. } | Self::SendFile(_))
    }

    /// True if the operation may cross an answer of the AI or of another person: a chat message, an
    /// SMS, or a mail in a thread.
    pub fn may_cross(&self) -> bool {
        match self {
            Self::SendMail(mail) => mail.thread.is_some(),
            Self::SendSms { .. } => true,
            other => other.is_customer_message(),
        }
    }

    /// Returns the lane of the operation: the conversation for chat, or the number if there is no
    /// conversation; the number for SMS and calls, where it is also the conversation's id. `None`
    /// if the operation requires a conversation and there is none.
    pub fn lane(&self, conversation: Option<&ConversationId>) -> Option<Lane> {
        let chat = || conversation.cloned().map(Lane::Conversation);
        match self {
            Self::SendText { to, .. } | Self::SendContent { to, .. } => {
                chat().or_else(|| Some(Lane::Number(to.clone())))
            }
            Self::SendFile(file) => chat().or_else(|| Some(Lane::Number(file.to.clone()))),
            Self::React { .. } | Self::SetAutomation { .. } | Self::Close => chat(),
            Self::SendMail(mail) => match &mail.thread {
                Some(thread) => Some(Lane::Thread(thread.clone())),
                None => mail.to.first().cloned().map(Lane::Address),
            },
            Self::ChangeThread { thread, .. } => Some(Lane::Thread(thread.clone())),
            Self::SendSms { to, .. } | Self::Call { to, .. } => {
                Some(Lane::Conversation(ConversationId::new(to.clone())))
            }
            Self::Broadcast { .. } => Some(Lane::Broadcasts),
            Self::SaveContact(wish) => Some(Lane::Contact(wish.phone.clone())),
            Self::ChangeContact(change) => Some(Lane::Contact(change.phone.clone())),
            Self::ChangeTags { phone, .. } | Self::DeleteContact { phone, .. } => {
                Some(Lane::Contact(phone.clone()))
            }
            Self::AddWebhook { .. } | Self::RemoveWebhook { .. } => Some(Lane::Webhooks),
            Self::SubmitTemplate(_) => Some(Lane::Templates),
            Self::Upload { .. } => Some(Lane::Media),
        }
    }

    /// True if this operation makes an older one in the same lane, not yet attempted, obsolete.
    pub fn replaces(&self, older: &Self) -> bool {
        match (self, older) {
            (Self::SetAutomation { .. }, Self::SetAutomation { .. }) => true,
            (Self::React { message, .. }, Self::React { message: other, .. }) => message == other,
            (Self::ChangeThread { thread, change }, Self::ChangeThread { thread: other, change: older }) => {
                thread == other && change.covers(older)
            }
            (Self::SaveContact(wish), Self::SaveContact(older)) => wish.covers(older),
            (Self::DeleteContact { phone, .. }, Self::SaveContact(older)) => *phone == older.phone,
            (Self::DeleteContact { phone, .. }, Self::ChangeContact(older)) => *phone == older.phone,
            _ => false,
        }
    }

    /// Returns the operation that reverts this one after it was sent, if there is one.
    pub fn inverse(&self) -> Option<Self> {
        match self {
            Self::SetAutomation { enabled } => Some(Self::SetAutomation { enabled: !enabled }),
            Self::ChangeTags { phone, add, remove } => {
                Some(Self::ChangeTags { phone: phone.clone(), add: remove.clone(), remove: add.clone() })
            }
            _ => None,
        }
    }

    /// Returns the recipient, or the first of a mail; `None` for broadcasts and other operations
    /// without one.
    pub fn recipient(&self) -> Option<&str> {
        match self {
            Self::SendText { to, .. }
            | Self::SendContent { to, .. }
            | Self::SendSms { to, .. }
            | Self::Call { to, .. } => Some(to),
            Self::SendFile(file) => Some(&file.to),
            Self::SendMail(mail) => mail.to.first().map(String::as_str),
            Self::SaveContact(wish) => Some(&wish.phone),
            Self::ChangeContact(change) => Some(&change.phone),
            Self::ChangeTags { phone, .. } | Self::DeleteContact { phone, .. } => Some(phone),
            _ => None,
        }
    }

    /// Returns the text and the quoted message to restore in the composer on undo.
    pub fn written_text(&self) -> Option<(&str, Option<&MessageId>)> {
        match self {
            Self::SendText { text, reply_to, .. } => Some((text, reply_to.as_ref())),
            Self::SendSms { body, .. } => Some((body, None)),
            Self::SendContent { content: ChatContent::Media(media), reply_to, .. } => {
                Some((media.caption.as_deref().unwrap_or(""), reply_to.as_ref()))
            }
            Self::SendContent { content: ChatContent::Marked { text, .. }, reply_to, .. } => {
                Some((text, reply_to.as_ref()))
            }
            Self::SendContent { content: ChatContent::Text(written), reply_to, .. } => {
                Some((&written.text, reply_to.as_ref()))
            }
            Self::SendFile(file) => Some((file.caption.as_deref().unwrap_or(""), file.reply_to.as_ref())),
            _ => None,
        }
    }

    /// Returns the attachment to restore in the composer on undo.
    pub fn written_attachment(&self) -> Option<ReplyAttachment> {
        match self {
            Self::SendContent { content: ChatContent::Media(media), .. } => {
                let source = if media.uploaded { AttachmentSource::Uploaded } else { AttachmentSource::Link };
                Some(ReplyAttachment { source: source(media.link.clone()), kind: media.kind })
            }
            Self::SendFile(file) => {
                let facts = FileFacts {
                    path: file.path.clone(),
                    name: file.name.clone(),
                    mime_type: file.mime_type.clone(),
                    size: file.size,
                    webp: None,
                };
                Some(ReplyAttachment { source: AttachmentSource::File(facts), kind: file.kind })
            }
            _ => None,
        }
    }

    /// Returns the text that the history shows for a chat message; `None` if it is not known here.
    pub fn listed_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::SendText { text, .. } => Some(text.into()),
            Self::SendContent { content: ChatContent::Text(written), .. } if written.markup.is_none() => {
                Some(written.text.as_str().into())
            }
            Self::SendContent { content: ChatContent::Contact(card), .. } => Some(card.describe().into()),
            _ => None,
        }
    }

    /// Quotes a message in a chat message that has its content already.
    #[must_use]
    pub fn with_quote(mut self, quoted: Option<MessageId>) -> Self {
        if let Self::SendText { reply_to, .. } | Self::SendContent { reply_to, .. } = &mut self {
            *reply_to = quoted;
        }
        self
    }

    /// Returns the switch of a text's link preview; `None` if the platform decides.
    pub fn link_preview(&self) -> Option<bool> {
        match self {
            Self::SendContent { content: ChatContent::Text(written), .. } => Some(written.preview),
            _ => None,
        }
    }

    pub fn quoted_message(&self) -> Option<&MessageId> {
        match self {
            Self::SendText { reply_to, .. } | Self::SendContent { reply_to, .. } => reply_to.as_ref(),
            Self::SendFile(file) => file.reply_to.as_ref(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact_cards::ContactToSend;
    use crate::outbox::content::ThreadPlace;

    fn pause(enabled: bool) -> Operation {
        Operation::SetAutomation { enabled }
    }

    fn react(message: &str) -> Operation {
        Operation::React { message: message.into(), emoji: "👍".into() }
    }

    fn file(change: ThreadChange) -> Operation {
        Operation::ChangeThread { thread: "t1".into(), change }
    }

    fn save(phone: &str, name: Option<&str>) -> Operation {
        let name = name.map(str::to_owned);
        Operation::SaveContact(Box::new(ContactPatch {
            phone: phone.into(),
            name,
            ..ContactPatch::default()
        }))
    }

    #[test]
    fn a_newer_wish_replaces_what_it_covers() {
        let read = ThreadChange { is_read: Some(true), ..ThreadChange::default() };
        let both = ThreadChange { place: Some(ThreadPlace::Archived(true)), ..read.clone() };
        let delete = Operation::DeleteContact { contact: "ct".into(), phone: "+1".into() };
        let text = || Operation::SendText { to: "1".into(), text: "hi".into(), reply_to: None };
        let cases = [
            (pause(true), pause(false), true),
            (react("m1"), react("m1"), true),
            (react("m1"), react("m2"), false),
            (file(both.clone()), file(read.clone()), true),
            (file(read.clone()), file(both), false),
            (file(ThreadChange { unasked: true, ..read.clone() }), file(read.clone()), false),
            (file(read.clone()), file(ThreadChange { unasked: true, ..read }), true),
            (save("+1", Some("Maria")), save("+1", None), true),
            (save("+1", None), save("+1", Some("Maria")), false),
            (save("+1", None), save("+2", None), false),
            (delete.clone(), save("+1", Some("Maria")), true),
            (save("+1", None), delete, false),
            (text(), text(), false),
            (Operation::Close, pause(true), false),
        ];
        for (newer, older, replaces) in cases {
            assert_eq!(newer.replaces(&older), replaces, "{newer:?} {older:?}");
        }
    }

    #[test]
    fn only_messages_in_a_conversation_may_cross() {
        let new = Mail { to: vec!["a@b.example".into()], ..Mail::default() };
        let answer = Mail { thread: Some("t1".into()), ..new.clone() };
        let cases = [
            (Operation::SendText { to: "1".into(), text: "hi".into(), reply_to: None }, true),
            (Operation::SendSms { to: "+1".into(), body: "hi".into(), via: None }, true),
            (Operation::SendMail(Box::new(answer)), true),
            (Operation::SendMail(Box::new(new)), false),
            (Operation::Call { to: "+1".into(), via: None, context: None }, false),
            (react("m1"), false),
            (pause(true), false),
        ];
        for (operation, expected) in cases {
            assert_eq!(operation.may_cross(), expected, "{operation:?}");
        }
    }

    #[test]
    fn history_shows_what_is_known_here() {
        let content = |content| Operation::SendContent { to: "1".into(), content, reply_to: None };
        let text = |markup| ChatContent::Text(PreviewedText { text: "hi".into(), markup, preview: true });
        let card = ContactToSend { name: "Bo".into(), phone: "+34600111222".into(), company: None };
        let cases = [
            (Operation::SendText { to: "1".into(), text: "hi".into(), reply_to: None }, Some("hi")),
            (content(text(None)), Some("hi")),
            (content(text(Some(Markup::Html))), None),
            (content(ChatContent::Contact(card)), Some("Bo · +34600111222")),
            (content(ChatContent::Interactive(Json("{}".into()))), None),
            (Operation::Close, None),
        ];
        for (operation, text) in cases {
            assert_eq!(operation.listed_text().as_deref(), text, "{operation:?}");
            let quoting = operation.clone().with_quote(Some("m1".into()));
            assert_eq!(quoting.quoted_message().is_some(), operation.is_customer_message());
        }
    }

    #[test]
    fn lanes_of_operations() {
        let conversation = ConversationId::from("c1");
        let text = Operation::SendText { to: "+34600111222".into(), text: "hi".into(), reply_to: None };
        let new = Mail { to: vec!["a@b.example".into()], ..Mail::default() };
        let answer = Mail { thread: Some("t1".into()), ..new.clone() };
        let sms = Operation::SendSms { to: "+1".into(), body: "hi".into(), via: None };
        let cases = [
            (text.clone(), Some(&conversation), Some(Lane::Conversation("c1".into()))),
            (text, None, Some(Lane::Number("+34600111222".into()))),
            (Operation::Close, None, None),
            (Operation::SendMail(Box::new(new)), None, Some(Lane::Address("a@b.example".into()))),
            (Operation::SendMail(Box::new(answer)), None, Some(Lane::Thread("t1".into()))),
            (Operation::SendMail(Box::default()), None, None),
            (sms, Some(&conversation), Some(Lane::Conversation("+1".into()))),
            (save("+1", None), None, Some(Lane::Contact("+1".into()))),
        ];
        for (operation, conversation, lane) in cases {
            assert_eq!(operation.lane(conversation), lane, "{operation:?}");
        }
    }
}
