//! An operation as a JSON payload, and back.
//!
//! A payload that cannot be read is an error: guessing at what a person wanted
//! would send something else.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::rows::forms::kept_as;
use crate::rows::untagged;
use model::contacts::ContactChange;
use model::ids::{ContactId, MessageId, ThreadId, WebhookId};
use model::outbox::Operation;
use model::outbox::content::{
    Audience, BroadcastContent, ContactWish, Content, FileToSend, Json, Mail, Markup, MediaKind,
    ThreadChange, ThreadPlace,
};

/// Writes an operation.
pub(crate) fn write(operation: &Operation) -> String {
    json!(operation).to_string()
}

/// Reads an operation; `None` for what this version does not know. The word
/// beside it tells what it is in files from before payloads had tags.
pub(crate) fn read(word: &str, payload: &str) -> Option<Operation> {
    let mut value = serde_json::from_str(payload).ok()?;
    untagged::operation(word, &mut value);
    serde_json::from_value(value).ok()
}

kept_as!(
    Operation: OperationForm, ThreadChange: ThreadChangeForm, ThreadPlace: ThreadPlaceForm,
    ContactWish: ContactWishForm, ContactChange: ContactChangeForm, FileToSend: FileToSendForm,
);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Operation", tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum OperationForm {
    SendText { to: String, text: String, reply_to: Option<MessageId> },
    SendContent { to: String, content: Content, reply_to: Option<MessageId> },
    React { message: MessageId, emoji: String },
    SetAutomation { enabled: bool },
    Close,
    SendMail(Box<Mail>),
    ChangeThread { thread: ThreadId, change: ThreadChange },
    SendSms { to: String, body: String, via: Option<String> },
    Call { to: String, via: Option<String>, context: Option<Json> },
    Broadcast { to: Audience, content: BroadcastContent },
    SaveContact(Box<ContactWish>),
    ChangeTags { phone: String, add: Vec<String>, remove: Vec<String> },
    ChangeContact(Box<ContactChange>),
    DeleteContact { contact: ContactId, phone: String },
    AddWebhook { url: String, events: Vec<String> },
    RemoveWebhook { webhook: WebhookId, url: String },
    SendFile(Box<FileToSend>),
    Upload { filename: String, mime_type: String, size: u64 },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ThreadChange", rename_all = "camelCase")]
struct ThreadChangeForm {
    is_read: Option<bool>,
    is_starred: Option<bool>,
    place: Option<ThreadPlace>,
    category: Option<String>,
    priority: Option<String>,
    #[serde(default)]
    unasked: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ThreadPlace", tag = "type", content = "value", rename_all = "kebab-case")]
enum ThreadPlaceForm {
    Archived(bool),
    Folder(String),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ContactWish")]
struct ContactWishForm {
    phone: String,
    name: Option<String>,
    email: Option<String>,
    tags: Option<Vec<String>>,
    metadata: Option<Json>,
}

/// Values to be set are kept as texts, so that they come back as they were.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ContactChange")]
struct ContactChangeForm {
    phone: String,
    name: Option<String>,
    email: Option<String>,
    add: Vec<String>,
    remove: Vec<String>,
    set: Vec<(String, Json)>,
    unset: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "FileToSend", rename_all = "camelCase")]
struct FileToSendForm {
    to: String,
    path: String,
    name: String,
    mime_type: String,
    size: u64,
    kind: MediaKind,
    caption: Option<String>,
    markup: Option<Markup>,
    reply_to: Option<MessageId>,
}
