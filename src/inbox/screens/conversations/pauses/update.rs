//! Follows pauses of the AI, lists them and asks about old ones.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load};
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::screens::conversations::pauses::{AGAIN, LIMIT, PauseLeases, lease};
use model::local::LocalChange;
use model::outbox::Operation;
use model::queries::{ConversationKey, PausedEntry};
use model::text::SafeText;
use model::time::format_short_span;
use std::rc::Rc;

/// Opens the list of pauses.
pub(crate) fn show_paused(context: &mut Context) {
    listing::show_list(context, ListKind::Paused);
    context.push(Effect::Load(Load::Paused(LIMIT)));
}

/// Asks whether pauses that have gone on for long shall go on.
fn ask_lease(context: &mut Context, over: Vec<PausedEntry>) {
    let count = if over.len() == 1 { "it" } else { "all" };
    let over = Rc::new(over);
    let (shown, named) = (Rc::clone(&over), Rc::clone(&over));
    let question = Confirm::live("Paused for long", move |inbox| lease(inbox.context.now, &shown));
    let hand_back = move |inbox: &mut Inbox| inbox.desk.hand_back_all(&over, &mut inbox.context);
    let question = question.answer('h', format!("hand {count} back"), hand_back);
    let question = question
        .answer('e', "extend", |inbox: &mut Inbox| inbox.desk.extend_leases(&mut inbox.context))
        .esc("ask again in 15 min");
    context.open(question.naming(move |names| {
        named
            .iter()
            .filter_map(|paused_entry| paused_entry.title.as_ref())
            .for_each(|text| names.add(text.as_str()));
    }));
}

impl PauseLeases {
    /// Microseconds until the oldest pause has gone on for as long as the
    /// settings allow and the question does not rest; not positive once it has.
    pub(crate) fn lease_wait(&self, desk: &Desk, context: &Context) -> Option<i64> {
        let lease = context.settings.pause_lease;
        let oldest = desk.tabs.iter().filter_map(|tab| tab.counts.paused_since).min()?;
        let due = oldest.plus(lease).since(context.now);
        let rests = self.rests_until.map(|until| until.since(context.moment));
        (lease > 0).then_some(rests.map_or(due, |rests| rests.max(due)))
    }

    /// Whether a pause is over while the question cannot be asked.
    pub fn lease_waits(&self, desk: &Desk, context: &Context) -> bool {
        self.lease_wait(desk, context).is_some_and(|wait| wait <= 0)
    }

    /// Asks for the pauses where the list shows them, or when a lease is over
    /// and nothing has the keyboard that must not lose it.
    pub(crate) fn follow_leases(&mut self, desk: &Desk, context: &mut Context) {
        let shown = listing::shows_list(context, ListKind::Paused);
        if shown && std::mem::take(&mut self.stale) {
            context.push(Effect::Load(Load::Paused(LIMIT)));
        }
        let free = context.layers.is_empty() && !desk.is_typing();
        if self.lease_waits(desk, context) && free && !self.asks {
            self.asks = true;
            context.push(Effect::Load(Load::Paused(LIMIT)));
        }
    }

    /// The pauses have come.
    pub(crate) fn paused(&mut self, paused: Vec<PausedEntry>, context: &mut Context) {
        self.paused = paused;
        if !std::mem::take(&mut self.asks) {
            return;
        }
        let ended = context.now.plus(-context.settings.pause_lease);
        let over = self
            .paused
            .iter()
            .filter(|paused_entry| paused_entry.counts_from <= ended && !paused_entry.draft_only);
        let over: Vec<PausedEntry> = over.cloned().collect();
        self.rests_until = Some(context.moment.plus(AGAIN));
        if !over.is_empty() {
            ask_lease(context, over);
        }
    }

    /// Hands the chosen one of the list back.
    pub(crate) fn hand_back_chosen(&mut self, chosen: usize, desk: &mut Desk, context: &mut Context) {
        if let Some(entry) = self.paused.get(chosen).cloned() {
            desk.hand_back_all(&[entry], context);
        }
    }

    pub(crate) fn paused_lines(&self, context: &Context) -> Vec<ListLine> {
        let line = |paused_entry: &PausedEntry| {
            let waits = paused_entry
                .waiting_since
                .map(|since| format!("customer waits {}", format_short_span(context.now.since(since))));
            ListLine {
                name: paused_entry
                    .title
                    .clone()
                    .unwrap_or_else(|| SafeText::line(paused_entry.conversation.as_str())),
                words: SafeText::line(waits.as_deref().unwrap_or("no one waits")),
                right: format!("paused {}", format_short_span(context.now.since(paused_entry.since))),
                loud: paused_entry.waiting_since.is_some(),
                dim: false,
                goes_to: Some(ConversationKey {
                    channel: paused_entry.channel.clone(),
                    conversation: paused_entry.conversation.clone(),
                }),
            }
        };
        self.paused.iter().map(line).collect()
    }
}

impl Desk {
    /// Lets all pauses of a question go on.
    fn extend_leases(&mut self, context: &mut Context) {
        let now = context.now;
        let ended = now.plus(-context.settings.pause_lease);
        let channels = self.tabs.iter().filter(|tab| tab.counts.paused_here > 0);
        context.push_all(channels.map(|channel| {
            FileWrite::Keep(channel.channel.id.clone(), LocalChange::ExtendPauses(ended, now))
        }));
        context.say(format!(
            "they stay paused; asked again in {}",
            format_short_span(context.settings.pause_lease)
        ));
    }

    /// Hands these back to the AI.
    pub(crate) fn hand_back_all(&mut self, paused: &[PausedEntry], context: &mut Context) {
        let intent = |paused_entry: &PausedEntry| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == paused_entry.channel)?;
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
            return context.warn("the tab has not answered yet, so its channel is not known");
        }
        context.say(match intents.len() {
            1 => "handing back: the AI answers the next message".to_owned(),
            count => format!("handing back {count}: the AI answers their next messages"),
        });
        context.push(FileWrite::Enqueue { intents, clears_draft: false });
    }
}
