//! Sends the changes of this desk, and reads and stores what the team shares.

use std::sync::Arc;
use std::time::Duration;

use crate::health::ConnectionHealth;
use crate::tab::{Loop, TabSync};
use crate::team::{NO_TEAM, SESSION_ENDED, TeamSync};
use client::{ApiRefusal, NotSent, ReadError, WriteOutcome};
use model::ids::ConversationId;
use model::news::News;
use model::team::{ReplyChange, TeamAction, TeamChange};
use model::text::SafeText;
use model::time::{MINUTE, Moment, SECOND};
use store::StoreError;

/// Interval between two readings of what changed, in microseconds.
const SWEEP_INTERVAL: i64 = MINUTE;
/// Every so many sweeps, one tab reads everything. An even number.
const EVERYTHING_SWEEPS: u64 = 6;
/// Interval at which changes of other processes are noticed, in microseconds.
const CHECK_INTERVAL: i64 = 10 * SECOND;
/// Wait between steps until the first sweep, in microseconds: this process may not poll for the
/// team yet.
const LEASE_INTERVAL: i64 = SECOND;
/// Longest wait after failures, in microseconds.
const MAX_RETRY_DELAY: i64 = 30 * SECOND;
/// Maximum number of pages of one reading.
const MAX_PAGES: u32 = 500;
/// Maximum number of conversations read again in one request.
const MAX_READ_AGAIN: usize = 100;

#[derive(Debug, Default)]
struct Progress {
    /// Position after the last change read.
    cursor: Option<String>,
    swept_at: Option<Moment>,
    /// Last time a tab was made to read, and how often that was.
    read_at: Option<Moment>,
    readings: u64,
    failures: u32,
    retry_at: Option<Moment>,
    /// True if the last step got no answer.
    is_unreachable: bool,
    /// Change whose outcome is unknown.
    unclear: Option<i64>,
}

/// Reason for repeating a step later.
enum Failure {
    Read(ReadError),
    Write(NotSent),
    Unknown,
    Store(StoreError),
}

impl Failure {
    /// True if no answer came from the server.
    fn is_unanswered(&self) -> bool {
        match self {
            Self::Read(error) => matches!(error, ReadError::Offline(_)),
            Self::Write(why) => matches!(why, NotSent::Offline(_)),
            Self::Unknown => true,
            Self::Store(_) => false,
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn is_not_found(refusal: Option<&ApiRefusal>) -> bool {
    refusal.is_some_and(|refusal| refusal.status == 404)
}

/// Reading of one tab in a sweep, by its index among the tabs that are polled rarely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    List(usize),
    /// All tasks of the tab.
    Everything(usize),
}

/// Returns the reading of a sweep. Every second sweep reads the list of the visible tab, every
/// [`EVERYTHING_SWEEPS`]th everything of one tab, the others the lists of the other tabs in turn.
fn choose_reading(sweep: u64, tabs: usize, visible: Option<usize>) -> Option<Reading> {
    let in_turn = |number: u64, count: usize| {
        let count = u64::try_from(count).ok().filter(|count| *count > 0)?;
        usize::try_from(number % count).ok()
    };
    let (period, step) = (sweep / EVERYTHING_SWEEPS, sweep % EVERYTHING_SWEEPS);
    if step == EVERYTHING_SWEEPS - 1 {
        return in_turn(period, tabs).map(Reading::Everything);
    }
    let Some(visible) = visible else {
        return in_turn(sweep - period, tabs).map(Reading::List);
    };
    // The number of the turn among those of the other tabs.
    let turn = period * (EVERYTHING_SWEEPS / 2 - 1) + step / 2;
    match in_turn(turn, tabs.saturating_sub(1)) {
        Some(place) if step % 2 == 1 => Some(Reading::List(place + usize::from(place >= visible))),
        _ => Some(Reading::List(visible)),
    }
}

/// Sends and reads until the team ends.
pub(super) async fn share(team: Arc<TeamSync>) {
    let mut progress = Progress::default();
    while !team.is_ended() {
        let now = team.clock.moment();
        let waits = progress.retry_at.map_or(0, |at| at.since(now));
        let wait = if waits > 0 {
            if let Err(error) = team.store_events().await {
                tracing::error!(%error, "events of the team could not be stored");
            }
            waits
        } else {
            team.run_step(&mut progress).await
        };
        if !progress.is_unreachable {
            team.record_contact();
        }
        let wait = Duration::from_micros(u64::try_from(wait.min(CHECK_INTERVAL)).unwrap_or(0));
        tokio::select! {
            () = team.changes.notified() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}

impl TeamSync {
    /// Does everything that is due. Returns the wait until the next step, in microseconds.
    async fn run_step(&self, progress: &mut Progress) -> i64 {
        let done = self.try_step(progress).await;
        let Err(failure) = done else {
            (progress.failures, progress.retry_at, progress.is_unreachable) = (0, None, false);
            if progress.swept_at.is_none() {
                return LEASE_INTERVAL;
            }
            let swept = progress.swept_at.map_or(0, |at| self.clock.moment().since(at));
            return (SWEEP_INTERVAL - swept).clamp(SECOND, SWEEP_INTERVAL);
        };
        let delay = SECOND.saturating_mul(1 << progress.failures.min(6)).min(MAX_RETRY_DELAY);
        progress.failures = progress.failures.saturating_add(1);
        progress.is_unreachable = failure.is_unanswered();
        let delay = match failure {
            Failure::Read(ReadError::Refused { .. }) => {
                self.end(SESSION_ENDED);
                delay
            }
            Failure::Read(ReadError::NotFound(_) | ReadError::NoSuchPath(_)) => {
                drop(self.check_team_service().await);
                delay
            }
            Failure::Read(ReadError::Limited(wait) | ReadError::Paced(wait)) => wait.max(SECOND),
            Failure::Write(NotSent::Paced(wait)) => wait.max(SECOND),
            Failure::Write(NotSent::Limited(refusal)) => refusal.retry_after.unwrap_or(delay).max(SECOND),
            Failure::Store(error) => {
                tracing::error!(%error, "what the team shares could not be stored");
                delay
            }
            Failure::Read(_) | Failure::Write(_) | Failure::Unknown => delay,
        };
        progress.retry_at = Some(self.clock.moment().plus(delay));
        delay
    }

    /// Fails if the service does not answer, and ends the team if it has none, such as a service of an older version.
    /// A 404 alone may be about a conversation.
    async fn check_team_service(&self) -> Result<(), Failure> {
        if self.client.team_service().await?.is_none() {
            self.end(NO_TEAM);
            return Err(Failure::Unknown);
        }
        Ok(())
    }

    async fn try_step(&self, progress: &mut Progress) -> Result<(), Failure> {
        self.store_events().await?;
        if self.with_state(|state| std::mem::take(&mut state.are_people_stale)) {
            self.publish_people().await;
        }
        if !self.leads(self.clock.now()) {
            return Ok(());
        }
        while let Some(change) = self.store.next_team_change().await? {
            self.send(change, progress).await?;
        }
        while let Some(change) = self.store.next_reply_change().await? {
            self.send_reply(change).await?;
        }
        self.read_replies().await?;
        self.request_reading(progress);
        self.sweep(progress).await?;
        self.read_again().await
    }

    async fn store_events(&self) -> Result<(), StoreError> {
        let events = self.with_state(|state| std::mem::take(&mut state.events));
        if !events.is_empty() {
            let applied = self.store.apply_shared_parts(events).await?;
            self.publish_applied(&applied, |who| format!("{who} has it now"));
        }
        Ok(())
    }

    async fn send(&self, change: TeamChange, progress: &mut Progress) -> Result<(), Failure> {
        let is_repeat = progress.unclear.replace(change.number) == Some(change.number);
        self.store.mark_team_change_tried(change.number).await?;
        let outcome = self.client.send_team_change(&change, &self.person).await;
        let refusal = outcome.refusal().cloned();
        if is_not_found(refusal.as_ref()) {
            // On failure the change waits for a service that has teams.
            self.check_team_service().await?;
        }
        let answer = match outcome {
            WriteOutcome::Done(answer) => Some(answer),
            WriteOutcome::NotSent(why) => {
                progress.unclear = None;
                return Err(Failure::Write(why));
            }
            _ => match refusal {
                Some(refusal) if refusal.status == 401 => {
                    self.end(SESSION_ENDED);
                    return Err(Failure::Unknown);
                }
                Some(refusal) if (400..500).contains(&refusal.status) && refusal.status != 408 => {
                    // A deleted note that is gone already is no news.
                    if !matches!((&change.action, refusal.status), (TeamAction::DeleteNote { .. }, 404)) {
                        let place = Some(change.conversation.clone());
                        let words =
                            SafeText::line(&format!("Colleagues do not see this: {}", refusal.message));
                        self.publish(News::Notice(change.channel.clone(), place, words));
                    }
                    None
                }
                _ => return Err(Failure::Unknown),
            },
        };
        progress.unclear = None;
        let is_note = matches!(change.action, TeamAction::AddNote { .. } | TeamAction::EditNote { .. });
        if answer.is_none() || (is_note && is_repeat) {
            self.with_state(|state| state.unclear.insert(change.shared_id.clone()));
        }
        let applied = self.store.settle_team_change(change, answer).await?;
        self.publish_applied(&applied, |who| format!("{who} took it first"));
        Ok(())
    }

    async fn send_reply(&self, change: ReplyChange) -> Result<(), Failure> {
        let outcome = self.client.send_reply_change(&change).await;
        let refusal = outcome.refusal().cloned();
        if is_not_found(refusal.as_ref()) {
            self.check_team_service().await?;
        }
        match outcome {
            WriteOutcome::Done(()) => return Ok(self.store.settle_reply_change(change, true).await?),
            WriteOutcome::NotSent(why) => return Err(Failure::Write(why)),
            _ => {}
        }
        match refusal {
            Some(refusal) if refusal.status == 401 => {
                self.end(SESSION_ENDED);
                Err(Failure::Unknown)
            }
            // A reply to delete that is gone already is no news.
            Some(refusal) if refusal.status == 404 && change.text.is_none() => {
                Ok(self.store.settle_reply_change(change, true).await?)
            }
            Some(refusal) if (400..500).contains(&refusal.status) && refusal.status != 408 => {
                let words = SafeText::line(&format!("{} is not shared: {}", change.name, refusal.message));
                if let Some(tab) = self.tabs().first() {
                    self.publish(News::Notice(tab.channel().spec().id.clone(), None, words));
                }
                self.with_state(|state| state.are_replies_stale = true);
                Ok(self.store.settle_reply_change(change, false).await?)
            }
            _ => Err(Failure::Unknown),
        }
    }

    /// Reads the canned replies of the team, if they may have changed.
    async fn read_replies(&self) -> Result<(), Failure> {
        if !self.with_state(|state| std::mem::take(&mut state.are_replies_stale)) {
            return Ok(());
        }
        let listed = match self.client.read_replies().await {
            Ok(listed) => listed,
            Err(error) => {
                self.with_state(|state| state.are_replies_stale = true);
                return Err(error.into());
            }
        };
        if self.store.apply_shared_replies(listed).await? {
            self.publish(News::SharedReplies);
        }
        Ok(())
    }

    /// Reads what changed since the last reading, everything at the beginning and after missed events.
    async fn sweep(&self, progress: &mut Progress) -> Result<(), Failure> {
        let now = self.clock.moment();
        if self.with_state(|state| std::mem::take(&mut state.is_reset)) {
            (progress.cursor, progress.swept_at) = (None, None);
        }
        if self.with_state(|state| std::mem::take(&mut state.is_sweep_due)) {
            progress.swept_at = None;
        }
        let is_due = progress.swept_at.is_none_or(|at| !(0..SWEEP_INTERVAL).contains(&now.since(at)));
        if !is_due {
            return Ok(());
        }
        for _ in 0..MAX_PAGES {
            let (states, next) = self.client.read_shared_changes(progress.cursor.as_deref()).await?;
            let Some(next) = next.filter(|next| progress.cursor.as_ref() != Some(next)) else { break };
            let applied = self.store.apply_shared(states).await?;
            self.publish_applied(&applied, |who| format!("{who} has it now"));
            progress.cursor = Some(next);
        }
        self.store.record_team_read(self.clock.now()).await?;
        progress.swept_at = Some(now);
        Ok(())
    }

    /// Records contact with the server for the tabs that are polled rarely: their event stream is open, and ends
    /// 15 seconds after the server has fallen silent.
    fn record_contact(&self) {
        for tab in self.tabs().iter().filter(|tab| self.polls_rarely(tab)) {
            tab.record_alive();
        }
    }

    /// True if this process polls the tab, and rarely, since events report its changes.
    fn polls_rarely(&self, tab: &TabSync) -> bool {
        tab.holds_read_lease(self.clock.now()) && tab.channel().with_state(|state| state.has_live_events)
    }

    /// Requests a reading of one tab a minute, while events replace the usual polling.
    fn request_reading(&self, progress: &mut Progress) {
        let now = self.clock.moment();
        let is_due = |at: Moment| !(0..SWEEP_INTERVAL).contains(&now.since(at));
        if !is_due(*progress.read_at.get_or_insert(now)) {
            return;
        }
        progress.read_at = Some(now);
        let tabs: Vec<_> = self.tabs().into_iter().filter(|tab| self.polls_rarely(tab)).collect();
        let visible = tabs.iter().position(|tab| tab.change_commands(|commands| commands.visible));
        match choose_reading(progress.readings, tabs.len(), visible) {
            Some(Reading::List(place)) => tabs[place].request_list(),
            Some(Reading::Everything(place)) => tabs[place].request_everything(),
            None => {}
        }
        progress.readings += 1;
    }

    /// Reads conversations whose state here is unclear, and those that a list has shown since.
    async fn read_again(&self) -> Result<(), Failure> {
        let placed = self.store.take_placed().await?;
        let ids: Vec<ConversationId> = self.with_state(|state| {
            state.unclear.extend(placed);
            state.unclear.iter().take(MAX_READ_AGAIN).cloned().collect()
        });
        if ids.is_empty() {
            return Ok(());
        }
        let states = self.client.read_shared(&ids).await?;
        let applied = self.store.apply_shared(states).await?;
        self.with_state(|state| state.unclear.retain(|id| !ids.contains(id)));
        self.publish_applied(&applied, |who| format!("{who} has it now"));
        Ok(())
    }
}

impl TabSync {
    fn request_list(&self) {
        self.change_commands(|commands| commands.sweep_list = true);
        self.wake(Loop::Poll);
    }

    /// Requests a read of everything, because events may have been missed.
    pub(super) fn request_everything(&self) {
        self.change_commands(|commands| {
            commands.refresh = true;
            commands.refresh_open = true;
        });
        self.wake(Loop::Poll);
        self.wake(Loop::Open);
    }

    /// Records that the server of the tab has answered the team.
    fn record_alive(&self) {
        let health = self.channel().with_health(ConnectionHealth::record_alive);
        self.channel().publish_health(health);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn tabs_read_in_turn_and_the_visible_one_every_second_time() {
        // Tabs, the visible one, longest time without its list and without the list of another tab, in sweeps.
        let cases = [
            (4, Some(2), 2, 10),
            (4, None, 5, 5),
            (2, Some(0), 2, 4),
            (1, Some(0), 1, 0),
            (3, Some(2), 2, 6),
        ];
        for (tabs, visible, of_visible, of_others) in cases {
            let mut last: BTreeMap<usize, u64> = (0..tabs).map(|tab| (tab, 0)).collect();
            let mut everything = BTreeMap::new();
            for sweep in 0..600 {
                let reading = choose_reading(sweep, tabs, visible).expect("a tab reads");
                let (Reading::List(tab) | Reading::Everything(tab)) = reading;
                let before = last.insert(tab, sweep).expect("a known tab");
                let most = if visible == Some(tab) || visible.is_none() { of_visible } else { of_others };
                assert!(
                    sweep - before <= most,
                    "{tabs} tabs, {visible:?} visible: {tab} at {sweep} after {before}"
                );
                if reading == Reading::Everything(tab) {
                    *everything.entry(tab).or_insert(0) += 1;
                }
            }
            assert_eq!(everything.len(), tabs);
            assert_eq!(everything.values().sum::<u64>(), 600 / EVERYTHING_SWEEPS);
        }
        assert_eq!(choose_reading(0, 0, None), None);
        assert_eq!(choose_reading(5, 0, None), None);
    }
}
