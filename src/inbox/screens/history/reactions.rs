//! Reactions: choosing one for a message, and taking one away.

use crate::Inbox;
use crate::event::{Effect, Intent};
use crate::overlays::Layer;
use crate::tab::Tab;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::outbox::Operation;
use model::reactions;

impl Inbox {
    pub(crate) fn pick_reaction(&mut self) {
        let tab = self.tab();
        let Some(history) = &tab.history else { return };
        let Some(row) = history.selected_message() else { return };
        let layer = Layer::React {
            channel: tab.channel.id.clone(),
            conversation: history.conversation.clone(),
            message: row.message.id.clone(),
            chosen: 0,
        };
        self.open_layer(layer);
    }

    pub(crate) fn remove_reaction(&mut self) {
        let message =
            self.tab().history.as_ref().and_then(|it| it.selected_message()).map(|it| it.message.id.clone());
        if let Some(message) = message {
            self.enqueue(Operation::React { message, emoji: String::new() }, 0);
        }
    }

    /// What can be put on a message of a channel with one key.
    pub fn quick_reactions(&self, channel: &ChannelId) -> &'static [&'static str; 8] {
        let tab = self.tabs.iter().find(|it| it.channel.id == *channel);
        reactions::quick(tab.and_then(Tab::platform))
    }

    /// Puts a chosen emoji on a message.
    pub(crate) fn react(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        message: &MessageId,
        emoji: &str,
    ) {
        let platform = self.tab_of(channel).and_then(|it| it.platform().cloned());
        let Some(platform) = platform else { return };
        let operation = Operation::React { message: message.clone(), emoji: emoji.to_owned() };
        let intent = Intent {
            channel: channel.clone(),
            platform,
            conversation: conversation.clone(),
            operation,
            hold: 0,
            seen: None,
            planned_at: None,
        };
        self.context.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
    }
}
