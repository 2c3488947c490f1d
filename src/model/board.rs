//! The board: every broadcast this desk knows of, with how it stands, how it
//! went over time, and whom it reached as far as that shows.

use crate::broadcasts::Broadcast;
use crate::cells;
use crate::failures::FailureReason;
use crate::ids::{BroadcastId, CampaignId, ChannelId, ContactId, ConversationId};
use crate::text::SafeText;
use crate::time::{MINUTE, Timestamp};
use crate::waves::{Campaign, CampaignPhase, RecipientCounts, Wave, content_title};

/// What names a row of the board.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoardId {
    /// One begun here.
    Campaign(CampaignId),
    /// One by itself: of a script, of elsewhere, of before.
    Broadcast(ChannelId, BroadcastId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum BoardEntry {
    /// One begun here.
    Campaign(Box<Campaign>),
    Broadcast(ChannelId, Broadcast),
    /// One that is tracked and was not read yet.
    Unread(ChannelId, BroadcastId, Timestamp),
}

impl BoardEntry {
    /// What names it.
    pub fn id(&self) -> BoardId {
        match self {
            Self::Campaign(it) => BoardId::Campaign(it.id.clone()),
            Self::Broadcast(channel, it) => BoardId::Broadcast(channel.clone(), it.id.clone()),
            Self::Unread(channel, id, _) => BoardId::Broadcast(channel.clone(), id.clone()),
        }
    }

    pub fn channel(&self) -> &ChannelId {
        match self {
            Self::Campaign(it) => &it.channel,
            Self::Broadcast(channel, _) | Self::Unread(channel, ..) => channel,
        }
    }

    /// The campaign, if it is one.
    pub fn campaign(&self) -> Option<&Campaign> {
        match self {
            Self::Campaign(it) => Some(it),
            _ => None,
        }
    }

    /// The server's names of it: one for each wave that is known there.
    pub fn broadcast_ids(&self) -> Vec<&BroadcastId> {
        match self {
            Self::Campaign(it) => it.waves.iter().filter_map(Wave::broadcast).collect(),
            Self::Broadcast(_, it) => vec![&it.id],
            Self::Unread(_, id, _) => vec![id],
        }
    }

    /// What it says, in a line.
    pub fn title(&self) -> SafeText {
        match self {
            Self::Campaign(it) => content_title(&it.content),
            Self::Broadcast(_, it) => it.text.clone().unwrap_or_else(|| SafeText::line(it.id.as_str())),
            Self::Unread(_, id, _) => SafeText::line(id.as_str()),
        }
    }

    /// How many people.
    pub fn recipient_count(&self) -> i64 {
        match self {
            Self::Campaign(it) => i64::try_from(it.count).unwrap_or(i64::MAX),
            Self::Broadcast(_, it) => it.recipients,
            Self::Unread(..) => 0,
        }
    }

    /// How many it was meant for and never left for.
    pub fn unsent_count(&self) -> usize {
        self.campaign().map_or(0, Campaign::unsent_count)
    }

    /// As counted last.
    pub fn counts(&self) -> RecipientCounts {
        match self {
            Self::Campaign(it) => it.counts(),
            Self::Broadcast(_, it) => RecipientCounts {
                recipients: it.recipients,
                delivered: it.delivered,
                failed: it.failed,
                pending: it.pending,
            },
            Self::Unread(..) => RecipientCounts::default(),
        }
    }

    /// Where it stands, in a word; the server's own where it is one.
    pub fn status_label(&self) -> SafeText {
        match self {
            Self::Campaign(it) => SafeText::line(it.phase.word()),
            Self::Broadcast(_, it) => SafeText::line(it.status.word()),
            Self::Unread(..) => SafeText::line("not read yet"),
        }
    }

    /// Whether it goes on, or waits for a person.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Campaign(it) => it.phase.is_open(),
            Self::Broadcast(_, it) => !it.is_finished(),
            Self::Unread(..) => true,
        }
    }

    /// Whether it waits for a person.
    pub fn is_waiting(&self) -> bool {
        self.campaign().is_some_and(|campaign| campaign.phase == CampaignPhase::Paused)
    }

    pub fn started_at(&self) -> Option<Timestamp> {
        match self {
            Self::Campaign(it) => Some(it.created_at),
            Self::Broadcast(_, it) => it.created_at,
            Self::Unread(_, _, at) => Some(*at),
        }
    }
}

/// How it stood at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardSample {
    pub at: Timestamp,
    pub counts: RecipientCounts,
}

/// What became of one recipient, as far as the messages read here show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientStatus {
    pub contact: ContactId,
    /// The number, if the contact was read.
    pub phone: Option<String>,
    /// The name, if there is one.
    pub name: Option<SafeText>,
    /// The conversation, if there is one.
    pub conversation: Option<ConversationId>,
    /// The wave, counted from 1; 0 while it has not left.
    pub wave: usize,
    pub outcome: RecipientOutcome,
    /// Whether the person has written since.
    pub replied: bool,
    /// Whether the newest of it is nothing but a word such as STOP.
    pub opted_out: bool,
}

/// What messages show of a recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientOutcome {
    /// Its wave has not left.
    Unsent,
    /// Its wave has left, and no message of it was read.
    Unknown,
    /// Sent, delivered or read.
    Reached(&'static str),
    /// Failed, as a message read here shows.
    Failed(FailureReason),
    /// Failed, as the service says of the recipient.
    Refused(FailureReason),
}

impl RecipientOutcome {
    pub fn label(&self) -> &'static str {
        match self {
            Self::Unsent => "not sent",
            Self::Unknown => "unknown",
            Self::Reached(word) => word,
            Self::Failed(_) | Self::Refused(_) => "failed",
        }
    }

    /// What it is once the service names the recipient as not reached: a
    /// message that arrived says more, and so does its own reason where the
    /// service gives none.
    pub fn with_refusal(&self, told: &FailureReason) -> Self {
        match self {
            Self::Reached("delivered" | "read") => self.clone(),
            Self::Failed(own) if own.is_stated() && !told.is_stated() => self.clone(),
            _ => Self::Refused(told.clone()),
        }
    }

    /// Why it failed, if it did.
    pub fn failure_reason(&self) -> Option<&FailureReason> {
        match self {
            Self::Failed(reason) | Self::Refused(reason) => Some(reason),
            Self::Unsent | Self::Unknown | Self::Reached(_) => None,
        }
    }
}

/// What is read of the chosen row only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardDetail {
    /// How it went, oldest first.
    pub samples: Vec<BoardSample>,
    /// Its recipients and what became of them; empty where that is not known
    /// here.
    pub recipients: Vec<RecipientStatus>,
    /// Credits charged when it was taken, if the server told for all of it.
    pub charged: Option<f64>,
    /// By how much the balance fell meanwhile, what was given back taken off,
    /// once all of it was tried.
    pub balance_drop: Option<f64>,
}

impl BoardDetail {
    /// Whether any recipient's message was read.
    pub fn has_read_recipients(&self) -> bool {
        self.recipients.iter().any(|recipient| {
            !matches!(recipient.outcome, RecipientOutcome::Unsent | RecipientOutcome::Unknown)
        })
    }

    /// Those that were not reached, as far as it shows.
    pub fn failed_recipients(&self) -> impl Iterator<Item = &RecipientStatus> {
        self.recipients.iter().filter(|recipient| recipient.outcome.failure_reason().is_some())
    }

    /// People settled a minute lately, and how many minutes the rest takes at
    /// that rate.
    pub fn pace(&self, people: i64) -> Option<(i64, Option<i64>)> {
        let last = self.samples.last()?;
        let settled = |sample: &BoardSample| sample.counts.delivered + sample.counts.failed;
        let from = self.samples.iter().rev().find(|sample| last.at.since(sample.at) >= MINUTE);
        let from = from.or_else(|| self.samples.first())?;
        let span = last.at.since(from.at);
        if span <= 0 {
            return None;
        }
        let rate = (settled(last) - settled(from)) * MINUTE / span;
        let left = people - settled(last);
        Some((rate, (rate > 0 && left > 0).then(|| (left + rate - 1) / rate)))
    }
}

/// Samples of several broadcasts as those of one: at each time the newest of
/// each is summed.
pub fn sum_samples(each: &[Vec<BoardSample>]) -> Vec<BoardSample> {
    let mut times: Vec<Timestamp> = each.iter().flatten().map(|sample| sample.at).collect();
    times.sort_unstable();
    times.dedup();
    let mut places = vec![0; each.len()];
    let mut all = Vec::with_capacity(times.len());
    for at in times {
        let mut counts = RecipientCounts::default();
        for (samples, place) in each.iter().zip(&mut places) {
            while samples.get(*place).is_some_and(|sample| sample.at <= at) {
                *place += 1;
            }
            if let Some(newest) = place.checked_sub(1).and_then(|number| samples.get(number)) {
                counts.add(newest.counts);
            }
        }
        all.push(BoardSample { at, counts });
    }
    all
}

/// A report over recipients: one a line, with cells in quotes where they need
/// them. What begins like a formula is set apart, so that no table program
/// runs what a customer chose as a name.
pub fn report_csv(recipients: &[RecipientStatus]) -> String {
    let mut lines = vec!["contact,phone,name,wave,outcome,code,reason,replied,known from".to_owned()];
    for it in recipients {
        let wave = if it.wave == 0 { String::new() } else { it.wave.to_string() };
        let known = match it.outcome {
            RecipientOutcome::Reached(_) | RecipientOutcome::Failed(_) => "messages read here",
            RecipientOutcome::Refused(_) => "the service",
            RecipientOutcome::Unknown | RecipientOutcome::Unsent => "this desk",
        };
        let reason = it.outcome.failure_reason().cloned().unwrap_or_default();
        let cells = [
            it.contact.as_str().to_owned(),
            it.phone.clone().unwrap_or_default(),
            it.name.as_ref().map(ToString::to_string).unwrap_or_default(),
            wave,
            it.outcome.label().to_owned(),
            reason.code.to_string(),
            reason.text().to_owned(),
            if it.replied { "yes" } else { "" }.to_owned(),
            known.to_owned(),
        ];
        lines.push(cells.map(|text| cells::csv_cell(&text)).join(","));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SECOND;

    fn sample(seconds: i64, delivered: i64, failed: i64) -> BoardSample {
        let counts =
            RecipientCounts { recipients: 100, delivered, failed, pending: 100 - delivered - failed };
        BoardSample { at: Timestamp::from_micros(seconds * SECOND), counts }
    }

    #[test]
    fn samples_of_waves_add_up() {
        let one = vec![sample(0, 0, 0), sample(10, 50, 0)];
        let two = vec![sample(5, 0, 0), sample(20, 90, 10)];
        let told: Vec<(i64, i64)> = sum_samples(&[one, two])
            .iter()
            .map(|sample| (sample.at.seconds(), sample.counts.delivered))
            .collect();
        assert_eq!(told, [(0, 0), (5, 0), (10, 50), (20, 140)]);
        assert!(sum_samples(&[]).is_empty());
    }

    #[test]
    fn the_pace_is_that_of_the_last_minute() {
        let detail = |samples| BoardDetail { samples, ..BoardDetail::default() };
        assert_eq!(detail(vec![]).pace(100), None);
        assert_eq!(detail(vec![sample(0, 5, 0)]).pace(100), None, "one look is no pace");
        assert_eq!(detail(vec![sample(0, 0, 0), sample(30, 20, 5)]).pace(100), Some((50, Some(2))));
        let slowing = vec![sample(0, 0, 0), sample(60, 90, 0), sample(120, 91, 0)];
        assert_eq!(detail(slowing).pace(100), Some((1, Some(9))));
        assert_eq!(detail(vec![sample(0, 100, 0), sample(30, 100, 0)]).pace(100), Some((0, None)));
    }

    #[test]
    fn a_report_is_a_table_and_nothing_in_it_runs() {
        let one = RecipientStatus {
            contact: "ct_1".into(),
            phone: Some("+34600111222".to_owned()),
            name: Some(SafeText::line("=cmd|' /C calc'!A0, \"Ana\"")),
            conversation: None,
            wave: 2,
            outcome: RecipientOutcome::Failed(FailureReason {
                code: SafeText::line("131026"),
                text: SafeText::line("+no such number"),
            }),
            replied: true,
            opted_out: false,
        };
        let told = report_csv(&[one]);
        let line = told.lines().nth(1).expect("a line");
        assert_eq!(
            line,
            "ct_1,+34600111222,\"'=cmd|' /C calc'!A0, \"\"Ana\"\"\",2,failed,131026,'+no such number,yes,messages read here"
        );
    }
}
