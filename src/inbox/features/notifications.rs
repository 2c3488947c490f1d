//! When the desk makes itself heard: a bell for a message nobody looks at, a
//! notification while the terminal does not have the focus, and neither in
//! quiet hours.

use crate::Inbox;
use crate::event::Effect;
use model::ids::{ChannelId, ConversationId};
use model::text::SafeText;

impl Inbox {
    /// A customer wrote.
    pub(crate) fn ring(&mut self, channel: &ChannelId, conversation: &ConversationId) {
        let hushed =
            self.tabs.iter().any(|it| it.channel.id == *channel && it.counts.hushed.contains(conversation));
        let tab = self.tab();
        let looking = self.context.focused
            && tab.channel.id == *channel
            && tab.history.as_ref().is_some_and(|it| it.opened && it.conversation == *conversation);
        if looking
            || hushed
            || self.context.settings.notice.is_quiet(self.context.now, &self.context.settings.zone)
        {
            return;
        }
        if !self.burst.hear(channel, conversation, self.context.now) {
            return;
        }
        let notice = self.notification(channel, conversation);
        self.make_heard(notice);
    }

    /// Rings, and shows a notification where the terminal has not the focus.
    pub(crate) fn make_heard(&mut self, notice: Effect) {
        if self.context.settings.notice.is_quiet(self.context.now, &self.context.settings.zone) {
            return;
        }
        if self.context.settings.notice.bell && !self.context.effects.contains(&Effect::Bell) {
            self.context.push(Effect::Bell);
        }
        let unseen = self.context.settings.notice.desktop && !self.context.focused;
        if unseen && !self.context.effects.contains(&notice) {
            self.context.push(notice);
        }
    }

    /// Something a person must hear of, wherever they look.
    pub(crate) fn alarmed(&mut self, channel: &ChannelId, text: &SafeText) {
        let here = self.tab().channel.id == *channel;
        let name = self.tab_of(channel).map(|it| it.channel.name.clone()).unwrap_or_default();
        self.warn(if here { text.to_string() } else { format!("{name}: {text}") });
        let place = SafeText::line(&name);
        // A notification may be seen by others, and a text may be long.
        self.make_heard(Effect::Notify(place, text.clone()));
    }

    /// The time of a conversation that was put aside has come.
    pub(crate) fn ring_back(&mut self) {
        let quiet = self.context.settings.notice.is_quiet(self.context.now, &self.context.settings.zone);
        if self.context.settings.notice.bell && !quiet && !self.context.effects.contains(&Effect::Bell) {
            self.context.push(Effect::Bell);
        }
    }

    /// Who writes, and where. What they write stays on the screen: a
    /// notification may be seen by others.
    fn notification(&self, channel: &ChannelId, conversation: &ConversationId) -> Effect {
        let tab = self.tabs.iter().find(|it| it.channel.id == *channel);
        let place = tab.map_or("", |it| it.channel.name.as_str());
        let row = tab.and_then(|it| {
            let mut rows = it.list.page.rows.iter();
            rows.find(|row| row.conversation.id == *conversation)
        });
        let who = match row {
            Some(row) if !self.blurred => row.conversation.title(),
            _ => SafeText::line("A customer"),
        };
        Effect::Notify(SafeText::line(place), SafeText::line(&format!("{who} writes")))
    }
}
