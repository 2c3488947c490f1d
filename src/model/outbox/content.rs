//! What an operation carries, in a person's terms: texts, media, templates,
//! mails, contacts. Interface: the request tables of Endpoints.

use serde::{Deserialize, Serialize};

use crate::attachments;
use crate::ids::{ContactId, MessageId, ThreadId};
use crate::outbox::Operation;

/// JSON a person or a template gave, passed through as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Json(pub String);

crate::words! {
    /// How a bot-chat text is to be read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Markup {
        /// Tags.
        #[serde(rename = "HTML")]
        Html = "HTML",
        /// Asterisks and underscores.
        MarkdownV2 = "MarkdownV2",
    }
}

/// What a chat message is, when it is not plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum ChatContent {
    /// A text with markup; bot-chat only.
    Marked {
        /// The text with its markup.
        text: String,
        /// How it is to be read.
        markup: Markup,
    },
    /// A file by its link.
    Media(LinkedMedia),
    /// An approved template; business chat only.
    Template(FilledTemplate),
    /// Buttons or a list, as the platform operator takes them; business chat
    /// only.
    Interactive(Json),
    /// A place; business chat only.
    Location(MapLocation),
}

crate::words! {
    /// Kinds of media both chat channels know.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum MediaKind {
        /// A picture; bot-chat calls it a photo.
        Image = "image",
        /// Sound; business chat takes no caption with it.
        Audio = "audio",
        /// A film.
        Video = "video",
        /// Any file.
        Document = "document",
    }
}

/// A file by its link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedMedia {
    pub kind: MediaKind,
    /// A public https address.
    pub link: String,
    /// What is said with it.
    pub caption: Option<String>,
    /// What it is called; documents only.
    pub filename: Option<String>,
    /// How the caption is to be read, where not as typed; bot-chat only.
    pub markup: Option<Markup>,
    /// Whether an upload gave the link: it costs more than a person's own.
    #[serde(default)]
    pub uploaded: bool,
}

/// A file of this machine that is to be uploaded and then sent. Its bytes are
/// in the request's bytes only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileToSend {
    /// The phone number or bot chat id.
    pub to: String,
    /// Where it lay when it was attached.
    pub path: String,
    pub name: String,
    pub mime_type: String,
    /// How many bytes it has.
    pub size: u64,
    pub kind: MediaKind,
    /// What is said with it.
    pub caption: Option<String>,
    /// How the caption is to be read, where not as typed; bot-chat only.
    pub markup: Option<Markup>,
    pub reply_to: Option<MessageId>,
}

impl FileToSend {
    /// The send it becomes once it lies at an address of the service.
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

/// A template with its variables filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilledTemplate {
    pub name: String,
    pub language: String,
    /// Header, body and buttons with their variables, as a JSON array.
    pub components: Option<Json>,
}

/// A place on a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapLocation {
    pub latitude: Degrees,
    pub longitude: Degrees,
    pub name: Option<String>,
    /// Where it is, in words.
    pub address: Option<String>,
}

/// An angle in ten-millionths of a degree: about a centimetre, and exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Degrees(pub i32);

impl Degrees {
    /// As a decimal fraction.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e7
    }
}

/// The audience of a broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum Audience {
    /// Every contact of the workspace.
    Everyone,
    /// These, 1 to 1000.
    Contacts(Vec<ContactId>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum BroadcastContent {
    Text(String),
    /// A picture by its link.
    Image(String),
    /// An approved template.
    Template(FilledTemplate),
}

/// A mail: a new one, or an answer in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mail {
    /// Addresses; at least one.
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    /// At most 998 characters.
    pub subject: String,
    pub text: Option<String>,
    /// The HTML.
    pub html: Option<String>,
    /// The sender, where the account has more than one.
    pub from: Option<String>,
    pub reply_to: Option<String>,
    /// More headers, as a JSON object.
    pub headers: Option<Json>,
    /// The `Message-ID` of the mail it answers.
    pub in_reply_to: Option<String>,
    /// The thread it answers in.
    pub thread: Option<ThreadId>,
    /// At most 20.
    pub attachments: Vec<MailAttachment>,
}

/// A file that goes with a mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailAttachment {
    pub filename: String,
    pub content_type: String,
    /// Where its bytes are.
    pub source: MailAttachmentSource,
}

/// Where an attachment's bytes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum MailAttachmentSource {
    /// At an address the service fetches.
    Link(String),
    /// In the request itself; here only how many they are.
    Enclosed(u64),
    /// In a file of this desk, which is read when the mail is queued.
    File(String),
    /// In a mail this desk has read, as one of its files; taken from there when
    /// the mail is queued.
    Received(MessageId, u64),
}

/// What is changed of a thread; what is `None` stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadChange {
    pub is_read: Option<bool>,
    /// With a star or without.
    pub is_starred: Option<bool>,
    pub place: Option<ThreadPlace>,
    pub category: Option<String>,
    pub priority: Option<String>,
    /// Whether no person asked for it: it comes of opening the thread.
    #[serde(default)]
    pub unasked: bool,
}

impl ThreadChange {
    /// Whether all that `older` changes is changed by this one too.
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

/// Where a thread is put.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum ThreadPlace {
    /// Into the archive, or out of it.
    Archived(bool),
    /// Into a folder by its name.
    Folder(String),
}

/// What a contact shall be; what is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContactPatch {
    /// E.164; names the contact.
    pub phone: String,
    /// At most 200 characters.
    pub name: Option<String>,
    pub email: Option<String>,
    pub tags: Option<Vec<String>>,
    /// A JSON object.
    pub metadata: Option<Json>,
}

impl ContactPatch {
    /// Whether all that `older` sets is set by this one too.
    pub fn covers(&self, older: &Self) -> bool {
        let covers = |new: bool, old: bool| new || !old;
        self.phone == older.phone
            && covers(self.name.is_some(), older.name.is_some())
            && covers(self.email.is_some(), older.email.is_some())
            && covers(self.tags.is_some(), older.tags.is_some())
            && covers(self.metadata.is_some(), older.metadata.is_some())
    }
}
