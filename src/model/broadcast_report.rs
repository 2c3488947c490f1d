//! Report on a broadcast as far as this desk knows: the server's counts, results of messages, and
//! charges.

use crate::board::{BoardDetail, BoardEntry, RecipientOutcome};
use crate::failures::FailureReason;
use crate::prices::{self, Price};
use crate::time::Timestamp;
use crate::waves::{RecipientCounts, Wave, recipient_price};

/// Figures of a broadcast; unknown ones are `None`, never 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BroadcastReport {
    pub people: i64,
    pub counts: RecipientCounts,
    /// Recipients who have read it, according to messages read by this desk.
    pub read: Option<i64>,
    pub answered: Option<i64>,
    /// Recipients whose newest message is only an opt-out word such as STOP.
    pub opted_out: Option<i64>,
    /// Known failed recipients by reason, most frequent first.
    pub failures: Vec<(FailureReason, i64)>,
    /// Credits charged, if reported for everything sent.
    pub charged: Option<f64>,
    /// Decrease of the balance, if it was read before and after.
    pub balance_drop: Option<f64>,
    /// Price per recipient, if the content is known.
    pub price_each: Option<Price>,
    pub started_at: Option<Timestamp>,
    /// Time at which the last recipient was tried; `None` while in progress.
    pub ended_at: Option<Timestamp>,
}

/// `3 credits charged, balance down 2`; the difference may be refunds for failures.
pub fn describe_charge(charged: Option<f64>, fell: Option<f64>) -> Option<String> {
    let told = charged.map(|value| format!("{} charged", prices::format_credits(value)));
    let fell = fell.filter(|fell| charged.is_none_or(|charged| (charged - fell).abs() >= 0.005));
    let fell = fell.map(|fell| match fell < 0.0 {
        true => format!("balance up {}", prices::format_balance(-fell)),
        false => format!("balance down {}", prices::format_balance(fell)),
    });
    let parts: Vec<String> = told.into_iter().chain(fell).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

impl BroadcastReport {
    /// `template` is the latest known price of the template.
    pub fn from_entry(entry: &BoardEntry, detail: &BoardDetail, template: Option<i64>) -> Self {
        let counts = entry.counts();
        let shows = detail.recipients.iter().any(|recipient| {
            matches!(recipient.outcome, RecipientOutcome::Reached(_) | RecipientOutcome::Failed(_))
        });
        let count = |those: &dyn Fn(&crate::board::RecipientStatus) -> bool| {
            let found = detail.recipients.iter().filter(|recipient| those(recipient)).count();
            shows.then(|| i64::try_from(found).unwrap_or(i64::MAX))
        };
        let (started_at, ended_at) = start_and_end(entry);
        Self {
            people: entry.recipient_count(),
            counts,
            read: count(&|recipient_status| recipient_status.outcome == RecipientOutcome::Reached("read")),
            answered: count(&|recipient_status| recipient_status.replied),
            opted_out: count(&|recipient_status| recipient_status.opted_out),
            failures: detail.failures_by_reason(),
            charged: detail.charged,
            balance_drop: detail.balance_drop,
            price_each: entry.campaign().map(|campaign| recipient_price(&campaign.content, template)),
            started_at,
            ended_at,
        }
    }

    /// Describes the charge, and the change of the balance if it differs.
    pub fn charge_text(&self) -> Option<String> {
        describe_charge(self.charged, self.balance_drop)
    }

    #[must_use]
    pub fn with_counts(self, counts: RecipientCounts) -> Self {
        Self { counts, ..self }
    }

    /// Estimated price of everything sent.
    pub fn price(&self) -> Option<Price> {
        self.price_each.map(|price| price.times(self.sent_count()))
    }

    /// Failed recipients by reason. Failures the server only counts have no reason.
    pub fn failures_by_reason(&self) -> Vec<(FailureReason, i64)> {
        let mut all = self.failures.clone();
        let named: i64 = all.iter().map(|pair| pair.1).sum();
        if self.counts.failed > named {
            let rest = self.counts.failed - named;
            match all.iter_mut().find(|pair| !pair.0.is_stated()) {
                Some(known) => known.1 += rest,
                None => all.push((FailureReason::default(), rest)),
            }
        }
        sort_failures(&mut all);
        all
    }

    /// Recipients accepted by the service that have not failed.
    pub fn sent_count(&self) -> i64 {
        (self.counts.recipients - self.counts.failed).max(0)
    }

    /// Microseconds from the first send until the last recipient was tried, or until `now`.
    pub fn duration(&self, now: Timestamp) -> Option<i64> {
        Some(self.ended_at.unwrap_or(now).since(self.started_at?).max(0))
    }
}

impl BoardDetail {
    /// Known failed recipients by reason, most frequent first.
    pub fn failures_by_reason(&self) -> Vec<(FailureReason, i64)> {
        let mut all: Vec<(FailureReason, i64)> = Vec::new();
        for reason in self.recipients.iter().filter_map(|recipient| recipient.outcome.failure_reason()) {
            match all.iter_mut().find(|pair| pair.0 == *reason) {
                Some(known) => known.1 += 1,
                None => all.push((reason.clone(), 1)),
            }
        }
        sort_failures(&mut all);
        all
    }
}

fn sort_failures(all: &mut [(FailureReason, i64)]) {
    all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.describe().cmp(&other.0.describe())));
}

fn start_and_end(entry: &BoardEntry) -> (Option<Timestamp>, Option<Timestamp>) {
    match entry {
        BoardEntry::Campaign(campaign) => {
            let ended = |wave: &Wave| wave.reading.as_ref().and_then(|reading| reading.finished_at);
            let left = campaign.waves.iter().filter(|wave| wave.sent_at.is_some());
            let last = left.filter_map(ended).max();
            (campaign.waves.iter().filter_map(|wave| wave.sent_at).min(), last.filter(|_| !entry.is_open()))
        }
        BoardEntry::Broadcast(_, broadcast) => (broadcast.created_at, broadcast.completed_at),
        BoardEntry::Unread(..) => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::RecipientStatus;
    use crate::broadcasts::{Broadcast, BroadcastStatus};
    use crate::text::SafeText;
    use crate::time::SECOND;

    fn recipient(fate: RecipientOutcome, replied: bool, opted_out: bool) -> RecipientStatus {
        RecipientStatus {
            contact: "ct_1".into(),
            phone: None,
            name: None,
            conversation: None,
            wave: 1,
            outcome: fate,
            replied,
            opted_out,
        }
    }

    fn entry(failed: i64, ended: Option<i64>) -> BoardEntry {
        let at = |seconds: i64| Timestamp::from_micros(seconds * SECOND);
        BoardEntry::Broadcast(
            "chat".into(),
            Broadcast {
                id: "bc_1".into(),
                status: BroadcastStatus::Sending,
                text: None,
                recipients: 6,
                delivered: 2,
                failed,
                pending: 1,
                created_at: Some(at(10)),
                completed_at: ended.map(at),
                failures: Vec::new(),
            },
        )
    }

    #[test]
    fn what_is_not_known_is_not_counted() {
        let reason = |code: &str| FailureReason { code: SafeText::line(code), text: SafeText::default() };
        let refused = |code: &str| recipient(RecipientOutcome::Refused(reason(code)), false, false);
        let nothing = BroadcastReport::from_entry(&entry(1, None), &BoardDetail::default(), None);
        assert_eq!(
            (nothing.read, nothing.answered, nothing.opted_out, nothing.charged),
            (None, None, None, None)
        );
        assert_eq!(nothing.failures_by_reason(), [(FailureReason::default(), 1)]);
        assert_eq!(nothing.duration(Timestamp::from_micros(70 * SECOND)), Some(60 * SECOND));
        // The service's list of failed recipients says nothing about the others.
        let detail = BoardDetail { recipients: vec![refused("GONE")], ..BoardDetail::default() };
        assert_eq!(BroadcastReport::from_entry(&entry(1, None), &detail, None).answered, None);
        let recipients = vec![
            refused("GONE"),
            refused("LATE"),
            refused("LATE"),
            recipient(RecipientOutcome::Reached("read"), true, false),
            recipient(RecipientOutcome::Reached("delivered"), true, true),
            recipient(RecipientOutcome::Unknown, false, false),
        ];
        let detail = BoardDetail { recipients, charged: Some(12.0), ..BoardDetail::default() };
        let report = BroadcastReport::from_entry(&entry(4, Some(40)), &detail, None);
        assert_eq!(
            (report.read, report.answered, report.opted_out, report.sent_count()),
            (Some(1), Some(2), Some(1), 2)
        );
        let told: Vec<_> = report
            .failures_by_reason()
            .iter()
            .map(|(failure_reason, count)| (failure_reason.describe(), *count))
            .collect();
        let told: Vec<_> = told.iter().map(|(text, count)| (text.as_str(), *count)).collect();
        assert_eq!(told, [("LATE", 2), ("GONE", 1), ("no reason given", 1)]);
        assert_eq!(report.duration(Timestamp::from_micros(700 * SECOND)), Some(30 * SECOND));
    }
}
