//! The same draft open in two windows of this desk: the newer text is taken,
//! what it replaces can be fetched back, and the composer says so.

use crate::Inbox;
use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::composer::{ComposedReply, Composer};
use crate::tab::Tab;
use model::ids::{ChannelId, ConversationId};
use model::queries::Draft;

/// How the saved draft differs from the text in the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Compared {
    /// Nothing else, or nothing that matters.
    Same,
    /// Something else, as far as one reading tells.
    Perhaps,
    /// Another window saved a newer text, now in the composer; holds the one it replaced.
    Other(Option<String>),
}

/// Asks what the disk holds of the current draft: another window may have
/// written it.
pub(crate) fn compare(tab: &Tab) -> Option<Effect> {
    let composer = tab.composer.as_ref().filter(|composer| composer.is_loaded())?;
    Some(Effect::Load(Load::Draft(tab.channel.id.clone(), composer.conversation.clone())))
}

impl Changes {
    /// A draft has come: at first into an empty composer, then to be compared.
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
            composer.aside = aside;
            return composer.receive_draft(in_memory.unwrap_or(draft));
        }
        let is_first = !composer.shared;
        match composer.compare(draft.filter(|_| in_memory.is_none())) {
            Compared::Same => (),
            // It may have been read before the newest write from here.
            Compared::Perhaps => context.push(Effect::Load(Load::Draft(channel, conversation))),
            Compared::Other(mine) => {
                let keeps = mine.is_some();
                composer.aside = mine.or(aside);
                if keeps {
                    context.say(
                        "also open in another window: its newer text is shown, :draft brings yours back",
                    );
                } else if is_first {
                    context.say("also open in another window: its newer text is shown");
                }
            }
        }
    }
}

/// `:draft`
pub(crate) fn fetch_aside(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    let now = inbox.context.moment;
    let composer = inbox.desk.tab_mut().composer.as_mut();
    let aside = composer.and_then(|composer| Some((composer.aside.take()?, composer)));
    let (text, composer) = aside.ok_or("no other window has written over a text here")?;
    composer.restore(ComposedReply { text, ..ComposedReply::default() }, now);
    inbox.context.say("the text that was written over stands before the other one");
    Ok(())
}

impl Composer {
    /// Compares what the disk holds here; what another window
    /// wrote since takes its place, unless something is being typed here.
    fn compare(&mut self, draft: Option<Draft>) -> Compared {
        let told = draft.filter(|draft| !draft.text.is_empty() && self.may_be_replaced());
        let Some(told) = told.filter(|entry| entry.text != self.reply_text()) else {
            self.suspect = None;
            return Compared::Same;
        };
        if self.suspect.as_ref() != Some(&told.text) {
            self.suspect = Some(told.text);
            return Compared::Perhaps;
        }
        self.suspect = None;
        let mine = self.reply_text();
        let kept = (!mine.trim().is_empty() && !told.text.contains(&mine)).then_some(mine);
        self.replace(told);
        Compared::Other(kept)
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
        assert_eq!(composer.compare(draft("one")), Compared::Same);
        assert_eq!(composer.compare(draft("two")), Compared::Perhaps, "read before a write from here");
        assert_eq!(composer.compare(draft("one")), Compared::Same);
        assert_eq!(composer.compare(draft("two")), Compared::Perhaps);
        assert_eq!(composer.compare(draft("two")), Compared::Other(Some("one".to_owned())));
        assert_eq!((composer.text().as_str(), composer.shared), ("two", true));
        assert_eq!(composer.compare(draft("two, longer")), Compared::Perhaps);
        assert_eq!(composer.compare(draft("two, longer")), Compared::Other(None), "nothing is lost");
    }

    #[test]
    fn what_is_being_typed_here_is_not_replaced() {
        let mut composer = composer("one");
        composer.key(KeyPress::plain(KeyCode::Char('!')), Moment::default());
        for _ in 0..3 {
            assert_eq!(composer.compare(draft("two")), Compared::Same);
        }
        assert_eq!(composer.text(), "one!");
        composer.take_unsaved();
        assert_eq!(composer.compare(draft("two")), Compared::Perhaps);
        assert_eq!(composer.compare(None), Compared::Same, "sent or emptied elsewhere: typed on here");
    }
}
