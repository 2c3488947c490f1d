//! What is suggested to a person, by a model or by rules: a draft of an answer,
//! a brief of a conversation, a message in another language. Plain data; only a
//! person's key makes a text of it, and nothing here can leave.

use serde::{Deserialize, Deserializer, Serialize};

use crate::contacts::Contact;
use crate::conversations::ConversationRow;
use crate::ids::MessageId;
use crate::messages::{Message, Sender};
use crate::queries::ConversationKey;
use crate::replies::ReplyVariables;
use crate::text::{SafeText, kept_block};
use crate::time::Timestamp;

/// Messages a suggestion is made from at most.
pub const MAX_MESSAGES: usize = 30;

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionKind {
    /// An answer to the customer.
    Draft,
    /// What was asked, what was tried, what is open.
    Brief,
    /// What was said in the whole conversation, however long.
    Summary,
    /// A message in the person's own language.
    Translation,
    /// The person's own text in the customer's language.
    OwnText,
    /// What is said in a voice note.
    Transcript,
}

/// Which question an answer belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionId {
    pub kind: SuggestionKind,
    pub key: ConversationKey,
    pub asked_at: Timestamp,
    /// The newest message it was made from; the one to be translated or written down.
    pub newest: Option<MessageId>,
    /// Who asks.
    pub asked_by: AskedBy,
}

/// On whose side somebody spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeakerRole {
    Customer,
    /// The AI.
    Ai,
    /// A person of the business, from here or elsewhere.
    Business,
}

/// Who said a message and what; of what has no text, its kind.
pub fn speaker_and_text(message: &Message) -> (SpeakerRole, String) {
    let by = match message.sender {
        Sender::Customer => SpeakerRole::Customer,
        Sender::Ai => SpeakerRole::Ai,
        Sender::Api | Sender::Broadcast | Sender::Human | Sender::Unknown(_) => SpeakerRole::Business,
    };
    let text = match message.content.as_str().trim() {
        "" => format!("[{}]", message.content_type),
        text => text.to_owned(),
    };
    (by, text)
}

/// A voice note that is to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceNote {
    /// Where its file lies.
    pub url: String,
    /// Its media type, where that is told.
    pub mime: Option<String>,
}

/// All that a suggestion is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionRequest {
    pub id: SuggestionId,
    /// The newest messages, oldest first.
    pub conversation: Vec<(SpeakerRole, String)>,
    /// Who the customer and the writer are, and what connections told.
    pub facts: ReplyVariables,
    /// What the card holds besides: names and values.
    pub card: Vec<(String, String)>,
    /// The words by which a canned reply can be for this tab alone.
    pub tab_words: Vec<String>,
    /// What a transcript is made from.
    pub voice: Option<VoiceNote>,
}

/// Who asks for a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedBy {
    /// A person, whom what is kept is enough.
    Person,
    /// A person who wants another one.
    PersonAgain,
    /// The desk, so that a draft is ready when a person looks. It is asked for
    /// once, whichever process asks first.
    Desk,
}

/// A draft-only conversation whose customer wrote what no draft was made for.
#[derive(Debug, Clone, PartialEq)]
pub struct DueDraft {
    /// Its row.
    pub row: ConversationRow,
    /// Its newest messages, oldest first.
    pub messages: Vec<Message>,
    /// What is known of the customer.
    pub contact: Option<Contact>,
}

/// A sentence of a draft, or a line of a brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedSentence {
    /// With the space that follows it.
    #[serde(deserialize_with = "kept_sentence")]
    pub text: SafeText,
    /// Whether it claims something that nothing it was made from holds.
    pub is_unsupported: bool,
}

/// A sentence may break off with a line.
fn kept_sentence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SafeText, D::Error> {
    Ok(kept_block(deserializer)?.unwrap_or_default())
}

/// Who made a suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuggestedBy {
    /// The model; percent of the day's tokens that are used up.
    Model(u8),
    /// A canned reply of this title.
    Reply(SafeText),
    Rules,
}

/// What is suggested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub sentences: Vec<SuggestedSentence>,
    pub by: SuggestedBy,
    /// Why the model did not, where one is configured.
    pub instead: Option<SafeText>,
    /// What should be known beside it.
    #[serde(default)]
    pub remark: Option<SafeText>,
    /// The language of the person's own text in another one, as the person calls it.
    #[serde(default)]
    pub language: Option<SafeText>,
}
