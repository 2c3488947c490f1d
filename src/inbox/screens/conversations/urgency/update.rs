//! Goes to the conversation that needs a person next.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::pages::PageKind;
use crate::tab::Focus;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::urgency;

impl Desk {
    /// Goes to the next that needs a person: in the loaded rows, else
    /// wherever the store knows one.
    pub(crate) fn next_waiting(&mut self, forwards: bool, context: &mut Context) {
        let visible = self.list_rows(&self.areas(context));
        match self.list().next_waiting(forwards) {
            Some(key) => {
                self.list_mut().select(&key, visible);
                self.page = PageKind::Inbox;
                self.go_to_selected(context);
            }
            None => {
                let scope = (!self.everywhere).then(|| self.tab().channel.id.clone());
                context.push(Effect::Load(Load::Needing(scope)));
            }
        }
    }

    /// Who needs a person has been looked up: the most urgent is opened that
    /// is not loaded already.
    pub(crate) fn most_urgent(
        &mut self,
        scope: Option<ChannelId>,
        rows: Vec<ConversationRow>,
        context: &mut Context,
    ) {
        let ranked = urgency::rank_rows(rows, context.now);
        let current = self.current_conversation().map(ConversationRow::key);
        let Some(next) = self.walk.next(&ranked, current.as_ref(), context.now) else {
            return match (ranked.is_empty(), scope) {
                (false, _) => context.warn("no one else is waiting"),
                (true, Some(_)) => context.warn("no one is waiting here"),
                (true, None) => context.warn("no one is waiting in any tab"),
            };
        };
        let focus = if self.tab().focus == Focus::List { Focus::List } else { Focus::History };
        let key = next.key();
        let why = urgency::describe_urgency(next, context.now);
        let title = next.conversation.title();
        self.visit(&key.channel, &key.conversation, focus, context);
        context.say(format!("{title}: {why}"));
    }
}
