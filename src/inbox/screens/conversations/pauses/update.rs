//! Asks about old pauses of the AI, and hands pauses back.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load};
use crate::screens::conversations::pauses::{
    MAX_PAUSES, PauseLeases, REMINDER_INTERVAL, expired_lease_lines,
};
use model::local::LocalChange;
use model::outbox::Operation;
use model::queries::PausedEntry;
use model::time::format_short_span;
use std::rc::Rc;

/// Asks whether pauses whose lease is over are to continue.
fn ask_about_leases(context: &mut Context, over: Vec<PausedEntry>) {
    let count = if over.len() == 1 { "it" } else { "all" };
    let over = Rc::new(over);
    let shown = Rc::clone(&over);
    let question = Confirm::with_live_lines("Paused for long", move |inbox| {
        expired_lease_lines(inbox.context.now, &shown)
    });
    let hand_back = move |inbox: &mut Inbox| hand_back_all(&mut inbox.desk, &over, &mut inbox.context);
    let question = question.answer('h', format!("hand {count} back"), hand_back);
    let question = question
        .answer('e', "extend", |inbox: &mut Inbox| extend_leases(&mut inbox.desk, &mut inbox.context))
        .esc("remind me in 15 min");
    context.open(question);
}

impl PauseLeases {
    /// Microseconds until the question about leases is due; 0 or less if it is.
    pub(crate) fn time_until_question(&self, desk: &Desk, context: &Context) -> Option<i64> {
        let lease = context.settings.pause_lease;
        let oldest = desk.tabs.iter().filter_map(|tab| tab.counts.paused_since).min()?;
        let due = oldest.plus(lease).since(context.now);
        let rests = self.silent_until.map(|until| until.since(context.moment));
        (lease > 0).then_some(rests.map_or(due, |rests| rests.max(due)))
    }

    pub fn is_question_due(&self, desk: &Desk, context: &Context) -> bool {
        self.time_until_question(desk, context).is_some_and(|wait| wait <= 0)
    }

    /// Loads the pauses when a lease is over and nothing has the keyboard that must not lose it.
    pub(crate) fn load_pauses_when_due(&mut self, desk: &Desk, context: &mut Context) {
        let free = context.overlays.is_empty() && !desk.is_typing();
        if self.is_question_due(desk, context) && free && !self.asks_on_load {
            self.asks_on_load = true;
            context.push(Effect::Load(Load::PausedConversations(MAX_PAUSES)));
        }
    }

    /// Opens the question if a lease is over.
    pub(crate) fn receive_pauses(&mut self, paused: Vec<PausedEntry>, context: &mut Context) {
        self.asks_on_load = false;
        let ended = context.now.plus(-context.settings.pause_lease);
        let mut over = paused;
        over.retain(|pause| pause.counts_from <= ended && !pause.draft_only);
        self.silent_until = Some(context.moment.plus(REMINDER_INTERVAL));
        if !over.is_empty() {
            ask_about_leases(context, over);
        }
    }
}

/// Renews the leases that are over.
fn extend_leases(desk: &mut Desk, context: &mut Context) {
    let now = context.now;
    let ended = now.plus(-context.settings.pause_lease);
    let channels = desk.tabs.iter().filter(|tab| tab.counts.paused_here > 0);
    context.push_all(channels.map(|channel| {
        FileWrite::ChangeLocal(channel.channel.id.clone(), LocalChange::ExtendPauses(ended, now))
    }));
    context.show_notice(format!(
        "still paused; reminder in {}",
        format_short_span(context.settings.pause_lease)
    ));
}

pub(crate) fn hand_back_all(desk: &mut Desk, paused: &[PausedEntry], context: &mut Context) {
    let intent = |paused_entry: &PausedEntry| {
        let tab = desk.tabs.iter().find(|tab| tab.channel.id == paused_entry.channel)?;
        Some(Intent {
            channel: paused_entry.channel.clone(),
            platform: tab.platform()?.clone(),
            conversation: paused_entry.conversation.clone(),
            operation: Operation::SetAutomation { enabled: true },
            hold: 0,
            seen: None,
            planned_at: None,
        })
    };
    let intents: Vec<Intent> = paused.iter().filter_map(intent).collect();
    if intents.is_empty() {
        return context.show_warning("the channel has not answered yet; try again in a moment");
    }
    context.show_notice(match intents.len() {
        1 => "handing back: the AI answers the next message".to_owned(),
        count => format!("handing back {count}: the AI answers their next messages"),
    });
    context.push(FileWrite::Enqueue { intents, clears_draft: false });
}
