//! Calm of the demo over simulated time.

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::database::Durability;
use crate::options::Options;
use crate::start;
use crate::state::Service;
use crate::world::{catch_up, team};
use crate::write::WriteContext;
use model::time::{Clock, Moment, SECOND, Timestamp};

/// Minutes until the colleagues have settled what waits at the start.
const SETTLING_MINUTES: i64 = 5;
/// Longest time in which nobody may need a person, in minutes.
const MAX_QUIET_MINUTES: i64 = 5;

struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }

    fn moment(&self) -> Moment {
        Moment::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// Ids of the open conversations that need a person, and the number of open conversations.
async fn waiting(service: &Service) -> (HashSet<String>, usize) {
    let state = service.clone();
    let listed = service.database.read(move |db| {
        let work = WriteContext::of_service(db, &state, state.clock.now());
        team::list_open(&work)
    });
    let open = listed.await.expect("the conversations");
    let count = open.len();
    (open.into_iter().filter(|row| row.needs_person).map(|row| row.id).collect(), count)
}

#[tokio::test]
async fn demo_stays_calm_for_an_hour_and_always_has_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(HandClock(AtomicI64::new(1_764_000_000_000_000)));
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options =
        Options { demo: true, ..Options::new(address, folder.path().join("service.db"), clock.clone()) };
    let prepared = start::open_service(options, address, Durability::Simulated).await.expect("it opens");
    let service = prepared.service;
    let (mut before, _) = waiting(&service).await;
    let (mut quiet, mut arrived) = (0, 0);
    for minute in 1..=60 {
        for _ in 0..12 {
            clock.0.fetch_add(5 * SECOND, Ordering::SeqCst);
            catch_up(&service).await.expect("the world goes on");
        }
        let (now, open) = waiting(&service).await;
        println!("minute {minute}: {} of {open}", now.len());
        if minute > SETTLING_MINUTES {
            assert!(now.len() * 10 <= open, "minute {minute}: {} of {open} need a person", now.len());
            quiet = if now.is_empty() { quiet + 1 } else { 0 };
            assert!(quiet <= MAX_QUIET_MINUTES, "minute {minute}: nobody needs a person");
        }
        arrived += now.difference(&before).count();
        before = now;
        match minute {
            15 => assert!((4..=15).contains(&arrived), "{arrived} in 15 minutes"),
            60 => assert!((18..=45).contains(&arrived), "{arrived} in 60 minutes"),
            _ => (),
        }
    }
}
