//! Bells and notifications: a bell for a message nobody is looking at, a notification while the terminal
//! lacks the focus, and neither in quiet hours.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use model::ids::{ChannelId, ConversationId};
use model::text::SafeText;
use model::time::{Moment, SECOND};
use std::collections::VecDeque;

/// Maximum number of bells for customers within [`BELL_SPAN`].
const MAX_BELLS: usize = 3;
/// Span of the limit, in microseconds.
const BELL_SPAN: i64 = 10 * SECOND;

/// Limits the bells for customers who write.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    ring_times: VecDeque<Moment>,
}

impl Bell {
    /// Rings for a customer who wrote, unless somebody reads the conversation.
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
        self.ring_times.retain(|at| context.moment.since(*at) < BELL_SPAN);
        if self.ring_times.len() == MAX_BELLS {
            return;
        }
        self.ring_times.push_back(context.moment);
        let notice = notification(desk, channel, conversation);
        context.alert(notice);
    }
}

/// Reports an event that needs a person, on any page.
pub(crate) fn report_alarm(desk: &mut Desk, channel: &ChannelId, text: &SafeText, context: &mut Context) {
    let here = desk.tab().channel.id == *channel;
    let name = desk.tab_of(channel).map(|tab| tab.channel.name.clone()).unwrap_or_default();
    context.show_warning(if here { text.to_string() } else { format!("{name}: {text}") });
    let place = SafeText::line(&name);
    // A notification may be seen by others.
    context.alert(TerminalOrder::Notify(place, text.clone()));
}

/// Sender and place only: a notification may be seen by others.
fn notification(desk: &Desk, channel: &ChannelId, conversation: &ConversationId) -> TerminalOrder {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel);
    let place = tab.map_or("", |tab| tab.channel.name.as_str());
    let row = tab.and_then(|tab| {
        let mut rows = tab.list.page.rows.iter();
        rows.find(|row| row.conversation.id == *conversation)
    });
    let who = match row {
        Some(row) => row.conversation.title(),
        None => SafeText::line("A customer"),
    };
    TerminalOrder::Notify(SafeText::line(place), SafeText::line(&format!("{who} writes")))
}
