//! Campaigns: broadcasts sent in waves, their recipients, wave sizes and stop rules. The interface
//! cannot recall a broadcast, but a stopped campaign sends no further waves.

pub mod audience;
pub mod deciding;
mod plan;

use crate::ids::{BroadcastId, CampaignId, ChannelId, ContactId, RowId};
use crate::outbox::content::{Audience, BroadcastContent};
use crate::prices::{self, Price};
use crate::text::SafeText;
use crate::time::Timestamp;

pub use plan::{StopRules, WavePlan};

/// Number of recipients above which a phrase must be typed to confirm.
pub const MAX_WITHOUT_PHRASE: usize = 100;

/// Non-empty list of distinct contacts, in the order of selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrozenContacts(Vec<ContactId>);

impl FrozenContacts {
    /// Builds the list and returns it with the number of duplicates dropped; `None` if no id is
    /// left.
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

/// Recipients of a campaign. Sending to everyone is explicit: no list, however empty, means it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignAudience {
    /// All contacts of the workspace, with their number when counted. Sent as one wave, because
    /// only the server knows the list.
    Everyone(usize),
    Contacts(FrozenContacts),
}

impl CampaignAudience {
    pub fn count(&self) -> usize {
        match self {
            Self::Everyone(count) => *count,
            Self::Contacts(frozen) => frozen.0.len(),
        }
    }

    pub fn wave_sizes(&self, plan: &WavePlan) -> Vec<usize> {
        match self {
            Self::Everyone(count) => vec![*count],
            Self::Contacts(frozen) => plan.wave_sizes(frozen.0.len()),
        }
    }

    /// Describes how a campaign with this plan is sent: everyone is one wave, whatever the plan says.
    pub fn describe_plan(&self, plan: &WavePlan) -> String {
        describe_plan(plan, matches!(self, Self::Everyone(_)), self.count())
    }

    /// Returns the phrase to type for confirmation; `None` if a single key is enough.
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
    pub plan: WavePlan,
    /// Microseconds during which the campaign can be undone.
    pub hold: i64,
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CampaignPhase {
        /// Continues by itself.
        Running = "running",
        Paused = "paused",
        /// Stopped by a person; waves already sent stay sent.
        Stopped = "stopped",
        /// Every wave has been sent and its waiting time is over.
        Finished = "finished",
        /// Undone before anything was sent.
        Recalled = "taken back",
    }
}

impl CampaignPhase {
    /// Label on the screen; files and scripts use `word`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Recalled => "undone",
            other => other.word(),
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PauseCause {
        Person = "person",
        /// More failures than the plan allows.
        Failures = "failures",
        Credits = "credits",
        Quality = "quality",
        /// The outbox row of a wave needs a decision or was undone.
        Row = "row",
        /// The results of a wave cannot be read.
        Uncounted = "uncounted",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaveRowState {
    Unsent,
    /// In progress or waiting in its lane.
    Sending,
    /// Needs a decision; holds the reason.
    NeedsDecision(SafeText),
    /// Undone or dropped by a person.
    Dropped,
    /// Accepted by the server; holds the broadcast id if the server reported one.
    Sent(Option<BroadcastId>),
}

/// Results of a wave's broadcast as last read from the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaveReading {
    pub at: Timestamp,
    pub recipients: i64,
    pub delivered: i64,
    pub failed: i64,
    /// Recipients whose result is not known yet.
    pub pending: i64,
    /// Time of the first reading in which every recipient had been tried.
    pub finished_at: Option<Timestamp>,
    /// True if the server does not know the broadcast; test keys only simulate it.
    pub is_unknown: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wave {
    pub size: usize,
    pub row: Option<RowId>,
    pub row_state: WaveRowState,
    /// Time at which the server was known to have accepted it.
    pub sent_at: Option<Timestamp>,
    pub reading: Option<WaveReading>,
}

impl Wave {
    pub fn broadcast(&self) -> Option<&BroadcastId> {
        match &self.row_state {
            WaveRowState::Sent(broadcast) => broadcast.as_ref(),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Campaign {
    pub id: CampaignId,
    pub channel: ChannelId,
    pub content: BroadcastContent,
    pub everyone: bool,
    pub count: usize,
    pub plan: WavePlan,
    pub created_at: Timestamp,
    /// Earliest time at which anything is sent.
    pub starts_at: Timestamp,
    pub phase: CampaignPhase,
    /// Set while the campaign is paused.
    pub pause_cause: Option<PauseCause>,
    pub why: SafeText,
    /// First wave to judge; a person has already reviewed the earlier ones.
    pub judged_from: usize,
    pub quality_before: Option<SafeText>,
    pub waves: Vec<Wave>,
}

impl Campaign {
    /// Describes how the campaign is sent, in the words of the review before it began.
    pub fn describe_plan(&self) -> String {
        describe_plan(&self.plan, self.everyone, self.count)
    }

    pub fn started_waves(&self) -> usize {
        self.waves.iter().take_while(|wave| wave.row.is_some()).count()
    }

    /// Number of recipients in waves that have no outbox row yet.
    pub fn unsent_count(&self) -> usize {
        self.waves.iter().skip(self.started_waves()).map(|wave| wave.size).sum()
    }

    pub fn counts(&self) -> RecipientCounts {
        let mut sum = RecipientCounts::default();
        for reading in self.waves.iter().filter_map(|wave| wave.reading) {
            sum.add(RecipientCounts::from_reading(&reading));
        }
        sum
    }

    /// Returns the first wave to judge after a person resumes the campaign. Results that the person
    /// has seen do not pause it again.
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

    /// True if the campaign can still be undone as a whole.
    pub fn can_recall(&self) -> bool {
        self.phase.is_open() && self.started_waves() == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecipientCounts {
    pub recipients: i64,
    pub delivered: i64,
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

fn describe_plan(plan: &WavePlan, everyone: bool, count: usize) -> String {
    match everyone {
        // Only the server knows the list, so that it cannot be split.
        true => "all in one wave, which cannot be stopped".to_owned(),
        false => plan.describe(count),
    }
}

pub fn content_title(content: &BroadcastContent) -> SafeText {
    SafeText::line(&match content {
        BroadcastContent::Text(text) => text.clone(),
        BroadcastContent::Image(link) => format!("[image] {link}"),
        BroadcastContent::Template(template) => {
            format!("[template] {} / {}", template.name, template.language)
        }
    })
}

pub fn describe_pause(campaign: &Campaign) -> String {
    match campaign.why.is_empty() {
        true => "broadcast paused between two waves".to_owned(),
        false => format!("broadcast paused: {}", campaign.why),
    }
}

/// Price per recipient. `charged` is the latest known price of the template.
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

/// Returns `None` for an empty list.
pub fn audience(ids: Vec<ContactId>) -> Option<Audience> {
    (!ids.is_empty()).then_some(Audience::Contacts(ids))
}

#[cfg(test)]
mod tests;
