//! What operations carry, as JSON.

use serde::{Deserialize, Serialize};

use crate::rows::forms::kept_as;
use model::ids::{ContactId, ThreadId};
use model::outbox::content::{
    Attachment, Audience, BroadcastContent, Content, Degrees, Json, Mail, Markup, Media, MediaKind, Place,
    Source, Template,
};

kept_as!(
    Content: ContentForm, Json: JsonForm, Markup: MarkupForm, MediaKind: MediaKindForm, Media: MediaForm,
    Template: TemplateForm, Place: PlaceForm, Degrees: DegreesForm, Audience: AudienceForm,
    BroadcastContent: BroadcastContentForm, Mail: MailForm, Attachment: AttachmentForm, Source: SourceForm,
);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Content", tag = "type", content = "value", rename_all = "kebab-case")]
enum ContentForm {
    Marked { text: String, markup: Markup },
    Media(Media),
    Template(Template),
    Interactive(Json),
    Location(Place),
}

/// JSON a person gave is kept as a text, so that it comes back as it was.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Json")]
struct JsonForm(String);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Markup")]
enum MarkupForm {
    #[serde(rename = "HTML")]
    Html,
    MarkdownV2,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "MediaKind", rename_all = "kebab-case")]
enum MediaKindForm {
    Image,
    Audio,
    Video,
    Document,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Media")]
struct MediaForm {
    kind: MediaKind,
    link: String,
    caption: Option<String>,
    filename: Option<String>,
    markup: Option<Markup>,
    #[serde(default)]
    uploaded: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Template")]
struct TemplateForm {
    name: String,
    language: String,
    components: Option<Json>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Place")]
struct PlaceForm {
    latitude: Degrees,
    longitude: Degrees,
    name: Option<String>,
    address: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Degrees")]
struct DegreesForm(i32);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Audience", tag = "type", content = "value", rename_all = "kebab-case")]
enum AudienceForm {
    Everyone,
    Contacts(Vec<ContactId>),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "BroadcastContent", tag = "type", content = "value", rename_all = "kebab-case")]
enum BroadcastContentForm {
    Text(String),
    Image(String),
    Template(Template),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Mail", rename_all = "camelCase")]
struct MailForm {
    to: Vec<String>,
    cc: Vec<String>,
    bcc: Vec<String>,
    subject: String,
    text: Option<String>,
    html: Option<String>,
    from: Option<String>,
    reply_to: Option<String>,
    headers: Option<Json>,
    in_reply_to: Option<String>,
    thread: Option<ThreadId>,
    attachments: Vec<Attachment>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Attachment", rename_all = "camelCase")]
struct AttachmentForm {
    filename: String,
    content_type: String,
    source: Source,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Source", tag = "type", content = "value", rename_all = "kebab-case")]
enum SourceForm {
    Link(String),
    Enclosed(u64),
    File(String),
}
