//! Starts writes to this desk's own files and says which of them failed.

use crate::changes::Changes;
use crate::context::Context;
use crate::event::{Effect, FileWrite};
use crate::writes::{AGAIN, DraftSave, SLOW};
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;
use model::time::SECOND;

impl Changes {
    /// How long the disk has been taking, in whole seconds, if that is long.
    pub fn saving_for(&self, context: &Context) -> Option<i64> {
        let (since, _) = self.writes.under_way.front()?;
        Some(context.moment.since(*since)).filter(|number| *number >= SLOW).map(|number| number / SECOND)
    }

    /// Notes the writes among these effects.
    pub(crate) fn note_writes(&mut self, context: &Context) {
        let writes = context.effects.iter().filter_map(Effect::as_write);
        for write in writes.filter(|file_write| file_write.is_awaited()) {
            let wish = DraftSave::of(write);
            if let Some(wish) = &wish {
                self.writes
                    .unsaved
                    .retain(|(_, draft_save)| !draft_save.is_for(&wish.channel, &wish.conversation));
            }
            self.writes.under_way.push_back((context.moment, wish));
        }
    }

    /// A draft could not be kept: it stays in memory and is tried again,
    /// unless a newer one is on its way.
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
            .under_way
            .iter()
            .skip(1)
            .any(|(_, draft_save)| draft_save.as_ref().is_some_and(for_it));
        if !newer {
            self.writes.unsaved.retain(|(_, draft_save)| !for_it(draft_save));
            let again_at = context.moment.plus(AGAIN);
            self.writes.unsaved.push((again_at, DraftSave { channel, conversation, draft }));
        }
        // The status line says for how long; a refusal tells more.
        if context.notice.as_ref().is_none_or(|notice| !notice.warning) {
            context.warn(format!("the draft is not on disk, only here: {why}; trying again"));
        }
    }

    /// Tries to keep the drafts whose time has come; all of them when the
    /// desk is about to end.
    pub(crate) fn save_again(&mut self, ending: bool, context: &mut Context) {
        let now = context.moment;
        let due = self.writes.unsaved.iter().filter(|(at, _)| ending || *at <= now);
        let due: Vec<DraftSave> = due.map(|(_, due)| due.clone()).collect();
        for it in due {
            let newer = context
                .effects
                .iter()
                .filter_map(Effect::as_write)
                .filter_map(DraftSave::of)
                .any(|wish| wish.is_for(&it.channel, &it.conversation));
            if !newer {
                context.push(FileWrite::SaveDraft(it.channel, it.conversation, it.draft));
            }
        }
    }
}
