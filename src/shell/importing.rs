//! Thread that runs contact imports: one at a time, in steps, so that it can be stopped.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::shell::event_queue::EventQueue;
use inbox::event::Event;
use inbox::screens::people::csv_import::{ImportAction, ImportResult, ImportSource};
use model::time::Clock;
use store::Store;
use sync::Engine;
use sync::import::{self, Import};

/// Interval between checks of queued rows.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

pub struct ImportThread {
    orders: Sender<ImportAction>,
}

impl ImportThread {
    pub fn start(
        store: Store,
        engine: Arc<Engine>,
        clock: Arc<dyn Clock>,
        mailbox: EventQueue,
    ) -> std::io::Result<Self> {
        let (orders, queue) = channel();
        let name = std::thread::Builder::new().name("importer".to_owned());
        name.spawn(move || {
            let tell = |told| mailbox.result(Event::Import(told));
            let mut next = queue.recv().ok();
            while let Some(order) = next {
                next = match order {
                    ImportAction::Check(source) => {
                        tell(check(source));
                        None
                    }
                    ImportAction::Start(source) => run(&store, source, &queue, &clock, &tell, &engine),
                    ImportAction::Stop => None,
                };
                next = next.or_else(|| queue.recv().ok());
            }
        })?;
        Ok(Self { orders })
    }

    pub fn order(&self, order: ImportAction) {
        // A thread that has ended has already reported it.
        drop(self.orders.send(order));
    }
}

pub fn check(source: ImportSource) -> ImportResult {
    let found = import::check(Path::new(&source.file));
    ImportResult::Checked(source, found.map(Box::new).map_err(|error| error.to_string()))
}

pub fn begin(store: &Store, source: &ImportSource) -> Result<Import, Box<ImportResult>> {
    let (channel, platform) = (source.channel.clone(), source.platform.clone());
    Import::open(store.clone(), channel, platform, Path::new(&source.file))
        .map_err(|error| Box::new(ImportResult::Failed(source.clone(), error.to_string())))
}

/// Runs steps until the import is done or another order arrives, which is returned.
fn run(
    store: &Store,
    source: ImportSource,
    queue: &Receiver<ImportAction>,
    clock: &Arc<dyn Clock>,
    tell: &impl Fn(ImportResult),
    engine: &Engine,
) -> Option<ImportAction> {
    let mut import = match begin(store, &source) {
        Ok(import) => import,
        Err(told) => {
            tell(*told);
            return None;
        }
    };
    let mut before = None;
    loop {
        match import.step(clock.now()) {
            Ok(progress) => {
                if before.as_ref() != Some(progress) {
                    before = Some(progress.clone());
                    tell(ImportResult::Progress(source.clone(), progress.clone()));
                }
                if progress.ended {
                    return None;
                }
            }
            Err(error) => {
                tell(ImportResult::Failed(source, error.to_string()));
                return None;
            }
        }
        engine.wake_outbox();
        match queue.recv_timeout(POLL_INTERVAL) {
            Ok(order) => return Some(order),
            Err(RecvTimeoutError::Timeout) => (),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}
