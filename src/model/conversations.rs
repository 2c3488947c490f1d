//! Conversations of the business chat and bot-chat channels, one shape for
//! both, and the local facts a list row shows beside them.
//!
//! Interface: Resources, Conversation.

use crate::email::Thread;
use crate::ids::{ChannelId, ConversationId};
use crate::local::LocalState;
use crate::queries::ConversationKey;
use crate::targets::{ResponseTargets, TargetState};
use crate::text::SafeText;
use crate::time::{MINUTE, Timestamp};
use crate::trouble::{self, TroubleReason, TroubleScore};

/// How long the AI is given to answer after it was handed back.
pub const AI_ANSWER_TIMEOUT: i64 = MINUTE;

crate::words! {
    /// Whether the conversation goes on. Reads the list filter's word and the
    /// response's word alike.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub enum ConversationStatus {
        /// `active` in responses, `open` in the filter.
        Open = "active" | "open",
        Closed = "closed",
        ..Other
    }
}

/// Whether the AI answers. Unknown until a single read or a PATCH told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Automation {
    /// The AI answers the next message.
    On,
    /// Paused: a person has the conversation.
    Off,
    /// Nothing has told yet.
    #[default]
    Unknown,
    /// The channel has no such switch in this interface.
    NotApplicable,
}

impl Automation {
    /// The state a server's boolean stands for.
    pub fn from_enabled(enabled: Option<bool>) -> Self {
        match enabled {
            Some(true) => Self::On,
            Some(false) => Self::Off,
            None => Self::Unknown,
        }
    }

    /// The words on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::On => "AI ON",
            Self::Off => "AI OFF",
            Self::Unknown => "AI on/off?",
            Self::NotApplicable => "",
        }
    }
}

/// Whether the AI asks for a person. Lists do not tell; single reads may.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Escalation {
    /// Nothing was told.
    #[default]
    Unknown,
    /// It does not.
    None,
    /// It does, and says why.
    Requested(SafeText),
}

impl Escalation {
    /// Why it asks, then its summary and what it proposes, each in one line.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let text = match self {
            Self::Requested(why) => why.as_str(),
            Self::Unknown | Self::None => "",
        };
        // The mark of a line break in a text of one line.
        text.split('⏎').map(str::trim).filter(|text| !text.is_empty())
    }
}

/// The 24-hour customer service window. The server's boolean is the
/// authority; a countdown is only an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ServiceWindow {
    /// Free text may be sent.
    Open,
    /// Only approved templates may be sent.
    Closed,
    /// The server did not say.
    #[default]
    Unknown,
    /// The channel has no window.
    NotApplicable,
}

/// Ad attribution; no single field is guaranteed to be present.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Referral {
    /// `ad` or `post`, as it came.
    pub source_type: Option<SafeText>,
    pub headline: Option<SafeText>,
    pub body: Option<SafeText>,
    pub source_url: Option<SafeText>,
}

/// One conversation as the server last told it.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    pub id: ConversationId,
    /// Where replies go: the phone number, or the bot chat's id. `None` locks
    /// the composer.
    pub address: Option<String>,
    /// The customer's name, if there is one with something visible in it.
    pub name: Option<SafeText>,
    /// The bot platform's user name, without `@`.
    pub username: Option<SafeText>,
    pub email: Option<SafeText>,
    pub status: ConversationStatus,
    /// Messages in the conversation, by the server's count.
    pub message_count: u64,
    /// The newest message, cut by the server.
    pub preview: SafeText,
    /// When the newest message came or left.
    pub last_message_at: Option<Timestamp>,
    pub created_at: Option<Timestamp>,
    /// When the first message came or left.
    pub first_message_at: Option<Timestamp>,
    pub referral: Option<Referral>,
    /// The 24-hour window.
    pub window: ServiceWindow,
    /// Whether the AI answers; lists do not tell, single reads do.
    pub automation: Automation,
    /// Whether the AI asks for a person.
    pub escalation: Escalation,
    /// The item as it came, for the raw view.
    pub raw: String,
}

impl Conversation {
    /// What stands for a conversation of which only the id is known; `chat`
    /// where there is a window and an AI.
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
            referral: None,
            window: if chat { ServiceWindow::Unknown } else { ServiceWindow::NotApplicable },
            automation: if chat { Automation::Unknown } else { Automation::NotApplicable },
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

    /// The title: name, else user name, else address, else the id's tail.
    pub fn title(&self) -> SafeText {
        title_of(self.name.as_ref(), self.username.as_ref(), self.address.as_deref(), &self.id)
    }
}

/// The title of a conversation: name, else user name, else address, else the
/// id's tail.
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

/// One row of the conversation list: the server's word plus local facts.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationRow {
    pub channel: ChannelId,
    /// What the server last told.
    pub conversation: Conversation,
    /// Inbound messages newer than this desk's last look.
    pub unread: u32,
    /// Newest inbound message without a later outbound one: since when the
    /// customer waits.
    pub waiting_since: Option<Timestamp>,
    /// Newest inbound message known here: the base of the window's estimate.
    pub last_inbound_at: Option<Timestamp>,
    /// How the draft begins that is kept, if there is one.
    pub draft: Option<SafeText>,
    /// A change of the AI switch that is on its way: the wanted state.
    pub automation_pending: Option<bool>,
    /// Whether a close is held or on its way.
    pub close_pending: bool,
    /// Whether this desk paused the AI here.
    pub paused_here: bool,
    /// Who of this desk paused it, and when.
    pub paused: Option<(SafeText, Timestamp)>,
    /// When this desk handed it back to the AI, if the AI has said nothing
    /// since.
    pub handed_back_at: Option<Timestamp>,
    /// When the customer first wrote after that.
    pub ai_asked_at: Option<Timestamp>,
    /// From when the lease of a pause made here counts.
    pub lease_from: Option<Timestamp>,
    /// Whether a customer who waits was answered before in the same case.
    pub answered_before: bool,
    /// Outbox rows of this conversation that wait for a person.
    pub stopped_rows: u32,
    /// What its newest messages tell of trouble with the AI.
    pub trouble: TroubleScore,
    /// What this desk keeps of it.
    pub local: LocalState,
    /// What only a thread of mails has.
    pub thread: Option<Box<Thread>>,
}

impl ConversationRow {
    /// A row without any local facts.
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
            local: LocalState::default(),
            thread: None,
        }
    }

    /// What names it among those of all tabs.
    pub fn key(&self) -> ConversationKey {
        ConversationKey { channel: self.channel.clone(), conversation: self.conversation.id.clone() }
    }

    /// Whether this is the row of a conversation.
    pub fn has_key(&self, key: &ConversationKey) -> bool {
        self.conversation.id == key.conversation && self.channel == key.channel
    }

    /// Whether a person is needed: the customer waits or the AI asks for one
    /// and the conversation is open and not put aside, or something written
    /// here could not be sent.
    pub fn needs_reply(&self) -> bool {
        let open = self.conversation.status == ConversationStatus::Open && !self.local.is_asleep();
        (open && (self.waiting_since.is_some() || self.is_failing())) || self.stopped_rows > 0
    }

    /// Since when a customer has waited in vain for the AI after it was handed
    /// back from here: their first message since, a minute old by now, which
    /// no one has answered.
    pub fn unanswered_since(&self, now: Timestamp) -> Option<Timestamp> {
        let asked = self.ai_asked_at.filter(|_| self.waiting_since.is_some())?;
        let in_vain =
            now.since(asked) >= AI_ANSWER_TIMEOUT && self.conversation.status == ConversationStatus::Open;
        in_vain.then_some(asked)
    }

    /// How a customer's waiting stands to the target of the channel, if there is
    /// one and they wait.
    pub fn target_state(&self, now: Timestamp, targets: ResponseTargets) -> Option<TargetState> {
        let open = self.conversation.status == ConversationStatus::Open && !self.local.is_asleep();
        let since = self.waiting_since.filter(|_| open)?;
        Some(TargetState::from_wait(now.since(since), targets.span(self.answered_before)?))
    }

    /// How much trouble there is with the AI, by what was said and by how long
    /// the customer has waited; 0 where the AI does not answer.
    pub fn trouble_score(&self, now: Timestamp) -> u32 {
        let answers = !matches!(self.conversation.automation, Automation::Off);
        if !answers || self.conversation.status != ConversationStatus::Open || self.local.is_asleep() {
            return 0;
        }
        let asks = if self.is_failing() { 60 } else { 0 };
        asks + self.trouble_reasons(now).iter().map(|trouble_reason| trouble_reason.weight).sum::<u32>()
    }

    /// What was said and how long it has been unanswered, each with its weight.
    fn trouble_reasons(&self, now: Timestamp) -> Vec<TroubleReason> {
        let waits =
            self.waiting_since.and_then(|waiting_since| trouble::score_waiting(now.since(waiting_since)));
        self.trouble.reasons.iter().cloned().chain(waits).collect()
    }

    /// Why there is trouble with the AI, in words; `None` if there is none. The
    /// waiting time is told beside it.
    pub fn describe_trouble(&self, now: Timestamp) -> Option<String> {
        // Waiting alone is said by the waiting time.
        let troubled =
            self.trouble_score(now) >= trouble::TROUBLE_THRESHOLD && !self.trouble.reasons.is_empty();
        troubled.then(|| {
            let reasons = self.trouble.reasons.iter().map(|reason| reason.words.as_str());
            reasons.collect::<Vec<_>>().join(", ")
        })
    }

    /// The score with what each reason adds to it; `None` without trouble.
    pub fn describe_trouble_score(&self, now: Timestamp) -> Option<String> {
        self.describe_trouble(now)?;
        let asks = self.is_failing().then(|| "asks for a person 60".to_owned());
        let reasons = self
            .trouble_reasons(now)
            .into_iter()
            .map(|trouble_reason| format!("{} {}", trouble_reason.words, trouble_reason.weight));
        let words = asks.into_iter().chain(reasons).collect::<Vec<_>>().join(", ");
        Some(format!("score {}: {words}", self.trouble_score(now)))
    }

    /// Whether the AI asks for a person in an open conversation.
    pub fn is_failing(&self) -> bool {
        self.conversation.status == ConversationStatus::Open
            && matches!(self.conversation.escalation, Escalation::Requested(_))
    }
}
