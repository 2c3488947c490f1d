//! What the trigger of completed campaigns tells, beside the broadcasts.
//!
//! Its shape is not told by the interface, so an event belongs to a broadcast
//! when one of its fields names it.

use crate::Inbox;
use crate::event::Effect;
use model::board::BoardEntry;
use model::fetches::Fetch;
use model::happenings::{Happening, TriggerKind};

impl Inbox {
    /// Asks for the events, if what is known of them is old.
    pub(crate) fn ask_completed(&mut self) {
        let channel = self.tab().channel.id.clone();
        let known = self.tab().account.is_some() && self.has_broadcasts();
        if known && self.deck.events_due(&channel, self.context.now) {
            self.context.push(Effect::Fetch(channel, Fetch::Events));
        }
    }

    /// The completed campaigns that are this broadcast, and how many are no
    /// broadcast known here.
    pub fn completed(&self, entry: &BoardEntry) -> (Vec<&Happening>, usize) {
        let told =
            self.deck.happenings(entry.channel()).iter().filter(|it| it.trigger == TriggerKind::Campaign);
        let known = |it: &&Happening| self.board.rows.rows.iter().any(|row| names(it, row));
        let (known, others): (Vec<&Happening>, Vec<&Happening>) = told.partition(known);
        (known.into_iter().filter(|it| names(it, entry)).collect(), others.len())
    }
}

/// Whether an event names a broadcast.
fn names(event: &Happening, entry: &BoardEntry) -> bool {
    let ids = entry.broadcasts();
    let named = |word: &str| ids.iter().any(|it| it.as_str() == word);
    named(&event.id) || event.fields.iter().any(|(_, value)| named(value.as_str()))
}
