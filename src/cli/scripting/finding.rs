//! Finds the conversation of a command on the server.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use crate::cli::completing;
use crate::cli::scripting::Session;
use crate::cli::scripting::session::{PAGE_PAUSE, ReadAmount};
use model::account::{Environment, Platform};
use model::conversations::ConversationRow;
use model::selector::{Candidate, Selector, Unresolved};
use model::time::SECOND;
use sync::{ChannelSync, ListDepth};

/// Time to wait for a conversation another process may be reading, in microseconds.
const MAX_CATCH_UP_WAIT: i64 = 3 * SECOND;
/// Interval between checks of the files meanwhile.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Which conversation a command is for.
#[derive(Debug, Args)]
pub struct ConversationArguments {
    /// Phone number, mail address, bot chat id, @username or id of the conversation; write `id:`
    /// before an id that looks like one of the others.
    #[arg(allow_negative_numbers = true, add = ArgValueCandidates::new(completing::conversations))]
    pub conversation: String,
    /// Find the conversation by its name, which must be unique.
    #[arg(long)]
    pub name: bool,
}

impl ConversationArguments {
    /// Conversation as part of the idempotency fingerprint.
    pub fn request_parts(&self) -> Vec<&str> {
        vec![self.conversation.as_str(), if self.name { "name" } else { "" }]
    }

    fn selector(&self) -> Selector {
        if self.name { Selector::name(&self.conversation) } else { Selector::from_shape(&self.conversation) }
    }
}

pub struct FoundConversation {
    pub channel: Arc<ChannelSync>,
    pub platform: Platform,
    /// LIVE or TEST.
    pub environment: Environment,
    pub row: ConversationRow,
}

impl FoundConversation {
    /// True if nothing is really sent.
    pub fn is_test(&self) -> bool {
        self.environment == Environment::Test
    }

    /// Recipient not chosen by a customer: the address, or the conversation's id if there is none.
    pub fn address(&self) -> &str {
        let conversation = &self.row.conversation;
        conversation.address.as_deref().unwrap_or(conversation.id.as_str())
    }
}

impl Session {
    /// Finds the one conversation a person means.
    ///
    /// # Errors
    /// When there is none or more than one, or a channel that may hold it cannot be read.
    pub fn find(&self, name: Option<&str>, wanted: &ConversationArguments) -> Result<FoundConversation> {
        let selector = wanted.selector();
        let (mut found, mut unread) = (Vec::new(), None);
        let mut channels = Vec::new();
        for channel in self.unmirrored_channels(name)? {
            match self.platform(&channel) {
                Ok(platform) if platform.has_conversations() && selector.is_on(&platform) => {
                    channels.push((channel, platform));
                }
                Ok(_) => {}
                Err(error) => unread = Some(error),
            }
        }
        // If a number fits both a chat and a phone conversation, the chat wins.
        channels.sort_by_key(|(_, platform)| !platform.has_histories());
        for (channel, platform) in &channels {
            if !found.is_empty() && !platform.has_histories() && !selector.is_ambiguous() {
                break;
            }
            match self.find_on(channel, &selector) {
                Ok(candidates) => found.extend(candidates),
                Err(error) => unread = Some(error),
            }
        }
        let is_found = matches!(selector, Selector::Id(_)) && !found.is_empty();
        if let Some(error) = unread.filter(|_| !is_found) {
            return Err(error.context(format!(
                "could not look up the {} {:?}",
                selector.kind(),
                selector.text()
            )));
        }
        let Candidate { row, platform, environment, .. } = selector.resolve(found)?;
        let channel = channels
            .into_iter()
            .map(|(channel, _)| channel)
            .find(|channel_sync| channel_sync.spec().id == row.channel);
        let channel = channel.with_context(|| format!("{} is no longer configured", row.channel))?;
        Ok(FoundConversation { channel, platform, environment, row })
    }

    /// Says why texts do not reach an address, as far as this desk knows; `None` if they may. What its files say
    /// is read again before it counts.
    ///
    /// # Errors
    /// When the files or the newest conversations cannot be read.
    pub fn describe_no_messages(&self, channel: &ChannelSync, address: &str) -> Result<Option<String>> {
        let selector = Selector::from_shape(address);
        let stored = || -> Result<Option<String>> {
            let found = self.reader.candidates(&selector, Some(&channel.spec().id))?;
            Ok(found.iter().find_map(|candidate| candidate.row.conversation.describe_no_messages()))
        };
        if stored()?.is_some() && self.is_polling_needed(channel)? {
            let list = &mut self.progress(channel).list;
            self.read(channel, "could not read conversations", async || channel.pull_top(list).await)?;
        }
        stored()
    }

    /// Candidates on a channel. Reads the top of the list, then the rest until something is found, or to the
    /// end if others may match.
    fn find_on(&self, channel: &ChannelSync, selector: &Selector) -> Result<Vec<Candidate>> {
        let catch_up = self.moment().plus(MAX_CATCH_UP_WAIT.min(self.timeout));
        let what = "could not read conversations";
        if self.is_polling_needed(channel)? {
            if self.platform(channel)? == Platform::Whatsapp {
                self.read_new_messages(channel)?;
            }
            let list = &mut self.progress(channel).list;
            self.read(channel, what, async || channel.pull_top(list).await)?;
        }
        loop {
            let found = self.reader.candidates(selector, Some(&channel.spec().id))?;
            let is_whole = self.runtime.block_on(channel.list_depth())? == ListDepth::End;
            if is_whole || (!found.is_empty() && !selector.is_ambiguous()) {
                let may_catch_up =
                    found.is_empty() && self.moment() < catch_up && !self.is_polling_needed(channel)?;
                if !may_catch_up {
                    return Ok(found);
                }
            }
            if self.is_timed_out() {
                return Err(Unresolved::Unread(selector.clone()).into());
            }
            // Another process keeps the files fresh and may just have started.
            if !self.is_polling_needed(channel)? {
                self.sleep(POLL_INTERVAL);
                continue;
            }
            let list = &mut self.progress(channel).list;
            let read = self.read(channel, what, async || channel.pull_remaining(list).await)?;
            if read == ReadAmount::First {
                self.sleep(PAGE_PAUSE);
            } else if self.runtime.block_on(channel.list_depth())? != ListDepth::End {
                return Err(Unresolved::Unread(selector.clone()).into());
            }
        }
    }
}
