//! Texts of the page "Needs you".

use crate::command::Command;
use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::attention::AttentionQueue;
use crate::overlays::listing;
use crate::wrap;
use model::attention::{AttentionEntry, AttentionReason};
use model::conversations::{ConversationRow, Escalation};
use model::digest::{Absence, DigestEntry, DigestFact};
use model::ids::ChannelId;
use model::needs_you::NeedsYouEntry;
use model::outbox::{OutboxRow, RowState};
use model::queries::PausedEntry;
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};
use model::waves::{self, CampaignPhase};

const ASKED_FOR_PERSON: &str = "asked for a person";

impl AttentionQueue {
    /// Returns how many entries need a person, and since when the person was away.
    pub(crate) fn title(&self, context: &Context) -> String {
        let Some(page) = &self.page else { return "Needs you".to_owned() };
        let count = page.entries.iter().filter(|entry| entry.needs_person()).count();
        let more = if page.more { "+" } else { "" };
        let absence = page.absence.map(|absence| format!(" · {}", describe_absence(absence, context)));
        format!("Needs you · {count}{more}{}", absence.unwrap_or_default())
    }

    /// Text of the page without entries.
    pub(crate) fn empty(&self) -> &'static str {
        match &self.page {
            None => "Reading ...",
            Some(_) => "Nothing needs you. Every customer who asked for a person has an answer.",
        }
    }

    pub(crate) fn lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        self.entries().iter().map(|entry| line(entry, desk, context)).collect()
    }
}

/// Describes the keys in at most `room` columns: the handover command is left out first, then the keys of
/// single entries.
pub(crate) fn key_words(context: &Context, room: usize) -> String {
    let key = |command| listing::list_key_for(context, command);
    let acts = format!(
        "{} decide · {} hand back · {} pause · Enter go",
        key(Command::DecideRow),
        key(Command::HandBack),
        key(Command::PauseAi)
    );
    let all = format!("{acts} · :handover copies it · Esc");
    let without_handover = format!("{acts} · Esc");
    let fits = |words: &String| wrap::cells(words) <= room;
    [all, without_handover].into_iter().find(fits).unwrap_or_else(|| "Enter go · Esc".to_owned())
}

/// `since you left at 09:12, away 2h`.
fn describe_absence(absence: Absence, context: &Context) -> String {
    let zone = &context.settings.zone;
    let clock = absence.from.hour_and_minute(zone);
    let left = match absence.from.day_number(zone) == context.now.day_number(zone) {
        true => format!("at {clock}"),
        false => format!("{} {clock}", absence.from.day_name(zone)),
    };
    format!("since you left {left}, away {}", format_short_span(absence.until.since(absence.from)))
}

fn line(entry: &NeedsYouEntry, desk: &Desk, context: &Context) -> ListLine {
    let line = match entry {
        NeedsYouEntry::Attention(entry) => attention_line(entry, desk, context),
        NeedsYouEntry::Paused(pause) => paused_line(pause, desk, context),
        NeedsYouEntry::Event(event) => event_line(event, desk, context),
    };
    ListLine { target: entry.conversation(), ..line }
}

/// The tab, if there are several, and the time passed since.
fn tab_and_span(channel: &ChannelId, since: Option<Timestamp>, desk: &Desk, context: &Context) -> String {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel && desk.tabs.len() > 1);
    let parts = [
        tab.map(|tab| tab.channel.name.clone()),
        since.map(|time| format_short_span(context.now.since(time))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn attention_line(entry: &AttentionEntry, desk: &Desk, context: &Context) -> ListLine {
    let is_outdated = matches!(&entry.reason, AttentionReason::Proposed(proposal) if proposal.is_stale());
    let quiet = match &entry.reason {
        AttentionReason::PauseExpired(pause) => pause.waiting_since.is_none(),
        AttentionReason::Proposed(_) | AttentionReason::CampaignPaused(_) => true,
        AttentionReason::Stopped(_)
        | AttentionReason::AiSilent(_)
        | AttentionReason::AiEscalated(_)
        | AttentionReason::TargetNear(_)
        | AttentionReason::AiInTrouble(_) => false,
    };
    ListLine {
        name: entry.title.clone(),
        text: SafeText::line(&describe_reason(&entry.reason, context)),
        trailing: tab_and_span(&entry.channel, entry.since(), desk, context),
        is_urgent: !quiet,
        dim: is_outdated,
        target: None,
    }
}

fn paused_line(pause: &PausedEntry, desk: &Desk, context: &Context) -> ListLine {
    let is_other = !pause.owner.is_empty() && pause.owner != context.settings.agent;
    let reason = match (pause.draft_only, is_other) {
        // Not only people pause for drafts: the settings of a channel and the demo do, too.
        (true, _) => "for drafts".to_owned(),
        (false, true) => format!("by {}", pause.owner),
        (false, false) => "by you".to_owned(),
    };
    let waits = pause
        .waiting_since
        .map(|since| format!("customer waiting {}", format_short_span(context.now.since(since))));
    let words = format!("AI paused {reason}, {}", waits.as_deref().unwrap_or("no customer waiting"));
    ListLine {
        name: pause.title.clone().unwrap_or_else(|| SafeText::line(pause.conversation.as_str())),
        text: SafeText::line(&words),
        trailing: tab_and_span(&pause.channel, Some(pause.since), desk, context),
        is_urgent: pause.waiting_since.is_some(),
        dim: false,
        target: None,
    }
}

fn event_line(event: &DigestEntry, desk: &Desk, context: &Context) -> ListLine {
    let (words, at) = describe_fact(&event.fact, context.now);
    let is_over = match &event.fact {
        DigestFact::Waves(campaign) => campaign.phase != CampaignPhase::Paused,
        DigestFact::Paused { .. } | DigestFact::Left { .. } => true,
        DigestFact::Waits(_)
        | DigestFact::Fails(_)
        | DigestFact::Undelivered(_)
        | DigestFact::Asks(_)
        | DigestFact::GivenUp { .. } => false,
    };
    ListLine {
        name: event.title.clone(),
        text: SafeText::line(&words),
        trailing: tab_and_span(&event.channel, at, desk, context),
        is_urgent: event.fact.needs_person(),
        dim: is_over,
        target: None,
    }
}

pub(crate) fn describe_reason(reason: &AttentionReason, context: &Context) -> String {
    let now = context.now;
    match reason {
        AttentionReason::Stopped(row) => describe_stopped(row),
        AttentionReason::AiSilent(row) => {
            format!("no answer from the AI since the hand-back: {}", row.conversation.preview)
        }
        AttentionReason::AiEscalated(row) => asks(row, now),
        AttentionReason::TargetNear(row) => {
            format!("{}: {}", target_words(row, context), row.conversation.preview)
        }
        AttentionReason::PauseExpired(pause) => {
            let waits = pause
                .waiting_since
                .map(|at| format!(", customer waiting {}", format_short_span(now.since(at))));
            format!("pause ended{}", waits.unwrap_or_default())
        }
        AttentionReason::AiInTrouble(row) => {
            let why = row.describe_trouble(now).unwrap_or_else(|| row.conversation.preview.to_string());
            format!("AI failing: {why}")
        }
        AttentionReason::CampaignPaused(campaign) => waves::describe_pause(campaign),
        AttentionReason::Proposed(entry) => {
            let (who, change) = (&entry.proposal.proposer, &entry.proposal.change);
            let outdated = if entry.is_stale() { "outdated: " } else { "" };
            format!("{outdated}{who} proposes to {}: {}", change.word(), change.summary())
        }
    }
}

/// Describes the decision an outbox row needs.
fn describe_stopped(row: &OutboxRow) -> String {
    match &row.state {
        RowState::Stopped(_, why) => format!("needs a decision: {why}: {}", row.operation.summary()),
        _ => row.operation.summary().to_string(),
    }
}

fn asks(row: &ConversationRow, now: Timestamp) -> String {
    let waits = row.waiting_since.map(|at| format!(", waiting {}", format_short_span(now.since(at))));
    let asked = asks_for(row).unwrap_or_else(|| ASKED_FOR_PERSON.to_owned());
    format!("{asked}{}", waits.unwrap_or_default())
}

/// Time left to answer, or how late an answer is.
pub(crate) fn target_words(row: &ConversationRow, context: &Context) -> String {
    match row.target_state(context.now, context.settings.targets_of(&row.channel)) {
        Some(TargetState::OnTime(left) | TargetState::Near(left)) => {
            format!("{} left to answer", format_short_span(left))
        }
        Some(TargetState::Missed(late)) => format!("the answer is {} late", format_short_span(late)),
        None => "answered".to_owned(),
    }
}

/// Describes an event, and returns the time since which it holds.
fn describe_fact(fact: &DigestFact, now: Timestamp) -> (String, Option<Timestamp>) {
    match fact {
        DigestFact::Waits(row) => {
            let waits = row.waiting_since.map(|_| "waiting".to_owned());
            let paused = row.paused.as_ref().map(|(by, _)| paused_by(by));
            let parts = [waits, asks_for(row), paused].into_iter().flatten().collect::<Vec<_>>();
            let words = format!("{}: {}", parts.join(", "), row.conversation.preview);
            (words, row.waiting_since.or(row.conversation.last_message_at))
        }
        DigestFact::Fails(row) => {
            let why = row.describe_trouble(now).unwrap_or_else(|| row.conversation.preview.to_string());
            (format!("AI failing: {why}"), row.conversation.last_message_at)
        }
        DigestFact::Paused { by, at } => (paused_by(by), Some(*at)),
        DigestFact::Waves(campaign) if campaign.phase == CampaignPhase::Paused => {
            (waves::describe_pause(campaign), None)
        }
        DigestFact::Waves(campaign) => {
            let counts = campaign.counts();
            (format!("broadcast finished: {} delivered, {} failed", counts.delivered, counts.failed), None)
        }
        DigestFact::Undelivered(text) => (format!("not delivered: {text}"), None),
        DigestFact::Asks(row) => (describe_stopped(row), None),
        DigestFact::GivenUp { operation, why } => {
            (format!("{} failed: {why}", describe_operation(operation)), None)
        }
        DigestFact::Left { operation } => (format!("{} sent", describe_operation(operation)), None),
    }
}

/// Reason why the AI asks for a person.
fn asks_for(row: &ConversationRow) -> Option<String> {
    match &row.conversation.escalation {
        Escalation::Requested(why)
            if why.is_empty() || why.as_str().eq_ignore_ascii_case(ASKED_FOR_PERSON) =>
        {
            Some(ASKED_FOR_PERSON.to_owned())
        }
        Escalation::Requested(why) => Some(format!("{ASKED_FOR_PERSON} ({why})")),
        Escalation::Unknown | Escalation::None => None,
    }
}

fn paused_by(by: &SafeText) -> String {
    if by.is_empty() { "AI paused from this desk".to_owned() } else { format!("AI paused by {by}") }
}

/// Display name of an operation, from its name in the outbox.
fn describe_operation(operation: &SafeText) -> &str {
    match operation.as_str() {
        "send" => "text",
        "send-content" => "message",
        "sms" => "SMS",
        word => word,
    }
}
