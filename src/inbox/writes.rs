//! Writes to this desk's own files that are under way, and drafts that could
//! not be kept. The disk may be slow or fail; typing goes on, and no text is
//! given up.

use std::collections::VecDeque;

use crate::Inbox;
use crate::event::Effect;
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;
use model::time::{SECOND, Timestamp};

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

    /// What an effect wants of drafts.
    fn of(effect: &Effect) -> Option<Self> {
        if let Effect::SaveDraft(channel, conversation, draft) = effect {
            let (channel, conversation) = (channel.clone(), conversation.clone());
            return Some(Self { channel, conversation, draft: draft.clone() });
        }
        let Effect::Enqueue { intents, clears_draft: true } = effect else { return None };
        let intent = intents.last()?;
        let (channel, conversation) = (intent.channel.clone(), intent.conversation.clone());
        Some(Self { channel, conversation, draft: None })
    }
}

/// What is on its way to the disk, and what did not get there.
#[derive(Debug, Default)]
pub(crate) struct Saving {
    /// Oldest first: when it began, and what it wants of a draft.
    under_way: VecDeque<(Timestamp, Option<DraftSave>)>,
    /// Drafts the disk did not take, and when to try again.
    unsaved: Vec<(Timestamp, DraftSave)>,
}

impl Saving {
    /// When something about it becomes due.
    pub(crate) fn due(&self, now: Timestamp) -> Option<Timestamp> {
        let tick = self.under_way.front().map(|(since, _)| {
            let whole = now.since(*since).max(0) / SECOND;
            since.plus((whole + 1) * SECOND)
        });
        let again = self.unsaved.iter().map(|(at, _)| *at).min();
        tick.into_iter().chain(again).min()
    }
}

impl Inbox {
    /// How long the disk has been taking, in whole seconds, if that is long.
    pub fn saving_for(&self) -> Option<i64> {
        let (since, _) = self.saving.under_way.front()?;
        Some(self.context.now.since(*since)).filter(|it| *it >= SLOW).map(|it| it / SECOND)
    }

    /// Drafts that are only in memory.
    pub fn unsaved_drafts(&self) -> usize {
        self.saving.unsaved.len()
    }

    /// Whether a write is under way.
    pub(crate) fn is_writing(&self) -> bool {
        !self.saving.under_way.is_empty()
    }

    /// Notes the writes among these effects.
    pub(crate) fn note_writes(&mut self) {
        for effect in self.context.effects.iter().filter(|it| it.is_write()) {
            let wish = DraftSave::of(effect);
            if let Some(wish) = &wish {
                self.saving.unsaved.retain(|(_, it)| !it.is_for(&wish.channel, &wish.conversation));
            }
            self.saving.under_way.push_back((self.context.now, wish));
        }
    }

    /// The oldest write has ended.
    pub(crate) fn written(&mut self) {
        self.saving.under_way.pop_front();
    }

    /// A draft could not be kept: it stays in memory and is tried again,
    /// unless a newer one is on its way.
    pub(crate) fn draft_not_saved(
        &mut self,
        channel: ChannelId,
        conversation: ConversationId,
        draft: Option<Draft>,
        why: &str,
    ) {
        let for_it = |it: &DraftSave| it.is_for(&channel, &conversation);
        let newer = self.saving.under_way.iter().skip(1).any(|(_, it)| it.as_ref().is_some_and(for_it));
        if !newer {
            self.saving.unsaved.retain(|(_, it)| !for_it(it));
            let again_at = self.context.now.plus(AGAIN);
            self.saving.unsaved.push((again_at, DraftSave { channel, conversation, draft }));
        }
        // The status line says for how long; a refusal tells more.
        if self.notice.as_ref().is_none_or(|it| !it.warning) {
            self.warn(format!("the draft is not on disk, only here: {why}; trying again"));
        }
    }

    /// The draft of a conversation that memory knows better than the disk.
    pub(crate) fn draft_in_memory(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
    ) -> Option<Option<Draft>> {
        let under_way = self.saving.under_way.iter().rev().filter_map(|(_, it)| it.as_ref());
        let unsaved = self.saving.unsaved.iter().map(|(_, it)| it);
        under_way.chain(unsaved).find(|it| it.is_for(channel, conversation)).map(|it| it.draft.clone())
    }

    /// Tries to keep the drafts whose time has come; all of them when the
    /// desk is about to end.
    pub(crate) fn save_again(&mut self, ending: bool) {
        let now = self.context.now;
        let due = self.saving.unsaved.iter().filter(|(at, _)| ending || *at <= now);
        let due: Vec<DraftSave> = due.map(|(_, it)| it.clone()).collect();
        for it in due {
            let newer = self
                .context
                .effects
                .iter()
                .filter_map(DraftSave::of)
                .any(|effect| effect.is_for(&it.channel, &it.conversation));
            if !newer {
                self.context.push(Effect::SaveDraft(it.channel, it.conversation, it.draft));
            }
        }
    }
}
