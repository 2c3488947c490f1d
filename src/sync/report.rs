//! How a pull ended, and saying so: one place turns failed reads into what
//! the tab's health and notes say.

use crate::ChannelSync;
use crate::health::{FailureKind, PolledResource, Pulse, SILENCE};
use client::{FailureCause, Listed, ReadError, RequestFailure};
use model::news::{Health, News};
use model::text::SafeText;
use model::unreadable::List;
use store::StoreError;

/// How a pull ended. What it found is in the store and was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pulled {
    /// All that is due was read.
    Done,
    /// A part of a long pass was read; it is to be gone on with soon.
    More,
    /// What comes first was read. What is behind it is to be gone on with
    /// after so many microseconds, without reading the first again.
    Later(i64),
    /// The rate budget is used up, or the server asks to wait: to be
    /// continued after so many microseconds.
    Paced(i64),
    /// It failed and was said in words; to be tried again later.
    Failed,
    /// Nothing was asked: not on this platform, not for this key, or the tab
    /// is stopped.
    Skipped,
}

/// What comes behind the first waits for the budget: the first is not to be
/// read again for it, or it would use up what the rest waits for.
pub(crate) fn or_later(result: Result<Pulled, PullError>) -> Result<Pulled, PullError> {
    match result {
        Err(PullError::Read(ReadError::Paced(wait))) => Ok(Pulled::Later(wait)),
        other => other,
    }
}

/// Why a pull could not go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PullError {
    /// The server's side.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// This desk's files.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ChannelSync {
    /// Pulls, and tells how that ended. A pull that found nothing to ask for
    /// says nothing of the server.
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

    /// Tells how a pull ended.
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

    /// Notes what of a list's page could not be read, and tells if that is
    /// something else than before. The first page begins anew.
    pub(crate) fn note_unreadable<T>(&self, list: List, page: &Listed<T>, is_first: bool) {
        if let Some(all) = self.state(|sync_state| sync_state.note_unreadable(list, page, is_first)) {
            self.tell(News::Unreadable(self.id().clone(), list, all));
        }
    }

    /// Says that a resource answered as promised.
    pub(crate) fn read_succeeded(&self, resource: PolledResource) {
        let health = self.pulse(|pulse, now| pulse.answered(resource, now));
        self.tell_health(health);
    }

    /// Tells of a read that has had no answer for long; says in how many
    /// microseconds to look again.
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

    /// Says what a failed read means for the tab.
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
