//! Tests of lease renewal: a process that cannot renew stops before another may lead. Time is moved by
//! hand.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::tests::channel;
use crate::{LeaseManager, Polling, ProcessRole, TabSync};
use model::time::{Clock, MINUTE, Moment, SECOND, Timestamp};
use store::leases::{LEASE_LIFETIME, RENEW_INTERVAL};

/// Interval between lease checks of a process.
const TICK: i64 = SECOND / 4;

struct HandClock {
    wall: AtomicI64,
    steady: AtomicI64,
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.wall.load(Ordering::SeqCst))
    }

    fn moment(&self) -> Moment {
        Moment::from_micros(self.steady.load(Ordering::SeqCst))
    }
}

struct Process {
    tab: Arc<TabSync>,
    leading: LeaseManager,
}

impl Process {
    fn on(folder: &Path, clock: &Arc<HandClock>, owner: &str) -> Self {
        let (channel, store) = channel(folder, clock.clone());
        let tab = Arc::new(TabSync::awaiting_lease(channel, Polling::default()));
        Self {
            leading: LeaseManager::new(store, vec![tab.clone()], owner.to_owned(), ProcessRole::Inbox),
            tab,
        }
    }

    fn works(&self, now: Timestamp) -> (bool, bool) {
        (self.tab.holds_read_lease(now), self.tab.channel().may_send(now))
    }
}

/// Two processes on a folder; both check their leases on every tick.
struct Folder {
    folder: tempfile::TempDir,
    clock: Arc<HandClock>,
    first: Process,
    second: Process,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock =
            Arc::new(HandClock { wall: AtomicI64::new(1_700_000_000 * SECOND), steady: AtomicI64::new(0) });
        let first = Process::on(folder.path(), &clock, "first");
        let second = Process::on(folder.path(), &clock, "second");
        Self { folder, clock, first, second }
    }

    /// Advances one tick and returns which processes work: never both.
    async fn tick(&mut self) -> [bool; 2] {
        self.clock.steady.fetch_add(TICK, Ordering::SeqCst);
        let now = Timestamp::from_micros(self.clock.wall.fetch_add(TICK, Ordering::SeqCst) + TICK);
        self.first.leading.step(now).await;
        self.second.leading.step(now).await;
        let (first, second) = (self.first.works(now), self.second.works(now));
        for (asks_or_sends, [first, second]) in [("lead", [first.0, second.0]), ("send", [first.1, second.1])]
        {
            assert!(!(first && second), "both {asks_or_sends} at {now}");
        }
        assert_eq!([first.0, second.0], [first.1, second.1], "an inbox takes both leases at {now}");
        [first.1, second.1]
    }

    fn cache(&self, sql: &'static str) {
        rusqlite::Connection::open(self.folder.path().join("cache.db")).unwrap().execute_batch(sql).unwrap();
    }
}

#[tokio::test]
async fn a_leader_whose_lease_is_renewed_keeps_leading() {
    let mut folder = Folder::new();
    for tick in 0..10 * LEASE_LIFETIME / TICK {
        assert_eq!(folder.tick().await, [true, false], "{tick}");
    }
}

#[tokio::test]
async fn a_leader_whose_lease_cannot_be_renewed_stops_before_another_may_lead() {
    let mut folder = Folder::new();
    assert_eq!(folder.tick().await, [true, false]);
    folder.cache(
        "CREATE TRIGGER lost BEFORE INSERT ON lease WHEN NEW.owner = 'first'
         BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    );
    let mut seen = Vec::new();
    for _ in 0..2 * LEASE_LIFETIME / TICK {
        seen.push(folder.tick().await);
    }
    let ticks = |of| i64::try_from(seen.iter().filter(|entry| **entry == of).count()).unwrap();
    let led = ticks([true, false]);
    let nobody = ticks([false, false]);
    assert!(led * TICK >= LEASE_LIFETIME / 2, "one that failed once is tried again: {led}");
    assert!(nobody > 0 && nobody * TICK <= SECOND, "neither is sure of the last second: {nobody}");
    assert!((led + nobody) * TICK <= LEASE_LIFETIME, "it is followed when its lease lapses: {led} {nobody}");
    seen.dedup();
    assert_eq!(seen, [[true, false], [false, false], [false, true]]);
    // The first process can write again, and follows.
    folder.cache("DROP TRIGGER lost");
    for tick in 0..2 * LEASE_LIFETIME / TICK {
        assert_eq!(folder.tick().await, [false, true], "{tick}");
    }
}

#[tokio::test]
async fn one_process_leads_again_at_once_after_the_clock_was_set() {
    for step in [59 * MINUTE, -59 * MINUTE, 20 * SECOND, -20 * SECOND, 3 * SECOND, -3 * SECOND] {
        let mut folder = Folder::new();
        for _ in 0..RENEW_INTERVAL / TICK / 2 {
            folder.tick().await;
        }
        folder.clock.wall.fetch_add(step, Ordering::SeqCst);
        let mut without = 0;
        for _ in 0..4 * LEASE_LIFETIME / TICK {
            without += i64::from(folder.tick().await == [false, false]);
        }
        assert!(
            without * TICK <= RENEW_INTERVAL,
            "set by {} s: {without} ticks without a leader",
            step / SECOND
        );
    }
}
