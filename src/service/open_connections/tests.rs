//! Tests of the connection limit, with a manual clock.

use std::sync::atomic::{AtomicI64, Ordering};

use super::*;

/// Clock that only moves when set.
#[derive(Default)]
struct StillClock(AtomicI64);

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

impl StillClock {
    fn pass(&self, seconds: i64) {
        self.0.fetch_add(seconds * SECOND, Ordering::SeqCst);
    }
}

fn crowd(max: usize) -> (OpenConnections, Arc<StillClock>) {
    let clock = Arc::<StillClock>::default();
    let proxies = ["203.0.113.9".parse().expect("an address")];
    (OpenConnections::new(max, &proxies, clock.clone()), clock)
}

fn peer(last: u8) -> IpAddr {
    IpAddr::from([198, 51, 100, last])
}

fn local() -> IpAddr {
    IpAddr::from([127, 0, 0, 1])
}

fn is_open(crowd: &OpenConnections, place: &ConnectionSlot) -> bool {
    crowd.open().iter().any(|held| Arc::ptr_eq(held, &place.connection))
}

#[test]
fn silent_connections_give_way_to_one_that_asks() {
    let (crowd, clock) = crowd(4);
    let mut held: Vec<ConnectionSlot> = (0..4).map(|_| crowd.admit(local()).expect("a place")).collect();
    assert!(crowd.admit(local()).is_none(), "each has a moment to ask");
    clock.pass(2);
    held[0].connection.enter(ConnectionPhase::Working);
    let newcomer = crowd.admit(local()).expect("the longest held gives way");
    assert!(is_open(&crowd, &held[0]) && !is_open(&crowd, &held[1]) && is_open(&crowd, &newcomer));
    assert_eq!(crowd.open().len(), 4);
    // Its task ends a moment later and must not free another's place.
    drop(held.remove(1));
    assert_eq!(crowd.open().len(), 4);
}

#[test]
fn who_works_or_moves_keeps_its_place() {
    let (crowd, clock) = crowd(3);
    let held: Vec<ConnectionSlot> = (0..3).map(|_| crowd.admit(local()).expect("a place")).collect();
    held[0].connection.enter(ConnectionPhase::Working);
    held[1].connection.enter(ConnectionPhase::Receiving);
    held[2].connection.enter(ConnectionPhase::Sending);
    for _ in 0..20 {
        clock.pass(1);
        held[1].connection.count_bytes(WORTH);
        held[2].connection.count_bytes(WORTH);
        assert!(crowd.admit(local()).is_none());
    }
    // A few bytes do not count as progress.
    for _ in 0..20 {
        clock.pass(1);
        held[1].connection.count_bytes(1);
        held[2].connection.count_bytes(1);
    }
    let _first = crowd.admit(local()).expect("a place");
    let _second = crowd.admit(local()).expect("a place");
    assert!(is_open(&crowd, &held[0]) && !is_open(&crowd, &held[1]) && !is_open(&crowd, &held[2]));
    clock.pass(100);
    crowd.open().iter().for_each(|held| held.enter(ConnectionPhase::Working));
    assert!(crowd.admit(local()).is_none(), "all of them work");
}

const WORTH: usize = 4096;

#[test]
fn the_address_that_holds_most_gives_way_first() {
    let (crowd, clock) = crowd(8);
    let desk = crowd.admit(peer(1)).expect("a place");
    desk.connection.enter(ConnectionPhase::Idle);
    let many: Vec<ConnectionSlot> = (0..7).map(|_| crowd.admit(local()).expect("a place")).collect();
    clock.pass(60);
    let _newcomer = crowd.admit(peer(2)).expect("a place");
    assert!(is_open(&crowd, &desk), "it holds one, the other seven");
    assert_eq!(many.iter().filter(|place| is_open(&crowd, place)).count(), 6);
}

#[test]
fn one_address_has_half_and_a_proxy_all() {
    let (crowd, _) = crowd(8);
    let mut places = Vec::new();
    for _ in 0..4 {
        places.push(crowd.admit(peer(1)).expect("a place"));
    }
    assert!(crowd.admit(peer(1)).is_none(), "half is the most of one address");
    places.push(crowd.admit(peer(2)).expect("others have places left"));
    let (crowd, _) = super::tests::crowd(8);
    for proxy in [IpAddr::from([203, 0, 113, 9]), local()] {
        let places: Vec<ConnectionSlot> = (0..8).map(|_| crowd.admit(proxy).expect("a place")).collect();
        assert!(crowd.admit(proxy).is_none());
        drop(places);
    }
}

#[test]
fn a_clock_that_is_set_back_ends_nobody_and_keeps_nobody_for_ever() {
    let (crowd, clock) = crowd(1);
    clock.pass(1_000);
    let held = crowd.admit(local()).expect("a place");
    clock.pass(-900);
    assert!(crowd.admit(local()).is_none());
    clock.pass(2);
    let _newcomer = crowd.admit(local()).expect("a place");
    assert!(!is_open(&crowd, &held));
}
