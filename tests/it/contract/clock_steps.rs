//! The machine's wall clock is set ahead and back under a running service.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdesk::model::time::{Clock, DAY, HOUR, MINUTE, SECOND, Timestamp};
use frontdesk::service::AssistantChoice;
use frontdesk::shell::clock::SystemClock;

use super::*;
use crate::waiting::until_found;

/// The system's clock with an offset, on a machine with an uptime clock.
#[derive(Default)]
struct SetClock {
    ahead: AtomicI64,
}

impl SetClock {
    fn step(&self, span: i64) {
        self.ahead.fetch_add(span, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.ahead.load(Ordering::SeqCst))
    }

    fn since_boot(&self) -> Option<i64> {
        // The system's clock is not set during the tests.
        Some(SystemClock.now().micros() - 1_700_000_000 * SECOND)
    }
}

async fn world_by(clock: &Arc<SetClock>, change: impl FnOnce(&mut Options)) -> World {
    let clock = clock.clone();
    World::with(|options| {
        options.clock = clock;
        options.unlimited = true;
        change(options);
    })
    .await
}

async fn created(world: &World, sent: &Value) -> Timestamp {
    let read = world.get(&format!("/messages/{}", sent["messageId"].as_str().expect("an id"))).await.ok();
    Timestamp::parse(read["createdAt"].as_str().expect("a time")).expect("a time")
}

#[tokio::test]
async fn a_key_of_seconds_ago_outlives_every_step_of_the_clock() {
    let clock = Arc::new(SetClock::default());
    let world = world_by(&clock, |_| ()).await;
    world.inbound("whatsapp", ANA, "hi").await;
    world.text("k1", "hello").send().await.ok();
    for step in [25 * HOUR, -50 * HOUR, 30 * DAY, -365 * DAY, 400 * DAY] {
        clock.step(step);
        // The customer writes at any time; other keys purge old ones.
        world.inbound("whatsapp", ANA, "still here").await;
        world.text(&format!("other {step}").replace(' ', "-"), "more").send().await.ok();
        assert!(world.text("k1", "hello").send().await.replayed(), "after {step}");
    }
    let hellos = world.outbound().await.iter().filter(|entry| entry.1 == "hello").count();
    assert_eq!(hellos, 1, "it was sent once");
    // `/dev/clock` moves the time itself.
    world.dev("/clock", json!({"advance_seconds": 25 * 3600})).await.ok();
    world.inbound("whatsapp", ANA, "a day later").await;
    assert!(!world.text("k1", "hello").send().await.replayed());
}

#[tokio::test]
async fn a_restart_while_the_clock_is_wrong_forgets_no_key() {
    let clock = Arc::new(SetClock::default());
    let world = world_by(&clock, |_| ()).await;
    world.inbound("whatsapp", ANA, "hi").await;
    world.text("k1", "hello").send().await.ok();
    clock.step(30 * DAY);
    let world = world
        .restarted(|options| {
            options.clock = clock.clone();
            options.unlimited = true;
        })
        .await;
    world.inbound("whatsapp", ANA, "still here").await;
    world.text("k2", "more").send().await.ok();
    assert!(world.text("k1", "hello").send().await.replayed());
}

#[tokio::test]
async fn messages_are_dated_by_the_clock_again_once_it_is_put_right() {
    let clock = Arc::new(SetClock::default());
    let world = world_by(&clock, |_| ()).await;
    world.inbound("whatsapp", ANA, "hi").await;
    clock.step(2 * DAY);
    world.inbound("whatsapp", ANA, "from a wrong time").await;
    clock.step(-2 * DAY);
    for number in 0..3 {
        let sent = world.post("/messages/send", text_to(ANA, &format!("hello {number}"))).await.ok();
        let ahead = created(&world, &sent).await.since(clock.now());
        assert!(ahead <= MINUTE, "{ahead} µs ahead of the clock");
    }
}

#[tokio::test]
async fn a_small_step_back_leaves_the_order_as_it_is() {
    let clock = Arc::new(SetClock::default());
    let world = world_by(&clock, |_| ()).await;
    world.inbound("whatsapp", ANA, "hi").await;
    let first = world.post("/messages/send", text_to(ANA, "one")).await.ok();
    clock.step(-30 * SECOND);
    let second = world.post("/messages/send", text_to(ANA, "two")).await.ok();
    assert!(created(&world, &first).await <= created(&world, &second).await);
    assert_eq!(ids(&world.get("/messages").await.ok())[0], second["messageId"]);
}

#[tokio::test]
async fn an_answer_that_waits_is_not_held_up_by_a_step_back() {
    let clock = Arc::new(SetClock::default());
    let world = world_by(&clock, |options| {
        options.by_hand = false;
        options.assistant = AssistantChoice::Scripted;
    })
    .await;
    clock.step(3 * HOUR);
    let (id, _) = world.inbound("whatsapp", ANA, "hello").await;
    clock.step(-3 * HOUR);
    until_found("the answer", async || {
        let body = world.get(&format!("/conversations/{id}/messages")).await.ok();
        let items = body["data"].as_array().expect("a list").clone();
        items.iter().any(|item| item["senderType"] == "ai").then_some(()).ok_or(body.to_string())
    })
    .await;
}

/// Rows from before a step back get their own time, so that new ones come first in every list.
#[tokio::test]
async fn the_newest_message_is_first_after_a_step_back() {
    let clock = Arc::new(SetClock::default());
    let world = world_by(&clock, |_| ()).await;
    let mut written = vec![world.inbound("whatsapp", ANA, "before").await.1];
    clock.step(2 * HOUR);
    for text in ["wrong one", "wrong two"] {
        written.push(world.inbound("whatsapp", ANA, text).await.1);
    }
    clock.step(-2 * HOUR);
    until_found("rows of their own time", async || {
        let newest = world.get("/messages?limit=1").await.ok()["data"][0]["createdAt"].clone();
        let at = Timestamp::parse(newest.as_str().expect("a time")).expect("a time");
        (at <= clock.now()).then_some(()).ok_or(newest.to_string())
    })
    .await;
    written.push(world.inbound("whatsapp", ANA, "after").await.1);
    written.reverse();
    assert_eq!(ids(&world.get("/messages").await.ok()), written);
}
