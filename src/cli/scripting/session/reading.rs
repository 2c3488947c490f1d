//! Reads lists and new messages of a channel, and keeps state between steps.

use std::cell::RefMut;

use anyhow::Result;

use crate::cli::scripting::Session;
use crate::cli::scripting::session::{PAGE_PAUSE, ReadAmount};
use crate::cli::unfinished::{RemainingState, Unfinished};
use client::{FailureCause, RequestFailure};
use model::account::Platform;
use model::time::Timestamp;
use sync::{AttemptState, CampaignNotices, ChannelSync, ListState, PushState, TriggerState};

pub struct ChannelProgress {
    pub list: ListState,
    /// Reading of new messages.
    pub trigger: TriggerState,
    pub(super) push: PushState,
    pub(super) uploads: AttemptState,
    pub(super) waves: CampaignNotices,
}

impl ChannelProgress {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            list: ListState::default(),
            trigger: TriggerState::default(),
            push: PushState::new(now),
            uploads: AttemptState::default(),
            waves: CampaignNotices::default(),
        }
    }
}

impl Session {
    /// State of a channel's steps, which run one after another.
    pub fn progress(&self, channel: &ChannelSync) -> RefMut<'_, ChannelProgress> {
        let new = || ChannelProgress::new(self.now());
        RefMut::map(self.progress.borrow_mut(), |all| {
            all.entry(channel.spec().id.clone()).or_insert_with(new)
        })
    }

    /// Reads the conversation list to its end, unless another process keeps it fresh.
    ///
    /// # Errors
    /// When the server does not answer properly, or the rate budget does not suffice within the time limit.
    pub fn refresh(&self, channel: &ChannelSync) -> Result<()> {
        let mut read = self.read_top(channel)?;
        while read == ReadAmount::First {
            if self.is_timed_out() {
                return Err(self.rate_budget_error(channel));
            }
            read = self.read_remaining(channel)?;
        }
        Ok(())
    }

    pub fn rate_budget_error(&self, channel: &ChannelSync) -> anyhow::Error {
        let why = "the rate limit of this key is too low to read everything in time";
        let failure = RequestFailure::new(FailureCause::RateBudget, why);
        let (channel, what) = (channel.spec().name.clone(), "could not read conversations".to_owned());
        Unfinished { failure, remaining: RemainingState::Nothing, channel, what }.into()
    }

    /// Reads new messages and the top of the list.
    fn read_top(&self, channel: &ChannelSync) -> Result<ReadAmount> {
        if !self.is_polling_needed(channel)? {
            return Ok(ReadAmount::All);
        }
        if self.platform(channel)? == Platform::Whatsapp {
            self.read_new_messages(channel)?;
        }
        let list = &mut self.progress(channel).list;
        self.read(channel, "could not read conversations", async || channel.pull_conversations(list).await)
    }

    /// Reads part of the list behind the top, after a delay: reading the top again would use the budget.
    fn read_remaining(&self, channel: &ChannelSync) -> Result<ReadAmount> {
        self.sleep(PAGE_PAUSE);
        if !self.is_polling_needed(channel)? {
            return Ok(ReadAmount::All);
        }
        let list = &mut self.progress(channel).list;
        self.read(channel, "could not read conversations", async || channel.pull_backlog(list).await)
    }

    pub fn read_new_messages(&self, channel: &ChannelSync) -> Result<ReadAmount> {
        let trigger = &mut self.progress(channel).trigger;
        self.read(channel, "could not read new messages", async || channel.pull_trigger(trigger).await)
    }
}
