//! The team: people, sessions and what they share, below `/desk/v1`. Chosen by this service.

use serde::{Deserialize, Serialize};

use crate::account::WorkspaceBody;
use crate::fields::Filled;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;

pub const MAX_NAME_CHARS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Agent,
    /// May take claims over from others.
    Lead,
    /// Changes nothing.
    Viewer,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Agent, Self::Lead, Self::Viewer];
    pub const WORDS: &'static str = "agent lead viewer";

    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Lead => "lead",
            Self::Viewer => "viewer",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Person", transform = schema::allow_words("role", Role::WORDS))
)]
pub struct PersonBody {
    pub id: String,
    pub name: String,
    /// `agent`, `lead` or `viewer`.
    pub role: String,
}

/// Author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PersonName"))]
pub struct PersonName {
    pub id: String,
    pub name: String,
}

/// Response of `GET /desk/v1` to a person's session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TeamService"))]
pub struct TeamServiceBody {
    /// Version of the service.
    pub version: String,
    pub person: PersonBody,
    pub workspace: WorkspaceBody,
    /// Extensions below `/desk/v1`; others may be added.
    pub features: Vec<String>,
}

/// Request of `POST /desk/v1/sign-in`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignIn {
    /// Sign-in token, used up by this request.
    pub token: Filled<200>,
    /// Name of the machine, as its person knows it.
    pub device: Filled<100>,
}

derived_body!(SignIn);

/// Response of `POST /desk/v1/sign-in`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignedIn {
    /// Bearer token of the requests below `/desk/v1`; shown once.
    pub session: String,
    pub person: PersonBody,
    pub channels: Vec<ChannelKey>,
}

/// A channel with the person's own key, which is shown once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        transform = schema::allow_words("channel", "whatsapp telegram email voip"),
        transform = schema::allow_words("environment", "live test")
    )
)]
pub struct ChannelKey {
    /// `whatsapp`, `telegram`, `email` or `voip`.
    pub channel: String,
    /// Display name, such as `WhatsApp`, or the name of a further channel of its kind.
    pub name: String,
    /// `live` or `test`.
    pub environment: String,
    pub key: String,
}

/// Response of `GET /desk/v1/channels`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TeamChannelList {
    /// Channels of the workspace that have a platform.
    pub data: Vec<TeamChannel>,
}

/// A channel of the workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transform = schema::allow_words("channel", "whatsapp telegram email voip"))
)]
pub struct TeamChannel {
    pub id: String,
    /// `whatsapp`, `telegram`, `email` or `voip`.
    pub channel: String,
    /// Display name, such as `WhatsApp`, or the name of a further channel of its kind.
    pub name: String,
    /// Fingerprints of the session's keys for the channel that are not revoked: the first 16 hex digits of each
    /// key's SHA-256.
    pub keys: Vec<String>,
}

/// Request of `POST /desk/v1/channels`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewChannelKey {
    /// Id of the channel.
    pub channel: Filled<100>,
}

derived_body!(NewChannelKey);

/// Response of `DELETE /desk/v1/sign-in`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignedOut {
    pub success: bool,
}

/// Maximum length of a note or a reply, in characters.
pub const MAX_NOTE_CHARS: usize = 4096;
/// Maximum length of an id that a desk made, in characters.
pub const MAX_NOTE_ID_CHARS: usize = 64;
const MAX_TIME_CHARS: usize = 40;

/// Claim, tags, snooze and notes of a conversation or thread, shared by the team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedConversation {
    pub id: String,
    /// Null if nobody has claimed it.
    pub claim: Option<ClaimBody>,
    pub tags: Vec<String>,
    /// Null if it is not snoozed.
    pub snooze: Option<SnoozeBody>,
    /// Oldest first.
    pub notes: Vec<NoteBody>,
    /// Time of the last change; the next page of `changedAfter` begins after the last one.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub changed_at: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Claim"))]
pub struct ClaimBody {
    pub person: PersonName,
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub at: String,
    /// Grows with each claim and each release.
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Snooze"))]
pub struct SnoozeBody {
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub until: String,
    #[serde(default)]
    pub note: Option<String>,
}

/// A private note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Note"))]
pub struct NoteBody {
    /// Created by the desk that wrote the note.
    pub id: String,
    pub person: PersonName,
    pub text: String,
    /// People named with `@name`.
    pub mentions: Vec<PersonName>,
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub at: String,
    /// Null if it was never edited.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub edited_at: Option<String>,
}

/// Response of `GET /desk/v1/conversations`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedConversationList {
    pub data: Vec<SharedConversation>,
}

/// Response of `GET /desk/v1/people`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TeamMemberList {
    /// By name.
    pub data: Vec<TeamMember>,
}

/// A person with what they have claimed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transform = schema::allow_words("role", Role::WORDS))
)]
pub struct TeamMember {
    pub id: String,
    pub name: String,
    /// `agent`, `lead` or `viewer`.
    pub role: String,
    /// Time of the last write or presence, late by at most a minute.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub seen_at: String,
    /// Number of conversations the person has, including those that `claims` leaves out.
    pub claim_count: u32,
    /// Newest claims first, at most 100.
    pub claims: Vec<HeldConversation>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldConversation {
    /// Id of the conversation or thread.
    pub conversation: String,
    /// Name of the customer, or else the address.
    pub title: String,
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub at: String,
}

/// Response of `GET /desk/v1/stats`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TeamStats {
    /// Inclusive.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub from: String,
    /// Exclusive.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub to: String,
    /// By name, removed people last.
    pub data: Vec<PersonStats>,
}

/// Work of a person in a period, and the conversations they have now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transform = schema::allow_words("role", Role::WORDS))
)]
pub struct PersonStats {
    pub id: String,
    pub name: String,
    /// `agent`, `lead` or `viewer`; the last one of a removed person.
    pub role: String,
    /// True if the person was removed from the team.
    pub removed: bool,
    /// Conversations the person took or was given. Each counts once.
    pub taken: i64,
    /// Messages and mails the person sent, without broadcasts and those that a platform refused.
    pub answers: i64,
    /// Waits of customers until the person answered, where nobody else had answered before.
    pub first_answer: AnswerTimes,
    /// Conversations the person closed, archived or handed back to the assistant. Each counts once.
    pub done: i64,
    /// Those of `done` that the person handed back to the assistant.
    pub handed_back: i64,
    /// Conversations the person has now.
    pub claim_count: i64,
}

/// Times from a customer's message to the answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerTimes {
    /// Number of waits.
    pub count: i64,
    /// Median, in seconds; null without a wait.
    pub median: Option<i64>,
    /// 90th percentile, in seconds; null without a wait.
    pub p90: Option<i64>,
}

/// Request of `PUT` and `DELETE /desk/v1/conversations/{id}/claim`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimRequest {
    /// Version on which the change is based; another one is refused with `CLAIMED`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// True to take over or release the claim of another person: for a lead, or when that person was away for 30
    /// minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// Id or name of the person who gets the conversation; without it, the one who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Filled<MAX_NAME_CHARS>>,
}

/// Refusal of a claim: the `Error` with the current claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimedError {
    /// `CLAIMED`.
    pub code: String,
    pub message: String,
    /// Null if nobody has claimed it by now.
    pub claim: Option<ClaimBody>,
}

/// Request of `POST /desk/v1/conversations/{id}/notes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewNote {
    /// A new UUID; a repeat with the same text changes nothing.
    pub id: Filled<MAX_NOTE_ID_CHARS>,
    pub text: Filled<MAX_NOTE_CHARS>,
}

/// Request of `PATCH /desk/v1/conversations/{id}/notes/{note}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotePatch {
    pub text: Filled<MAX_NOTE_CHARS>,
}

/// Request of `PUT /desk/v1/conversations/{id}/tags`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetTags {
    pub tags: Vec<String>,
    /// Time of the change at the desk; an older change than the stored one is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub at: Option<Filled<MAX_TIME_CHARS>>,
}

/// Request of `PUT /desk/v1/conversations/{id}/snooze`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetSnooze {
    /// End of the snooze; null wakes the conversation.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub until: Option<Filled<MAX_TIME_CHARS>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Filled<1000>>,
    /// Time of the change at the desk; an older change than the stored one is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub at: Option<Filled<MAX_TIME_CHARS>>,
}

/// A shared canned reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SharedReply"))]
pub struct ReplyBody {
    pub name: String,
    pub text: String,
    /// Author of the newest change.
    pub person: PersonName,
    /// Grows with each change.
    pub version: i64,
    #[cfg_attr(feature = "schema", schemars(with = "schema::Time"))]
    pub changed_at: String,
}

/// Response of `GET /desk/v1/replies`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedReplyList {
    pub data: Vec<ReplyBody>,
}

/// Request of `PUT /desk/v1/replies/{name}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetReply {
    pub text: Filled<MAX_NOTE_CHARS>,
}

/// Response of a `DELETE` below `/desk/v1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedDeleted {
    pub success: bool,
    /// Id of the note, or name of the reply.
    pub deleted: String,
}

derived_body!(ClaimRequest, NewNote, NotePatch, SetTags, SetSnooze, SetReply);

/// Activity of a person in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Doing {
    Looking,
    Typing,
    /// A reply is held or on its way.
    Sending,
}

/// Request of `POST /desk/v1/presence`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Presence"))]
pub struct AnnouncePresence {
    /// Id of the conversation or thread; null for a person who is here and looks at none.
    #[serde(default)]
    pub conversation: Option<Filled<MAX_SUBJECT_ID_CHARS>>,
    pub doing: Doing,
    /// Time until a held reply is sent, in milliseconds; colleagues see it count down.
    #[serde(default, rename = "leavesInMs", skip_serializing_if = "Option::is_none")]
    pub leaves_in_ms: Option<u32>,
}

/// Maximum length of the id of a conversation, in characters.
const MAX_SUBJECT_ID_CHARS: usize = 200;

/// Response of `POST /desk/v1/presence`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PresenceAnnounced {
    pub success: bool,
}

derived_body!(AnnouncePresence);

/// Header of a send: the id of the newest message that its writer has seen. With a person's own key, a send that
/// crosses another person's answer is refused with `ANSWERED`.
pub const SEEN_HEADER: &str = "frontdesk-seen";

/// Name of the event after which everything has to be read again.
pub const RESET_EVENT: &str = "reset";
pub const PRESENCE_EVENT: &str = "presence";

/// Data of the events `message` and `status`: a message or mail came or changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageEvent {
    pub id: String,
    /// Id of the conversation or thread.
    pub conversation: String,
    /// `whatsapp`, `telegram`, `email` or `voip`; null if it was erased.
    pub channel: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationEvent {
    pub id: String,
    /// `whatsapp`, `telegram`, `email` or `voip`; null if it was erased.
    pub channel: Option<String>,
    pub erased: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimEvent {
    pub conversation: String,
    pub claim: Option<ClaimBody>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteEvent {
    pub conversation: String,
    pub id: String,
    /// Null if it was deleted.
    pub note: Option<NoteBody>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TagEvent {
    pub conversation: String,
    pub tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnoozeEvent {
    pub conversation: String,
    pub snooze: Option<SnoozeBody>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplyEvent {
    pub name: String,
    /// Null if it was deleted.
    pub reply: Option<ReplyBody>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PersonEvent {
    pub id: String,
    /// Null if the person was removed.
    pub person: Option<PersonBody>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresenceEvent {
    pub person: PersonName,
    pub conversation: Option<String>,
    /// Null when the person has left.
    pub doing: Option<Doing>,
    /// Time until a held reply is sent, in milliseconds, when the person said so.
    #[serde(default, rename = "leavesInMs", skip_serializing_if = "Option::is_none")]
    pub leaves_in_ms: Option<u32>,
}

/// Presence of a session, as processes exchange it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPresence {
    pub session: String,
    pub person: PersonName,
    pub conversation: Option<String>,
    pub doing: Doing,
    #[serde(default)]
    pub leaves_in_ms: Option<u32>,
    /// End, in microseconds.
    pub until: i64,
}
