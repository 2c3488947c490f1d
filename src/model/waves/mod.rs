//! Broadcasts in waves: their recipients, in what parts, and what stops them.
//! A stop the interface does not have: it cannot take a broadcast back, but
//! what has not been sent yet can stay.

pub mod audience;
pub mod deciding;
mod plan;

use crate::ids::{BroadcastId, CampaignId, ChannelId, ContactId, RowId};
use crate::outbox::content::{Audience, BroadcastContent};
use crate::prices::{self, Price};
use crate::text::SafeText;
use crate::time::Timestamp;

pub use plan::{StopRules, WavePlan};

/// More people than this take a typed phrase.
pub const MAX_WITHOUT_PHRASE: usize = 100;

/// People, each once and at least one, in the order they were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrozenContacts(Vec<ContactId>);

impl FrozenContacts {
    /// Freezes a choice; `None` when nobody was chosen. Tells how many were
    /// named again.
    pub fn from_ids(ids: impl IntoIterator<Item = ContactId>) -> Option<(Self, usize)> {
        let mut seen = std::collections::HashSet::new();
        let (mut kept, mut doubled) = (Vec::new(), 0);
        for id in ids.into_iter().filter(|contact_id| !contact_id.is_empty()) {
            if seen.insert(id.clone()) {
                kept.push(id);
            } else {
                doubled += 1;
            }
        }
        (!kept.is_empty()).then_some((Self(kept), doubled))
    }

    pub fn ids(&self) -> &[ContactId] {
        &self.0
    }
}

/// The recipients of a campaign. Everyone is a word of its own: no list, however
/// empty, means it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignAudience {
    /// All contacts of the workspace, so many when they were counted; in one
    /// wave, as the server knows who they are.
    Everyone(usize),
    Contacts(FrozenContacts),
}

impl CampaignAudience {
    /// How many people.
    pub fn count(&self) -> usize {
        match self {
            Self::Everyone(count) => *count,
            Self::Contacts(frozen) => frozen.0.len(),
        }
    }

    /// The sizes of its waves by a plan.
    pub fn wave_sizes(&self, plan: &WavePlan) -> Vec<usize> {
        match self {
            Self::Everyone(count) => vec![*count],
            Self::Contacts(frozen) => plan.wave_sizes(frozen.0.len()),
        }
    }

    /// What must be typed before it leaves, where a letter is not enough.
    pub fn confirmation_phrase(&self) -> Option<String> {
        match self {
            Self::Everyone(count) => Some(format!("SEND TO ALL {count}")),
            Self::Contacts(frozen) if frozen.0.len() > MAX_WITHOUT_PHRASE => {
                Some(format!("SEND {}", frozen.0.len()))
            }
            Self::Contacts(_) => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCampaign {
    pub channel: ChannelId,
    pub content: BroadcastContent,
    pub audience: CampaignAudience,
    /// In what parts, and what stops it.
    pub plan: WavePlan,
    /// Microseconds in which it can be taken back.
    pub hold: i64,
}

crate::words! {
    /// Where a campaign stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CampaignPhase {
        /// It goes on by itself.
        Running = "running",
        /// It waits for a person.
        Paused = "paused",
        /// A person stopped it; what has left has left.
        Stopped = "stopped",
        /// All waves have left and were waited for.
        Finished = "finished",
        /// It was taken back before anything left.
        Recalled = "taken back",
    }
}

impl CampaignPhase {
    /// Whether it can still go on.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }
}

crate::words! {
    /// What a campaign waits for a person for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PauseCause {
        Person = "person",
        /// More failed than its plan allows.
        Failures = "failures",
        /// Too few credits would be left.
        Credits = "credits",
        /// The quality rating changed.
        Quality = "quality",
        /// A wave's row of the outbox asks, or was taken back.
        Row = "row",
        /// What became of a wave cannot be counted.
        Uncounted = "uncounted",
    }
}

/// What became of a wave's row of the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaveRowState {
    /// There is none yet.
    Unsent,
    /// It is on its way, or waits for its turn.
    Sending,
    /// It waits for a person, with these words.
    NeedsDecision(SafeText),
    /// A person took it back or dropped it.
    Dropped,
    /// The server has it, under this name if it told one.
    Sent(Option<BroadcastId>),
}

/// A wave's broadcast as the server counted it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaveReading {
    pub at: Timestamp,
    /// How many people it goes to.
    pub recipients: i64,
    /// How many it arrived at.
    pub delivered: i64,
    /// How many it did not reach.
    pub failed: i64,
    /// How many of neither is known.
    pub pending: i64,
    /// Since when the server says that all were tried.
    pub finished_at: Option<Timestamp>,
    /// Whether the server does not know it: a test key's is only played.
    pub is_unknown: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wave {
    pub size: usize,
    pub row: Option<RowId>,
    pub row_state: WaveRowState,
    /// When the server was known to have it.
    pub sent_at: Option<Timestamp>,
    /// As counted last.
    pub reading: Option<WaveReading>,
}

impl Wave {
    /// The server's name of it, if it has one.
    pub fn broadcast(&self) -> Option<&BroadcastId> {
        match &self.row_state {
            WaveRowState::Sent(it) => it.as_ref(),
            _ => None,
        }
    }
}

/// A campaign as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Campaign {
    pub id: CampaignId,
    pub channel: ChannelId,
    pub content: BroadcastContent,
    /// Whether it goes to all contacts.
    pub everyone: bool,
    pub count: usize,
    /// In what parts, and what stops it.
    pub plan: WavePlan,
    pub created_at: Timestamp,
    /// Nothing leaves before.
    pub starts_at: Timestamp,
    pub phase: CampaignPhase,
    /// What it waits for, while it is paused.
    pub pause_cause: Option<PauseCause>,
    /// Why it waits, or was stopped.
    pub why: SafeText,
    /// Waves before this one are not judged: a person has seen them.
    pub judged_from: usize,
    /// The quality rating when it was begun.
    pub quality_before: Option<SafeText>,
    pub waves: Vec<Wave>,
}

impl Campaign {
    /// How many waves have a row of the outbox.
    pub fn started_waves(&self) -> usize {
        self.waves.iter().take_while(|wave| wave.row.is_some()).count()
    }

    /// How many people of waves that have not begun.
    pub fn unsent_count(&self) -> usize {
        self.waves.iter().skip(self.started_waves()).map(|wave| wave.size).sum()
    }

    /// Recipients, delivered, failed and pending of all that was counted.
    pub fn counts(&self) -> RecipientCounts {
        let mut sum = RecipientCounts::default();
        for reading in self.waves.iter().filter_map(|wave| wave.reading) {
            sum.add(RecipientCounts::from_reading(&reading));
        }
        sum
    }

    /// From which wave on it is judged once a person lets it go on: what that
    /// person was shown is not held against it again.
    pub fn next_judged_wave(&self) -> usize {
        let begun = self.started_waves();
        let dropped =
            begun.checked_sub(1).is_some_and(|number| self.waves[number].row_state == WaveRowState::Dropped);
        match self.pause_cause {
            Some(PauseCause::Failures | PauseCause::Uncounted) => begun,
            Some(PauseCause::Row) if dropped => begun,
            _ => self.judged_from,
        }
    }

    /// Whether taking it back is not too late.
    pub fn can_recall(&self) -> bool {
        self.phase.is_open() && self.started_waves() == 0
    }
}

/// People by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecipientCounts {
    pub recipients: i64,
    pub delivered: i64,
    /// Not reached.
    pub failed: i64,
    pub pending: i64,
}

impl RecipientCounts {
    pub fn from_reading(reading: &WaveReading) -> Self {
        let WaveReading { recipients, delivered, failed, pending, .. } = *reading;
        Self { recipients, delivered, failed, pending }
    }

    pub fn add(&mut self, other: Self) {
        self.recipients += other.recipients;
        self.delivered += other.delivered;
        self.failed += other.failed;
        self.pending += other.pending;
    }
}

/// What the message is, in a line.
pub fn content_title(content: &BroadcastContent) -> SafeText {
    SafeText::line(&match content {
        BroadcastContent::Text(text) => text.clone(),
        BroadcastContent::Image(link) => format!("[image] {link}"),
        BroadcastContent::Template(template) => {
            format!("[template] {} / {}", template.name, template.language)
        }
    })
}

/// That it was paused, and why.
pub fn describe_pause(campaign: &Campaign) -> String {
    match campaign.why.is_empty() {
        true => "broadcast paused between two waves".to_owned(),
        false => format!("broadcast paused: {}", campaign.why),
    }
}

/// What each of the people costs; `charged` is what a template did cost last.
pub fn recipient_price(content: &BroadcastContent, charged: Option<i64>) -> Price {
    match content {
        BroadcastContent::Text(_) => Price::exactly(prices::TEXT_CREDITS),
        BroadcastContent::Image(_) => {
            Price { min: prices::LINKED_MEDIA_CREDITS, max: prices::UPLOADED_MEDIA_CREDITS }
        }
        BroadcastContent::Template(_) => charged.map_or(
            Price { min: prices::TEMPLATE_CREDITS, max: prices::MAX_TEMPLATE_CREDITS },
            Price::exactly,
        ),
    }
}

/// The recipients of a wave.
pub fn audience(ids: Vec<ContactId>) -> Option<Audience> {
    (!ids.is_empty()).then_some(Audience::Contacts(ids))
}

#[cfg(test)]
mod tests;
