//! Writes to this desk's own files that are under way, and drafts that could
//! not be kept. The disk may be slow or fail; typing goes on, and no text is
//! given up.

pub(crate) mod update;

use crate::changes::Changes;
use std::collections::VecDeque;

use crate::event::FileWrite;
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;
use model::time::{Moment, SECOND};

/// Quicker writes are not spoken of.
const SLOW: i64 = SECOND;
/// Between two tries to keep a draft.
const AGAIN: i64 = 5 * SECOND;

/// A conversation's draft as it shall be; `None` for none.
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

    /// What a write wants of drafts.
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

/// What is on its way to the disk, and what did not get there.
#[derive(Debug, Default)]
pub(crate) struct FileWrites {
    /// Oldest first: when it began, and what it wants of a draft.
    under_way: VecDeque<(Moment, Option<DraftSave>)>,
    /// Drafts the disk did not take, and when to try again.
    unsaved: Vec<(Moment, DraftSave)>,
}

impl FileWrites {
    /// When something about it becomes due.
    pub(crate) fn due(&self, now: Moment) -> Option<Moment> {
        let tick = self.under_way.front().map(|(since, _)| {
            let whole = now.since(*since).max(0) / SECOND;
            since.plus((whole + 1) * SECOND)
        });
        let again = self.unsaved.iter().map(|(at, _)| *at).min();
        tick.into_iter().chain(again).min()
    }
}

impl Changes {
    /// Drafts that are only in memory.
    pub fn unsaved_drafts(&self) -> usize {
        self.writes.unsaved.len()
    }

    /// Whether a write is under way.
    pub(crate) fn is_writing(&self) -> bool {
        !self.writes.under_way.is_empty()
    }

    /// The oldest write has ended.
    pub(crate) fn written(&mut self) {
        self.writes.under_way.pop_front();
    }

    /// The draft of a conversation that memory knows better than the disk.
    pub(crate) fn draft_in_memory(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Option<Option<Draft>> {
        let under_way = self.writes.under_way.iter().rev().filter_map(|(_, draft_save)| draft_save.as_ref());
        let unsaved = self.writes.unsaved.iter().map(|(_, draft_save)| draft_save);
        under_way
            .chain(unsaved)
            .find(|under_way| under_way.is_for(channel, conversation))
            .map(|draft_save| draft_save.draft.clone())
    }
}
