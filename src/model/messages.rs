//! Messages and their delivery, one shape for every chat channel.

use crate::email::MailMessage;
use crate::ids::{ConversationId, MessageId};
use crate::text::SafeText;
use crate::time::Timestamp;

/// Position in a history. Time 0 with an empty id precedes every message.
pub type HistoryPosition = (Timestamp, MessageId);

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Direction {
        Inbound = "inbound",
        Outbound = "outbound",
    }
}

/// Author of a message, derived from direction and `senderType`, never from a name chosen by the
/// customer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Sender {
    Customer,
    Ai,
    /// A send through the interface, from this desk or another holder of a key.
    Api,
    /// A broadcast known to this desk; does not count as an answer.
    Broadcast,
    /// A person working in another tool.
    Human,
    /// Unknown word.
    Unknown(SafeText),
}

impl Sender {
    /// Derives the sender. The interface documents only `api`; other words are matched by meaning,
    /// unknown ones are kept.
    pub fn from_words(direction: Direction, sender_type: &str) -> Self {
        if direction == Direction::Inbound {
            return Self::Customer;
        }
        match sender_type.to_ascii_lowercase().as_str() {
            "api" => Self::Api,
            "ai" | "assistant" | "bot" | "automation" => Self::Ai,
            "human" | "agent" | "user" | "dashboard" | "operator" => Self::Human,
            _ => Self::Unknown(SafeText::line(sender_type)),
        }
    }
}

/// User-defined names of senders, by the server's word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SenderAliases(Vec<(String, SafeText)>);

impl SenderAliases {
    pub fn new(all: impl IntoIterator<Item = (String, String)>) -> Self {
        let one = |(word, name): (String, String)| (word.to_lowercase(), SafeText::line(&name));
        Self(all.into_iter().map(one).collect())
    }

    /// Returns the configured name of a sender; `None` for customers, who have their own.
    pub fn get(&self, sender: &Sender) -> Option<&SafeText> {
        let word = match sender {
            Sender::Customer => return None,
            Sender::Ai => "ai".to_owned(),
            Sender::Api => "api".to_owned(),
            Sender::Broadcast => "broadcast".to_owned(),
            Sender::Human => "human".to_owned(),
            Sender::Unknown(word) => word.as_str().to_lowercase(),
        };
        self.0.iter().find(|pair| pair.0 == word).map(|pair| &pair.1)
    }
}

crate::words! {
    /// Delivery progress of an outbound message; never moves backwards.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum DeliveryStatus {
        /// Accepted by the platform.
        Sent = "sent",
        /// On the recipient's device.
        Delivered = "delivered",
        Read = "read",
        /// Not sent or not delivered.
        Failed = "failed",
        ..Other
    }
}

impl DeliveryStatus {
    /// Merges a newly read state: sent < delivered < read; failed overrides only sent; any state
    /// overrides an unknown word.
    #[must_use]
    pub fn merge(self, incoming: Self) -> Self {
        fn rank(state: &DeliveryStatus) -> u8 {
            match state {
                DeliveryStatus::Other(_) => 0,
                DeliveryStatus::Sent => 1,
                DeliveryStatus::Failed => 2,
                DeliveryStatus::Delivered => 3,
                DeliveryStatus::Read => 4,
            }
        }
        if rank(&incoming) >= rank(&self) { incoming } else { self }
    }
}

/// Form of a message, more exact than its content type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageForm {
    /// Audio that plays as if it was spoken.
    VoiceNote,
    /// A picture, video or animation.
    Sticker,
    /// A text with somebody's name and number.
    ContactCard,
}

impl MessageForm {
    /// Returns the form that a content type implies.
    pub fn from_content_type(content_type: &str) -> Option<Self> {
        match content_type {
            "voice" => Some(Self::VoiceNote),
            "sticker" => Some(Self::Sticker),
            "contact" | "contacts" => Some(Self::ContactCard),
            _ => None,
        }
    }

    /// Returns the form that the fields of a message tell; the first that is set decides.
    pub fn from_fields(is_voice: bool, is_sticker: bool, has_contact: bool) -> Option<Self> {
        let fields =
            [(is_voice, Self::VoiceNote), (is_sticker, Self::Sticker), (has_contact, Self::ContactCard)];
        fields.into_iter().find(|(is_set, _)| *is_set).map(|(_, form)| form)
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::VoiceNote => "voice note",
            Self::Sticker => "sticker",
            Self::ContactCard => "contact",
        }
    }
}

/// Returns the label of a kind of content, for brackets: of its form, which its content type may imply, else the
/// content type.
pub fn kind_label(content_type: &str, form: Option<MessageForm>) -> &str {
    match form.or_else(|| MessageForm::from_content_type(content_type)) {
        Some(form) => form.label(),
        None => content_type,
    }
}

crate::words! {
    /// Place of an answer that was not sent through the service.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum AnswerPlace {
        /// The business's own phone, with the app of the platform.
        Phone = "phone",
        Telegram = "telegram",
        MailProgram = "mail program",
        OtherProgram = "other program",
    }
}

impl AnswerPlace {
    /// Phrase after what was done: `AI paused on the phone`.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Phone => "on the phone",
            Self::Telegram => "in Telegram",
            Self::MailProgram => "in a mail program",
            Self::OtherProgram => "in another program",
        }
    }

    /// Name in place of an author's.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Phone => "Phone",
            Self::Telegram => "Telegram",
            Self::MailProgram => "Mail",
            Self::OtherProgram => "Elsewhere",
        }
    }
}

/// Properties of a message beside its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessageMarks {
    pub form: Option<MessageForm>,
    /// True if its author did not write it, but passed it on.
    pub is_forwarded: bool,
    /// Place where a person of this side sent it, if not through the service.
    pub sent_from: Option<AnswerPlace>,
}

impl MessageMarks {
    /// `form` is the one that the fields of the message tell; without it the content type may imply one.
    pub fn new(form: Option<MessageForm>, content_type: &str, is_forwarded: bool) -> Self {
        let form = form.or_else(|| MessageForm::from_content_type(content_type));
        Self { form, is_forwarded, sent_from: None }
    }
}

/// A message as last reported by the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub id: MessageId,
    pub conversation: ConversationId,
    pub platform_id: Option<String>,
    pub direction: Direction,
    pub sender: Sender,
    /// Sanitized text; empty for media without text.
    pub content: SafeText,
    /// `text`, `image`, … unparsed.
    pub content_type: String,
    /// URL of the media; fetched only on request.
    pub media_url: Option<SafeText>,
    pub delivery: DeliveryStatus,
    pub created_at: Option<Timestamp>,
    /// Time of sending, if reported and earlier than `created_at`.
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub quotes: Option<MessageId>,
    pub agent: Option<MessageAgent>,
    pub marks: MessageMarks,
    /// True for a placeholder of a message that could not be parsed.
    pub unreadable: bool,
    /// Unparsed JSON for the raw view.
    pub raw: String,
}

impl Message {
    /// Returns a placeholder for a message of which only the id is known.
    pub fn stand_in(id: MessageId, conversation: ConversationId) -> Self {
        Self {
            id,
            conversation,
            platform_id: None,
            direction: Direction::Inbound,
            sender: Sender::Customer,
            content: SafeText::default(),
            content_type: "text".to_owned(),
            media_url: None,
            delivery: DeliveryStatus::Other(String::new()),
            created_at: None,
            sent_at: None,
            delivered_at: None,
            read_at: None,
            quotes: None,
            agent: None,
            marks: MessageMarks::default(),
            unreadable: false,
            raw: String::new(),
        }
    }

    /// Place where a person sent it, if not through the service and nobody is named.
    pub fn answer_place(&self) -> Option<AnswerPlace> {
        let is_of_person = self.direction == Direction::Outbound && self.agent.is_none();
        self.marks.sent_from.filter(|_| is_of_person)
    }

    /// Says who answered with it and where, as far as that is known: `Ana answered`,
    /// `someone answered on the phone`.
    pub fn describe_answer(&self) -> String {
        let who = match (&self.agent, &self.sender) {
            (Some(agent), _) if agent.is_self => return "you answered at another machine".to_owned(),
            (Some(agent), _) => agent.name.as_str(),
            (None, Sender::Ai) => "the AI",
            (None, _) => "someone",
        };
        match self.answer_place() {
            Some(place) => format!("{who} answered {}", place.describe()),
            None => format!("{who} answered"),
        }
    }

    /// Returns the label of the content's kind, for brackets.
    pub fn kind_label(&self) -> &str {
        kind_label(&self.content_type, self.marks.form)
    }

    /// True if the kind of a message without a file is shown beside its text.
    pub fn has_label_without_file(&self) -> bool {
        self.content.is_empty() || self.marks.form == Some(MessageForm::ContactCard)
    }

    /// Returns the labels and the address of the media, to follow the content on a line; empty for a plain text.
    pub fn describe_media(&self) -> String {
        let media = match (&self.media_url, self.marks.form) {
            (Some(url), _) => format!(" [{}] {url}", self.kind_label()),
            (None, Some(form)) if self.has_label_without_file() => format!(" [{}]", form.label()),
            (None, _) => String::new(),
        };
        if self.marks.is_forwarded { format!("{media} [forwarded]") } else { media }
    }
}

const MAX_AGENT_NAME_CHARS: usize = 64;

/// Person of a team who sent a message with a key of their own. For display only: no recipient and
/// no permission follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageAgent {
    pub name: SafeText,
    /// True for the person of this desk. Set by the store, never by a server.
    pub is_self: bool,
}

impl MessageAgent {
    /// Returns the agent that a server names; `None` for a name without visible text.
    pub fn named(name: &str) -> Option<Self> {
        let name = SafeText::optional_line(Some(name))?;
        let name = name.as_str().trim().chars().take(MAX_AGENT_NAME_CHARS).collect::<String>();
        Some(Self { name: SafeText::line(&name), is_self: false }).filter(|agent| !agent.name.is_empty())
    }

    /// Name for a reader at this desk.
    pub fn label(&self) -> &str {
        if self.is_self { "You" } else { self.name.as_str() }
    }
}

/// Row of a history: a message plus local state.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRow {
    pub message: Message,
    pub sent_here: bool,
    /// Reaction from this desk; the interface does not report others.
    pub reaction: Option<String>,
    /// Reaction in progress; an empty string removes it.
    pub reaction_pending: Option<String>,
    /// Mail only.
    pub mail: Option<Box<MailMessage>>,
    pub media: MessageFileInfo,
    /// Texts generated by a model for the reader.
    pub generated: Vec<GeneratedText>,
    pub change: ContentChange,
    /// Album of which the message is a part. It groups what is shown and nothing else.
    pub album: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContentChange {
    pub edited_at: Option<Timestamp>,
    pub withdrawn_at: Option<Timestamp>,
    /// Earlier contents, latest first.
    pub former: Vec<FormerContent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerContent {
    pub content: SafeText,
    pub until: Option<Timestamp>,
}

impl ContentChange {
    /// Returns the kind and the time of the last change.
    pub fn last_change(&self) -> Option<(&'static str, Timestamp)> {
        let withdrawn = self.withdrawn_at.map(|at| ("withdrawn", at));
        withdrawn.or(self.edited_at.map(|at| ("edited", at)))
    }
}

impl MessageRow {
    /// Returns true if both are parts of one album.
    pub fn is_in_album_of(&self, other: &Self) -> bool {
        self.album.is_some() && self.album == other.album && self.message.direction == other.message.direction
    }

    /// Time of writing: the sender's date for mail, else the time of receipt by the server.
    pub fn written_at(&self) -> Option<Timestamp> {
        let told = self.mail.as_ref().and_then(|letter| letter.sent_at);
        told.or(self.message.created_at)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedText {
    pub kind: GeneratedTextKind,
    pub text: SafeText,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeneratedTextKind {
    /// Translation into the reader's language.
    Translation,
    Transcript,
}

impl GeneratedTextKind {
    pub fn label(self) -> &'static str {
        match self {
            Self::Translation => "Translated: ",
            Self::Transcript => "Transcript: ",
        }
    }
}

/// File details a server may report; the interface documents none of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageFileInfo {
    pub mime: Option<SafeText>,
    pub name: Option<SafeText>,
    /// In bytes.
    pub size: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivery_never_goes_back() {
        use DeliveryStatus::{Delivered, Failed, Read, Sent};
        let cases = [
            (Sent, Delivered, Delivered),
            (Delivered, Sent, Delivered),
            (Read, Delivered, Read),
            (Sent, Failed, Failed),
            (Delivered, Failed, Delivered),
            (Failed, Sent, Failed),
            (DeliveryStatus::Other("queued".into()), Sent, Sent),
        ];
        for (known, incoming, merged) in cases {
            assert_eq!(known.clone().merge(incoming.clone()), merged, "{known:?} + {incoming:?}");
        }
    }

    #[test]
    fn senders_come_from_direction_first() {
        assert_eq!(Sender::from_words(Direction::Inbound, "api"), Sender::Customer);
        assert_eq!(Sender::from_words(Direction::Outbound, "API"), Sender::Api);
        assert_eq!(Sender::from_words(Direction::Outbound, "assistant"), Sender::Ai);
        let odd = Sender::from_words(Direction::Outbound, "flow\u{1b}[2J");
        assert_eq!(odd, Sender::Unknown(SafeText::line("flow\u{1b}[2J")));
    }

    #[test]
    fn kind_has_one_label_and_the_fields_come_before_the_content_type() {
        let cases = [
            (MessageForm::from_fields(true, true, false), "audio", "voice note"),
            (MessageForm::from_fields(false, true, true), "photo", "sticker"),
            (MessageForm::from_fields(false, false, true), "text", "contact"),
            (None, "voice", "voice note"),
            (None, "contacts", "contact"),
            (None, "audio", "audio"),
        ];
        for (form, content_type, label) in cases {
            let marks = MessageMarks::new(form, content_type, false);
            let message = Message {
                content_type: content_type.to_owned(),
                marks,
                ..Message::stand_in(MessageId::from("m1"), ConversationId::from("c1"))
            };
            assert_eq!(kind_label(content_type, form), label);
            assert_eq!(message.kind_label(), label);
        }
    }

    #[test]
    fn answer_names_its_author_and_its_place() {
        let described = |agent: Option<(&str, bool)>, sender: Sender, sent_from| {
            let agent = agent.map(|(name, is_self)| MessageAgent { name: SafeText::line(name), is_self });
            let marks = MessageMarks { sent_from, ..MessageMarks::default() };
            let message = Message::stand_in(MessageId::from("m1"), ConversationId::from("c1"));
            Message { direction: Direction::Outbound, agent, sender, marks, ..message }.describe_answer()
        };
        assert_eq!(described(Some(("Ana", false)), Sender::Api, None), "Ana answered");
        assert_eq!(described(Some(("Ana", true)), Sender::Api, None), "you answered at another machine");
        assert_eq!(described(None, Sender::Ai, None), "the AI answered");
        assert_eq!(described(None, Sender::Api, None), "someone answered");
        let phone = described(None, Sender::Human, Some(AnswerPlace::Phone));
        assert_eq!(phone, "someone answered on the phone");
    }

    #[test]
    fn kind_follows_a_text_only_where_it_says_more() {
        let described = |content: &str, form| {
            let marks = MessageMarks::new(form, "audio", false);
            let content = SafeText::block(content);
            let message = Message::stand_in(MessageId::from("m1"), ConversationId::from("c1"));
            Message { content, marks, ..message }.describe_media()
        };
        assert_eq!(described("", Some(MessageForm::VoiceNote)), " [voice note]");
        assert_eq!(described("[withdrawn voice note]", Some(MessageForm::VoiceNote)), "");
        assert_eq!(described("Bo · +34600111333", Some(MessageForm::ContactCard)), " [contact]");
        assert_eq!(described("Hi", None), "");
    }
}
