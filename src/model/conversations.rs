//! Conversations of the business chat and bot-chat channels, one shape for both, and the local
//! state that a list row shows beside them.

use crate::email::Thread;
use crate::ids::{ChannelId, ConversationId};
use crate::local::LocalState;
use crate::messages::{AnswerPlace, MessageAgent};
use crate::queries::ConversationKey;
use crate::queue::{Place, Section};
use crate::targets::{ResponseTargets, TargetState};
use crate::text::SafeText;
use crate::time::{MINUTE, Timestamp};
use crate::trouble::{self, TroubleScore, WaitingScore};

/// Microseconds the AI has to answer after a conversation was handed back to it.
pub const AI_ANSWER_TIMEOUT: i64 = MINUTE;

crate::words! {
    /// Parsed from responses and from the list filter, which use different words.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum ConversationStatus {
        /// `active` in responses, `open` in the filter.
        Open = "active" | "open",
        Closed = "closed",
        ..Other
    }
}

/// State of the AI's automatic answers. Unknown until a single read or a PATCH reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Automation {
    On,
    /// Paused: a person handles the conversation.
    Off,
    #[default]
    Unknown,
    /// The interface offers no such switch for the channel.
    NotApplicable,
}

impl Automation {
    pub fn from_enabled(enabled: Option<bool>) -> Self {
        match enabled {
            Some(true) => Self::On,
            Some(false) => Self::Off,
            None => Self::Unknown,
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::On => "AI ON",
            Self::Off => "AI OFF",
            Self::Unknown => "AI: checking…",
            Self::NotApplicable => "",
        }
    }
}

/// Origin of a pause of the AI, as the server reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PauseOrigin {
    /// Name of the person.
    Person(SafeText),
    /// Answer that was not sent through the service.
    Answer(AnswerPlace),
}

impl PauseOrigin {
    /// Parses the fields `pausedBy` and `pausedFrom`; `None` if neither can be used.
    pub fn from_words(by: Option<&str>, from: Option<&str>) -> Option<Self> {
        let person = by.and_then(MessageAgent::named).map(|agent| Self::Person(agent.name));
        person.or_else(|| from.and_then(AnswerPlace::from_word).map(Self::Answer))
    }

    /// Phrase after what was done: `by Ana`, `on the phone`. `me` is the person of this desk in its team.
    pub fn describe(&self, me: Option<&SafeText>) -> String {
        match self {
            Self::Person(name) if Some(name) == me => "by you".to_owned(),
            Self::Person(name) => format!("by {name}"),
            Self::Answer(place) => place.describe().to_owned(),
        }
    }
}

/// Request of the AI for a person. Lists omit it; single reads may include it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Escalation {
    #[default]
    Unknown,
    None,
    Requested(SafeText),
}

impl Escalation {
    /// Returns the reason, the summary and the proposal of the AI, one line each.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let text = match self {
            Self::Requested(why) => why.as_str(),
            Self::Unknown | Self::None => "",
        };
        // `SafeText` of one line has this mark in place of a line break.
        text.split('⏎').map(str::trim).filter(|text| !text.is_empty())
    }
}

/// The 24-hour customer service window. The server's boolean is authoritative; the remaining time
/// is only an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ServiceWindow {
    /// Free text may be sent.
    Open,
    /// Only approved templates may be sent.
    Closed,
    #[default]
    Unknown,
    NotApplicable,
}

/// Ad attribution; every field is optional.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Referral {
    /// `ad` or `post`, unparsed.
    pub source_type: Option<SafeText>,
    pub headline: Option<SafeText>,
    pub body: Option<SafeText>,
    pub source_url: Option<SafeText>,
}

/// JSON fields that this version parses, beside those of a message; the raw view marks all others.
pub const CONVERSATION_FIELDS: &[&str] = &[
    "lastChange",
    "closedAt",
    "customerPhone",
    "customerAddress",
    "customerName",
    "customerEmail",
    "customerAvatar",
    "messageCount",
    "lastMessagePreview",
    "lastMessageAt",
    "firstMessageAt",
    "referral",
    "serviceWindowOpen",
    "automationEnabled",
    "pausedBy",
    "pausedFrom",
    "escalation",
    "telegramChatId",
    "telegramUsername",
    "type",
];

/// A conversation as last reported by the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    pub id: ConversationId,
    /// Destination of replies: phone number or bot chat id. `None` disables the composer.
    pub address: Option<String>,
    /// Name of the customer; `None` if it has no visible character.
    pub name: Option<SafeText>,
    /// User name on the bot platform, without `@`.
    pub username: Option<SafeText>,
    pub email: Option<SafeText>,
    pub status: ConversationStatus,
    /// Number of messages as counted by the server.
    pub message_count: u64,
    /// Start of the newest message, truncated by the server.
    pub preview: SafeText,
    pub last_message_at: Option<Timestamp>,
    pub created_at: Option<Timestamp>,
    pub first_message_at: Option<Timestamp>,
    /// Time at which it was closed; `None` while it is open or if the server does not report it.
    pub closed_at: Option<Timestamp>,
    pub referral: Option<Referral>,
    pub window: ServiceWindow,
    pub automation: Automation,
    /// `None` while the AI answers, and if the server does not report it.
    pub paused_by: Option<PauseOrigin>,
    pub escalation: Escalation,
    /// Unparsed JSON for the raw view.
    pub raw: String,
}

impl Conversation {
    /// Returns a placeholder for a conversation of which only the id is known. `chat` is true for
    /// channels with a service window and an AI.
    pub fn stand_in(id: ConversationId, chat: bool) -> Self {
        Self {
            id,
            address: None,
            name: None,
            username: None,
            email: None,
            status: ConversationStatus::Open,
            message_count: 0,
            preview: SafeText::default(),
            last_message_at: None,
            created_at: None,
            first_message_at: None,
            closed_at: None,
            referral: None,
            window: if chat { ServiceWindow::Unknown } else { ServiceWindow::NotApplicable },
            automation: if chat { Automation::Unknown } else { Automation::NotApplicable },
            paused_by: None,
            escalation: Escalation::Unknown,
            raw: String::new(),
        }
    }

    /// True if the AI can be paused here and handed the conversation back.
    pub fn has_automation_switch(&self) -> bool {
        self.automation != Automation::NotApplicable
    }

    /// True on the channel whose interface closes conversations, the one with a service window.
    pub fn can_be_closed(&self) -> bool {
        self.window != ServiceWindow::NotApplicable
    }

    pub fn title(&self) -> SafeText {
        title_of(self.name.as_ref(), self.username.as_ref(), self.address.as_deref(), &self.id)
    }
}

/// Returns the first that is present: name, user name, address, last six characters of the id.
pub fn title_of(
    name: Option<&SafeText>,
    username: Option<&SafeText>,
    address: Option<&str>,
    id: &ConversationId,
) -> SafeText {
    if let Some(name) = name {
        return name.clone();
    }
    if let Some(username) = username {
        return SafeText::line(&format!("@{}", username.as_str()));
    }
    if let Some(address) = address {
        return SafeText::line(address);
    }
    let id = id.as_str();
    let tail = id.char_indices().rev().nth(5).map_or(id, |(at, _)| &id[at..]);
    SafeText::line(&format!("conversation …{tail}"))
}

/// Row of the conversation list: server data plus local state.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationRow {
    pub channel: ChannelId,
    pub conversation: Conversation,
    /// Inbound messages newer than the last view on this desk.
    pub unread: u32,
    /// Time of the newest inbound message with no later outbound one; start of the customer's wait.
    pub waiting_since: Option<Timestamp>,
    /// Time of the newest inbound message; base of the estimate of the service window.
    pub last_inbound_at: Option<Timestamp>,
    /// Start of the stored draft.
    pub draft: Option<SafeText>,
    /// Requested state of an AI switch in progress.
    pub automation_pending: Option<bool>,
    /// True if a close is on hold or in progress.
    pub close_pending: bool,
    pub paused_here: bool,
    /// User of this desk who paused the AI, and when.
    pub paused: Option<(SafeText, Timestamp)>,
    /// Time at which this desk handed the conversation back to the AI; `None` once the AI has
    /// answered.
    pub handed_back_at: Option<Timestamp>,
    /// First message of the customer after `handed_back_at`.
    pub ai_asked_at: Option<Timestamp>,
    /// Start of the lease of a pause made here.
    pub lease_from: Option<Timestamp>,
    /// True if the waiting customer was answered before in this case.
    pub answered_before: bool,
    /// Outbox rows of this conversation that need a decision.
    pub stopped_rows: u32,
    /// Signs of trouble with the AI in the newest messages.
    pub trouble: TroubleScore,
    /// Time of the oldest proposal for the conversation.
    pub proposed_at: Option<Timestamp>,
    /// True if nothing but a broadcast was sent and nobody has written.
    pub is_broadcast_only: bool,
    /// Position in the inbox as stored; `None` if it is in no section.
    pub place: Option<Place>,
    pub local: LocalState,
    pub thread: Option<Box<Thread>>,
}

impl ConversationRow {
    pub fn without_facts(channel: ChannelId, conversation: Conversation) -> Self {
        Self {
            channel,
            conversation,
            unread: 0,
            waiting_since: None,
            last_inbound_at: None,
            draft: None,
            automation_pending: None,
            close_pending: false,
            paused_here: false,
            paused: None,
            handed_back_at: None,
            ai_asked_at: None,
            lease_from: None,
            answered_before: false,
            stopped_rows: 0,
            trouble: TroubleScore::default(),
            proposed_at: None,
            is_broadcast_only: false,
            place: None,
            local: LocalState::default(),
            thread: None,
        }
    }

    pub fn key(&self) -> ConversationKey {
        ConversationKey { channel: self.channel.clone(), conversation: self.conversation.id.clone() }
    }

    pub fn has_key(&self, key: &ConversationKey) -> bool {
        self.conversation.id == key.conversation && self.channel == key.channel
    }

    pub fn section(&self) -> Option<Section> {
        self.place.map(|place| place.section)
    }

    /// True if the row is in the section of those who need a person.
    pub fn needs_person(&self) -> bool {
        self.section() == Some(Section::NeedsPerson)
    }

    /// True if a reply or a decision is due: the conversation is open, not snoozed, and the customer waits or
    /// the AI asks for a person; or a send needs a decision.
    pub fn needs_reply(&self) -> bool {
        let open = self.conversation.status == ConversationStatus::Open && !self.local.is_asleep();
        (open && (self.waiting_since.is_some() || self.is_failing())) || self.stopped_rows > 0
    }

    /// Returns the first customer message after a hand-back that the AI has left unanswered for at
    /// least [`AI_ANSWER_TIMEOUT`].
    pub fn unanswered_since(&self, now: Timestamp) -> Option<Timestamp> {
        let asked = self.ai_asked_at.filter(|_| self.waiting_since.is_some())?;
        let in_vain =
            now.since(asked) >= AI_ANSWER_TIMEOUT && self.conversation.status == ConversationStatus::Open;
        in_vain.then_some(asked)
    }

    /// Compares the customer's wait with the channel's response target; `None` without a target or
    /// a wait.
    pub fn target_state(&self, now: Timestamp, targets: ResponseTargets) -> Option<TargetState> {
        let open = self.conversation.status == ConversationStatus::Open && !self.local.is_asleep();
        let since = self.waiting_since.filter(|_| open)?;
        Some(TargetState::from_wait(now.since(since), targets.span(self.answered_before)?))
    }

    /// Returns the trouble score of the AI from message contents and waiting time; 0 if the AI is
    /// off.
    pub fn trouble_score(&self, now: Timestamp) -> u32 {
        let answers = !matches!(self.conversation.automation, Automation::Off);
        if !answers || self.conversation.status != ConversationStatus::Open || self.local.is_asleep() {
            return 0;
        }
        let asks = if self.is_failing() { 60 } else { 0 };
        asks + self.trouble.score() + self.waiting_score(now).map_or(0, |waiting| waiting.weight)
    }

    fn waiting_score(&self, now: Timestamp) -> Option<WaitingScore> {
        trouble::score_waiting(now.since(self.waiting_since?))
    }

    /// Describes the trouble with the AI, without the waiting time; `None` below the threshold.
    pub fn describe_trouble(&self, now: Timestamp) -> Option<String> {
        // The list shows the waiting time in its own column.
        let troubled =
            self.trouble_score(now) >= trouble::TROUBLE_THRESHOLD && !self.trouble.reasons.is_empty();
        troubled.then(|| {
            let reasons = self.trouble.reasons.iter().map(|reason| reason.words.as_str());
            reasons.collect::<Vec<_>>().join(", ")
        })
    }

    /// Describes the score and the weight of each reason; `None` without trouble.
    pub fn describe_trouble_score(&self, now: Timestamp) -> Option<String> {
        self.describe_trouble(now)?;
        let asks = self.is_failing().then(|| "asks for a person 60".to_owned());
        let reasons = self.trouble.reasons.iter().map(|reason| format!("{} {}", reason.words, reason.weight));
        let waits = self.waiting_score(now).map(|waiting| format!("{} {}", waiting.words, waiting.weight));
        let words = asks.into_iter().chain(reasons).chain(waits).collect::<Vec<_>>().join(", ");
        Some(format!("score {}: {words}", self.trouble_score(now)))
    }

    /// Returns the time of the customer's newest call or text on a phone channel, whose histories
    /// the server does not return; `None` on other channels, and if anything was said or sent
    /// since.
    pub fn last_word_on_phone(&self) -> Option<Timestamp> {
        let is_phone = self.conversation.address.as_deref() == Some(self.conversation.id.as_str());
        let at = self.last_inbound_at.filter(|_| is_phone)?;
        self.conversation.last_message_at.is_none_or(|last| last <= at).then_some(at)
    }

    /// Name of the user of this desk who paused the AI, unless it is `agent` or unknown.
    pub fn paused_by_other(&self, agent: &SafeText) -> Option<&SafeText> {
        self.paused.as_ref().map(|(owner, _)| owner).filter(|owner| !owner.is_empty() && *owner != agent)
    }

    pub fn is_failing(&self) -> bool {
        self.conversation.status == ConversationStatus::Open
            && matches!(self.conversation.escalation, Escalation::Requested(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_says_its_person_or_place() {
        let me = SafeText::line("Ana");
        let cases = [
            (Some("Ana"), None, Some("by you")),
            (Some("Ben Ito"), Some("phone"), Some("by Ben Ito")),
            (Some(" "), Some("phone"), Some("on the phone")),
            (None, Some("telegram"), Some("in Telegram")),
            (None, Some("moon"), None),
            (None, None, None),
        ];
        for (by, from, expected) in cases {
            let origin = PauseOrigin::from_words(by, from);
            assert_eq!(origin.as_ref().map(|origin| origin.describe(Some(&me))).as_deref(), expected);
        }
        let origin = PauseOrigin::from_words(Some("Ana"), None).map(|origin| origin.describe(None));
        assert_eq!(origin.as_deref(), Some("by Ana"), "a name is a colleague's where there is no team");
    }
}
