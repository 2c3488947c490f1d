//! Sections of the inbox: the place of a conversation in the list, and the one mark of its row.
//!
//! Sections, in this order:
//!
//! - [`Section::Mine`]: claimed by the agent of this desk, open and not snoozed. Newest claim first;
//!   activity moves nothing.
//! - [`Section::NeedsPerson`]: conversations with one of the reasons below, by rank, and within a
//!   rank the longest wait first.
//! - [`Section::WithAi`]: every other open conversation that is not snoozed: those that wait for the
//!   AI, then those with an answer, by newest activity.
//!
//! A conversation that a colleague has claimed is in [`Section::WithAi`], at the end with those that
//! have an answer, unless:
//!
//! - a message of this desk was not sent;
//! - the customer has waited for [`COLLEAGUE_TIMEOUT`] since the claim and since their first message without an
//!   answer. The rank is then the one without the claim.
//!
//! Closed and snoozed conversations, those that this desk is about to close, and those with nothing but a
//! broadcast are in no section; a send that needs a decision brings any of them back.
//!
//! Ranks of [`Section::NeedsPerson`]:
//!
//! 1. The customer asked for a person, or the reply window closes within [`WINDOW_WARNING`] and the
//!    customer has no answer.
//! 2. A message was not sent, or the AI did not answer after a hand-back.
//! 3. The AI is in trouble.
//! 4. The customer waits and no AI answers: it is off, or the channel has no switch for it.
//! 5. A pause made from this desk has exceeded its lease.
//! 6. An assistant made a proposal.
//!
//! A row has at most one [`Mark`], the first of its list that holds. A row of [`Section::Mine`] has
//! no mark for what the agent has taken over, only for the reply window, a message that was not sent, a
//! proposal and a draft. A row claimed by a colleague shows the colleague's name instead of what the
//! colleague has taken over; if the colleague has not answered in time, it says so first.

use crate::conversations::{Automation, ConversationRow, ConversationStatus, Escalation, ServiceWindow};
use crate::local::{Assignment, DraftReadiness};
use crate::text::SafeText;
use crate::time::{DAY, HOUR, MINUTE, Timestamp, format_hours_and_minutes};
use crate::trouble::{TROUBLE_THRESHOLD, TroubleKind};

/// Remaining time of a reply window from which it is about to close, in microseconds.
pub const WINDOW_WARNING: i64 = 2 * HOUR;
/// Wait after which a customer claimed by a colleague needs a person, in microseconds. The service
/// lets anybody take over after the same time.
pub const COLLEAGUE_TIMEOUT: i64 = 30 * MINUTE;
/// Lowest rank that is drawn in the urgent colour.
pub const LAST_URGENT_RANK: u8 = 3;

/// Exclusive upper bound of a time in a sort key, in microseconds; later than the year 2100.
const TIME_SPAN: i64 = 1 << 52;
/// Ranks of a section in a sort key.
const RANKS: i64 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    Mine,
    NeedsPerson,
    WithAi,
}

impl Section {
    pub const ALL: [Self; 3] = [Self::Mine, Self::NeedsPerson, Self::WithAi];

    fn index(self) -> i64 {
        match self {
            Self::Mine => 0,
            Self::NeedsPerson => 1,
            Self::WithAi => 2,
        }
    }

    /// Returns the sort keys of the section: the lowest, and the lowest of the next section.
    pub fn sort_keys(self) -> (i64, i64) {
        let lowest = self.index() * RANKS * TIME_SPAN;
        (lowest, lowest + RANKS * TIME_SPAN)
    }

    /// True if later times come first.
    fn is_newest_first(self) -> bool {
        self != Self::NeedsPerson
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    pub section: Section,
    /// Lower ranks come first.
    pub rank: u8,
    /// Time of the claim, start of the wait, or newest activity, depending on the section.
    pub time: Timestamp,
}

impl Place {
    /// Sort key of the place, ascending; the store computes the same number.
    pub fn sort_key(&self) -> i64 {
        let time = self.time.micros().clamp(0, TIME_SPAN - 1);
        let time = if self.section.is_newest_first() { TIME_SPAN - 1 - time } else { time };
        (self.section.index() * RANKS + i64::from(self.rank)) * TIME_SPAN + time
    }

    pub fn from_sort_key(key: i64) -> Self {
        let (group, time) = (key / TIME_SPAN, key % TIME_SPAN);
        let section = match group / RANKS {
            0 => Section::Mine,
            1 => Section::NeedsPerson,
            _ => Section::WithAi,
        };
        let time = if section.is_newest_first() { TIME_SPAN - 1 - time } else { time };
        let rank = u8::try_from(group % RANKS).unwrap_or(0);
        Self { section, rank, time: Timestamp::from_micros(time) }
    }

    /// True if the row's mark is drawn in the urgent colour.
    pub fn is_urgent(&self) -> bool {
        self.section == Section::NeedsPerson && self.rank <= LAST_URGENT_RANK
    }
}

/// Conversations in each section, each up to the same limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SectionCounts([u32; 3]);

impl SectionCounts {
    pub fn new(mine: u32, needs_person: u32, with_ai: u32) -> Self {
        Self([mine, needs_person, with_ai])
    }

    /// Counts the rows of a list that is loaded completely.
    pub fn of_rows(rows: &[ConversationRow]) -> Self {
        let count = |section| {
            let count = rows.iter().filter(|row| row.section() == Some(section)).count();
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        Self(Section::ALL.map(count))
    }

    pub fn of(&self, section: Section) -> u32 {
        let [mine, needs_person, with_ai] = self.0;
        match section {
            Section::Mine => mine,
            Section::NeedsPerson => needs_person,
            Section::WithAi => with_ai,
        }
    }
}

/// Facts that decide the place and the mark of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Closed, or about to be by this desk.
    pub is_closed: bool,
    pub is_asleep: bool,
    /// Nothing but a broadcast was sent, and nobody has written.
    pub is_broadcast_only: bool,
    /// Time of the claim by this desk's agent.
    pub claimed_here: Option<Timestamp>,
    /// Claim of another agent.
    pub colleague: Option<Assignment>,
    pub automation: Automation,
    /// The AI reported that the customer wants a person.
    pub is_escalated: bool,
    /// Trouble of the AI at the threshold, and the customer's wish for a person in the messages.
    pub trouble: Option<TroubleKind>,
    pub waiting_since: Option<Timestamp>,
    /// End of an open reply window, estimated.
    pub window_ends: Option<Timestamp>,
    pub has_stopped_rows: bool,
    /// First message of the customer after a hand-back that the AI has not answered.
    pub ai_asked_at: Option<Timestamp>,
    /// Start of the lease of a pause made here, and its end.
    pub pause: Option<(Timestamp, Timestamp)>,
    pub proposed_at: Option<Timestamp>,
    pub has_draft: bool,
    /// In draft-only mode: a draft is ready for the waiting customer.
    pub has_ready_draft: bool,
    pub last_activity: Timestamp,
}

impl Facts {
    /// Returns the facts of a row. `agent` is the agent of this desk, `lease` the longest pause in
    /// microseconds, 0 for no limit.
    pub fn of_row(row: &ConversationRow, agent: &SafeText, lease: i64) -> Self {
        let conversation = &row.conversation;
        let claim = row.local.claim.as_ref();
        let (mine, others): (Vec<_>, Vec<_>) = claim.into_iter().partition(|claim| claim.agent == *agent);
        let draft_only = row.local.draft_only;
        let lease_from = row.lease_from.filter(|_| draft_only.is_none() && lease > 0);
        Self {
            is_closed: conversation.status == ConversationStatus::Closed || row.close_pending,
            is_asleep: row.local.is_asleep(),
            is_broadcast_only: row.is_broadcast_only,
            claimed_here: mine.first().map(|claim| claim.at),
            colleague: others.first().map(|claim| (*claim).clone()),
            automation: conversation.automation,
            is_escalated: matches!(conversation.escalation, Escalation::Requested(_)),
            trouble: row.trouble.kind().filter(|_| row.trouble.score() >= TROUBLE_THRESHOLD),
            waiting_since: row.waiting_since,
            window_ends: row
                .last_inbound_at
                .filter(|_| conversation.window == ServiceWindow::Open)
                .map(|at| at.plus(DAY)),
            has_stopped_rows: row.stopped_rows > 0,
            ai_asked_at: row.ai_asked_at,
            pause: lease_from.map(|from| (from, from.plus(lease))),
            proposed_at: row.proposed_at,
            has_draft: row.draft.is_some(),
            has_ready_draft: draft_only == Some(DraftReadiness::Ready) && row.waiting_since.is_some(),
            last_activity: conversation.last_message_at.unwrap_or_default(),
        }
    }

    fn is_awake(&self) -> bool {
        !self.is_closed && !self.is_asleep
    }

    /// True if the AI may answer. Unknown until the first single read; it answers by default.
    fn has_ai(&self) -> bool {
        matches!(self.automation, Automation::On | Automation::Unknown)
    }

    fn asks_for_person(&self) -> bool {
        self.is_escalated || (self.has_ai() && self.trouble == Some(TroubleKind::AsksForPerson))
    }

    /// Returns the remaining microseconds of a window that is about to close on a customer without
    /// an answer.
    fn closing_window(&self, now: Timestamp) -> Option<i64> {
        let left = self.window_ends.filter(|_| self.waiting_since.is_some())?.since(now);
        (0 < left && left <= WINDOW_WARNING).then_some(left)
    }

    fn is_ai_silent(&self, now: Timestamp) -> bool {
        let timeout = crate::conversations::AI_ANSWER_TIMEOUT;
        self.waiting_since.is_some() && self.ai_asked_at.is_some_and(|asked| now.since(asked) >= timeout)
    }

    fn is_pause_expired(&self, now: Timestamp) -> bool {
        self.pause.is_some_and(|(_, until)| until <= now)
    }

    /// True if a colleague takes care of the conversation: it needs nobody else.
    fn is_handled_by_colleague(&self, now: Timestamp) -> bool {
        self.colleague.is_some() && !self.is_colleague_late(now)
    }

    fn is_colleague_late(&self, now: Timestamp) -> bool {
        let (Some(claim), Some(waiting)) = (&self.colleague, self.waiting_since) else { return false };
        now.since(claim.at.max(waiting)) >= COLLEAGUE_TIMEOUT
    }

    /// Returns the rank among conversations that need a person.
    fn rank(&self, now: Timestamp) -> Option<u8> {
        if self.is_handled_by_colleague(now) {
            return self.has_stopped_rows.then_some(2);
        }
        let awake = self.is_awake();
        let trouble = self.has_ai() && self.trouble.is_some();
        match () {
            () if awake && (self.asks_for_person() || self.closing_window(now).is_some()) => Some(1),
            () if self.has_stopped_rows || (awake && self.is_ai_silent(now)) => Some(2),
            () if !awake => None,
            () if trouble => Some(3),
            () if !self.has_ai() && self.waiting_since.is_some() => Some(4),
            () if self.is_pause_expired(now) => Some(5),
            () if self.proposed_at.is_some() => Some(6),
            () => None,
        }
    }
}

/// Returns the place of a conversation; `None` if it is in no section.
pub fn place_of(facts: &Facts, now: Timestamp) -> Option<Place> {
    if let Some(time) = facts.claimed_here.filter(|_| facts.is_awake()) {
        return Some(Place { section: Section::Mine, rank: 0, time });
    }
    if let Some(rank) = facts.rank(now) {
        let own_time = match rank {
            5 => facts.pause.map(|(from, _)| from),
            6 => facts.proposed_at,
            _ => None,
        };
        let time = facts.waiting_since.or(own_time).unwrap_or(facts.last_activity);
        return Some(Place { section: Section::NeedsPerson, rank, time });
    }
    let rank = u8::from(facts.waiting_since.is_none() || facts.is_handled_by_colleague(now));
    let place = Place { section: Section::WithAi, rank, time: facts.last_activity };
    (facts.is_awake() && !facts.is_broadcast_only).then_some(place)
}

/// Reason for attention that a row shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    AskedForPerson,
    AiInTrouble(TroubleKind),
    AiOffWaiting,
    /// With the remaining microseconds.
    ReplyWindow(i64),
    NotSent,
    AiSilent,
    PauseExpired,
    Proposal,
    /// Proposal older than the newest message.
    OutdatedProposal,
    DraftReady,
    Draft,
    /// Agent who has claimed the conversation and does not answer.
    ColleagueLate(SafeText),
    /// Agent who has claimed the conversation.
    Colleague(SafeText),
}

impl Mark {
    pub fn label(&self) -> String {
        match self {
            Self::AskedForPerson => "asked for a person".to_owned(),
            Self::AiInTrouble(kind) => kind.label().to_owned(),
            Self::AiOffWaiting => "AI off, waiting".to_owned(),
            Self::ReplyWindow(left) => format!("reply window {}", format_hours_and_minutes(*left)),
            Self::NotSent => "not sent".to_owned(),
            Self::AiSilent => "AI does not answer".to_owned(),
            Self::PauseExpired => "pause expired".to_owned(),
            Self::Proposal => "proposal".to_owned(),
            Self::OutdatedProposal => "proposal too old".to_owned(),
            Self::DraftReady => "draft ready".to_owned(),
            Self::Draft => "draft".to_owned(),
            Self::ColleagueLate(agent) => format!("{agent} has not answered"),
            Self::Colleague(agent) => agent.to_string(),
        }
    }
}

pub fn mark_of(facts: &Facts, now: Timestamp) -> Option<Mark> {
    let place = place_of(facts, now);
    let is_mine = place.is_some_and(|place| place.section == Section::Mine);
    let awake = facts.is_awake();
    let left = awake && !is_mine && facts.colleague.is_none();
    let is_handled = facts.is_handled_by_colleague(now);
    let colleague = facts.colleague.as_ref().map(|claim| claim.agent.clone());
    let trouble = facts.trouble.filter(|_| left && facts.has_ai());
    // A draft that is ready says that the AI is off.
    let off = facts.automation == Automation::Off && facts.waiting_since.is_some() && !facts.has_ready_draft;
    let marks = [
        colleague.clone().filter(|_| awake && !is_handled).map(Mark::ColleagueLate),
        (left && facts.asks_for_person()).then_some(Mark::AskedForPerson),
        trouble.map(Mark::AiInTrouble),
        // On a channel without a switch the wait is normal and has no mark.
        (left && off).then_some(Mark::AiOffWaiting),
        facts.closing_window(now).filter(|_| awake && !is_handled).map(Mark::ReplyWindow),
        facts.has_stopped_rows.then_some(Mark::NotSent),
        (left && facts.is_ai_silent(now)).then_some(Mark::AiSilent),
        (left && facts.is_pause_expired(now)).then_some(Mark::PauseExpired),
        facts.proposed_at.filter(|_| awake && !is_handled).map(|at| match at < facts.last_activity {
            true => Mark::OutdatedProposal,
            false => Mark::Proposal,
        }),
        facts.has_ready_draft.then_some(Mark::DraftReady),
        facts.has_draft.then_some(Mark::Draft),
        colleague.map(Mark::Colleague),
    ];
    marks.into_iter().flatten().next()
}

#[cfg(test)]
mod tests;
