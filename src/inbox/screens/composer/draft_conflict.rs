//! One draft open in two windows: the newer text is shown, `:draft` fetches the replaced one back.

use crate::Inbox;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::composer::{ComposedReply, Composer};
use crate::tab::Tab;
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;

#[derive(Debug, Clone, PartialEq, Eq)]
enum DraftComparison {
    /// No difference that matters.
    Same,
    /// Different in one read; a second read must confirm it.
    Unconfirmed,
    Changed(Option<String>),
}

/// Loads the stored draft, which another window may have written.
pub(crate) fn load_stored_draft(tab: &Tab) -> Option<Effect> {
    let composer = tab.composer.as_ref().filter(|composer| composer.is_loaded())?;
    Some(Effect::Load(Load::Draft(tab.channel.id.clone(), composer.conversation.clone())))
}

impl Changes {
    /// Takes a stored draft: the first one fills the composer, later ones are compared.
    pub(crate) fn draft_loaded(
        &mut self,
        channel: ChannelId,
        conversation: ConversationId,
        draft: Option<Draft>,
        aside: Option<String>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let in_memory = self.draft_in_memory(&channel, &conversation);
        let composer = desk.tab_of(&channel).and_then(|tab| tab.composer.as_mut());
        let Some(composer) = composer.filter(|composer| composer.conversation == conversation) else {
            return;
        };
        if !composer.is_loaded() {
            composer.replaced_text = aside;
            return composer.receive_draft(in_memory.unwrap_or(draft));
        }
        let is_first = !composer.is_shared;
        match composer.compare_draft(draft.filter(|_| in_memory.is_none())) {
            DraftComparison::Same => (),
            // The read may predate this window's last write.
            DraftComparison::Unconfirmed => context.push(Effect::Load(Load::Draft(channel, conversation))),
            DraftComparison::Changed(mine) => {
                let keeps = mine.is_some();
                composer.replaced_text = mine.or(aside);
                if keeps {
                    context.show_notice(
                        "also open in another window: its newer text is shown, :draft brings yours back",
                    );
                } else if is_first {
                    context.show_notice("also open in another window: its newer text is shown");
                }
            }
        }
    }
}

/// `:draft`
pub(crate) fn restore_replaced_text(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    let now = inbox.context.moment;
    let composer = inbox.desk.tab_mut().composer.as_mut();
    let aside = composer.and_then(|composer| Some((composer.replaced_text.take()?, composer)));
    let (text, composer) = aside.ok_or("no text here was replaced by another window")?;
    composer.restore(ComposedReply { text, ..ComposedReply::default() }, now);
    inbox.context.show_notice("your replaced text is restored above the newer one");
    Ok(())
}

impl Composer {
    /// Compares the stored draft and adopts a newer text, unless there is unsaved text.
    fn compare_draft(&mut self, draft: Option<Draft>) -> DraftComparison {
        let told = draft.filter(|draft| !draft.text.is_empty() && self.may_be_replaced());
        let Some(told) = told.filter(|entry| entry.text != self.reply_text()) else {
            self.unconfirmed_draft = None;
            return DraftComparison::Same;
        };
        if self.unconfirmed_draft.as_ref() != Some(&told.text) {
            self.unconfirmed_draft = Some(told.text);
            return DraftComparison::Unconfirmed;
        }
        self.unconfirmed_draft = None;
        let mine = self.reply_text();
        let kept = (!mine.trim().is_empty() && !told.text.contains(&mine)).then_some(mine);
        self.replace(told);
        DraftComparison::Changed(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{KeyCode, KeyPress};
    use model::time::Moment;

    fn draft(text: &str) -> Option<Draft> {
        Some(Draft { text: text.to_owned(), ..Draft::default() })
    }

    fn composer(text: &str) -> Composer {
        let mut composer = Composer::new(ConversationId::from("c"));
        composer.receive_draft(draft(text));
        composer
    }

    #[test]
    fn what_another_window_wrote_is_taken_once_it_is_sure() {
        let mut composer = composer("one");
        assert_eq!(composer.compare_draft(draft("one")), DraftComparison::Same);
        assert_eq!(
            composer.compare_draft(draft("two")),
            DraftComparison::Unconfirmed,
            "read before a write from here"
        );
        assert_eq!(composer.compare_draft(draft("one")), DraftComparison::Same);
        assert_eq!(composer.compare_draft(draft("two")), DraftComparison::Unconfirmed);
        assert_eq!(composer.compare_draft(draft("two")), DraftComparison::Changed(Some("one".to_owned())));
        assert_eq!((composer.text().as_str(), composer.is_shared), ("two", true));
        assert_eq!(composer.compare_draft(draft("two, longer")), DraftComparison::Unconfirmed);
        assert_eq!(
            composer.compare_draft(draft("two, longer")),
            DraftComparison::Changed(None),
            "nothing is lost"
        );
    }

    #[test]
    fn what_is_being_typed_here_is_not_replaced() {
        let mut composer = composer("one");
        composer.key(KeyPress::plain(KeyCode::Char('!')), Moment::default());
        for _ in 0..3 {
            assert_eq!(composer.compare_draft(draft("two")), DraftComparison::Same);
        }
        assert_eq!(composer.text(), "one!");
        composer.take_unsaved();
        assert_eq!(composer.compare_draft(draft("two")), DraftComparison::Unconfirmed);
        assert_eq!(
            composer.compare_draft(None),
            DraftComparison::Same,
            "sent or emptied elsewhere: typed on here"
        );
    }
}
