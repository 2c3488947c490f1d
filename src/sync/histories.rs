//! Queue of history reads: one at a time, in the order requested, so that two reads of one history do not
//! interleave.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::ChannelSync;

/// Readers and waiters; the first one reads.
#[derive(Debug, Default)]
pub(crate) struct HistoryQueue {
    tickets: u64,
    readers: VecDeque<(u64, Arc<Notify>)>,
}

impl HistoryQueue {
    fn join(&mut self) -> (u64, Arc<Notify>) {
        self.tickets += 1;
        let called = Arc::new(Notify::new());
        self.readers.push_back((self.tickets, called.clone()));
        if self.readers.len() == 1 {
            called.notify_one();
        }
        (self.tickets, called)
    }

    fn leave(&mut self, ticket: u64) {
        let was_first = self.readers.front().is_some_and(|reader| reader.0 == ticket);
        self.readers.retain(|reader| reader.0 != ticket);
        if let Some((_, called)) = self.readers.front().filter(|_| was_first) {
            called.notify_one();
        }
    }
}

/// Place in the queue, released on drop, also by a reader cancelled before its turn.
pub(crate) struct HistoryTurn<'a> {
    channel: &'a ChannelSync,
    ticket: u64,
}

impl Drop for HistoryTurn<'_> {
    fn drop(&mut self) {
        self.channel.state(|channel| channel.histories.leave(self.ticket));
    }
}

impl ChannelSync {
    /// Waits for a turn behind all earlier requests.
    pub(crate) async fn history_turn(&self) -> HistoryTurn<'_> {
        let (ticket, called) = self.state(|sync_state| sync_state.histories.join());
        let turn = HistoryTurn { channel: self, ticket };
        called.notified().await;
        turn
    }

    /// Returns a turn if the queue is empty.
    pub(crate) fn history_turn_now(&self) -> Option<HistoryTurn<'_>> {
        let free = self.state(|entry| entry.histories.readers.is_empty().then(|| entry.histories.join().0));
        free.map(|ticket| HistoryTurn { channel: self, ticket })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;

    use crate::tests::{Still, channel, look};

    #[test]
    fn histories_are_read_one_at_a_time_as_they_were_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let (channel, _) = channel(folder.path(), Arc::new(Still));
        let first = look(pin!(channel.history_turn())).expect("nobody reads");
        let (mut second, mut third) = (pin!(channel.history_turn()), pin!(channel.history_turn()));
        assert!(look(second.as_mut()).is_none() && look(third.as_mut()).is_none());
        drop(first);
        assert!(look(third.as_mut()).is_none(), "another was first");
        assert!(channel.history_turn_now().is_none(), "two wait");
        let second = look(second).expect("its turn");
        assert!(look(third.as_mut()).is_none());
        drop(second);
        drop(look(third).expect("its turn"));
        assert!(channel.history_turn_now().is_some(), "nobody waits any more");
    }

    #[test]
    fn a_reading_that_is_given_up_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let (channel, _) = channel(folder.path(), Arc::new(Still));
        let first = channel.history_turn_now().expect("nobody reads");
        let mut last = pin!(channel.history_turn());
        {
            let (mut waits, mut called) = (pin!(channel.history_turn()), pin!(channel.history_turn()));
            assert!(look(called.as_mut()).is_none() && look(waits.as_mut()).is_none());
            assert!(look(last.as_mut()).is_none());
            // The first waiter is called and dropped before it polls.
            drop(first);
        }
        drop(look(last).expect("its turn"));
        assert!(channel.history_turn_now().is_some());
    }
}
