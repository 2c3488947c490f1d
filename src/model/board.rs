//! The board: every broadcast known to this desk, with its progress over time and its recipients as
//! far as known.

use crate::broadcasts::Broadcast;
use crate::cells;
use crate::failures::FailureReason;
use crate::ids::{BroadcastId, CampaignId, ChannelId, ContactId, ConversationId};
use crate::text::SafeText;
use crate::time::{MINUTE, Timestamp};
use crate::waves::{Campaign, CampaignPhase, RecipientCounts, Wave, content_title};

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoardId {
    Campaign(CampaignId),
    /// A broadcast not started from this desk's screen.
    Broadcast(ChannelId, BroadcastId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum BoardEntry {
    Campaign(Box<Campaign>),
    Broadcast(ChannelId, Broadcast),
    /// A tracked broadcast that has not been read yet.
    Unread(ChannelId, BroadcastId, Timestamp),
}

impl BoardEntry {
    pub fn id(&self) -> BoardId {
        match self {
            Self::Campaign(campaign) => BoardId::Campaign(campaign.id.clone()),
            Self::Broadcast(channel, broadcast) => BoardId::Broadcast(channel.clone(), broadcast.id.clone()),
            Self::Unread(channel, id, _) => BoardId::Broadcast(channel.clone(), id.clone()),
        }
    }

    pub fn channel(&self) -> &ChannelId {
        match self {
            Self::Campaign(campaign) => &campaign.channel,
            Self::Broadcast(channel, _) | Self::Unread(channel, ..) => channel,
        }
    }

    pub fn campaign(&self) -> Option<&Campaign> {
        match self {
            Self::Campaign(campaign) => Some(campaign),
            _ => None,
        }
    }

    /// Returns the server's ids: one per wave that the server knows.
    pub fn broadcast_ids(&self) -> Vec<&BroadcastId> {
        match self {
            Self::Campaign(campaign) => campaign.waves.iter().filter_map(Wave::broadcast).collect(),
            Self::Broadcast(_, broadcast) => vec![&broadcast.id],
            Self::Unread(_, id, _) => vec![id],
        }
    }

    pub fn title(&self) -> SafeText {
        match self {
            Self::Campaign(campaign) => content_title(&campaign.content),
            Self::Broadcast(_, broadcast) => {
                broadcast.text.clone().unwrap_or_else(|| SafeText::line(broadcast.id.as_str()))
            }
            Self::Unread(_, id, _) => SafeText::line(id.as_str()),
        }
    }

    pub fn recipient_count(&self) -> i64 {
        match self {
            Self::Campaign(campaign) => i64::try_from(campaign.count).unwrap_or(i64::MAX),
            Self::Broadcast(_, broadcast) => broadcast.recipients,
            Self::Unread(..) => 0,
        }
    }

    /// Number of intended recipients in waves that were never started.
    pub fn unsent_count(&self) -> usize {
        self.campaign().map_or(0, Campaign::unsent_count)
    }

    pub fn counts(&self) -> RecipientCounts {
        match self {
            Self::Campaign(campaign) => campaign.counts(),
            Self::Broadcast(_, broadcast) => RecipientCounts {
                recipients: broadcast.recipients,
                delivered: broadcast.delivered,
                failed: broadcast.failed,
                pending: broadcast.pending,
            },
            Self::Unread(..) => RecipientCounts::default(),
        }
    }

    /// Returns the phase of a campaign or the server's status word.
    pub fn status_label(&self) -> SafeText {
        match self {
            Self::Campaign(campaign) => SafeText::line(campaign.phase.word()),
            Self::Broadcast(_, broadcast) => SafeText::line(broadcast.status.word()),
            Self::Unread(..) => SafeText::line("not read yet"),
        }
    }

    pub fn is_open(&self) -> bool {
        match self {
            Self::Campaign(campaign) => campaign.phase.is_open(),
            Self::Broadcast(_, broadcast) => !broadcast.is_finished(),
            Self::Unread(..) => true,
        }
    }

    pub fn is_waiting(&self) -> bool {
        self.campaign().is_some_and(|campaign| campaign.phase == CampaignPhase::Paused)
    }

    pub fn started_at(&self) -> Option<Timestamp> {
        match self {
            Self::Campaign(campaign) => Some(campaign.created_at),
            Self::Broadcast(_, broadcast) => broadcast.created_at,
            Self::Unread(_, _, at) => Some(*at),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardSample {
    pub at: Timestamp,
    pub counts: RecipientCounts,
}

/// Result of one recipient, as far as the messages read by this desk show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientStatus {
    pub contact: ContactId,
    /// `None` if the contact was not read.
    pub phone: Option<String>,
    pub name: Option<SafeText>,
    pub conversation: Option<ConversationId>,
    /// Number of the wave, from 1; 0 if it has not been sent.
    pub wave: usize,
    pub outcome: RecipientOutcome,
    pub replied: bool,
    /// True if the person's newest message is only an opt-out word such as STOP.
    pub opted_out: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientOutcome {
    Unsent,
    /// The wave has been sent, but no message to this recipient was read.
    Unknown,
    /// Sent, delivered or read.
    Reached(&'static str),
    /// Failed according to a message read by this desk.
    Failed(FailureReason),
    /// Failed according to the service's report on the recipient.
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

    /// Merges the service's report that the recipient was not reached. A delivered message
    /// outweighs it, and the message's own reason is kept if the report states none.
    pub fn with_refusal(&self, told: &FailureReason) -> Self {
        match self {
            Self::Reached("delivered" | "read") => self.clone(),
            Self::Failed(own) if own.is_stated() && !told.is_stated() => self.clone(),
            _ => Self::Refused(told.clone()),
        }
    }

    pub fn failure_reason(&self) -> Option<&FailureReason> {
        match self {
            Self::Failed(reason) | Self::Refused(reason) => Some(reason),
            Self::Unsent | Self::Unknown | Self::Reached(_) => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardDetail {
    /// Oldest first.
    pub samples: Vec<BoardSample>,
    /// Empty if the recipients are not known on this desk.
    pub recipients: Vec<RecipientStatus>,
    /// Credits charged on acceptance; `None` unless reported for every wave.
    pub charged: Option<f64>,
    /// Net decrease of the balance, refunds deducted, after every recipient was tried.
    pub balance_drop: Option<f64>,
}

impl BoardDetail {
    pub fn has_read_recipients(&self) -> bool {
        self.recipients.iter().any(|recipient| {
            !matches!(recipient.outcome, RecipientOutcome::Unsent | RecipientOutcome::Unknown)
        })
    }

    pub fn failed_recipients(&self) -> impl Iterator<Item = &RecipientStatus> {
        self.recipients.iter().filter(|recipient| recipient.outcome.failure_reason().is_some())
    }

    /// Returns the recent rate in recipients a minute, and the estimated minutes left.
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

/// Merges the samples of several broadcasts: at each time, sums the newest sample of each.
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

/// Formats recipients as CSV. Cells that look like a formula are escaped, because customers choose
/// their names.
pub fn report_csv(recipients: &[RecipientStatus]) -> String {
    let mut lines = vec!["contact,phone,name,wave,outcome,code,reason,replied,known from".to_owned()];
    for recipient in recipients {
        let wave = if recipient.wave == 0 { String::new() } else { recipient.wave.to_string() };
        let known = match recipient.outcome {
            RecipientOutcome::Reached(_) | RecipientOutcome::Failed(_) => "messages read here",
            RecipientOutcome::Refused(_) => "the service",
            RecipientOutcome::Unknown | RecipientOutcome::Unsent => "this desk",
        };
        let reason = recipient.outcome.failure_reason().cloned().unwrap_or_default();
        let cells = [
            recipient.contact.as_str().to_owned(),
            recipient.phone.clone().unwrap_or_default(),
            recipient.name.as_ref().map(ToString::to_string).unwrap_or_default(),
            wave,
            recipient.outcome.label().to_owned(),
            reason.code.to_string(),
            reason.text().to_owned(),
            if recipient.replied { "yes" } else { "" }.to_owned(),
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
