//! Results of pulls: the only place that turns failed reads into health and notices of the tab.

use crate::ChannelSync;
use crate::health::{ConnectionHealth, FailureKind, PolledResource, SILENCE_TIMEOUT};
use client::{FailureCause, ListPage, ReadError, RequestFailure};
use model::news::{Health, News};
use model::text::SafeText;
use model::unreadable::UnreadableList;
use store::StoreError;

/// Result of a pull. The data is in the store and was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullOutcome {
    /// Everything due was read.
    Done,
    /// Part of a long pass was read; continue soon.
    More,
    /// The urgent part was read; continue the rest after this many microseconds without reading the first
    /// part again.
    Later(i64),
    /// The rate budget is used up or the server asked to wait: continue after this many microseconds.
    Paced(i64),
    /// Failed and reported; try again later.
    Failed,
    /// No request was made: not on this platform, not for this key, or the tab is stopped.
    Skipped,
}

/// Turns pacing into [`PullOutcome::Later`]: reading the first part again would use the budget the rest waits
/// for.
pub(crate) fn defer_rate_limited(result: Result<PullOutcome, PullError>) -> Result<PullOutcome, PullError> {
    match result {
        Err(PullError::Read(ReadError::Paced(wait))) => Ok(PullOutcome::Later(wait)),
        other => other,
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum PullError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ChannelSync {
    /// Runs a pull and reports its result. A pull without a request changes no health.
    pub(crate) async fn reporting(
        &self,
        resource: PolledResource,
        pull: impl Future<Output = Result<PullOutcome, PullError>>,
    ) -> PullOutcome {
        let answers = self.client.answer_count();
        match pull.await {
            Ok(pulled) if self.client.answer_count() == answers => {
                self.publish_budget();
                pulled
            }
            result => self.report(resource, result),
        }
    }

    pub(crate) fn report(
        &self,
        resource: PolledResource,
        result: Result<PullOutcome, PullError>,
    ) -> PullOutcome {
        let pulled = match result {
            Ok(PullOutcome::Skipped) => return PullOutcome::Skipped,
            Ok(pulled) => {
                self.read_succeeded(resource);
                pulled
            }
            Err(PullError::Store(error)) => {
                tracing::error!(channel = %self.id(), %error, "the cache could not be written");
                let words = format!("this desk's files could not be written: {error}");
                self.record_failure(Some(RequestFailure::new(FailureCause::Files, &words)));
                self.publish(News::Notice(self.id().clone(), None, SafeText::line(&words)));
                PullOutcome::Failed
            }
            Err(PullError::Read(error)) => self.read_failed(resource, error),
        };
        self.publish_budget();
        pulled
    }

    /// Records unreadable rows of a list's page and announces a change. The first page resets the record.
    pub(crate) fn record_unreadable<T>(&self, list: UnreadableList, page: &ListPage<T>, is_first: bool) {
        if let Some(all) = self.with_state(|sync_state| sync_state.record_unreadable(list, page, is_first)) {
            self.publish(News::Unreadable(self.id().clone(), list, all));
        }
    }

    pub(crate) fn read_succeeded(&self, resource: PolledResource) {
        let health = self.with_health(|pulse, now| pulse.record_answer(resource, now));
        self.publish_health(health);
    }

    /// Reports a read unanswered for long. Returns the microseconds until the next check.
    pub(crate) fn report_silence(&self) -> i64 {
        let Some(since) = self.client.unanswered_since() else { return SILENCE_TIMEOUT };
        let left = SILENCE_TIMEOUT - self.clock.moment().since(since);
        if left > 0 {
            return left;
        }
        let since = self.wall_at(since);
        let health = self.with_health(|pulse, _| pulse.record_silence(since));
        self.publish_health(health);
        SILENCE_TIMEOUT
    }

    /// Reports a failed read and returns the matching result.
    pub(crate) fn read_failed(&self, resource: PolledResource, error: ReadError) -> PullOutcome {
        self.record_failure(RequestFailure::of_read(&error));
        // Waiting for one's own budget is no failure.
        if !matches!(error, ReadError::Paced(_)) {
            tracing::info!(channel = %self.id(), ?resource, %error, "a read failed");
        }
        let failed = |kind, why| {
            let health = self.with_health(|pulse, now| pulse.record_failure(resource, kind, why, now));
            self.publish_health(health);
            PullOutcome::Failed
        };
        match error {
            ReadError::Same => PullOutcome::Done,
            ReadError::Paced(wait) => PullOutcome::Paced(wait),
            ReadError::Limited(wait) => {
                let health = self.with_health(|pulse, now| pulse.record_rate_limit(now.plus(wait)));
                self.publish_health(health);
                PullOutcome::Paced(wait)
            }
            ReadError::Offline(why) => failed(FailureKind::Offline, why),
            error @ (ReadError::NotFound(_) | ReadError::NoSuchPath(_)) if resource.is_missing(&error) => {
                self.record_denied(resource);
                self.with_health(ConnectionHealth::record_key_accepted);
                self.publish(News::NotOnThisServer(self.id().clone(), resource.describe_missing()));
                PullOutcome::Skipped
            }
            ReadError::Trouble(why)
            | ReadError::NotFound(why)
            | ReadError::NoSuchPath(why)
            | ReadError::Rejected(why) => failed(FailureKind::Trouble, why),
            ReadError::Forbidden(why) => {
                self.record_denied(resource);
                self.with_health(ConnectionHealth::record_key_accepted);
                self.publish(News::NotForThisKey(self.id().clone(), why));
                PullOutcome::Skipped
            }
            ReadError::Refused { code, why } => self.stop(Health::Refused { code, why }),
            ReadError::Misconfigured(why) => self.stop(Health::Misconfigured { why }),
        }
    }

    /// Stops the tab until a person acts.
    pub(crate) fn stop(&self, health: Health) -> PullOutcome {
        let told = self.with_health(|entry, _| entry.stop(health));
        self.publish_health(told);
        PullOutcome::Skipped
    }

    pub(crate) fn publish_health(&self, health: Option<Health>) {
        if let Some(health) = health {
            self.publish(News::Health(self.id().clone(), health));
        }
    }
}
