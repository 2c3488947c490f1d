//! Reading the list and the new messages of a channel, and what the steps of
//! a command remember between two of them.

use std::cell::RefMut;

use anyhow::Result;

use crate::cli::scripting::Session;
use crate::cli::scripting::session::{MOMENT, ReadAmount};
use crate::cli::unfinished::{Left, Unfinished};
use client::{FailureCause, RequestFailure};
use model::account::Platform;
use model::time::Timestamp;
use sync::{ChannelSync, ListState, PushState, Tries, TriggerState, WaveState};

/// What the steps of a channel remember.
pub struct ChannelProgress {
    /// Those that read the list of conversations.
    pub list: ListState,
    /// Those that read new messages.
    pub trigger: TriggerState,
    pub(super) push: PushState,
    pub(super) uploads: Tries,
    pub(super) waves: WaveState,
}

impl ChannelProgress {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            list: ListState::default(),
            trigger: TriggerState::default(),
            push: PushState::new(now),
            uploads: Tries::default(),
            waves: WaveState::default(),
        }
    }
}

impl Session {
    /// What the steps of a channel remember; they are taken one after another.
    pub fn progress(&self, channel: &ChannelSync) -> RefMut<'_, ChannelProgress> {
        let new = || ChannelProgress::new(self.now());
        RefMut::map(self.progress.borrow_mut(), |all| {
            all.entry(channel.spec().id.clone()).or_insert_with(new)
        })
    }

    /// Reads the list of a channel's conversations to its end; where another
    /// process keeps it fresh, the files hold it.
    ///
    /// # Errors
    /// When the server does not answer as it should, or the rate budget does
    /// not suffice within the command's patience.
    pub fn refresh(&self, channel: &ChannelSync) -> Result<()> {
        let mut read = self.read_top(channel)?;
        while read == ReadAmount::First {
            if self.is_over() {
                return Err(self.no_room(channel));
            }
            read = self.read_behind(channel)?;
        }
        Ok(())
    }

    /// That the rate limit leaves no room for all that is to be read in time.
    pub fn no_room(&self, channel: &ChannelSync) -> anyhow::Error {
        let why = "the rate limit of this key leaves no room to read all of it in time";
        let failure = RequestFailure::new(FailureCause::RateBudget, why);
        let (channel, what) = (channel.spec().name.clone(), "reading conversations".to_owned());
        Unfinished { failure, left: Left::Nothing, channel, what }.into()
    }

    /// Reads new messages and the top of the list.
    fn read_top(&self, channel: &ChannelSync) -> Result<ReadAmount> {
        if !self.asks(channel)? {
            return Ok(ReadAmount::All);
        }
        if self.platform(channel)? == Platform::Whatsapp {
            self.read_new_messages(channel)?;
        }
        let list = &mut self.progress(channel).list;
        self.read(channel, "reading conversations", async || channel.pull_conversations(list).await)
    }

    /// Reads a part of what is behind the top, after a moment: it waits for
    /// the budget, and reading the top again would use that up.
    fn read_behind(&self, channel: &ChannelSync) -> Result<ReadAmount> {
        self.sleep(MOMENT);
        if !self.asks(channel)? {
            return Ok(ReadAmount::All);
        }
        let list = &mut self.progress(channel).list;
        self.read(channel, "reading conversations", async || channel.pull_behind(list).await)
    }

    /// Reads the newest messages of customers.
    pub fn read_new_messages(&self, channel: &ChannelSync) -> Result<ReadAmount> {
        let trigger = &mut self.progress(channel).trigger;
        self.read(channel, "reading new messages", async || channel.pull_trigger(trigger).await)
    }
}
