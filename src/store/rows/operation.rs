//! An operation as a word and a JSON payload, and back.
//!
//! Knows nothing of other columns. A payload that cannot be read is an error:
//! guessing at what a person wanted would send something else.

use serde_json::{Map, Value, json};

use crate::model::ids::MessageId;
use crate::model::outbox::Operation;
use crate::model::outbox::content::{ContactWish, Json, ThreadChange, ThreadPlace};
use crate::store::rows::{attachment, contact_change, content};

/// Writes what an operation says beside its word.
pub(crate) fn write(operation: &Operation) -> String {
    let value = match operation {
        Operation::SendText { to, text, reply_to } => {
            json!({"to": to, "text": text, "replyTo": reply_to.as_ref().map(MessageId::as_str)})
        }
        Operation::SendContent { to, content, reply_to } => json!({
            "to": to,
            "content": content::write(content),
            "replyTo": reply_to.as_ref().map(MessageId::as_str),
        }),
        Operation::React { message, emoji } => json!({"message": message.as_str(), "emoji": emoji}),
        Operation::SetAutomation { .. } | Operation::Close => json!({}),
        Operation::SendMail(mail) => content::write_mail(mail),
        Operation::ChangeThread { thread, change } => {
            json!({"thread": thread.as_str(), "change": write_change(change)})
        }
        Operation::SendSms { to, body, via } => json!({"to": to, "body": body, "via": via}),
        Operation::Call { to, via, context } => json!({"to": to, "via": via, "context": raw(context)}),
        Operation::Broadcast { to, content } => {
            json!({"to": content::write_audience(to), "content": content::write_broadcast(content)})
        }
        Operation::SaveContact(wish) => json!({
            "phone": wish.phone, "name": wish.name, "email": wish.email, "tags": wish.tags,
            "metadata": raw(&wish.metadata),
        }),
        Operation::ChangeTags { phone, add, remove } => {
            json!({"phone": phone, "add": add, "remove": remove})
        }
        Operation::ChangeContact(change) => contact_change::write(change),
        Operation::DeleteContact { contact, phone } => json!({"contact": contact.as_str(), "phone": phone}),
        Operation::AddWebhook { url, events } => json!({"url": url, "events": events}),
        Operation::RemoveWebhook { webhook, url } => json!({"webhook": webhook.as_str(), "url": url}),
        Operation::SendFile(file) => attachment::write_file(file),
        Operation::Upload { filename, mime_type, size } => {
            json!({"filename": filename, "mimeType": mime_type, "size": size})
        }
    };
    value.to_string()
}

/// Reads an operation; `None` for what this version does not know.
pub(crate) fn read(word: &str, payload: &str) -> Option<Operation> {
    let value: Value = serde_json::from_str(payload).ok()?;
    let fields = Fields(value.as_object()?);
    Some(match word {
        "send" => Operation::SendText {
            to: fields.text("to")?,
            text: fields.text("text")?,
            reply_to: fields.text("replyTo").map(MessageId::new),
        },
        "send-content" => Operation::SendContent {
            to: fields.text("to")?,
            content: content::read(&fields.object("content")?)?,
            reply_to: fields.text("replyTo").map(MessageId::new),
        },
        "react" => Operation::React {
            message: MessageId::new(fields.text("message")?),
            emoji: fields.text("emoji")?,
        },
        "pause" => Operation::SetAutomation { enabled: false },
        "resume" => Operation::SetAutomation { enabled: true },
        "close" => Operation::Close,
        "mail" => Operation::SendMail(Box::new(content::read_mail(&fields)?)),
        "thread" => Operation::ChangeThread {
            thread: fields.text("thread")?.as_str().into(),
            change: read_change(&fields.object("change")?),
        },
        "sms" => {
            Operation::SendSms { to: fields.text("to")?, body: fields.text("body")?, via: fields.text("via") }
        }
        "call" => Operation::Call {
            to: fields.text("to")?,
            via: fields.text("via"),
            context: fields.text("context").map(Json),
        },
        "broadcast" => Operation::Broadcast {
            to: content::read_audience(fields.0.get("to")?)?,
            content: content::read_broadcast(&fields.object("content")?)?,
        },
        "contact" if fields.0.contains_key("unset") => {
            Operation::ChangeContact(Box::new(contact_change::read(&fields)?))
        }
        "contact" if fields.0.contains_key("add") => Operation::ChangeTags {
            phone: fields.text("phone")?,
            add: fields.texts("add")?,
            remove: fields.texts("remove")?,
        },
        "contact" => Operation::SaveContact(Box::new(ContactWish {
            phone: fields.text("phone")?,
            name: fields.text("name"),
            email: fields.text("email"),
            tags: fields.texts("tags"),
            metadata: fields.text("metadata").map(Json),
        })),
        "contact-delete" => Operation::DeleteContact {
            contact: fields.text("contact")?.as_str().into(),
            phone: fields.text("phone")?,
        },
        "webhook" => Operation::AddWebhook { url: fields.text("url")?, events: fields.texts("events")? },
        "webhook-delete" => Operation::RemoveWebhook {
            webhook: fields.text("webhook")?.as_str().into(),
            url: fields.text("url")?,
        },
        // One that says to whom is sent there afterwards.
        "upload" if fields.0.contains_key("to") => {
            Operation::SendFile(Box::new(attachment::read_file(&fields)?))
        }
        "upload" => Operation::Upload {
            filename: fields.text("filename")?,
            mime_type: fields.text("mimeType")?,
            size: fields.0.get("size")?.as_u64()?,
        },
        _ => return None,
    })
}

/// JSON a person gave is kept as a text, so that it comes back as it was.
pub(crate) fn raw(json: &Option<Json>) -> Option<&str> {
    json.as_ref().map(|it| it.0.as_str())
}

fn write_change(change: &ThreadChange) -> Value {
    let (archived, folder) = match &change.place {
        Some(ThreadPlace::Archived(archived)) => (Some(archived), None),
        Some(ThreadPlace::Folder(name)) => (None, Some(name)),
        None => (None, None),
    };
    let mut fields = json!({
        "isRead": change.is_read, "isStarred": change.is_starred, "archived": archived, "folder": folder,
        "category": change.category, "priority": change.priority,
    });
    if change.unasked {
        fields["unasked"] = true.into();
    }
    fields
}

fn read_change(fields: &Fields<'_>) -> ThreadChange {
    let flag = |name: &str| fields.0.get(name).and_then(Value::as_bool);
    let place = flag("archived")
        .map(ThreadPlace::Archived)
        .or_else(|| fields.text("folder").map(ThreadPlace::Folder));
    ThreadChange {
        is_read: flag("isRead"),
        is_starred: flag("isStarred"),
        place,
        category: fields.text("category"),
        priority: fields.text("priority"),
        unasked: flag("unasked") == Some(true),
    }
}

/// The fields of a payload.
pub(crate) struct Fields<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    /// A list of texts; `None` if it is not there or holds anything else.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.0.get(name)?.as_array()?.iter().map(|it| it.as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn object(&self, name: &str) -> Option<Fields<'a>> {
        self.0.get(name)?.as_object().map(Fields)
    }
}
