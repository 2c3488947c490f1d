//! Tests of the sliding log against a naive model.

use proptest::prelude::*;

use super::*;

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000 * SECOND + micros)
}

proptest! {
    #![proptest_config(randomized::config(256))]

    /// A call is accepted if and only if fewer than `limit` accepted calls are in the span before it, and at
    /// the promised time.
    #[test]
    fn agrees_with_a_naive_model(
        limit in 1_usize..6,
        gaps in prop::collection::vec(0_i64..400, 1..200),
    ) {
        let span = 1_000;
        let mut log = SlidingLog::new(limit, span);
        let mut accepted: Vec<i64> = Vec::new();
        let mut now = 0;
        for gap in gaps {
            now += gap;
            let recent = accepted.iter().filter(|call| **call > now - span).count();
            let wait = log.wait_micros(at(now));
            prop_assert_eq!(wait == 0, recent < limit);
            let standing = log.quota(at(now));
            prop_assert_eq!(standing.remaining, limit - recent.min(limit));
            if wait == 0 {
                log.record(at(now));
                accepted.push(now);
            } else {
                prop_assert_eq!(log.clone().wait_micros(at(now + wait)), 0);
                prop_assert!(log.clone().wait_micros(at(now + wait - 1)) > 0);
            }
        }
    }
}

proptest! {
    #![proptest_config(randomized::config(48))]

    /// A call is accepted if and only if its category and the burst have room; the returned wait is enough,
    /// and a second less is not.
    #[test]
    fn categories_and_burst_agree_with_counting(
        calls in prop::collection::vec((0_i64..90_000, 0_usize..5), 1..600),
    ) {
        use Category::{Broadcast, ContactsWrite, Read, Send, Webhooks};
        let categories = [Read, Send, Broadcast, ContactsWrite, Webhooks];
        let limits = Limits::new(false);
        let mut accepted: Vec<(i64, Category)> = Vec::new();
        let mut now = 0;
        for (gap, which) in calls {
            now += gap;
            let category = categories[which];
            let fits = |time: i64| {
                let burst = accepted.iter().filter(|(call, _)| *call > time - SECOND).count();
                let own = accepted.iter().filter(|(call, of)| *of == category && *call > time - MINUTE);
                burst < 20 && own.count() < category.per_minute()
            };
            match limits.admit("k", category, at(now)) {
                Ok(standing) => {
                    prop_assert!(fits(now));
                    accepted.push((now, category));
                    let own = accepted.iter().filter(|(call, of)| *of == category && *call > now - MINUTE);
                    prop_assert_eq!(standing.remaining, category.per_minute() - own.count());
                }
                Err(refused) => {
                    prop_assert!(!fits(now));
                    prop_assert!(fits(now + refused.retry_after * SECOND));
                    prop_assert!(refused.retry_after == 1 || !fits(now + (refused.retry_after - 1) * SECOND));
                }
            }
        }
    }
}

#[test]
fn a_refusal_consumes_nothing_and_names_the_wait() {
    let limits = Limits::new(false);
    for call in 0..20 {
        let standing = limits.admit("k", Category::Read, at(call)).expect("below the burst");
        assert_eq!(standing.limit, 300);
        assert_eq!(standing.remaining, 299 - usize::try_from(call).expect("small"));
    }
    for _ in 0..5 {
        let refused = limits.admit("k", Category::Read, at(20)).expect_err("over the burst");
        assert_eq!((refused.quota.limit, refused.retry_after), (20, 1));
    }
    assert_eq!(limits.quota("k", Category::Read, at(20)).remaining, 280);
    limits.admit("k", Category::Read, at(SECOND)).expect("the first call has left the burst");
    limits.admit("other", Category::Read, at(20)).expect("keys do not share");
}

#[test]
fn categories_do_not_share() {
    let limits = Limits::new(false);
    for call in 0..10 {
        limits.admit("k", Category::Broadcast, at(call * SECOND)).expect("below ten");
    }
    let refused = limits.admit("k", Category::Broadcast, at(10 * SECOND)).expect_err("over ten");
    assert_eq!((refused.quota.limit, refused.quota.remaining, refused.retry_after), (10, 0, 50));
    assert_eq!(refused.quota.reset, 1_700_000_060);
    limits.admit("k", Category::Read, at(10 * SECOND)).expect("another category");
    limits.admit("k", Category::Broadcast, at(60 * SECOND)).expect("exactly when promised");
}

#[test]
fn peers_fail_thirty_times_a_minute() {
    let limits = Limits::new(false);
    let peer: IpAddr = "203.0.113.7".parse().expect("valid");
    for call in 0..30 {
        limits.admit_failure(peer, true, at(call)).expect("below thirty");
    }
    assert_eq!(limits.admit_failure(peer, true, at(30)).expect_err("over thirty").retry_after, 60);
    limits.admit_failure(peer, false, at(30)).expect("not counted");
    let open = Limits::new(true);
    for call in 0..1000 {
        open.admit_failure(peer, true, at(call)).expect("unlimited");
        open.admit("k", Category::Send, at(call)).expect("unlimited");
    }
}

#[test]
fn a_clock_set_back_locks_nobody_out() {
    let mut log = SlidingLog::new(2, SECOND);
    log.record(at(10 * SECOND));
    // A slightly earlier time is another caller's reading of the same clock.
    log.record(at(10 * SECOND - 5));
    assert_eq!(log.wait_micros(at(10 * SECOND - 1)), SECOND + 1);
    assert_eq!(log.wait_micros(at(11 * SECOND)), 0);
    log.record(at(20 * SECOND));
    log.record(at(20 * SECOND));
    assert_eq!(log.wait_micros(at(0)), 0);
}
