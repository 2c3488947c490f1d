//! Looks for words in the history, and goes from hit to hit.

use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::overlays::line::{LineKind, LinePrompt};
use crate::screens::history::find::{FOUND, Find};
use crate::screens::history::lines::ItemKey;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::search::{SearchPage, SearchQuery};

impl Desk {
    /// Opens the line in which one types what to look for.
    pub(crate) fn open_find(&mut self, context: &mut Context) {
        let Some(history) = &self.tab().history else { return };
        let kind = LineKind::Find(history.selected.clone());
        context.open(LinePrompt { kind, text: TextLine::default() });
    }

    /// Looks for a text in the current history.
    pub(crate) fn look_for(&mut self, text: &str, context: &mut Context) {
        if let Some(history) = &mut self.tab_mut().history {
            history.find = Find::new(text);
        }
        self.ask_here(context);
    }

    /// Asks where in this conversation stands what is looked for.
    pub(crate) fn ask_here(&mut self, context: &mut Context) {
        let channel = self.tab().channel.id.clone();
        let Some(history) = &self.tab().history else { return };
        let Some(find) = &history.find else { return };
        let query = SearchQuery {
            text: find.text.clone(),
            channel: Some(channel),
            conversation: Some(history.conversation.clone()),
            limit: FOUND,
            ..SearchQuery::default()
        };
        context.push(Effect::Load(Load::Search(query)));
    }

    /// Takes back what was typed: the history is where it was.
    pub(crate) fn forget_find(&mut self, before: Option<&ItemKey>) {
        let Some(history) = &mut self.tab_mut().history else { return };
        history.find = None;
        match before {
            Some(key) => history.select_key(key),
            None => history.follow(),
        }
    }

    /// Where a text was found in a conversation.
    pub(crate) fn found_here(&mut self, query: &SearchQuery, page: SearchPage, context: &mut Context) {
        let Some(channel) = &query.channel else { return };
        let Some(history) = self.tab_of(channel).and_then(|tab| tab.history.as_mut()) else { return };
        if Some(&history.conversation) != query.conversation.as_ref() {
            return;
        }
        let Some(find) = history.find.as_mut().filter(|find| find.text == query.text) else { return };
        // Whoever came to one hit stays there when the others are known.
        let current = find.hits.take().and_then(|hit| hit.into_iter().nth(find.at));
        let hits: Vec<MessageId> = page.hits.into_iter().map(|hit| hit.message).collect();
        let at = hits.iter().position(|hit| Some(hit) == current.as_ref());
        (find.at, find.hits) = (at.unwrap_or(0), Some(hits));
        if at.is_none() {
            self.go_to_hit(context);
        }
    }

    /// Goes to the next older or newer hit, round at the ends.
    pub(crate) fn next_hit(&mut self, older: bool, context: &mut Context) {
        let Some(find) = self.tab_mut().history.as_mut().and_then(|history| history.find.as_mut()) else {
            return;
        };
        let count = find.hits.as_ref().map_or(0, Vec::len).max(1);
        find.at = if older { (find.at + 1) % count } else { (find.at + count - 1) % count };
        let words = format!("{} · {}", find.text, find.place());
        context.say(words);
        self.go_to_hit(context);
    }

    fn go_to_hit(&mut self, context: &mut Context) {
        let found = self.tab().history.as_ref().and_then(|history| {
            let find = history.find.as_ref()?;
            find.hits.as_ref()?.get(find.at).cloned()
        });
        if let Some(message) = found {
            self.seek(message, context);
        }
    }

    /// Shows a message of the current conversation, however far back.
    pub(crate) fn seek(&mut self, message: MessageId, context: &mut Context) {
        let channel = self.tab().channel.id.clone();
        let Some(history) = &mut self.tab_mut().history else { return };
        let conversation = history.conversation.clone();
        if !history.seek(&ItemKey::Message(message.clone())) {
            context.push(Effect::Load(Load::Depth(channel, conversation, message)));
        }
    }

    /// How far back a message is was looked up.
    pub(crate) fn depth_known(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        depth: Option<u32>,
        context: &mut Context,
    ) {
        let history = self.tab_of(channel).and_then(|tab| tab.history.as_mut());
        let Some(history) = history.filter(|history| history.conversation == *conversation) else { return };
        match depth {
            Some(depth) if history.widen(depth) => (),
            Some(depth) => context.warn(format!("that message is {depth} back: more than a history shows")),
            None => context.warn("that message is not stored any more"),
        }
    }
}
