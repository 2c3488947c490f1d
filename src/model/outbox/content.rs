//! Contents of operations: texts, media, templates, mails, contacts.

use serde::{Deserialize, Serialize};

use crate::attachments;
use crate::contact_cards::ContactToSend;
use crate::email::invitations::InvitationAnswer;
use crate::ids::{ContactId, MessageId, ThreadId};
use crate::messages::kind_label;
use crate::outbox::Operation;

/// JSON given by a person or a template, passed through unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Json(pub String);

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Markup {
        #[serde(rename = "HTML")]
        Html = "HTML",
        MarkdownV2 = "MarkdownV2",
    }
}

/// Content of a chat message other than plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum ChatContent {
    /// Bot-chat only.
    Marked {
        text: String,
        markup: Markup,
    },
    Media(LinkedMedia),
    Template(FilledTemplate),
    /// Buttons or a list in the platform's format; business chat only.
    Interactive(Json),
    /// Business chat only.
    Location(MapLocation),
    /// Needs a service with the extension; others send its words.
    Contact(ContactToSend),
    /// A text for which the preview of its first link is switched on or off.
    Text(PreviewedText),
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum MediaKind {
        /// Bot-chat calls it a photo.
        Image = "image",
        /// A picture of a sticker's format, without a caption; on a service without the extension it is not
        /// offered.
        Sticker = "sticker",
        /// Business chat accepts no caption.
        Audio = "audio",
        /// Audio that plays as if it was spoken; on a service without the extension it is not offered.
        Voice = "voice",
        Video = "video",
        Document = "document",
    }
}

impl MediaKind {
    /// Word for readers.
    pub fn label(self) -> &'static str {
        kind_label(self.word(), None)
    }
}

/// A text and the switch of its link preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewedText {
    pub text: String,
    /// `None` means plain text; bot-chat only.
    pub markup: Option<Markup>,
    /// True to show a preview of the first link.
    pub preview: bool,
}

/// A media file referenced by its URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedMedia {
    pub kind: MediaKind,
    /// Public https URL.
    pub link: String,
    pub caption: Option<String>,
    /// Documents only.
    pub filename: Option<String>,
    /// Markup of the caption; `None` means plain text; bot-chat only.
    pub markup: Option<Markup>,
    /// True if the URL is the result of an upload, which costs more than an external link.
    #[serde(default)]
    pub uploaded: bool,
}

/// A local file to upload and then send. Its bytes are only in the request body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileToSend {
    /// Phone number or bot chat id.
    pub to: String,
    /// Path of the file when it was attached.
    pub path: String,
    pub name: String,
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
    pub kind: MediaKind,
    pub caption: Option<String>,
    /// Markup of the caption; `None` means plain text; bot-chat only.
    pub markup: Option<Markup>,
    pub reply_to: Option<MessageId>,
}

impl FileToSend {
    /// Returns the send operation for the file once it is uploaded to `url`.
    pub fn to_send_operation(&self, url: &str) -> Operation {
        let source = attachments::AttachmentSource::Uploaded(url.to_owned());
        let uploaded = attachments::ReplyAttachment { source, kind: self.kind };
        let mut send =
            uploaded.to_operation(&self.to, self.caption.clone(), self.markup, self.reply_to.clone());
        if let Operation::SendContent { content: ChatContent::Media(media), .. } = &mut send
            && media.filename.is_some()
        {
            media.filename = Some(self.name.clone());
        }
        send
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilledTemplate {
    pub name: String,
    pub language: String,
    /// JSON array of header, body and buttons with their variables.
    pub components: Option<Json>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapLocation {
    pub latitude: Degrees,
    pub longitude: Degrees,
    pub name: Option<String>,
    pub address: Option<String>,
}

/// Angle in units of 1e-7 degree (about one centimetre), stored exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Degrees(pub i32);

impl Degrees {
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e7
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum Audience {
    Everyone,
    /// 1 to 1000 contacts.
    Contacts(Vec<ContactId>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum BroadcastContent {
    Text(String),
    Image(String),
    Template(FilledTemplate),
}

/// A new mail or an answer in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mail {
    /// At least one address.
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    /// At most 998 characters.
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    /// Required only if the account has several senders.
    pub from: Option<String>,
    pub reply_to: Option<String>,
    /// Additional headers as a JSON object.
    pub headers: Option<Json>,
    /// `Message-ID` of the mail being answered.
    pub in_reply_to: Option<String>,
    /// Thread of the mail being answered.
    pub thread: Option<ThreadId>,
    /// At most 20.
    pub attachments: Vec<MailAttachment>,
    /// Answer to the invitation in the mail being answered; the service adds its calendar part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation_response: Option<InvitationAnswer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailAttachment {
    pub filename: String,
    pub content_type: String,
    pub source: MailAttachmentSource,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum MailAttachmentSource {
    /// URL that the service fetches.
    Link(String),
    /// In the request body; holds the size in bytes.
    Enclosed(u64),
    /// Path of a local file, read when the mail is queued.
    File(String),
    /// File of a received mail, by message and position; read when the mail is queued.
    Received(MessageId, u64),
}

/// Changes of a thread; `None` leaves a field unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadChange {
    pub is_read: Option<bool>,
    pub is_starred: Option<bool>,
    pub place: Option<ThreadPlace>,
    pub category: Option<String>,
    pub priority: Option<String>,
    /// True if opening the thread caused the change, not a person's command.
    #[serde(default)]
    pub unasked: bool,
}

impl ThreadChange {
    /// True if this change sets every field that `older` sets.
    pub fn covers(&self, older: &Self) -> bool {
        let covers = |new: bool, old: bool| new || !old;
        (older.unasked || !self.unasked)
            && covers(self.is_read.is_some(), older.is_read.is_some())
            && covers(self.is_starred.is_some(), older.is_starred.is_some())
            && covers(self.place.is_some(), older.place.is_some())
            && covers(self.category.is_some(), older.category.is_some())
            && covers(self.priority.is_some(), older.priority.is_some())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum ThreadPlace {
    Archived(bool),
    Folder(String),
}

/// New values of a contact; `None` leaves a field unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContactPatch {
    /// E.164; identifies the contact.
    pub phone: String,
    /// At most 200 characters.
    pub name: Option<String>,
    pub email: Option<String>,
    pub tags: Option<Vec<String>>,
    /// A JSON object.
    pub metadata: Option<Json>,
}

impl ContactPatch {
    /// True if this patch sets every field that `older` sets.
    pub fn covers(&self, older: &Self) -> bool {
        let covers = |new: bool, old: bool| new || !old;
        self.phone == older.phone
            && covers(self.name.is_some(), older.name.is_some())
            && covers(self.email.is_some(), older.email.is_some())
            && covers(self.tags.is_some(), older.tags.is_some())
            && covers(self.metadata.is_some(), older.metadata.is_some())
    }
}
