//! Tests of shares, order and rates of the body memory, without time.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;

const MIB: usize = 1024 * 1024;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * SECOND)
}

fn key(name: &str) -> BodyOwner {
    BodyOwner::Key(name.to_owned())
}

fn address(last: u8) -> BodyOwner {
    BodyOwner::address(IpAddr::from([192, 0, 2, last]))
}

/// Requests a reservation and returns whether it was granted at once.
fn ask(ledger: &mut Ledger, owner: BodyOwner, bytes: usize, seconds: i64) -> (ReservationId, bool) {
    let id = ledger.enqueue(owner, bytes);
    ledger.grant_waiting(at(seconds));
    (id, ledger.is_granted(id))
}

#[test]
fn each_owner_has_a_share_and_the_sum_a_maximum() {
    let mut ledger = Ledger::default();
    for _ in 0..40 {
        assert!(ask(&mut ledger, key("test"), MIB, 0).1);
    }
    // The share of "test" is used up, that of other keys is not.
    let (waits, is_held) = ask(&mut ledger, key("test"), MIB, 0);
    assert!(!is_held);
    let (mail, is_held) = ask(&mut ledger, key("mail"), 40 * MIB, 0);
    assert!(is_held, "one key keeps the largest mail of no other waiting");
    assert!(!ask(&mut ledger, key("third"), MIB, 0).1, "all of it is given");
    ledger.release(mail);
    ledger.grant_waiting(at(0));
    assert!(!ledger.is_granted(waits), "what another gives back is not its share");
}

#[test]
fn addresses_without_a_key_share_a_small_part() {
    let mut ledger = Ledger::default();
    let mut held = 0;
    for last in 0..=255 {
        for _ in 0..4 {
            held += usize::from(ask(&mut ledger, address(last), 4 * MIB, 0).1);
        }
    }
    assert_eq!(held * 4 * MIB, MAX_ALL_ADDRESSES_BYTES);
    assert_eq!(ledger.used_bytes(BudgetLimit::Share, &address(0)), MAX_ADDRESS_BYTES);
    for name in ["a", "b"] {
        assert!(ask(&mut ledger, key(name), 25 * MIB, 0).1, "keys are not kept waiting by strangers");
    }
}

#[test]
fn a_network_of_ipv6_is_one_address() {
    let of = |text: &str| BodyOwner::address(text.parse().expect("an address"));
    assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("::ffff:192.0.2.1"), address(1));
}

#[test]
fn who_waits_is_served_in_order_and_holds_no_smaller_body_back() {
    let mut ledger = Ledger::default();
    let (first, _) = ask(&mut ledger, key("a"), 40 * MIB, 0);
    ask(&mut ledger, key("b"), 30 * MIB, 0);
    let (mail, is_held) = ask(&mut ledger, key("c"), 40 * MIB, 0);
    assert!(!is_held);
    let (large, is_held) = ask(&mut ledger, key("d"), 2 * MIB, 0);
    assert!(!is_held, "a large body does not overtake another");
    assert!(ask(&mut ledger, key("e"), MIB, 0).1, "a small one does");
    ledger.release(first);
    ledger.grant_waiting(at(0));
    assert!(ledger.is_granted(mail) && ledger.is_granted(large));
}

#[test]
fn a_body_below_the_minimum_rate_is_refused() {
    let mut ledger = Ledger::default();
    let (slow, _) = ask(&mut ledger, key("slow"), MIB, 0);
    let (steady, _) = ask(&mut ledger, key("steady"), MIB, 0);
    let mut refused_at = None;
    for second in 1..60 {
        assert_eq!(ledger.receive(steady, 1100, at(second)), Ok(()), "second {second}");
        if refused_at.is_none() && ledger.receive(slow, 900, at(second)).is_err() {
            refused_at = Some(second);
        }
    }
    assert_eq!(refused_at, Some(MIN_RATE_GRACE_SECONDS));
}

#[test]
fn a_clock_that_jumps_makes_no_body_slow() {
    let mut ledger = Ledger::default();
    let (id, _) = ask(&mut ledger, key("a"), MIB, 1_000_000);
    assert_eq!(ledger.receive(id, 100_000, at(1_000_001)), Ok(()));
    assert_eq!(ledger.receive(id, 1, at(2_000_000)), Ok(()), "a jump ahead counts as one pause");
    assert_eq!(ledger.receive(id, 1, at(5)), Ok(()), "a jump back does not count");
    for second in 6..100 {
        // The machine was suspended; the next chunk was available all the time.
        ledger.wait_for_more(id, at(second));
        assert_eq!(ledger.receive(id, 1, at(second)), Ok(()));
    }
    ledger.complete(id);
    assert_eq!(ledger.receive(id, 1, at(1_000)), Ok(()), "the service takes its time");
}

#[test]
fn slow_bodies_give_way_to_those_who_wait() {
    let mut ledger = Ledger::default();
    let (drip, _) = ask(&mut ledger, key("drip"), 40 * MIB, 0);
    let (fast, _) = ask(&mut ledger, key("fast"), 40 * MIB, 0);
    let receive = |ledger: &mut Ledger, second| {
        assert_eq!(ledger.receive(drip, 5 * 1024, at(second)), Ok(()));
        assert_eq!(ledger.receive(fast, 200 * 1024, at(second)), Ok(()));
    };
    (1..=3).for_each(|second| receive(&mut ledger, second));
    let (waits, is_held) = ask(&mut ledger, key("waits"), 25 * MIB, 3);
    assert!(!is_held && !ledger.is_revoked(drip), "each body has a few seconds");
    (4..=20).for_each(|second| receive(&mut ledger, second));
    ledger.grant_waiting(at(20));
    assert!(ledger.is_revoked(drip) && !ledger.is_revoked(fast));
    ledger.release(drip);
    ledger.grant_waiting(at(20));
    assert!(ledger.is_granted(waits));
}

#[test]
fn nobody_gives_way_where_that_helps_nobody() {
    let mut ledger = Ledger::default();
    let (small, _) = ask(&mut ledger, key("a"), MIB, 0);
    let (fast, _) = ask(&mut ledger, key("b"), 40 * MIB, 0);
    let (other, _) = ask(&mut ledger, key("c"), 39 * MIB, 0);
    for second in 1..=20 {
        for (id, bytes) in [(small, 5 * 1024), (fast, MIB), (other, MIB)] {
            assert_eq!(ledger.receive(id, bytes, at(second)), Ok(()));
        }
    }
    let (waits, _) = ask(&mut ledger, key("d"), 40 * MIB, 20);
    assert!(!ledger.is_revoked(small), "39 MiB would still be missing");
    // A complete body may hold its memory as long as the service needs it.
    ledger.complete(fast);
    ledger.grant_waiting(at(500));
    assert!(!ledger.is_revoked(fast) && !ledger.is_granted(waits));
}

/// Random sequences of reservations, releases and chunks: no maximum is exceeded, and the first in the queue
/// never waits for memory that is free.
#[test]
fn no_order_of_events_breaks_a_maximum() {
    for seed in 0..200 {
        let mut random = SmallRng::seed_from_u64(seed);
        let (mut ledger, mut open, mut now) = (Ledger::default(), Vec::new(), 0);
        for _ in 0..300 {
            match random.random_range(0..4) {
                0 | 1 => {
                    let owner = match random.random_range(0..8) {
                        last @ 0..4 => address(last),
                        number => key(&number.to_string()),
                    };
                    let bytes = random.random_range(1..48) * MIB;
                    open.push((ledger.enqueue(owner, bytes), 0_usize));
                }
                2 if !open.is_empty() => {
                    let at = random.random_range(0..open.len());
                    ledger.release(open.swap_remove(at).0);
                }
                _ => {
                    now += random.random_range(0..5);
                    for (id, received) in &mut open {
                        *received += 1;
                        let _ = ledger.receive(*id, random.random_range(0..300_000), at(now));
                    }
                }
            }
            ledger.grant_waiting(at(now));
            open.retain(|(id, _)| {
                let leaves = ledger.is_revoked(*id);
                if leaves {
                    ledger.release(*id);
                }
                !leaves
            });
            ledger.grant_waiting(at(now));
            check(&ledger, seed);
        }
    }
}

fn check(ledger: &Ledger, seed: u64) {
    assert!(ledger.used_bytes(BudgetLimit::Total, &address(0)) <= MAX_TOTAL_BYTES, "seed {seed}");
    assert!(ledger.used_bytes(BudgetLimit::Addresses, &address(0)) <= MAX_ALL_ADDRESSES_BYTES, "seed {seed}");
    for room in ledger.held.values() {
        assert!(ledger.used_bytes(BudgetLimit::Share, &room.owner) <= room.owner.share(), "seed {seed}");
    }
    let first = ledger.waiting.front();
    let fits = first.is_some_and(|waiting| ledger.exceeded_limit(&waiting.owner, waiting.bytes).is_none());
    assert!(!fits, "seed {seed}: the first waits for room that is free");
}
