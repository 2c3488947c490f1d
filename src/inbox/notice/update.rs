//! Messages in the status line, and the texts of facts.

use crate::Inbox;
use crate::changes::Changes;
use crate::command::Command;
use crate::components::text_view::TextView;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::SyncOrder;
use crate::features::undo_send::HeldRow;
use crate::keyboard::Keyboard;
use crate::keymap::update as keymap;
use crate::notice::{Notice, NoticeLifetime, StatusNotice};
use crate::overlays::prompt_guard::update as guard;
use crate::screens::composer::canned::update as canned;
use model::ids::{ChannelId, ConversationId, RowId};
use model::text::SafeText;
use model::time::{Moment, SECOND, Timestamp};

/// Current message, and true for a warning.
pub fn current_notice(inbox: &Inbox) -> Option<(String, bool)> {
    let notice = inbox.context.notice.as_ref()?;
    match &notice.lifetime {
        NoticeLifetime::Until(until) => {
            (inbox.context.moment < *until).then(|| (notice.text.clone(), notice.is_warning))
        }
        NoticeLifetime::While(fact) => Some((status_text(inbox, fact)?, notice.is_warning)),
    }
}

/// Opens the recent messages, newest first.
pub(crate) fn show_said(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    let zone = &inbox.context.settings.zone;
    let line =
        |(at, text): (Timestamp, &str)| SafeText::line(&format!("{}  {text}", at.hour_and_minute(zone)));
    let lines: Vec<SafeText> = inbox.context.notice_log.newest_first().map(line).collect();
    if lines.is_empty() {
        return Err("No messages yet".to_owned());
    }
    inbox.context.open(TextView::new("Messages, newest first", lines));
    Ok(())
}

pub(crate) fn remove_ended_notice(inbox: &mut Inbox) {
    if current_notice(inbox).is_none() {
        inbox.context.notice = None;
    }
}

/// Removes a notice from before the person went to another tab.
pub(crate) fn remove_notice_of_tab(inbox: &mut Inbox, before: Option<Notice>) {
    let is_old = inbox.context.notice == before;
    drop(inbox.context.notice.take_if(|notice| is_old && notice.is_about_tab()));
}

/// The text of a fact; `None` if it is no longer true.
fn status_text(inbox: &Inbox, fact: &StatusNotice) -> Option<String> {
    match fact {
        StatusNotice::Held { until, what } => {
            // Held on its way to the disk, too; there it gets its final time.
            let held = inbox
                .changes
                .held
                .iter()
                .map(|held| held.held_until)
                .filter(|moment| moment.since(*until).abs() < SECOND);
            let until = held.max().or(inbox.changes.is_queueing().then_some(*until))?;
            let left = until.since(inbox.context.moment);
            let seconds = (left + SECOND - 1) / SECOND;
            (left > 0).then(|| {
                format!("{what} in {seconds} s · {}", keymap::undo_hint(&inbox.desk, &inbox.context))
            })
        }
        StatusNotice::MessageHeld => inbox.changes.has_held_rows(&inbox.desk).then(|| {
            let undo = keymap::undo_hint(&inbox.desk, &inbox.context);
            if inbox.context.settings.is_plain {
                return format!("held · {undo}");
            }
            let send = inbox.context.settings.keymap.key_name_in_text(Command::Send);
            format!("held · {send} sends now · {undo}")
        }),
        StatusNotice::UnfilledPlaceholder => canned::open_field_error(&inbox.desk, &inbox.context),
        StatusNotice::Refreshing(channel) => {
            let asks = inbox.desk.tabs.iter().any(|tab| tab.channel.id == *channel && tab.is_refreshing);
            asks.then(|| "Asking the server…".to_owned())
        }
        StatusNotice::QueryingConnections => inbox.connections.describe_pending(),
        StatusNotice::UnansweredQuestion => guard::describe_answers(inbox),
        StatusNotice::Interrupted => inbox
            .keyboard
            .interrupted_until()
            .filter(|interrupted_until| inbox.context.moment < *interrupted_until)
            .map(|_| inbox.context.fill_in_keys("{interrupt} again quits; drafts are safe")),
    }
}

/// Warns about a row with unknown outcome, for as long as the row exists.
pub(crate) fn warn_of_unknown_outcome(
    inbox: &mut Inbox,
    channel: &ChannelId,
    row: RowId,
    words: &SafeText,
    why: &SafeText,
) {
    let decides = inbox.context.fill_in_keys("{go-to-outbox} decides");
    let name = name_elsewhere(&inbox.desk, channel);
    inbox.context.show_warning(format!("{name}{words} · {decides} · {why}"));
    if let Some(notice) = &mut inbox.context.notice {
        notice.row = Some(row);
    }
}

impl Keyboard {
    pub(crate) fn notice_due(&self, context: &Context) -> Option<Moment> {
        match &context.notice.as_ref()?.lifetime {
            NoticeLifetime::Until(until) => Some(*until),
            NoticeLifetime::While(StatusNotice::Interrupted) => self.interrupted_until(),
            NoticeLifetime::While(StatusNotice::Held { until, .. }) => Some(*until),
            NoticeLifetime::While(
                StatusNotice::MessageHeld
                | StatusNotice::UnfilledPlaceholder
                | StatusNotice::Refreshing(_)
                | StatusNotice::QueryingConnections
                | StatusNotice::UnansweredQuestion,
            ) => None,
        }
    }
}

impl Changes {
    /// True if a close of the conversation can still be undone.
    pub fn has_held_close(
        &self,
        channel: &ChannelId,
        conversation: &ConversationId,
        context: &Context,
    ) -> bool {
        let here =
            |held: &HeldRow| held.channel == *channel && held.lane.conversation() == Some(conversation);
        self.is_queueing() || self.held.iter().any(|entry| here(entry) && context.moment < entry.held_until)
    }
}

/// Name of a tab before a message about it; empty for the tab on screen.
pub(crate) fn name_elsewhere(desk: &Desk, channel: &ChannelId) -> String {
    let is_here = desk.tab().channel.id == *channel;
    let tab = desk.tabs.iter().find(|tab| !is_here && tab.channel.id == *channel);
    tab.map_or_else(String::new, |tab| format!("{}: ", tab.channel.name))
}

pub(crate) fn request_refresh(desk: &mut Desk, context: &mut Context) {
    let tab = desk.tab_mut();
    tab.is_refreshing = true;
    let channel = tab.channel.id.clone();
    context.push(SyncOrder::Refresh(channel.clone()));
    context.show_status(StatusNotice::Refreshing(channel));
}
