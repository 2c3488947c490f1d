//! Queue of events for the loop: signals, then keys, then results.
//!
//! Events are added and taken under one lock, so none is lost between check and sleep. Only news replaced by
//! newer news, and keys beyond a limit, are dropped.

use std::collections::{HashSet, VecDeque};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inbox::event::{Event, Load};
use model::ids::ChannelId;
use model::news::News;
use model::time::Moment;

/// Number of waiting results at which all replaced news is removed.
const MAX_QUEUED_RESULTS: usize = 10_000;
/// Number of waiting results searched for news to replace.
const MAX_MERGE_DISTANCE: usize = 64;
const MAX_QUEUED_KEYS: usize = 100_000;

/// Signal of the system or the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// End now: SIGTERM, SIGINT, SIGQUIT.
    End,
    /// Terminal lost: SIGHUP, or the end of its input.
    TerminalLost,
    /// Job control stop.
    Stop,
    /// Running again after a stop.
    Continue,
    /// A thread of this process has panicked.
    Failed,
    Resized,
}

/// Events of one turn of the loop.
#[derive(Debug, Default)]
pub struct EventBatch {
    /// Handled first.
    pub signals: Vec<Signal>,
    /// Handled second: keys, pastes, lines, each with the time it came from the terminal.
    pub keys: Vec<(Moment, Event)>,
    pub results: Vec<Event>,
}

impl EventBatch {
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.keys.is_empty() && self.results.is_empty()
    }

    /// True if it holds only results of reads ahead, which no frame shows.
    pub fn is_only_prefetch(&self) -> bool {
        let ahead = |event: &Event| matches!(event, Event::Loaded(Load::HistoryPrefetch(_), Ok(_)));
        self.signals.is_empty() && self.keys.is_empty() && self.results.iter().all(ahead)
    }
}

#[derive(Debug, Default)]
struct Queues {
    signals: Vec<Signal>,
    keys: VecDeque<(Moment, Event)>,
    results: VecDeque<Event>,
    /// Keys taken, and how many of them a frame shows.
    keys_taken: u64,
    shown: u64,
    /// Number of waiting results at which the next merge happens.
    merge_at: usize,
}

impl Queues {
    fn add_result(&mut self, event: Event) {
        if let Some(key) = merge_key(&event) {
            let waiting = self.results.iter().rev().take(MAX_MERGE_DISTANCE);
            let older =
                waiting.enumerate().find(|(_, event)| merge_key(event) == Some(key)).map(|pair| pair.0);
            if let Some(back) = older {
                self.results.remove(self.results.len() - 1 - back);
            }
        }
        self.results.push_back(event);
        if self.results.len() > self.merge_at.max(MAX_QUEUED_RESULTS) {
            self.merge();
            self.merge_at = self.results.len() * 2;
        }
    }

    /// Removes news replaced by newer news.
    fn merge(&mut self) {
        let mut seen = HashSet::new();
        let results: Vec<bool> = self
            .results
            .iter()
            .rev()
            .map(|result| merge_key(result).is_none_or(|key| seen.insert(key)))
            .collect();
        let mut kept = results.into_iter().rev();
        self.results.retain(|_| kept.next().unwrap_or(true));
    }

    fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.keys.is_empty() && self.results.is_empty()
    }
}

/// Event queue; clones share it.
#[derive(Debug, Clone, Default)]
pub struct EventQueue {
    shared: Arc<(Mutex<Queues>, Condvar)>,
}

impl EventQueue {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn signal(&self, signal: Signal) {
        self.lock().signals.push(signal);
        self.shared.1.notify_one();
    }

    /// Adds a key or other input that came from the terminal at a time.
    pub fn key(&self, event: Event, arrived_at: Moment) {
        let mut queues = self.lock();
        if queues.keys.len() < MAX_QUEUED_KEYS {
            queues.keys.push_back((arrived_at, event));
        }
        drop(queues);
        self.shared.1.notify_one();
    }

    /// Records that a frame shows everything taken.
    pub fn mark_shown(&self) {
        let mut queues = self.lock();
        queues.shown = queues.keys_taken;
    }

    pub fn has_shown_all_keys(&self) -> bool {
        let queues = self.lock();
        queues.keys.is_empty() && queues.shown == queues.keys_taken
    }

    /// Adds a result. News replaces older news about the same.
    pub fn result(&self, event: Event) {
        self.lock().add_result(event);
        self.shared.1.notify_one();
    }

    /// Waits for an event or the timeout, and takes all events.
    pub fn wait(&self, at_most: Duration) -> EventBatch {
        let queues = self.lock();
        let waited = self.shared.1.wait_timeout_while(queues, at_most, |queues| queues.is_empty());
        let (mut queues, _) = waited.unwrap_or_else(PoisonError::into_inner);
        drain_queues(&mut queues)
    }

    /// Takes all events without waiting.
    pub fn try_take(&self) -> EventBatch {
        drain_queues(&mut self.lock())
    }
}

/// Key of news that newer news makes obsolete: invalidations and states. Other news has none.
fn merge_key(event: &Event) -> Option<(Discriminant<News>, &ChannelId, &str)> {
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
        | News::WebhookStatus(channel, _)
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
        News::Mention(..)
        | News::Present(_)
        | News::People(_)
        | News::TeamStatistics { .. }
        | News::SharedReplies
        | News::FoundContacts(..)
        | News::Stopped(..)
        | News::RowRemoved(..)
        | News::RowCompleted(..)
        | News::Fetched(..)
        | News::Mailed(..) => return None,
    };
    Some((discriminant(news), about.0, about.1))
}

fn drain_queues(queues: &mut Queues) -> EventBatch {
    queues.merge_at = 0;
    queues.keys_taken += queues.keys.len() as u64;
    EventBatch {
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
        mailbox.key(Event::Focus(true), Moment::default());
        mailbox.signal(Signal::End);
        let turn = mailbox.wait(Duration::ZERO);
        assert_eq!((turn.signals.len(), turn.keys.len(), turn.results.len()), (1, 1, 1));
        assert!(mailbox.try_take().is_empty());
    }

    #[test]
    fn newer_news_of_the_same_takes_the_place_of_older() {
        let mailbox = EventQueue::default();
        let health = |health| Event::News(News::Health(ChannelId::from("a"), health));
        let live = Health::Live { at: Timestamp::default() };
        mailbox.result(health(live.clone()));
        mailbox.result(health(Health::Connecting));
        mailbox.result(health(live.clone()));
        assert_eq!(mailbox.try_take().results, [health(live)], "the newest word, not the first");
    }

    #[test]
    fn a_full_mailbox_drops_no_load_and_merges_news() {
        let mailbox = EventQueue::default();
        let count = MAX_QUEUED_RESULTS + 50;
        for number in 0..count {
            let load = Load::Barrier(u64::try_from(number).expect("small"));
            mailbox.result(Event::Loaded(load, Ok(Loaded::Tags(Vec::new()))));
            let words = SafeText::line(&number.to_string());
            mailbox.result(Event::News(News::RowCompleted(ChannelId::from("a"), "row".into(), words)));
            // Further apart than the searched range.
            let channel = ChannelId::from(format!("c{}", number % 100).as_str());
            mailbox.result(Event::News(News::Conversations(channel)));
        }
        let results = mailbox.try_take().results;
        let of = |wanted: fn(&Event) -> bool| results.iter().filter(|result| wanted(result)).count();
        assert_eq!(of(|event| matches!(event, Event::Loaded(..))), count, "no load's result is dropped");
        assert_eq!(of(|event| matches!(event, Event::News(News::RowCompleted(..)))), count);
        let news = of(|event| matches!(event, Event::News(News::Conversations(_))));
        assert!((100..count).contains(&news), "merged once it was full: {news}");
    }

    #[test]
    fn waiting_ends_with_the_first_event() {
        let mailbox = EventQueue::default();
        let other = mailbox.clone();
        let thread = std::thread::spawn(move || other.key(Event::Focus(false), Moment::default()));
        let turn = mailbox.wait(Duration::from_secs(60));
        assert_eq!(turn.keys, [(Moment::default(), Event::Focus(false))]);
        thread.join().expect("the sender ends");
    }
}
