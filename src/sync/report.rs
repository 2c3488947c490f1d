//! Results of pulls: the only place that turns failed reads into health and notices of the tab.

use crate::ChannelSync;
use crate::health::{FailureKind, PolledResource, Pulse, SILENCE};
use client::{FailureCause, Listed, ReadError, RequestFailure};
use model::news::{Health, News};
use model::text::SafeText;
use model::unreadable::List;
use store::StoreError;

/// Result of a pull. The data is in the store and was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pulled {
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

/// Turns pacing into [`Pulled::Later`]: reading the first part again would use the budget the rest waits
/// for.
pub(crate) fn or_later(result: Result<Pulled, PullError>) -> Result<Pulled, PullError> {
    match result {
        Err(PullError::Read(ReadError::Paced(wait))) => Ok(Pulled::Later(wait)),
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
        pull: impl Future<Output = Result<Pulled, PullError>>,
    ) -> Pulled {
        let answers = self.client.answers();
        match pull.await {
            Ok(pulled) if self.client.answers() == answers => {
                self.tell_budget();
                pulled
            }
            result => self.report(resource, result),
        }
    }

    pub(crate) fn report(&self, resource: PolledResource, result: Result<Pulled, PullError>) -> Pulled {
        let pulled = match result {
            Ok(Pulled::Skipped) => return Pulled::Skipped,
            Ok(pulled) => {
                self.read_succeeded(resource);
                pulled
            }
            Err(PullError::Store(error)) => {
                tracing::error!(channel = %self.id(), %error, "the cache could not be written");
                let words = format!("this desk's files could not be written: {error}");
                self.note_failure(Some(RequestFailure::new(FailureCause::Files, &words)));
                self.tell(News::Notice(self.id().clone(), None, SafeText::line(&words)));
                Pulled::Failed
            }
            Err(PullError::Read(error)) => self.read_failed(resource, error),
        };
        self.tell_budget();
        pulled
    }

    /// Records unreadable rows of a list's page and announces a change. The first page resets the record.
    pub(crate) fn note_unreadable<T>(&self, list: List, page: &Listed<T>, is_first: bool) {
        if let Some(all) = self.state(|sync_state| sync_state.note_unreadable(list, page, is_first)) {
            self.tell(News::Unreadable(self.id().clone(), list, all));
        }
    }

    /// Records a valid answer of a resource.
    pub(crate) fn read_succeeded(&self, resource: PolledResource) {
        let health = self.pulse(|pulse, now| pulse.answered(resource, now));
        self.tell_health(health);
    }

    /// Reports a read unanswered for long. Returns the microseconds until the next check.
    pub(crate) fn silence(&self) -> i64 {
        let Some(since) = self.client.unanswered_since() else { return SILENCE };
        let left = SILENCE - self.clock.moment().since(since);
        if left > 0 {
            return left;
        }
        let since = self.wall_at(since);
        let health = self.pulse(|pulse, _| pulse.silent(since));
        self.tell_health(health);
        SILENCE
    }

    /// Reports a failed read and returns the matching result.
    pub(crate) fn read_failed(&self, resource: PolledResource, error: ReadError) -> Pulled {
        self.note_failure(RequestFailure::of_read(&error));
        // Waiting for one's own budget is no failure.
        if !matches!(error, ReadError::Paced(_)) {
            tracing::info!(channel = %self.id(), ?resource, %error, "a read failed");
        }
        let failed = |kind, why| {
            let health = self.pulse(|pulse, now| pulse.failed(resource, kind, why, now));
            self.tell_health(health);
            Pulled::Failed
        };
        match error {
            ReadError::Same => Pulled::Done,
            ReadError::Paced(wait) => Pulled::Paced(wait),
            ReadError::Limited(wait) => {
                let health = self.pulse(|pulse, now| pulse.limited(now.plus(wait)));
                self.tell_health(health);
                Pulled::Paced(wait)
            }
            ReadError::Offline(why) => failed(FailureKind::Offline, why),
            error @ (ReadError::NotFound(_) | ReadError::NoSuchPath(_)) if resource.is_missing(&error) => {
                self.deny(resource);
                self.pulse(Pulse::taken);
                self.tell(News::NotOnThisServer(self.id().clone(), resource.missing_words()));
                Pulled::Skipped
            }
            ReadError::Trouble(why)
            | ReadError::NotFound(why)
            | ReadError::NoSuchPath(why)
            | ReadError::Rejected(why) => failed(FailureKind::Trouble, why),
            ReadError::Forbidden(why) => {
                self.deny(resource);
                self.pulse(Pulse::taken);
                self.tell(News::NotForThisKey(self.id().clone(), why));
                Pulled::Skipped
            }
            ReadError::Refused { code, why } => self.stop(Health::Refused { code, why }),
            ReadError::Misconfigured(why) => self.stop(Health::Misconfigured { why }),
        }
    }

    /// Stops the tab until a person acts.
    pub(crate) fn stop(&self, health: Health) -> Pulled {
        let told = self.pulse(|entry, _| entry.stop(health));
        self.tell_health(told);
        Pulled::Skipped
    }

    pub(crate) fn tell_health(&self, health: Option<Health>) {
        if let Some(health) = health {
            self.tell(News::Health(self.id().clone(), health));
        }
    }
}
