//! Says things in the status line, and words what it states.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::text_view::TextView;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::SyncOrder;
use crate::features::undo_send::Held;
use crate::keyboard::Keyboard;
use crate::notice::{Fact, Lasts};
use crate::overlays::guard::update as guard;
use model::ids::{ChannelId, ConversationId, RowId};
use model::text::SafeText;
use model::time::{Moment, SECOND, Timestamp};

/// What the status line says now, and whether something went wrong.
pub fn noticed(inbox: &Inbox) -> Option<(String, bool)> {
    let notice = inbox.context.notice.as_ref()?;
    match &notice.lasts {
        Lasts::Until(until) => (inbox.context.moment < *until).then(|| (notice.text.clone(), notice.warning)),
        Lasts::While(fact) => Some((words_of(inbox, fact)?, notice.warning)),
    }
}

/// Opens what the status line said lately, newest first.
pub(crate) fn show_said(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    let zone = &inbox.context.settings.zone;
    let line =
        |(at, text): (Timestamp, &str)| SafeText::line(&format!("{}  {text}", at.hour_and_minute(zone)));
    let lines: Vec<SafeText> = inbox.context.said.newest_first().map(line).collect();
    if lines.is_empty() {
        return Err("nothing was said yet".to_owned());
    }
    inbox.context.open(TextView::new("What was said here, newest first", lines));
    Ok(())
}

/// A line that is over goes.
pub(crate) fn end_notice(inbox: &mut Inbox) {
    if noticed(inbox).is_none() {
        inbox.context.notice = None;
    }
}

/// The words of a fact; `None` where it is none any more.
fn words_of(inbox: &Inbox, fact: &Fact) -> Option<String> {
    match fact {
        Fact::Held { until, what, back } => {
            // On its way to the disk it is held, too; there it gets its own time.
            let held = inbox
                .changes
                .held
                .iter()
                .map(|held| held.until)
                .filter(|moment| moment.since(*until).abs() < SECOND);
            let until = held.max().or(inbox.changes.is_queueing().then_some(*until))?;
            let left = until.since(inbox.context.moment);
            let seconds = (left + SECOND - 1) / SECOND;
            (left > 0)
                .then(|| format!("{what} in {seconds} s · {} {back}", inbox.desk.undo_key(&inbox.context)))
        }
        Fact::Unfilled => inbox.desk.unfilled(&inbox.context),
        Fact::Asking(channel) => {
            let asks = inbox.desk.tabs.iter().any(|tab| tab.channel.id == *channel && tab.asked);
            asks.then(|| "asking the server".to_owned())
        }
        Fact::KeysWait => match inbox.keyboard.ahead.waiting(inbox.context.moment) {
            0 => None,
            1 => Some("this desk's files are still being read; 1 key waits · Esc drops it".to_owned()),
            keys => {
                Some(format!("this desk's files are still being read; {keys} keys wait · Esc drops them"))
            }
        },
        Fact::LookingUp => inbox.connections.asking_words(),
        Fact::Question => guard::answer_words(inbox),
        Fact::Interrupted => inbox
            .keyboard
            .interrupted_until()
            .filter(|interrupted_until| inbox.context.moment < *interrupted_until)
            .map(|_| inbox.context.keyed("press {interrupt} again to quit; drafts are safe")),
    }
}

/// Says that it is not known whether a row of the outbox was done, for as long
/// as the row is there.
pub(crate) fn row_is_unknown(context: &mut Context, row: RowId, words: &SafeText, why: &SafeText) {
    let decides = context.keyed("{go-to-outbox} decides");
    context.warn(format!("{words} · {decides} · {why}"));
    if let Some(notice) = &mut context.notice {
        notice.about = Some(row);
    }
}

impl Keyboard {
    /// When a line ends by itself.
    pub(crate) fn notice_due(&self, context: &Context) -> Option<Moment> {
        match &context.notice.as_ref()?.lasts {
            Lasts::Until(until) => Some(*until),
            Lasts::While(Fact::Interrupted) => self.interrupted_until(),
            Lasts::While(Fact::Held { until, .. }) => Some(*until),
            Lasts::While(
                Fact::Unfilled | Fact::Asking(_) | Fact::KeysWait | Fact::LookingUp | Fact::Question,
            ) => None,
        }
    }
}

impl Changes {
    /// Whether a close of a conversation can still be taken back.
    pub fn holds_close(&self, channel: &ChannelId, conversation: &ConversationId, context: &Context) -> bool {
        let here = |held: &Held| held.channel == *channel && held.lane.conversation() == Some(conversation);
        self.is_queueing() || self.held.iter().any(|entry| here(entry) && context.moment < entry.until)
    }
}

impl Desk {
    /// Reads everything of the current tab again now.
    pub(crate) fn ask_server(&mut self, context: &mut Context) {
        let tab = self.tab_mut();
        tab.asked = true;
        let channel = tab.channel.id.clone();
        context.push(SyncOrder::Refresh(channel.clone()));
        context.state(Fact::Asking(channel));
    }
}
