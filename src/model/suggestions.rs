//! Suggestions of a model or of rules: drafts, briefs, translations, transcripts. Plain data; a
//! suggestion is sent only by a person's key press.

use serde::{Deserialize, Deserializer, Serialize};

use crate::contacts::Contact;
use crate::conversations::ConversationRow;
use crate::ids::MessageId;
use crate::messages::{Message, Sender};
use crate::queries::ConversationKey;
use crate::replies::ReplyVariables;
use crate::text::{SafeText, kept_block};
use crate::time::Timestamp;

/// Maximum number of messages passed to the model.
pub const MAX_MESSAGES: usize = 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionKind {
    Draft,
    /// Question, steps tried, and open points.
    Brief,
    /// Summary of the whole conversation, of any length.
    Summary,
    /// A message translated into the user's language.
    Translation,
    /// The user's text translated into the customer's language.
    OwnText,
    Transcript,
}

/// Matches an answer to its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionId {
    pub kind: SuggestionKind,
    pub key: ConversationKey,
    pub asked_at: Timestamp,
    /// Newest message of the request; the one to translate or transcribe.
    pub newest: Option<MessageId>,
    pub asked_by: AskedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeakerRole {
    Customer,
    Ai,
    /// A person of the business, at this desk or elsewhere.
    Business,
}

/// Returns the author's role and the text, or the content type in brackets without a text.
pub fn speaker_and_text(message: &Message) -> (SpeakerRole, String) {
    let by = match message.sender {
        Sender::Customer => SpeakerRole::Customer,
        Sender::Ai => SpeakerRole::Ai,
        Sender::Api | Sender::Broadcast | Sender::Human | Sender::Unknown(_) => SpeakerRole::Business,
    };
    let text = match message.content.as_str().trim() {
        "" => format!("[{}]", message.kind_label()),
        text => text.to_owned(),
    };
    (by, text)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceNote {
    pub url: String,
    pub mime: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionRequest {
    pub id: SuggestionId,
    /// The newest messages, oldest first.
    pub conversation: Vec<(SpeakerRole, String)>,
    /// Names of customer and user, and results of data connections.
    pub facts: ReplyVariables,
    /// Further fields of the contact card: names and values.
    pub card: Vec<(String, String)>,
    /// Words that select canned replies of this tab.
    pub tab_words: Vec<String>,
    /// Input of a transcript.
    pub voice: Option<VoiceNote>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedBy {
    /// Requested by a user; a cached suggestion is acceptable.
    Person,
    /// Requested by a user who wants a new suggestion.
    PersonAgain,
    /// Requested in advance by the desk; once across all processes.
    Desk,
}

/// A draft-only conversation with a customer message that has no draft yet.
#[derive(Debug, Clone, PartialEq)]
pub struct DueDraft {
    pub row: ConversationRow,
    /// Newest messages, oldest first.
    pub messages: Vec<Message>,
    pub contact: Option<Contact>,
}

/// A sentence of a draft, or a line of a brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedSentence {
    /// Includes the following space or line break.
    #[serde(deserialize_with = "kept_sentence")]
    pub text: SafeText,
    /// True if the sentence makes a claim that its sources do not support.
    pub is_unsupported: bool,
}

/// Uses a multi-line text, because a sentence may end with a line break.
fn kept_sentence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SafeText, D::Error> {
    Ok(kept_block(deserializer)?.unwrap_or_default())
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuggestedBy {
    /// Holds the used percentage of the day's token limit.
    Model(u8),
    /// Title of a canned reply.
    Reply(SafeText),
    Rules,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub sentences: Vec<SuggestedSentence>,
    pub by: SuggestedBy,
    /// Reason why a configured model was not used.
    pub instead: Option<SafeText>,
    /// Hint shown beside the suggestion.
    #[serde(default)]
    pub remark: Option<SafeText>,
    /// Target language of the user's translated text, in the user's words.
    #[serde(default)]
    pub language: Option<SafeText>,
}
