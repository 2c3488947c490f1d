//! The state of a tab's connection, from the ends of its requests. Pure: time
//! comes in as a value.
//!
//! A failure is shown when it has lasted three seconds, or at once while
//! nothing has answered yet; a success ends it. A read without an answer is
//! shown after three seconds, too, long before it is given up. One resource that fails beside
//! others that answer is trouble too.

use std::collections::BTreeMap;

use client::ReadError;
use model::news::Health;
use model::text::SafeText;
use model::time::{MINUTE, SECOND, Timestamp};

/// Shorter failures are not shown.
const FLAP: i64 = 3 * SECOND;
/// A read that has had no answer for so long is shown.
pub const SILENCE: i64 = 3 * SECOND;
/// A failure that was not seen again for so long is forgotten: its resource
/// is no longer asked for.
const FORGET: i64 = 2 * MINUTE;
/// Between two reports that all is well.
const REPORT: i64 = SECOND;

/// What is read, as far as failures and refusals are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolledResource {
    Account,
    List,
    /// The new-message trigger, and the backfill behind it.
    Trigger,
    /// Histories.
    History,
    /// Single reads of conversations.
    Detail,
    Broadcasts,
    Templates,
    /// The account behind a mail key.
    Mailbox,
    Correspondents,
    Contacts,
    /// The triggers, as someone looks at what they tell.
    Events,
    Webhooks,
}

impl PolledResource {
    /// Whether a 404 says that the server does not have this list at all.
    /// Where the list is what a tab lives by, or a 404 may be about one item,
    /// only the interface's own words are believed, or none.
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

    /// That the server does not have it, in words.
    pub(crate) fn missing_words(self) -> SafeText {
        let what = match self {
            Self::Account => "account",
            Self::List => "conversations",
            Self::Trigger => "new-message trigger",
            Self::History => "histories",
            Self::Detail => "single conversations",
            Self::Broadcasts => "broadcasts",
            Self::Templates => "templates",
            Self::Mailbox => "mail account",
            Self::Correspondents => "mail addresses",
            Self::Contacts => "contacts",
            Self::Events => "events",
            Self::Webhooks => "webhooks",
        };
        SafeText::line(&format!("this server has no {what}"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// No answer.
    Offline,
    /// An answer, but not what the interface promises.
    Trouble,
}

#[derive(Debug, Clone)]
struct Failing {
    since: Timestamp,
    last: Timestamp,
    kind: FailureKind,
    why: SafeText,
}

/// What is known of a connection.
#[derive(Debug, Default)]
pub struct Pulse {
    failing: BTreeMap<PolledResource, Failing>,
    answered: Option<Timestamp>,
    stopped: Option<Health>,
    /// Since when a read has had no answer, where that was told.
    silent: Option<Timestamp>,
    /// A person asked to try again after a stop, and nothing has answered.
    on_trial: bool,
    told: Option<Health>,
    /// Whether the server answers again, of which no loop was told yet.
    came_back: bool,
}

impl Pulse {
    /// Moves all its times along with a wall clock that was set forwards by
    /// `step` microseconds (back if negative).
    pub(crate) fn move_times(&mut self, step: i64) {
        for failing in self.failing.values_mut() {
            (failing.since, failing.last) = (failing.since.plus(step), failing.last.plus(step));
        }
        self.answered = self.answered.map(|at| at.plus(step));
        self.silent = self.silent.map(|since| since.plus(step));
        if let Some(told) = &mut self.told {
            told.move_times(step);
        }
    }

    /// A resource answered as promised. What comes back is to be told.
    pub fn answered(&mut self, resource: PolledResource, now: Timestamp) -> Option<Health> {
        self.failing.remove(&resource);
        self.reachable();
        (self.on_trial, self.silent) = (false, None);
        self.answered = Some(now);
        self.judge(now)
    }

    /// A write was answered as promised. What comes back is to be told.
    pub fn accepted(&mut self, now: Timestamp) -> Option<Health> {
        self.reachable();
        (self.silent, self.answered) = (None, Some(now));
        self.judge(now)
    }

    /// Whether it was told to be away, and not that it answers again.
    pub fn is_away(&self) -> bool {
        matches!(self.told, Some(Health::Silent { .. } | Health::Offline { .. } | Health::Trouble { .. }))
    }

    /// Whether the server answers again since this was last asked.
    pub fn take_came_back(&mut self) -> bool {
        std::mem::take(&mut self.came_back)
    }

    /// A resource failed. What comes back is to be told.
    pub fn failed(
        &mut self,
        resource: PolledResource,
        kind: FailureKind,
        why: SafeText,
        now: Timestamp,
    ) -> Option<Health> {
        if kind == FailureKind::Trouble {
            self.reachable();
        }
        let since = match self.failing.get(&resource) {
            Some(known) if known.kind == kind && (0..FORGET).contains(&now.since(known.last)) => known.since,
            // What was given up now began when the silence did.
            _ => self.silent.unwrap_or(now),
        };
        self.silent = None;
        self.failing.insert(resource, Failing { since, last: now, kind, why });
        self.judge(now)
    }

    /// A read has had no answer since then, nor been given up. What comes back
    /// is to be told.
    pub fn silent(&mut self, since: Timestamp) -> Option<Health> {
        let is_told = matches!(self.told, Some(Health::Offline { .. } | Health::Trouble { .. }));
        if self.stopped.is_some() || is_told {
            return None;
        }
        let is_known = self.silent.is_some_and(|known| known.since(since).abs() < SECOND);
        if is_known && matches!(self.told, Some(Health::Silent { .. })) {
            return None;
        }
        self.silent = Some(since);
        self.tell(Health::Silent { since })
    }

    /// The server asks to wait. What comes back is to be told.
    pub fn limited(&mut self, until: Timestamp) -> Option<Health> {
        self.reachable();
        self.silent = None;
        if self.stopped.is_some() {
            return None;
        }
        self.tell(Health::Limited { until })
    }

    /// Nothing will work until a person acts. What comes back is to be told.
    pub fn stop(&mut self, health: Health) -> Option<Health> {
        self.stopped = Some(health.clone());
        self.tell(health)
    }

    /// Whether polling has stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Whether outbox rows may leave: not before a read has shown that the
    /// key is taken again.
    pub fn may_push(&self) -> bool {
        self.stopped.is_none() && !self.on_trial
    }

    /// When something was last answered as promised.
    pub fn last_answer(&self) -> Option<Timestamp> {
        self.answered
    }

    /// Whether the key was taken since the start, or since a person asked to
    /// try again.
    pub fn is_proven(&self) -> bool {
        self.answered.is_some() && self.may_push()
    }

    /// An answer proved that the key is taken, though it may do less than was
    /// asked.
    pub fn taken(&mut self, now: Timestamp) {
        self.on_trial = false;
        self.answered.get_or_insert(now);
    }

    /// What was told last.
    pub fn told(&self) -> Option<&Health> {
        self.told.as_ref()
    }

    /// A person asked to try again.
    pub fn resume(&mut self) {
        self.on_trial |= self.stopped.take().is_some();
        // The caller hears the result, also where nothing changed.
        self.told = None;
    }

    /// Any answer proves that there is a way to the server.
    fn reachable(&mut self) {
        self.failing.retain(|_, failing| failing.kind != FailureKind::Offline);
    }

    fn judge(&mut self, now: Timestamp) -> Option<Health> {
        if self.stopped.is_some() {
            return None;
        }
        self.failing.retain(|_, failing| (0..FORGET).contains(&now.since(failing.last)));
        let never = self.answered.is_none();
        let lasting =
            self.failing.values().filter(|failing| never || failing.last.since(failing.since) >= FLAP);
        if let Some(it) = lasting.min_by_key(|failing| failing.since) {
            let (since, why) = (it.since, it.why.clone());
            return self.tell(match it.kind {
                FailureKind::Offline => Health::Offline { since, why },
                FailureKind::Trouble => Health::Trouble { since, why },
            });
        }
        let at = self.answered?;
        if !self.failing.is_empty() && matches!(self.told, Some(Health::Live { .. })) && at != now {
            // It may be a flap; the last good word stands.
            return None;
        }
        if let Some(Health::Live { at: told }) = self.told
            && (0..REPORT).contains(&at.since(told))
        {
            return None;
        }
        self.tell(Health::Live { at })
    }

    fn tell(&mut self, health: Health) -> Option<Health> {
        if self.told.as_ref() == Some(&health) {
            return None;
        }
        self.came_back |= self.is_away() && matches!(health, Health::Live { .. });
        self.told = Some(health.clone());
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
        let mut pulse = Pulse::default();
        let offline = Some(Health::Offline { since: at(0), why: why("refused") });
        assert_eq!(
            pulse.failed(PolledResource::Account, FailureKind::Offline, why("refused"), at(0)),
            offline
        );
        assert_eq!(pulse.failed(PolledResource::Account, FailureKind::Offline, why("refused"), at(1)), None);
        assert!(!pulse.take_came_back());
        assert_eq!(pulse.answered(PolledResource::Account, at(2)), live(2));
        assert!(pulse.take_came_back() && !pulse.take_came_back(), "the loops are told once");
        pulse.failed(PolledResource::List, FailureKind::Offline, why("refused"), at(3));
        pulse.failed(PolledResource::List, FailureKind::Offline, why("refused"), at(9));
        assert!(pulse.is_away());
        assert_eq!(pulse.accepted(at(10)), live(10), "an answer to a write is one, too");
        assert!(pulse.take_came_back());
    }

    #[test]
    fn flaps_are_not_shown_and_lasting_failures_are() {
        let mut pulse = Pulse::default();
        assert_eq!(pulse.answered(PolledResource::Trigger, at(0)), live(0));
        assert_eq!(pulse.failed(PolledResource::Trigger, FailureKind::Offline, why("reset"), at(3)), None);
        assert_eq!(pulse.failed(PolledResource::List, FailureKind::Offline, why("reset"), at(4)), None);
        assert_eq!(pulse.answered(PolledResource::Trigger, at(5)), live(5), "any answer ends being offline");
        assert_eq!(pulse.failed(PolledResource::Trigger, FailureKind::Offline, why("reset"), at(8)), None);
        assert_eq!(pulse.failed(PolledResource::Trigger, FailureKind::Offline, why("reset"), at(9)), None);
        let shown = Some(Health::Offline { since: at(8), why: why("gone") });
        assert_eq!(pulse.failed(PolledResource::Trigger, FailureKind::Offline, why("gone"), at(11)), shown);
        assert_eq!(pulse.answered(PolledResource::List, at(12)), live(12));
    }

    #[test]
    fn one_failing_resource_is_trouble_until_it_answers_or_is_forgotten() {
        let mut pulse = Pulse::default();
        pulse.answered(PolledResource::Trigger, at(0));
        pulse.failed(PolledResource::List, FailureKind::Trouble, why("html"), at(1));
        pulse.answered(PolledResource::Trigger, at(2));
        let shown = Some(Health::Trouble { since: at(1), why: why("html") });
        assert_eq!(pulse.failed(PolledResource::List, FailureKind::Trouble, why("html"), at(5)), shown);
        assert_eq!(pulse.answered(PolledResource::Trigger, at(6)), None);
        assert_eq!(pulse.answered(PolledResource::List, at(7)), live(7));
        pulse.failed(PolledResource::History, FailureKind::Trouble, why("html"), at(8));
        pulse.failed(PolledResource::History, FailureKind::Trouble, why("html"), at(12));
        assert_eq!(pulse.answered(PolledResource::Trigger, at(12 + 119)), None);
        assert_eq!(pulse.answered(PolledResource::Trigger, at(12 + 120)), live(132));
    }

    #[test]
    fn all_well_is_reported_once_a_second() {
        let mut pulse = Pulse::default();
        assert_eq!(pulse.answered(PolledResource::Trigger, at(0)), live(0));
        assert_eq!(pulse.answered(PolledResource::List, at(0)), None);
        assert_eq!(pulse.answered(PolledResource::List, at(1)), live(1));
        let limited = Some(Health::Limited { until: at(9) });
        assert_eq!(pulse.limited(at(9)), limited);
        assert_eq!(pulse.answered(PolledResource::List, at(9)), live(9));
    }

    #[test]
    fn a_read_without_an_answer_is_told_before_it_is_given_up() {
        let mut pulse = Pulse::default();
        assert_eq!(pulse.answered(PolledResource::Trigger, at(0)), live(0));
        let silent = Some(Health::Silent { since: at(3) });
        assert_eq!(pulse.silent(at(3)), silent);
        assert_eq!(pulse.silent(at(3)), None, "told once; its age is counted where it is shown");
        assert_eq!(pulse.answered(PolledResource::List, at(8)), live(8), "any answer ends it");
        assert_eq!(pulse.silent(at(9)), Some(Health::Silent { since: at(9) }));
        let offline = Some(Health::Offline { since: at(9), why: why("late") });
        assert_eq!(pulse.failed(PolledResource::Trigger, FailureKind::Offline, why("late"), at(24)), offline);
        assert_eq!(pulse.silent(at(25)), None, "being offline says more");
        assert_eq!(pulse.answered(PolledResource::Trigger, at(30)), live(30));
    }

    #[test]
    fn a_stopped_tab_stays_stopped_until_it_is_resumed() {
        let mut pulse = Pulse::default();
        let refused = Health::Refused { code: why("REVOKED_KEY"), why: why("no") };
        assert_eq!(pulse.stop(refused.clone()), Some(refused));
        assert!(pulse.is_stopped());
        assert_eq!(pulse.answered(PolledResource::List, at(1)), None);
        assert_eq!(pulse.failed(PolledResource::List, FailureKind::Offline, why("x"), at(9)), None);
        pulse.resume();
        assert!(!pulse.is_stopped() && !pulse.may_push(), "rows wait for a read that succeeds");
        assert_eq!(pulse.answered(PolledResource::Account, at(10)), live(10));
        assert!(pulse.may_push());
    }
}
