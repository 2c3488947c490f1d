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
pub(crate) struct HistoryTicket<'a> {
    channel: &'a ChannelSync,
    ticket: u64,
}

impl Drop for HistoryTicket<'_> {
    fn drop(&mut self) {
        self.channel.with_state(|channel| channel.histories.leave(self.ticket));
    }
}

impl ChannelSync {
    /// Waits for a turn behind all earlier requests.
    pub(crate) async fn wait_for_history(&self) -> HistoryTicket<'_> {
        let (ticket, called) = self.with_state(|sync_state| sync_state.histories.join());
        let turn = HistoryTicket { channel: self, ticket };
        called.notified().await;
        turn
    }

    /// Returns a turn if the queue is empty.
    pub(crate) fn try_begin_history(&self) -> Option<HistoryTicket<'_>> {
        let free =
            self.with_state(|entry| entry.histories.readers.is_empty().then(|| entry.histories.join().0));
        free.map(|ticket| HistoryTicket { channel: self, ticket })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;

    use crate::tests::{Still, channel, poll_once};

    #[test]
    fn histories_are_read_one_at_a_time_as_they_were_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let (channel, _) = channel(folder.path(), Arc::new(Still));
        let first = poll_once(pin!(channel.wait_for_history())).expect("nobody reads");
        let (mut second, mut third) = (pin!(channel.wait_for_history()), pin!(channel.wait_for_history()));
        assert!(poll_once(second.as_mut()).is_none() && poll_once(third.as_mut()).is_none());
        drop(first);
        assert!(poll_once(third.as_mut()).is_none(), "another was first");
        assert!(channel.try_begin_history().is_none(), "two wait");
        let second = poll_once(second).expect("its turn");
        assert!(poll_once(third.as_mut()).is_none());
        drop(second);
        drop(poll_once(third).expect("its turn"));
        assert!(channel.try_begin_history().is_some(), "nobody waits any more");
    }

    #[test]
    fn a_reading_that_is_given_up_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let (channel, _) = channel(folder.path(), Arc::new(Still));
        let first = channel.try_begin_history().expect("nobody reads");
        let mut last = pin!(channel.wait_for_history());
        {
            let (mut waits, mut called) =
                (pin!(channel.wait_for_history()), pin!(channel.wait_for_history()));
            assert!(poll_once(called.as_mut()).is_none() && poll_once(waits.as_mut()).is_none());
            assert!(poll_once(last.as_mut()).is_none());
            // The first waiter is called and dropped before it polls.
            drop(first);
        }
        drop(poll_once(last).expect("its turn"));
        assert!(channel.try_begin_history().is_some());
    }
}
