//! Writes to this desk's files: started, in flight and failed. No text is dropped.

use crate::changes::Changes;
use std::collections::VecDeque;

use crate::context::Context;
use crate::event::{Effect, FileWrite};
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;
use model::time::{Moment, SECOND};

/// Writes that take longer are shown.
const SLOW_WRITE_THRESHOLD: i64 = SECOND;
/// Retry delay of a draft, in microseconds.
const RETRY_DELAY: i64 = 5 * SECOND;

/// Wanted draft of a conversation; `None` deletes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DraftSave {
    channel: ChannelId,
    conversation: ConversationId,
    draft: Option<Draft>,
}

impl DraftSave {
    fn is_for(&self, channel: &ChannelId, conversation: &ConversationId) -> bool {
        self.channel == *channel && self.conversation == *conversation
    }

    fn of(write: &FileWrite) -> Option<Self> {
        if let FileWrite::SaveDraft(channel, conversation, draft) = write {
            let (channel, conversation) = (channel.clone(), conversation.clone());
            return Some(Self { channel, conversation, draft: draft.clone() });
        }
        let FileWrite::Enqueue { intents, clears_draft: true } = write else { return None };
        let intent = intents.last()?;
        let (channel, conversation) = (intent.channel.clone(), intent.conversation.clone());
        Some(Self { channel, conversation, draft: None })
    }
}

#[derive(Debug, Default)]
pub(crate) struct FileWrites {
    /// Oldest first: start time, and the draft.
    in_flight: VecDeque<(Moment, Option<DraftSave>)>,
    /// Drafts that failed, with the time of the next try.
    failed_drafts: Vec<(Moment, DraftSave)>,
}

impl FileWrites {
    /// Time of the next retry or display change.
    pub(crate) fn due(&self, now: Moment) -> Option<Moment> {
        let tick = self.in_flight.front().map(|(since, _)| {
            let whole = now.since(*since).max(0) / SECOND;
            since.plus((whole + 1) * SECOND)
        });
        let again = self.failed_drafts.iter().map(|(at, _)| *at).min();
        tick.into_iter().chain(again).min()
    }
}

impl Changes {
    pub fn unsaved_drafts(&self) -> usize {
        self.writes.failed_drafts.len()
    }

    pub(crate) fn is_writing(&self) -> bool {
        !self.writes.in_flight.is_empty()
    }

    pub(crate) fn remove_oldest_write(&mut self) {
        self.writes.in_flight.pop_front();
    }

    /// The draft of a conversation that is newer in memory than on disk.
    pub(crate) fn draft_in_memory(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Option<Option<Draft>> {
        let under_way = self.writes.in_flight.iter().rev().filter_map(|(_, draft_save)| draft_save.as_ref());
        let unsaved = self.writes.failed_drafts.iter().map(|(_, draft_save)| draft_save);
        under_way
            .chain(unsaved)
            .find(|under_way| under_way.is_for(channel, conversation))
            .map(|draft_save| draft_save.draft.clone())
    }
}

impl Changes {
    /// Whole seconds of a slow write, `None` if it is not slow.
    pub fn slow_write_seconds(&self, context: &Context) -> Option<i64> {
        let (since, _) = self.writes.in_flight.front()?;
        Some(context.moment.since(*since))
            .filter(|number| *number >= SLOW_WRITE_THRESHOLD)
            .map(|number| number / SECOND)
    }

    pub(crate) fn record_writes(&mut self, context: &Context) {
        let writes = context.effects.iter().filter_map(Effect::as_write);
        for write in writes.filter(|file_write| file_write.is_awaited()) {
            let wish = DraftSave::of(write);
            if let Some(wish) = &wish {
                self.writes
                    .failed_drafts
                    .retain(|(_, draft_save)| !draft_save.is_for(&wish.channel, &wish.conversation));
            }
            self.writes.in_flight.push_back((context.moment, wish));
        }
    }

    /// Keeps a failed draft in memory and retries it, unless a newer one is on its way.
    pub(crate) fn draft_not_saved(
        &mut self,
        channel: ChannelId,
        conversation: ConversationId,
        draft: Option<Draft>,
        why: &str,
        context: &mut Context,
    ) {
        let for_it = |draft_save: &DraftSave| draft_save.is_for(&channel, &conversation);
        let newer = self
            .writes
            .in_flight
            .iter()
            .skip(1)
            .any(|(_, draft_save)| draft_save.as_ref().is_some_and(for_it));
        if !newer {
            self.writes.failed_drafts.retain(|(_, draft_save)| !for_it(draft_save));
            let again_at = context.moment.plus(RETRY_DELAY);
            self.writes.failed_drafts.push((again_at, DraftSave { channel, conversation, draft }));
        }
        // The status line shows the duration; an existing warning is more important.
        if context.notice.as_ref().is_none_or(|notice| !notice.is_warning) {
            context.show_warning(format!("draft not saved: {why}; trying again"));
        }
    }

    /// Retries the drafts that are due; all of them when the desk ends.
    pub(crate) fn retry_drafts(&mut self, ending: bool, context: &mut Context) {
        let now = context.moment;
        let due = self.writes.failed_drafts.iter().filter(|(at, _)| ending || *at <= now);
        let due: Vec<DraftSave> = due.map(|(_, due)| due.clone()).collect();
        for save in due {
            let newer = context
                .effects
                .iter()
                .filter_map(Effect::as_write)
                .filter_map(DraftSave::of)
                .any(|wish| wish.is_for(&save.channel, &save.conversation));
            if !newer {
                context.push(FileWrite::SaveDraft(save.channel, save.conversation, save.draft));
            }
        }
    }
}
