//! When the desk makes itself heard: a bell for a message nobody looks at, a
//! notification while the terminal does not have the focus, and neither in
//! quiet hours.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::features::bursts::Burst;
use model::ids::{ChannelId, ConversationId};
use model::text::SafeText;

impl Burst {
    /// A customer wrote.
    pub(crate) fn ring(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        desk: &Desk,
        context: &mut Context,
    ) {
        let hushed =
            desk.tabs.iter().any(|tab| tab.channel.id == *channel && tab.counts.muted.contains(conversation));
        let tab = desk.tab();
        let looking = context.focused
            && tab.channel.id == *channel
            && tab
                .history
                .as_ref()
                .is_some_and(|history| history.opened && history.conversation == *conversation);
        if looking || hushed || context.settings.notice.is_quiet(context.now, &context.settings.zone) {
            return;
        }
        if !self.hear(channel, conversation, context.moment) {
            return;
        }
        let notice = desk.notification(channel, conversation);
        context.make_heard(notice);
    }
}

impl Desk {
    /// Something a person must hear of, wherever they look.
    pub(crate) fn alarmed(&mut self, channel: &ChannelId, text: &SafeText, context: &mut Context) {
        let here = self.tab().channel.id == *channel;
        let name = self.tab_of(channel).map(|tab| tab.channel.name.clone()).unwrap_or_default();
        context.warn(if here { text.to_string() } else { format!("{name}: {text}") });
        let place = SafeText::line(&name);
        // A notification may be seen by others, and a text may be long.
        context.make_heard(TerminalOrder::Notify(place, text.clone()));
    }

    /// Who writes, and where. What they write stays on the screen: a
    /// notification may be seen by others.
    fn notification(&self, channel: &ChannelId, conversation: &ConversationId) -> TerminalOrder {
        let tab = self.tabs.iter().find(|tab| tab.channel.id == *channel);
        let place = tab.map_or("", |tab| tab.channel.name.as_str());
        let row = tab.and_then(|tab| {
            let mut rows = tab.list.page.rows.iter();
            rows.find(|row| row.conversation.id == *conversation)
        });
        let who = match row {
            Some(row) if !self.panes.blurred => row.conversation.title(),
            _ => SafeText::line("A customer"),
        };
        TerminalOrder::Notify(SafeText::line(place), SafeText::line(&format!("{who} writes")))
    }
}
