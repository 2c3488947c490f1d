//! Tests of the outbox rules together, over real files, against a reference model, and of the leases.

mod outbox_faults;
mod outbox_model;
mod outbox_turns;
mod outbox_world;
mod renewal;

use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Waker};

use crate::{ChannelSpec, ChannelSync};
use model::ids::ChannelId;
use model::secret::Secret;
use model::time::{Clock, SECOND, Timestamp};
use store::Store;

/// Channel without a server, with files in a folder.
pub(crate) fn channel(folder: &Path, clock: Arc<dyn Clock>) -> (ChannelSync, Store) {
    let store = Store::open(folder).unwrap();
    let spec = ChannelSpec {
        id: ChannelId::new("harbor"),
        name: "Harbor chat".to_owned(),
        base_url: "http://127.0.0.1:9".to_owned(),
        key: Secret::new("svc_live_0123456789"),
        read_only: false,
        draft_only: false,
    };
    (ChannelSync::new(spec, store.clone(), clock, Arc::new(|_| ())).unwrap(), store)
}

/// Clock that does not advance.
pub(crate) struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        at(0)
    }
}

pub(crate) fn poll_once<F: Future>(work: std::pin::Pin<&mut F>) -> Option<F::Output> {
    match work.poll(&mut Context::from_waker(Waker::noop())) {
        std::task::Poll::Ready(done) => Some(done),
        std::task::Poll::Pending => None,
    }
}

/// Seconds after the common start time of all tests.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros((1_700_000_000 + seconds) * SECOND)
}
