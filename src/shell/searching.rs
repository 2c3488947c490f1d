//! Answering searches on a thread of their own: the newest words are the only
//! ones that matter, so a search for older ones is ended.
//!
//! Knows nothing of what is done with what is found.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::app::event::{Event, Load, Loaded};
use crate::model::search::SearchQuery;
use crate::shell::mailbox::Mailbox;
use crate::store::{Interrupt, Reader, StoreError};

/// The thread that searches.
pub struct Searching {
    queries: Sender<SearchQuery>,
    interrupt: Interrupt,
}

impl Searching {
    /// Starts it.
    ///
    /// # Errors
    /// When the thread cannot be made.
    pub fn start(reader: Reader, mailbox: Mailbox) -> std::io::Result<Self> {
        let (queries, queue) = channel();
        let interrupt = reader.interrupt();
        let name = std::thread::Builder::new().name("searcher".to_owned());
        name.spawn(move || answer_all(&reader, &queue, &mailbox))?;
        Ok(Self { queries, interrupt })
    }

    /// Asks for something else than before.
    pub fn ask(&self, query: SearchQuery) {
        // Only older questions can be under way: they are no longer wanted.
        self.interrupt.interrupt();
        // A thread that has ended has told so itself.
        drop(self.queries.send(query));
    }
}

fn answer_all(reader: &Reader, queue: &Receiver<SearchQuery>, mailbox: &Mailbox) {
    while let Ok(first) = queue.recv() {
        let newest = queue.try_iter().last().unwrap_or(first);
        if let Some(loaded) = answer(reader, newest) {
            mailbox.result(Event::Loaded(loaded));
        }
    }
}

/// What was found; nothing if the words have changed meanwhile.
pub fn answer(reader: &Reader, query: SearchQuery) -> Option<Loaded> {
    match reader.search(&query) {
        Ok(page) => Some(Loaded::Search(query, Box::new(page))),
        Err(StoreError::Interrupted) => None,
        Err(error) => {
            tracing::error!(%error, "a search failed");
            Some(Loaded::Failed(Load::Search(query), error.to_string()))
        }
    }
}
