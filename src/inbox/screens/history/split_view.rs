//! A second conversation beside the first, on screens that are wide enough: it
//! is kept there to be read while another one is open.

use crate::context::Context;
use crate::desk::{Desk, SecondConversation};
use crate::event::{Effect, Load};
use crate::layout::WITH_SECOND;
use crate::screens::history::History;
use crate::tab::Focus;
use model::ids::{ChannelId, ConversationId};
use model::queries::{HistoryPage, HistoryQuery};

impl Desk {
    /// The second conversation, while it is not the first.
    pub fn second(&self) -> Option<&SecondConversation> {
        let tab = self.tab();
        let first = tab.history.as_ref().map(|history| tab.key_of(&history.conversation));
        self.beside.as_ref().filter(|beside| first.as_ref() != Some(&beside.key))
    }

    /// Keeps the current conversation beside others, or lets it go.
    pub(crate) fn keep_beside(&mut self, context: &mut Context) {
        let Some(row) = self.current_conversation().cloned() else { return };
        let key = row.key();
        if self.beside.take().is_some_and(|beside| beside.key == key) {
            return context.say("it is not kept beside others any more");
        }
        let mut history = History::new(key.channel.clone(), key.conversation.clone());
        let title = row.conversation.title();
        history.row = Some(row);
        self.beside = Some(SecondConversation { key, history });
        context.say(
            context
                .keyed(&format!("{title} stays beside the next one you open · {{swap-beside}} swaps them")),
        );
    }

    /// Goes to the second conversation; the first takes its place.
    pub(crate) fn swap_beside(&mut self, context: &mut Context) {
        let Some(key) = self.second().map(|second| second.key.clone()) else { return };
        let focus = self.tab().focus;
        self.keep_beside(context);
        let focus = if focus == Focus::Composer { Focus::History } else { focus };
        self.visit(&key.channel, &key.conversation, focus, context);
        context.notice = None;
    }

    /// Asks for its messages where they may be old.
    pub(crate) fn load_second(&mut self, context: &mut Context) {
        let (seen, now) = (self.areas(context).beside.is_some(), context.moment);
        if let Some(second) = self.beside.as_mut().filter(|_| seen) {
            context
                .effects
                .extend(second.history.take_query(now).map(|query| Effect::Load(Load::History(query))));
        }
    }

    /// Messages have come.
    pub(crate) fn second_loaded(&mut self, query: &HistoryQuery, page: &HistoryPage) {
        let of = |second_conversation: &&mut SecondConversation| {
            second_conversation.key.channel == query.channel
                && second_conversation.key.conversation == query.conversation
        };
        if let Some(second) = self.beside.as_mut().filter(of) {
            second.history.receive(query, page.clone());
        }
    }

    /// Something of a tab changed, or of one of its conversations.
    pub(crate) fn second_changed(&mut self, channel: &ChannelId, conversation: Option<&ConversationId>) {
        let of = |second_conversation: &&mut SecondConversation| {
            second_conversation.key.channel == *channel
                && conversation.is_none_or(|id| second_conversation.key.conversation == *id)
        };
        if let Some(second) = self.beside.as_mut().filter(of) {
            second.history.mark_stale();
        }
    }
}

/// Why there is no room for one.
pub(crate) fn no_room_for_second(context: &Context) -> Option<String> {
    let columns = context.size.0;
    (columns < WITH_SECOND)
        .then(|| format!("a second conversation fits from {WITH_SECOND} columns on; here are {columns}"))
}
