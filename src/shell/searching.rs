//! Thread that answers searches. Only the newest query of each kind counts, so older searches are
//! interrupted.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};

use crate::shell::event_queue::EventQueue;
use inbox::event::{Event, Load, Loaded};
use model::search::SearchQuery;
use store::{Interrupt, Reader, ReaderSource, StoreError};

pub struct SearchThread {
    queries: Sender<SearchQuery>,
    /// Interrupts the search connection, once open.
    interrupt: Arc<OnceLock<Interrupt>>,
}

impl SearchThread {
    pub fn start(readers: ReaderSource, mailbox: EventQueue) -> std::io::Result<Self> {
        let (queries, queue) = channel();
        let interrupt = Arc::<OnceLock<Interrupt>>::default();
        let opened = interrupt.clone();
        let name = std::thread::Builder::new().name("searcher".to_owned());
        name.spawn(move || {
            if let Some((reader, first)) = open(&readers, &queue, &mailbox) {
                opened.get_or_init(|| reader.interrupt());
                run_searches(&reader, first, &queue, &mailbox);
            }
        })?;
        Ok(Self { queries, interrupt })
    }

    /// Replaces the query of its kind.
    pub fn start_search(&self, query: SearchQuery) {
        // Only older queries can be running.
        if let Some(interrupt) = self.interrupt.get() {
            interrupt.interrupt();
        }
        // A thread that has ended has already reported it.
        drop(self.queries.send(query));
    }
}

/// Waiting queries, the newest of each kind.
#[derive(Default)]
struct PendingQueries(Vec<SearchQuery>);

impl PendingQueries {
    fn add(&mut self, query: SearchQuery) {
        let load = Load::Search(query.clone());
        self.0.retain(|search_query| !load.replaces(&Load::Search(search_query.clone())));
        self.0.push(query);
    }

    /// Returns an interrupted query unless a newer one of its kind waits: the interrupting one may be of
    /// another kind.
    fn put_back(&mut self, query: SearchQuery) {
        let load = Load::Search(query.clone());
        if !self.0.iter().any(|search_query| Load::Search(search_query.clone()).replaces(&load)) {
            self.0.insert(0, query);
        }
    }
}

/// Waits for the first query and opens a connection.
fn open(
    readers: &ReaderSource,
    queue: &Receiver<SearchQuery>,
    mailbox: &EventQueue,
) -> Option<(Reader, SearchQuery)> {
    loop {
        let query = queue.recv().ok()?;
        match readers.open() {
            Ok(reader) => return Some((reader, query)),
            Err(error) => mailbox.result(failed(query, &error)),
        }
    }
}

fn failed(query: SearchQuery, error: &StoreError) -> Event {
    tracing::error!(%error, "a search failed");
    Event::Loaded(Load::Search(query), Err(error.to_string()))
}

fn run_searches(reader: &Reader, first: SearchQuery, queue: &Receiver<SearchQuery>, mailbox: &EventQueue) {
    let mut waiting = PendingQueries::default();
    waiting.add(first);
    loop {
        if waiting.0.is_empty() {
            let Ok(query) = queue.recv() else { return };
            waiting.add(query);
        }
        queue.try_iter().for_each(|try_iter| waiting.add(try_iter));
        let Some(query) = waiting.0.pop() else { continue };
        match reader.search(&query) {
            Ok(page) => {
                let found = Loaded::Search(query.clone(), Box::new(page));
                mailbox.result(Event::Loaded(Load::Search(query), Ok(found)));
            }
            Err(StoreError::Interrupted) => waiting.put_back(query),
            Err(error) => mailbox.result(failed(query, &error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str, conversation: Option<&str>) -> SearchQuery {
        SearchQuery {
            text: text.to_owned(),
            conversation: conversation.map(Into::into),
            ..SearchQuery::default()
        }
    }

    #[test]
    fn of_each_kind_the_newest_waits_and_none_is_lost() {
        let mut waiting = PendingQueries::default();
        let (page, newer, here) = (query("a", None), query("ab", None), query("a", Some("c1")));
        waiting.add(page.clone());
        waiting.add(here.clone());
        waiting.add(newer.clone());
        assert_eq!(waiting.0, [here.clone(), newer.clone()]);
        let taken = waiting.0.pop().expect("the newest");
        waiting.put_back(taken);
        assert_eq!(waiting.0, [newer.clone(), here.clone()], "one of another kind did not end it for good");
        waiting.put_back(page);
        assert_eq!(waiting.0, [newer, here], "newer words are there");
    }
}
