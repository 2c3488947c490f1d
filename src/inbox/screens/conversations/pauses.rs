//! Pauses of the AI made from here are leases: a list of them, and a question
//! when one has gone on for long. Nothing is handed back unasked.

use crate::Inbox;
use crate::event::{Effect, Intent, Load};
use crate::overlays::Layer;
use crate::overlays::listing::{ListKind, ListLine};
use model::local::Keep;
use model::outbox::Operation;
use model::queries::{ConversationKey, PausedEntry};
use model::text::SafeText;
use model::time::{MINUTE, Timestamp, short_span};

/// Pauses that are read at most.
const LIMIT: u32 = 500;
/// How long a question that was left rests.
const AGAIN: i64 = 15 * MINUTE;

/// What is known of the pauses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Leasing {
    /// The pauses, oldest first.
    paused: Vec<PausedEntry>,
    /// Whether they may be old.
    pub(crate) stale: bool,
    /// Whether the question opens when they come.
    asks: bool,
    /// Until when it is not asked.
    rests_until: Option<Timestamp>,
}

impl Inbox {
    /// Opens the list of pauses.
    pub(crate) fn show_paused(&mut self) {
        self.show_list(ListKind::Paused);
        self.context.push(Effect::Load(Load::Paused(LIMIT)));
    }

    /// When the oldest pause has gone on for as long as the settings allow.
    pub(crate) fn lease_due(&self) -> Option<Timestamp> {
        let lease = self.context.settings.pause_lease;
        let oldest = self.tabs.iter().filter_map(|it| it.counts.paused_since).min()?;
        let due = oldest.plus(lease);
        (lease > 0).then_some(self.leasing.rests_until.map_or(due, |it| it.max(due)))
    }

    /// Whether a pause is over while the question cannot be asked.
    pub fn lease_waits(&self) -> bool {
        self.lease_due().is_some_and(|it| it <= self.context.now)
    }

    /// Asks for the pauses where the list shows them, or when a lease is over
    /// and nothing has the keyboard that must not lose it.
    pub(crate) fn follow_leases(&mut self) {
        let shown = matches!(self.layers.last(), Some(Layer::List { kind: ListKind::Paused, .. }));
        if shown && std::mem::take(&mut self.leasing.stale) {
            self.context.push(Effect::Load(Load::Paused(LIMIT)));
        }
        let free = self.layers.is_empty() && !self.is_typing();
        if self.lease_waits() && free && !self.leasing.asks {
            self.leasing.asks = true;
            self.context.push(Effect::Load(Load::Paused(LIMIT)));
        }
    }

    /// The pauses have come.
    pub(crate) fn paused(&mut self, paused: Vec<PausedEntry>) {
        self.leasing.paused = paused;
        if !std::mem::take(&mut self.leasing.asks) {
            return;
        }
        let ended = self.context.now.plus(-self.context.settings.pause_lease);
        let over = self.leasing.paused.iter().filter(|it| it.counts_from <= ended);
        let over: Vec<PausedEntry> = over.cloned().collect();
        self.leasing.rests_until = Some(self.context.now.plus(AGAIN));
        if !over.is_empty() {
            self.open_layer(Layer::AskLease { over });
        }
    }

    /// Lets all pauses of a question go on.
    pub(crate) fn extend_leases(&mut self) {
        let now = self.context.now;
        let ended = now.plus(-self.context.settings.pause_lease);
        let channels = self.tabs.iter().filter(|it| it.counts.paused_here > 0);
        self.context
            .effects
            .extend(channels.map(|it| Effect::Keep(it.channel.id.clone(), Keep::ExtendPauses(ended, now))));
        self.say(format!(
            "they stay paused; asked again in {}",
            short_span(self.context.settings.pause_lease)
        ));
    }

    /// Hands these back to the AI.
    pub(crate) fn hand_back_all(&mut self, paused: &[PausedEntry]) {
        let intent = |it: &PausedEntry| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == it.channel)?;
            Some(Intent {
                channel: it.channel.clone(),
                platform: tab.platform()?.clone(),
                conversation: it.conversation.clone(),
                operation: Operation::SetAutomation { enabled: true },
                hold: 0,
                seen: None,
                planned_at: None,
            })
        };
        let intents: Vec<Intent> = paused.iter().filter_map(intent).collect();
        if intents.is_empty() {
            return self.warn("the tab has not answered yet, so its channel is not known");
        }
        self.say(match intents.len() {
            1 => "handing back: the AI answers the next message".to_owned(),
            count => format!("handing back {count}: the AI answers their next messages"),
        });
        self.context.push(Effect::Enqueue { intents, clears_draft: false });
    }

    /// Hands the chosen one of the list back.
    pub(crate) fn hand_back_chosen(&mut self, chosen: usize) {
        if let Some(entry) = self.leasing.paused.get(chosen).cloned() {
            self.hand_back_all(&[entry]);
        }
    }

    /// The lines of the list.
    pub(crate) fn paused_lines(&self) -> Vec<ListLine> {
        let line = |it: &PausedEntry| {
            let waits = it
                .waiting_since
                .map(|since| format!("customer waits {}", short_span(self.context.now.since(since))));
            ListLine {
                name: it.title.clone().unwrap_or_else(|| SafeText::line(it.conversation.as_str())),
                words: SafeText::line(waits.as_deref().unwrap_or("no one waits")),
                right: format!("paused {}", short_span(self.context.now.since(it.since))),
                loud: it.waiting_since.is_some(),
                dim: false,
                goes_to: Some(ConversationKey {
                    channel: it.channel.clone(),
                    conversation: it.conversation.clone(),
                }),
            }
        };
        self.leasing.paused.iter().map(line).collect()
    }
}
