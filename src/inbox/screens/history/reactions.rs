//! Adding and removing reactions.

use crate::Inbox;
use crate::components::list::wrapped_selection_after_key;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::sending;
use crate::tab::Tab;
use model::ids::{ChannelId, ConversationId, MessageId};
use model::outbox::Operation;
use model::reactions;

#[derive(Debug)]
pub(crate) struct ReactionPicker {
    pub(crate) channel: ChannelId,
    conversation: ConversationId,
    message: MessageId,
    pub(crate) chosen: usize,
}

impl Overlay for ReactionPicker {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let offered = quick_reactions(&inbox.desk, &self.channel);
        let count = offered.len();
        let digit = key
            .typed()
            .and_then(|character| character.to_digit(10))
            .and_then(|number| usize::try_from(number).ok());
        let picked = match (key.code, digit) {
            (KeyCode::Enter, _) => self.chosen,
            (_, Some(number)) if (1..=count).contains(&number) => number - 1,
            (KeyCode::Esc | KeyCode::Char('q'), _) => return KeyOutcome::Done,
            (code, _) => {
                self.chosen = match code {
                    KeyCode::Left | KeyCode::Char('h' | 'k') => (self.chosen + count - 1) % count,
                    KeyCode::Right | KeyCode::Char('l' | 'j') => (self.chosen + 1) % count,
                    _ => wrapped_selection_after_key(key, self.chosen, count).unwrap_or(self.chosen),
                };
                return KeyOutcome::Stay;
            }
        };
        react(
            &mut inbox.desk,
            &self.channel,
            &self.conversation,
            &self.message,
            offered[picked],
            &mut inbox.context,
        );
        KeyOutcome::Done
    }
}

pub(crate) fn open_reaction_picker(desk: &mut Desk, context: &mut Context) {
    let tab = desk.tab();
    let Some(history) = &tab.history else { return };
    let Some(row) = history.selected_message() else { return };
    let picker = ReactionPicker {
        channel: tab.channel.id.clone(),
        conversation: history.conversation.clone(),
        message: row.message.id.clone(),
        chosen: 0,
    };
    context.open(picker);
}

pub(crate) fn remove_reaction(desk: &mut Desk, context: &mut Context) {
    let message = desk
        .tab()
        .history
        .as_ref()
        .and_then(|history| history.selected_message())
        .map(|message_row| message_row.message.id.clone());
    if let Some(message) = message {
        sending::enqueue(desk, Operation::React { message, emoji: String::new() }, 0, context);
    }
}

/// Reactions offered with one key on a message of this channel.
pub fn quick_reactions(desk: &Desk, channel: &ChannelId) -> &'static [&'static str; 8] {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel);
    reactions::quick_reactions(tab.and_then(Tab::platform))
}

fn react(
    desk: &mut Desk,
    channel: &ChannelId,
    conversation: &ConversationId,
    message: &MessageId,
    emoji: &str,
    context: &mut Context,
) {
    let platform = desk.tab_of(channel).and_then(|tab| tab.platform().cloned());
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
    context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
}
