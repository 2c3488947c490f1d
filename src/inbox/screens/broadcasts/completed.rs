//! Events of the trigger of completed campaigns, beside the broadcasts.
//!
//! The API does not define their shape, so an event belongs to a broadcast if one of its fields names it.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::SyncOrder;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::cards::CardsScreen;
use model::board::BoardEntry;
use model::fetches::Fetch;
use model::trigger_events::{TriggerEvent, TriggerKind};

impl CardsScreen {
    /// Requests the events if the known ones are old.
    pub(crate) fn request_events(&mut self, desk: &Desk, context: &mut Context) {
        let channel = desk.tab().channel.id.clone();
        let known = desk.tab().account.is_some() && broadcasts::has_broadcasts(desk);
        if known && self.take_events_due(&channel, context.moment) {
            context.push(SyncOrder::Fetch(channel, Fetch::Events));
        }
    }
}

/// Returns the completed campaigns that are this broadcast, and the number of those that are no broadcast
/// known here.
pub fn completed_campaigns<'a>(inbox: &'a Inbox, entry: &BoardEntry) -> (Vec<&'a TriggerEvent>, usize) {
    let told = inbox
        .cards
        .trigger_events(entry.channel())
        .iter()
        .filter(|happening| happening.trigger == TriggerKind::Campaign);
    let known = |happening: &&TriggerEvent| {
        inbox.broadcasts.rows.rows.iter().any(|row| names_broadcast(happening, row))
    };
    let (known, others): (Vec<&TriggerEvent>, Vec<&TriggerEvent>) = told.partition(known);
    (known.into_iter().filter(|happening| names_broadcast(happening, entry)).collect(), others.len())
}

/// True if a field of the event names the broadcast.
fn names_broadcast(event: &TriggerEvent, entry: &BoardEntry) -> bool {
    let ids = entry.broadcast_ids();
    let named = |word: &str| ids.iter().any(|entry| entry.as_str() == word);
    named(&event.id) || event.fields.iter().any(|(_, value)| named(value.as_str()))
}
