//! Faults requested with `/dev/fault`: delays, answers, and cut connections.

use std::time::Duration;

use tokio::time::Instant;

use super::*;

async fn ready() -> World {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    world
}

impl World {
    async fn fault(&self, fault: Value) {
        assert_eq!(self.dev("/fault", fault).await.ok()["waiting"], true);
    }
}

#[tokio::test]
async fn answers_that_are_asked_for() {
    let world = ready().await;
    world.fault(json!({"path_prefix": "/conversations", "count": 2, "status": 503})).await;
    world.fault(json!({"path_prefix": "/v1/account", "count": 1, "status": 429, "retry_after": 7})).await;
    world
        .fault(json!({"path_prefix": "/messages", "count": 1, "method": "POST", "status": 400,
                       "code": "TEMPLATE_ERROR"}))
        .await;
    world.get("/messages").await.ok();
    assert_eq!(world.get("/conversations").await.status, 503);
    assert_eq!(world.get("/conversations/nowhere").await.status, 503);
    world.get("/conversations").await.ok();
    let limited = world.get("/account").await;
    assert_eq!(limited.refused(429, "RATE_LIMIT_EXCEEDED").number("retry-after"), Some(7));
    world.post("/messages/send", text_to(ANA, "x")).await.refused(400, "TEMPLATE_ERROR");
    assert!(world.outbound().await.is_empty(), "its work was not done");
    // A count of 0 removes the pending faults of a prefix.
    world.fault(json!({"path_prefix": "/account", "count": 100, "status": 500})).await;
    assert_eq!(
        world.dev("/fault", json!({"path_prefix": "/account", "count": 0})).await.ok()["waiting"],
        false
    );
    world.get("/account").await.ok();
}

#[tokio::test]
async fn cut_before_during_and_after_the_work() {
    let world = ready().await;
    for (number, (place, done)) in [("before", false), ("after", true), ("mid", true)].into_iter().enumerate()
    {
        let key = format!("k{number}");
        world.fault(json!({"path_prefix": "/messages/send", "count": 1, "drop": place})).await;
        let before = world.outbound().await.len();
        assert!(world.text(&key, place).attempt().await.is_err(), "{place}");
        assert_eq!(world.outbound().await.len() - before, usize::from(done), "{place}");
        let again = world.text(&key, place).send().await;
        assert_eq!(again.replayed(), done, "{place}");
        again.ok();
    }
    assert_eq!((world.balance().await, world.outbound().await.len()), (997, 3));
    world.fault(json!({"path_prefix": "/", "count": 1, "drop": "mid"})).await;
    assert!(world.call("GET", "/messages").attempt().await.is_err());
    world.get("/messages").await.ok();
}

#[tokio::test]
async fn delays() {
    let world = ready().await;
    for (method, path) in [("GET", "/account"), ("POST", "/messages/send"), ("POST", "/messages/x/react")] {
        world.fault(json!({"path_prefix": path, "count": 1, "delay_ms": 150})).await;
        let begun = Instant::now();
        world.call(method, path).json(&text_to(ANA, "x")).send().await;
        assert!(begun.elapsed() >= Duration::from_millis(150), "{path}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let world = ready().await;
    for body in [
        json!({}),
        json!({"path_prefix": "/x"}),
        json!({"path_prefix": "", "count": 1}),
        json!({"path_prefix": "/x", "count": -1}),
        json!({"path_prefix": "/x", "count": 1.5}),
        json!({"path_prefix": "/x", "count": 1, "drop": "later"}),
        json!({"path_prefix": "/x", "count": 1, "status": 99}),
        json!({"path_prefix": "/x", "count": 1, "method": "G ET"}),
        json!({"path_prefix": "/x", "count": 1, "delay_ms": "soon"}),
    ] {
        world.dev("/fault", body).await.refused(400, "VALIDATION_ERROR");
    }
}
