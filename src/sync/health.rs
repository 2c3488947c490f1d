//! State of a tab's connection, derived from the results of its requests. Pure: time is an argument.
//!
//! A failure is shown after three seconds, or at once while nothing has answered yet; a success ends it.
//! A read without an answer is also shown after three seconds, long before its time limit. A single failing
//! resource counts as trouble even while others answer.

use std::collections::BTreeMap;

use client::ReadError;
use model::news::Health;
use model::text::SafeText;
use model::time::{MINUTE, SECOND, Timestamp};

/// Failures shorter than this are not shown, in microseconds.
const FAILURE_GRACE_PERIOD: i64 = 3 * SECOND;
/// Age at which an unanswered read is shown, in microseconds.
pub const SILENCE_TIMEOUT: i64 = 3 * SECOND;
/// Age at which a failure is dropped because its resource is no longer polled, in microseconds.
const FAILURE_LIFETIME: i64 = 2 * MINUTE;
/// Minimum interval between two reports of a live connection, in microseconds.
const REPORT_INTERVAL: i64 = SECOND;

/// Resources whose failures and refusals are tracked separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolledResource {
    Account,
    List,
    /// New-message trigger, and the backfill behind it.
    Trigger,
    History,
    /// Single reads of conversations.
    Detail,
    Broadcasts,
    Templates,
    /// Account behind a mail key.
    Mailbox,
    Correspondents,
    Contacts,
    /// Triggers as read for the events page.
    Events,
    Webhooks,
}

impl PolledResource {
    /// True if the error means that the server does not offer this list. For essential lists, and where a
    /// 404 may concern one item, only an explicit error code of the server counts.
    pub(crate) fn is_missing(self, error: &ReadError) -> bool {
        match self {
            Self::Contacts
            | Self::Templates
            | Self::Webhooks
            | Self::Events
            | Self::Mailbox
            | Self::Correspondents => {
                matches!(error, ReadError::NotFound(_) | ReadError::NoSuchPath(_))
            }
            Self::List | Self::Trigger => matches!(error, ReadError::NotFound(_)),
            Self::Account | Self::History | Self::Detail | Self::Broadcasts => false,
        }
    }

    /// Message for a resource the server does not offer.
    pub(crate) fn describe_missing(self) -> SafeText {
        let what = match self {
            Self::Account => "account",
            Self::List => "conversations",
            Self::Trigger => "polling for new messages",
            Self::History => "histories",
            Self::Detail => "reads of single conversations",
            Self::Broadcasts => "broadcasts",
            Self::Templates => "templates",
            Self::Mailbox => "a mail account",
            Self::Correspondents => "mail addresses",
            Self::Contacts => "contacts",
            Self::Events => "events",
            Self::Webhooks => "webhooks",
        };
        SafeText::line(&format!("this server does not offer {what}"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    Offline,
    /// An answer that violates the interface.
    Trouble,
}

#[derive(Debug, Clone)]
struct ResourceFailure {
    since: Timestamp,
    last: Timestamp,
    kind: FailureKind,
    why: SafeText,
}

/// State of a connection. Methods that return `Option<Health>` return the new state to announce, if any.
#[derive(Debug, Default)]
pub struct ConnectionHealth {
    failing: BTreeMap<PolledResource, ResourceFailure>,
    answered: Option<Timestamp>,
    stopped: Option<Health>,
    /// Start of a silence that was announced.
    silent_since: Option<Timestamp>,
    /// True between a person's retry after a stop and the first answer.
    on_trial: bool,
    last_reported: Option<Health>,
    /// True if the server answers again and no loop has been informed yet.
    recovered: bool,
}

impl ConnectionHealth {
    /// Shifts stored times by `step` microseconds (negative if the wall clock was set back).
    pub(crate) fn move_times(&mut self, step: i64) {
        for failing in self.failing.values_mut() {
            (failing.since, failing.last) = (failing.since.plus(step), failing.last.plus(step));
        }
        self.answered = self.answered.map(|at| at.plus(step));
        self.silent_since = self.silent_since.map(|since| since.plus(step));
        if let Some(reported) = &mut self.last_reported {
            reported.move_times(step);
        }
    }

    pub fn record_answer(&mut self, resource: PolledResource, now: Timestamp) -> Option<Health> {
        self.failing.remove(&resource);
        self.record_reachable();
        (self.on_trial, self.silent_since) = (false, None);
        self.answered = Some(now);
        self.evaluate(now)
    }

    /// Records a valid answer to a write.
    pub fn record_accepted(&mut self, now: Timestamp) -> Option<Health> {
        self.record_reachable();
        (self.silent_since, self.answered) = (None, Some(now));
        self.evaluate(now)
    }

    /// Records an answer to the team, which shares the tab's server. Ends no failure and no
    /// silence.
    pub fn record_alive(&mut self, now: Timestamp) -> Option<Health> {
        let is_well = self.is_key_proven() && self.failing.is_empty() && self.silent_since.is_none();
        if !is_well {
            return None;
        }
        self.answered = Some(now);
        self.evaluate(now)
    }

    /// True if the last announced state is a failure.
    pub fn is_reported_unavailable(&self) -> bool {
        matches!(
            self.last_reported,
            Some(Health::Silent { .. } | Health::Offline { .. } | Health::Trouble { .. })
        )
    }

    /// Returns true once after the server answers again.
    pub fn take_recovered(&mut self) -> bool {
        std::mem::take(&mut self.recovered)
    }

    pub fn record_failure(
        &mut self,
        resource: PolledResource,
        kind: FailureKind,
        why: SafeText,
        now: Timestamp,
    ) -> Option<Health> {
        if kind == FailureKind::Trouble {
            self.record_reachable();
        }
        let since = match self.failing.get(&resource) {
            Some(known) if known.kind == kind && (0..FAILURE_LIFETIME).contains(&now.since(known.last)) => {
                known.since
            }
            // A read given up now has failed since its silence began.
            _ => self.silent_since.unwrap_or(now),
        };
        self.silent_since = None;
        self.failing.insert(resource, ResourceFailure { since, last: now, kind, why });
        self.evaluate(now)
    }

    /// Records a read unanswered since `since` and still in progress.
    pub fn record_silence(&mut self, since: Timestamp) -> Option<Health> {
        let is_told = matches!(self.last_reported, Some(Health::Offline { .. } | Health::Trouble { .. }));
        if self.stopped.is_some() || is_told {
            return None;
        }
        let is_known = self.silent_since.is_some_and(|known| known.since(since).abs() < SECOND);
        if is_known && matches!(self.last_reported, Some(Health::Silent { .. })) {
            return None;
        }
        self.silent_since = Some(since);
        self.report(Health::Silent { since })
    }

    pub fn record_rate_limit(&mut self, until: Timestamp) -> Option<Health> {
        self.record_reachable();
        self.silent_since = None;
        if self.stopped.is_some() {
            return None;
        }
        self.report(Health::Limited { until })
    }

    /// Stops everything until a person acts.
    pub fn stop(&mut self, health: Health) -> Option<Health> {
        self.stopped = Some(health.clone());
        self.report(health)
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// True if outbox rows may be sent: after a retry only once a read has shown that the key is
    /// accepted.
    pub fn may_push(&self) -> bool {
        self.stopped.is_none() && !self.on_trial
    }

    pub fn last_answer(&self) -> Option<Timestamp> {
        self.answered
    }

    /// True if the key was accepted since the start or since the last retry by a person.
    pub fn is_key_proven(&self) -> bool {
        self.answered.is_some() && self.may_push()
    }

    /// Records an answer that proves the key even though this request was refused.
    pub fn record_key_accepted(&mut self, now: Timestamp) {
        self.on_trial = false;
        self.answered.get_or_insert(now);
    }

    pub fn last_reported(&self) -> Option<&Health> {
        self.last_reported.as_ref()
    }

    /// Retries on a person's request.
    pub fn resume(&mut self) {
        self.on_trial |= self.stopped.take().is_some();
        // The next result is announced even if unchanged.
        self.last_reported = None;
    }

    /// Drops offline failures: any answer proves a connection.
    fn record_reachable(&mut self) {
        self.failing.retain(|_, failing| failing.kind != FailureKind::Offline);
    }

    fn evaluate(&mut self, now: Timestamp) -> Option<Health> {
        if self.stopped.is_some() {
            return None;
        }
        self.failing.retain(|_, failing| (0..FAILURE_LIFETIME).contains(&now.since(failing.last)));
        let never = self.answered.is_none();
        let lasting = self
            .failing
            .values()
            .filter(|failing| never || failing.last.since(failing.since) >= FAILURE_GRACE_PERIOD);
        if let Some(failing) = lasting.min_by_key(|failing| failing.since) {
            let (since, why) = (failing.since, failing.why.clone());
            return self.report(match failing.kind {
                FailureKind::Offline => Health::Offline { since, why },
                FailureKind::Trouble => Health::Trouble { since, why },
            });
        }
        let at = self.answered?;
        if !self.failing.is_empty() && matches!(self.last_reported, Some(Health::Live { .. })) && at != now {
            // Possibly a short failure; the last good state remains.
            return None;
        }
        if let Some(Health::Live { at: reported_at }) = self.last_reported
            && (0..REPORT_INTERVAL).contains(&at.since(reported_at))
        {
            return None;
        }
        self.report(Health::Live { at })
    }

    fn report(&mut self, health: Health) -> Option<Health> {
        if self.last_reported.as_ref() == Some(&health) {
            return None;
        }
        self.recovered |= self.is_reported_unavailable() && matches!(health, Health::Live { .. });
        self.last_reported = Some(health.clone());
        Some(health)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::at;

    fn why(word: &str) -> SafeText {
        SafeText::line(word)
    }

    fn live(seconds: i64) -> Option<Health> {
        Some(Health::Live { at: at(seconds) })
    }

    #[test]
    fn a_server_that_never_answered_is_named_at_once() {
        let mut pulse = ConnectionHealth::default();
        let offline = Some(Health::Offline { since: at(0), why: why("refused") });
        assert_eq!(
            pulse.record_failure(PolledResource::Account, FailureKind::Offline, why("refused"), at(0)),
            offline
        );
        assert_eq!(
            pulse.record_failure(PolledResource::Account, FailureKind::Offline, why("refused"), at(1)),
            None
        );
        assert!(!pulse.take_recovered());
        assert_eq!(pulse.record_answer(PolledResource::Account, at(2)), live(2));
        assert!(pulse.take_recovered() && !pulse.take_recovered(), "the loops are told once");
        pulse.record_failure(PolledResource::List, FailureKind::Offline, why("refused"), at(3));
        pulse.record_failure(PolledResource::List, FailureKind::Offline, why("refused"), at(9));
        assert!(pulse.is_reported_unavailable());
        assert_eq!(pulse.record_accepted(at(10)), live(10), "an answer to a write is one, too");
        assert!(pulse.take_recovered());
    }

    #[test]
    fn flaps_are_not_shown_and_lasting_failures_are() {
        let mut pulse = ConnectionHealth::default();
        assert_eq!(pulse.record_answer(PolledResource::Trigger, at(0)), live(0));
        assert_eq!(
            pulse.record_failure(PolledResource::Trigger, FailureKind::Offline, why("reset"), at(3)),
            None
        );
        assert_eq!(
            pulse.record_failure(PolledResource::List, FailureKind::Offline, why("reset"), at(4)),
            None
        );
        assert_eq!(
            pulse.record_answer(PolledResource::Trigger, at(5)),
            live(5),
            "any answer ends being offline"
        );
        assert_eq!(
            pulse.record_failure(PolledResource::Trigger, FailureKind::Offline, why("reset"), at(8)),
            None
        );
        assert_eq!(
            pulse.record_failure(PolledResource::Trigger, FailureKind::Offline, why("reset"), at(9)),
            None
        );
        let shown = Some(Health::Offline { since: at(8), why: why("gone") });
        assert_eq!(
            pulse.record_failure(PolledResource::Trigger, FailureKind::Offline, why("gone"), at(11)),
            shown
        );
        assert_eq!(pulse.record_answer(PolledResource::List, at(12)), live(12));
    }

    #[test]
    fn one_failing_resource_is_trouble_until_it_answers_or_is_forgotten() {
        let mut pulse = ConnectionHealth::default();
        pulse.record_answer(PolledResource::Trigger, at(0));
        pulse.record_failure(PolledResource::List, FailureKind::Trouble, why("html"), at(1));
        pulse.record_answer(PolledResource::Trigger, at(2));
        let shown = Some(Health::Trouble { since: at(1), why: why("html") });
        assert_eq!(
            pulse.record_failure(PolledResource::List, FailureKind::Trouble, why("html"), at(5)),
            shown
        );
        assert_eq!(pulse.record_answer(PolledResource::Trigger, at(6)), None);
        assert_eq!(pulse.record_answer(PolledResource::List, at(7)), live(7));
        pulse.record_failure(PolledResource::History, FailureKind::Trouble, why("html"), at(8));
        pulse.record_failure(PolledResource::History, FailureKind::Trouble, why("html"), at(12));
        assert_eq!(pulse.record_answer(PolledResource::Trigger, at(12 + 119)), None);
        assert_eq!(pulse.record_answer(PolledResource::Trigger, at(12 + 120)), live(132));
    }

    #[test]
    fn all_well_is_reported_once_a_second() {
        let mut pulse = ConnectionHealth::default();
        assert_eq!(pulse.record_answer(PolledResource::Trigger, at(0)), live(0));
        assert_eq!(pulse.record_answer(PolledResource::List, at(0)), None);
        assert_eq!(pulse.record_answer(PolledResource::List, at(1)), live(1));
        let limited = Some(Health::Limited { until: at(9) });
        assert_eq!(pulse.record_rate_limit(at(9)), limited);
        assert_eq!(pulse.record_answer(PolledResource::List, at(9)), live(9));
    }

    #[test]
    fn a_read_without_an_answer_is_told_before_it_is_given_up() {
        let mut pulse = ConnectionHealth::default();
        assert_eq!(pulse.record_answer(PolledResource::Trigger, at(0)), live(0));
        let silent = Some(Health::Silent { since: at(3) });
        assert_eq!(pulse.record_silence(at(3)), silent);
        assert_eq!(pulse.record_silence(at(3)), None, "told once; its age is counted where it is shown");
        assert_eq!(pulse.record_answer(PolledResource::List, at(8)), live(8), "any answer ends it");
        assert_eq!(pulse.record_silence(at(9)), Some(Health::Silent { since: at(9) }));
        let offline = Some(Health::Offline { since: at(9), why: why("late") });
        assert_eq!(
            pulse.record_failure(PolledResource::Trigger, FailureKind::Offline, why("late"), at(24)),
            offline
        );
        assert_eq!(pulse.record_silence(at(25)), None, "being offline says more");
        assert_eq!(pulse.record_answer(PolledResource::Trigger, at(30)), live(30));
    }

    #[test]
    fn a_stopped_tab_stays_stopped_until_it_is_resumed() {
        let mut pulse = ConnectionHealth::default();
        let refused = Health::Refused { code: why("REVOKED_KEY"), why: why("no") };
        assert_eq!(pulse.stop(refused.clone()), Some(refused));
        assert!(pulse.is_stopped());
        assert_eq!(pulse.record_answer(PolledResource::List, at(1)), None);
        assert_eq!(pulse.record_failure(PolledResource::List, FailureKind::Offline, why("x"), at(9)), None);
        pulse.resume();
        assert!(!pulse.is_stopped() && !pulse.may_push(), "rows wait for a read that succeeds");
        assert_eq!(pulse.record_answer(PolledResource::Account, at(10)), live(10));
        assert!(pulse.may_push());
    }
}
