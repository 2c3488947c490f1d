//! Answers what is to be read from the files, one after another.
//!
//! Knows nothing of what is read for what.

use std::sync::mpsc::Receiver;

use crate::app::event::{Event, Load};
use crate::shell::effects::load;
use crate::shell::mailbox::Mailbox;
use crate::store::Reader;

/// Answers loads until nobody asks any more; of those that wait, the newest
/// of each thing is enough.
pub(super) fn answer_all(mut reader: Reader, queue: &Receiver<Load>, mailbox: &Mailbox) {
    while let Ok(first) = queue.recv() {
        let mut waiting = vec![first];
        waiting.extend(queue.try_iter());
        for (index, wanted) in waiting.iter().enumerate() {
            let superseded = waiting[index + 1..].iter().any(|it| replaces(it, wanted));
            if !superseded {
                mailbox.result(Event::Loaded(load(&mut reader, wanted.clone())));
            }
        }
    }
}

/// Whether answering the newer load makes the older one's answer unwanted.
fn replaces(newer: &Load, older: &Load) -> bool {
    match (newer, older) {
        (Load::Conversations(newer), Load::Conversations(older)) => newer.channel == older.channel,
        // Two of one channel can stand side by side.
        (Load::History(newer), Load::History(older)) => {
            (&newer.channel, &newer.conversation) == (&older.channel, &older.conversation)
        }
        (Load::People(newer), Load::People(older)) => newer.channel == older.channel,
        (Load::Outbox(_), Load::Outbox(_)) | (Load::Drafts(_), Load::Drafts(_)) => true,
        _ => newer == older,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::queries::HistoryQuery;

    #[test]
    fn two_histories_of_a_channel_are_both_read() {
        let history = |channel: &str, conversation: &str, limit| {
            Load::History(HistoryQuery { channel: channel.into(), conversation: conversation.into(), limit })
        };
        let older = history("harbor", "c1", 50);
        let cases = [
            (history("harbor", "c1", 100), true),
            (history("harbor", "c2", 50), false),
            (history("other", "c1", 50), false),
            (Load::Counts("harbor".into()), false),
        ];
        for (newer, expected) in cases {
            assert_eq!(replaces(&newer, &older), expected, "{newer:?}");
        }
    }
}
