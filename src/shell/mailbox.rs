//! Where everything that happens waits for the loop: keys before results.
//!
//! Registered and taken under one lock, so no event is lost between looking
//! and sleeping. Nothing is ever dropped but news that newer news replaces.

use std::collections::{HashSet, VecDeque};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inbox::event::{Event, Load};
use model::ids::ChannelId;
use model::news::News;

/// Results that wait before all news among them is merged.
const RESULTS: usize = 10_000;
/// How far back each news looks for one it replaces.
const LOOK_BACK: usize = 64;
/// Keys that wait at most.
const KEYS: usize = 100_000;

/// A signal of the system: no key and no result.
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
    /// The terminal has another size.
    Resized,
}

/// What one turn of the loop takes.
#[derive(Debug, Default)]
pub struct LoopTurn {
    /// Signals first.
    pub signals: Vec<Signal>,
    /// Then keys, pastes, resizes.
    pub keys: Vec<Event>,
    pub results: Vec<Event>,
}

impl LoopTurn {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.keys.is_empty() && self.results.is_empty()
    }

    /// Whether nothing in it can be seen: what was read before it is wanted.
    pub fn only_reads_ahead(&self) -> bool {
        let ahead = |event: &Event| matches!(event, Event::Loaded(Load::Ahead(_), Ok(_)));
        self.signals.is_empty() && self.keys.is_empty() && self.results.iter().all(ahead)
    }
}

#[derive(Debug, Default)]
struct Queues {
    signals: Vec<Signal>,
    keys: VecDeque<Event>,
    results: VecDeque<Event>,
    /// How many keys were taken, and how many of them a frame shows.
    taken: u64,
    shown: u64,
    /// How many results have to wait before the next merging of all.
    merge_at: usize,
}

impl Queues {
    fn add_result(&mut self, event: Event) {
        if let Some(key) = replaces(&event) {
            let waiting = self.results.iter().rev().take(LOOK_BACK);
            let older =
                waiting.enumerate().find(|(_, event)| replaces(event) == Some(key)).map(|pair| pair.0);
            if let Some(back) = older {
                self.results.remove(self.results.len() - 1 - back);
            }
        }
        self.results.push_back(event);
        if self.results.len() > self.merge_at.max(RESULTS) {
            self.merge();
            self.merge_at = self.results.len() * 2;
        }
    }

    /// Leaves of all news that replace one another the newest.
    fn merge(&mut self) {
        let mut seen = HashSet::new();
        let results: Vec<bool> = self
            .results
            .iter()
            .rev()
            .map(|result| replaces(result).is_none_or(|key| seen.insert(key)))
            .collect();
        let mut kept = results.into_iter().rev();
        self.results.retain(|_| kept.next().unwrap_or(true));
    }

    fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.keys.is_empty() && self.results.is_empty()
    }
}

/// The mailbox; clones share it.
#[derive(Debug, Clone, Default)]
pub struct EventQueue {
    shared: Arc<(Mutex<Queues>, Condvar)>,
}

impl EventQueue {
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

    /// A frame shows all that was taken.
    pub fn shown(&self) {
        let mut queues = self.lock();
        queues.shown = queues.taken;
    }

    /// True if a frame shows all keys that came.
    pub fn shows_all_keys(&self) -> bool {
        let queues = self.lock();
        queues.keys.is_empty() && queues.shown == queues.taken
    }

    /// Something came back. News takes the place of what it replaces.
    pub fn result(&self, event: Event) {
        self.lock().add_result(event);
        self.shared.1.notify_one();
    }

    /// Waits until something is there or the time is up, and takes it all.
    pub fn wait(&self, at_most: Duration) -> LoopTurn {
        let queues = self.lock();
        let waited = self.shared.1.wait_timeout_while(queues, at_most, |queues| queues.is_empty());
        let (mut queues, _) = waited.unwrap_or_else(PoisonError::into_inner);
        take(&mut queues)
    }

    /// Takes what is there without waiting.
    pub fn take(&self) -> LoopTurn {
        take(&mut self.lock())
    }
}

/// What news is about, where newer news of the same makes it useless: that
/// something may be old, or how something stands. All else is told in full.
fn replaces(event: &Event) -> Option<(Discriminant<News>, &ChannelId, &str)> {
    let Event::News(news) = event else { return None };
    let about = match news {
        News::Health(channel, _)
        | News::Leader(channel, _)
        | News::Successor(channel, _)
        | News::Account(channel, _)
        | News::Credits(channel, _)
        | News::Campaigns(channel)
        | News::Conversations(channel)
        | News::Webhooks(channel)
        | News::Reception(channel, _)
        | News::Mailbox(channel, _)
        | News::Templates(channel)
        | News::Budget(channel, _) => (channel, ""),
        News::History(channel, conversation) | News::Inbound(channel, conversation) => {
            (channel, conversation.as_str())
        }
        News::Correspondents(channel, search) => (channel, search.as_str()),
        News::Uploading(channel, row, _) => (channel, row.as_str()),
        News::Unreadable(channel, list, _) => (channel, list.label()),
        News::Alarm(channel, words)
        | News::NotForThisKey(channel, words)
        | News::NotOnThisServer(channel, words) => (channel, words.as_str()),
        News::Notice(channel, _, words) => (channel, words.as_str()),
        News::FoundContacts(..)
        | News::Stopped(..)
        | News::Left(..)
        | News::Told(..)
        | News::Fetched(..)
        | News::Mailed(..) => return None,
    };
    Some((discriminant(news), about.0, about.1))
}

fn take(queues: &mut Queues) -> LoopTurn {
    queues.merge_at = 0;
    queues.taken += queues.keys.len() as u64;
    LoopTurn {
        signals: std::mem::take(&mut queues.signals),
        keys: queues.keys.drain(..).collect(),
        results: queues.results.drain(..).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inbox::event::Loaded;
    use model::news::Health;
    use model::text::SafeText;
    use model::time::Timestamp;

    #[test]
    fn keys_and_results_are_kept_apart_and_news_is_told_once() {
        let mailbox = EventQueue::default();
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
    fn newer_news_of_the_same_takes_the_place_of_older() {
        let mailbox = EventQueue::default();
        let health = |health| Event::News(News::Health(ChannelId::from("a"), health));
        let live = Health::Live { at: Timestamp::default() };
        mailbox.result(health(live.clone()));
        mailbox.result(health(Health::Connecting));
        mailbox.result(health(live.clone()));
        assert_eq!(mailbox.take().results, [health(live)], "the newest word, not the first");
    }

    #[test]
    fn a_full_mailbox_drops_no_load_and_merges_news() {
        let mailbox = EventQueue::default();
        let count = RESULTS + 50;
        for number in 0..count {
            let load = Load::Echo(u64::try_from(number).expect("small"));
            mailbox.result(Event::Loaded(load, Ok(Loaded::Macros(Vec::new()))));
            let words = SafeText::line(&number.to_string());
            mailbox.result(Event::News(News::Told(ChannelId::from("a"), "row".into(), words)));
            // Further apart than is looked back.
            let channel = ChannelId::from(format!("c{}", number % 100).as_str());
            mailbox.result(Event::News(News::Conversations(channel)));
        }
        let results = mailbox.take().results;
        let of = |wanted: fn(&Event) -> bool| results.iter().filter(|result| wanted(result)).count();
        assert_eq!(of(|event| matches!(event, Event::Loaded(..))), count, "no load's result is dropped");
        assert_eq!(of(|event| matches!(event, Event::News(News::Told(..)))), count);
        let news = of(|event| matches!(event, Event::News(News::Conversations(_))));
        assert!((100..count).contains(&news), "merged once it was full: {news}");
    }

    #[test]
    fn waiting_ends_with_the_first_event() {
        let mailbox = EventQueue::default();
        let other = mailbox.clone();
        let thread = std::thread::spawn(move || other.key(Event::Focus(false)));
        let turn = mailbox.wait(Duration::from_secs(60));
        assert_eq!(turn.keys, [Event::Focus(false)]);
        thread.join().expect("the sender ends");
    }
}
