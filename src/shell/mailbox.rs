//! Where everything that happens waits for the loop: keys before results.
//!
//! Knows nothing of what an event means. Registered and taken under one
//! lock, so no event is lost between looking and sleeping.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::app::event::Event;

/// Results that wait at most; the oldest news gives way beyond that, because
/// every load brings what it told.
const RESULTS: usize = 10_000;
/// Keys that wait at most.
const KEYS: usize = 100_000;

/// Something the process itself is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// End now: SIGTERM, SIGINT, SIGQUIT.
    End,
    /// The terminal is gone: SIGHUP, or the end of its input.
    Gone,
    /// Stop as job control does.
    Stop,
    /// Running again after a stop.
    Continue,
    /// A thread of this process has failed.
    Failed,
}

/// What one turn of the loop takes.
#[derive(Debug, Default)]
pub struct Turn {
    /// Signals first.
    pub signals: Vec<Signal>,
    /// Then keys, pastes, resizes.
    pub keys: Vec<Event>,
    /// Then what came back.
    pub results: Vec<Event>,
}

impl Turn {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.keys.is_empty() && self.results.is_empty()
    }
}

#[derive(Debug, Default)]
struct Queues {
    signals: Vec<Signal>,
    keys: VecDeque<Event>,
    results: VecDeque<Event>,
}

impl Queues {
    fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.keys.is_empty() && self.results.is_empty()
    }
}

/// The mailbox; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Mailbox {
    shared: Arc<(Mutex<Queues>, Condvar)>,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A signal came.
    pub fn signal(&self, signal: Signal) {
        self.lock().signals.push(signal);
        self.shared.1.notify_one();
    }

    /// A person did something.
    pub fn key(&self, event: Event) {
        let mut queues = self.lock();
        if queues.keys.len() < KEYS {
            queues.keys.push_back(event);
        }
        drop(queues);
        self.shared.1.notify_one();
    }

    /// Something came back. News that already waits is not told twice.
    pub fn result(&self, event: Event) {
        let mut queues = self.lock();
        let repeated =
            matches!(event, Event::News(_)) && queues.results.iter().rev().take(64).any(|it| *it == event);
        if !repeated {
            if queues.results.len() == RESULTS {
                let oldest_news = queues.results.iter().position(|it| matches!(it, Event::News(_)));
                queues.results.remove(oldest_news.unwrap_or(0));
            }
            queues.results.push_back(event);
        }
        drop(queues);
        self.shared.1.notify_one();
    }

    /// Waits until something is there or the time is up, and takes it all.
    pub fn wait(&self, at_most: Duration) -> Turn {
        let queues = self.lock();
        let waited = self.shared.1.wait_timeout_while(queues, at_most, |it| it.is_empty());
        let (mut queues, _) = waited.unwrap_or_else(PoisonError::into_inner);
        take(&mut queues)
    }

    /// Takes what is there without waiting.
    pub fn take(&self) -> Turn {
        take(&mut self.lock())
    }
}

fn take(queues: &mut Queues) -> Turn {
    Turn {
        signals: std::mem::take(&mut queues.signals),
        keys: queues.keys.drain(..).collect(),
        results: queues.results.drain(..).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::ChannelId;
    use crate::model::news::News;

    #[test]
    fn keys_and_results_are_kept_apart_and_news_is_told_once() {
        let mailbox = Mailbox::default();
        let news = || Event::News(News::Conversations(ChannelId::from("a")));
        mailbox.result(news());
        mailbox.result(news());
        mailbox.key(Event::Focus(true));
        mailbox.signal(Signal::End);
        let turn = mailbox.wait(Duration::ZERO);
        assert_eq!((turn.signals.len(), turn.keys.len(), turn.results.len()), (1, 1, 1));
        assert!(mailbox.take().is_empty());
    }

    #[test]
    fn waiting_ends_with_the_first_event() {
        let mailbox = Mailbox::default();
        let other = mailbox.clone();
        let thread = std::thread::spawn(move || other.key(Event::Focus(false)));
        let turn = mailbox.wait(Duration::from_secs(60));
        assert_eq!(turn.keys, [Event::Focus(false)]);
        thread.join().expect("the sender ends");
    }
}
