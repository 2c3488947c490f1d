//! Tests of waiting for body memory, in simulated time.

use std::sync::atomic::{AtomicI64, Ordering};

use model::time::{SECOND, Timestamp};

use super::*;

const MIB: usize = 1024 * 1024;

/// Clock that only moves when set.
#[derive(Default)]
struct StillClock(AtomicI64);

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

fn key(name: &str) -> BodyOwner {
    BodyOwner::Key(name.to_owned())
}

#[tokio::test(start_paused = true)]
async fn bodies_wait_for_each_other_and_hear_when_it_takes_too_long() {
    let budget = BodyBudget::new(Arc::<StillClock>::default());
    let second = Duration::from_secs(1);
    let mail = budget.reserve(key("a"), 40 * MIB, second).await.expect("room");
    let _other = budget.reserve(key("b"), 40 * MIB, second).await.expect("room");
    let refused = budget.reserve(key("c"), MIB, second).await.expect_err("no room");
    assert_eq!((refused.code, refused.retry_after), (ErrorCode::RateLimitExceeded, Some(1)));
    let waiting = tokio::spawn({
        let budget = budget.clone();
        async move { budget.reserve(key("c"), MIB, second).await }
    });
    tokio::task::yield_now().await;
    drop(mail);
    waiting.await.expect("no panic").expect("room again");
}

#[tokio::test(start_paused = true)]
async fn who_stops_waiting_takes_no_room() {
    let budget = BodyBudget::new(Arc::<StillClock>::default());
    let second = Duration::from_secs(1);
    let first = budget.reserve(key("a"), 40 * MIB, second).await.expect("room");
    {
        let waiting = budget.reserve(key("a"), 40 * MIB, second);
        assert!(futures_util::poll!(std::pin::pin!(waiting)).is_pending());
    }
    drop(first);
    budget.reserve(key("a"), 40 * MIB, Duration::ZERO).await.expect("room");
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_hears_that_another_waits() {
    let clock = Arc::<StillClock>::default();
    let budget = BodyBudget::new(Arc::clone(&clock) as Arc<dyn Clock>);
    let drip = budget.reserve(key("a"), 40 * MIB, Duration::ZERO).await.expect("room");
    let mail = budget.reserve(key("b"), 40 * MIB, Duration::ZERO).await.expect("room");
    mail.complete();
    drip.receive(100).expect("in time");
    let waiting = tokio::spawn({
        let budget = budget.clone();
        async move { budget.reserve(key("c"), 40 * MIB, Duration::from_secs(60)).await }
    });
    tokio::task::yield_now().await;
    clock.0.store(6 * SECOND, Ordering::SeqCst);
    let refusal = drip.wait_until_revoked().await;
    assert_eq!((refusal.code, refusal.retry_after), (ErrorCode::RateLimitExceeded, Some(1)));
    drop(drip);
    waiting.await.expect("no panic").expect("room");
}
