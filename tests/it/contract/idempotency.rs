//! All rules of idempotency keys.

use super::*;
use crate::waiting::{TryError, with_more_time};

async fn ready() -> World {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    world
}

#[tokio::test]
async fn a_retry_gets_the_first_answer() {
    let world = ready().await;
    let first = world.text("k1", "hello").send().await;
    assert!(!first.replayed());
    let again = world.text("k1", "hello").send().await;
    assert!(again.replayed());
    assert_eq!((again.status, &again.bytes), (200, &first.bytes));
    // Order and white space of the body do not matter.
    let reordered = format!(r#" {{ "text": {{"body":"hello"}}, "type":"text",   "to": "{ANA}" }} "#);
    let call = world.call("POST", "/messages/send").idem("k1").raw("application/json", reordered);
    assert!(call.send().await.replayed());
    assert_eq!((world.balance().await, world.outbound().await.len()), (999, 1));
    assert_eq!(world.outbound().await[0].2.as_deref(), Some("k1"));
    // Without a key everything runs.
    world.post("/messages/send", text_to(ANA, "hello")).await.ok();
    assert_eq!(world.balance().await, 998);
}

#[tokio::test]
async fn another_request_under_the_key_conflicts() {
    let world = ready().await;
    let (id, _) = world.inbound("whatsapp", ANA, "more").await;
    world.text("k1", "hello").send().await.ok();
    world.text("k1", "other").send().await.refused(409, "IDEMPOTENCY_CONFLICT");
    let close = |key: &str| world.call("POST", &format!("/conversations/{id}/close")).idem(key).send();
    close("k1").await.refused(409, "IDEMPOTENCY_CONFLICT");
    close("k2").await.ok();
    assert!(close("k2").await.replayed());
    // Keys are scoped to an API key.
    let test = world.call("POST", "/messages/send").key(world.key("whatsapp", Environment::Test));
    let mocked = test.idem("k1").json(&text_to(ANA, "other")).send().await;
    assert!(!mocked.replayed());
    assert_eq!(mocked.ok()["test"], true);
    world.inbound("telegram", "77", "/start").await;
    let bot = world.call("POST", "/telegram/send").key(world.live("telegram")).idem("k1");
    assert!(!bot.json(&json!({"chatId": 77, "text": "x"})).send().await.replayed());
    assert_eq!(world.outbound().await.len(), 2);
}

#[tokio::test]
async fn every_write_takes_a_key() {
    let world = ready().await;
    let (id, message) = world.inbound("whatsapp", ANA, "more").await;
    let calls = [
        ("PATCH", format!("/conversations/{id}"), json!({"automationEnabled": false})),
        ("POST", format!("/conversations/{id}/close"), Value::Null),
        ("POST", format!("/messages/{message}/react"), json!({"emoji": "👍"})),
    ];
    for (method, path, body) in calls {
        for replayed in [false, true] {
            let answer = world.call(method, &path).idem(&path.replace('/', "_")).json(&body).send().await;
            assert_eq!(answer.replayed(), replayed, "{answer:?}");
            answer.ok();
        }
    }
}

#[tokio::test]
async fn a_key_lives_for_a_day() {
    let world = ready().await;
    world.text("k1", "hello").send().await.ok();
    world.advance(24 * 3600 - 1).await;
    assert!(world.text("k1", "hello").send().await.replayed());
    world.text("k1", "other").send().await.refused(409, "IDEMPOTENCY_CONFLICT");
    world.advance(2).await;
    world.inbound("whatsapp", ANA, "open again").await;
    assert!(!world.text("k1", "other").send().await.replayed());
    assert_eq!(world.balance().await, 998);
}

#[tokio::test]
async fn keys_survive_a_restart() {
    let world = ready().await;
    world.text("k1", "hello").send().await.ok();
    let world = world.restarted(|options| options.unlimited = true).await;
    assert!(world.text("k1", "hello").send().await.replayed());
    assert_eq!((world.balance().await, world.outbound().await.len()), (999, 1));
}

#[tokio::test]
async fn business_refusals_are_kept() {
    let world = World::new().await;
    let expired = world.text("k1", "hello").send().await;
    expired.refused(400, "SESSION_EXPIRED");
    world.inbound("whatsapp", ANA, "hi").await;
    let again = world.text("k1", "hello").send().await;
    assert!(again.replayed());
    assert_eq!(again.refused(400, "SESSION_EXPIRED").bytes, expired.bytes);
    world.dev("/credits", json!({"balance": 0})).await.ok();
    world.text("k2", "hello").send().await.refused(402, "INSUFFICIENT_CREDITS");
    world.dev("/credits", json!({"balance": 9})).await.ok();
    assert!(world.text("k2", "hello").send().await.refused(402, "INSUFFICIENT_CREDITS").replayed());
    let absent =
        || world.call("POST", "/messages/nowhere/react").idem("k3").json(&json!({"emoji": "👍"})).send();
    absent().await.refused(404, "NOT_FOUND");
    assert!(absent().await.replayed());
    world.text("k4", "hello").send().await.ok();
}

#[tokio::test]
async fn what_never_began_is_not_kept() {
    let world = World::with(|_| ()).await;
    world.inbound("whatsapp", ANA, "hi").await;
    let send = |body: Value| world.call("POST", "/messages/send").idem("k1").json(&body);
    send(text_to(ANA, "x")).keyless().send().await.refused(401, "INVALID_AUTH");
    send(text_to(ANA, "x")).key(world.live("email")).send().await.refused(403, "FORBIDDEN");
    send(text_to(ANA, "")).send().await.refused(400, "VALIDATION_ERROR");
    send(json!({"to": ANA, "type": "text", "text": {"body": "x"}, "pad": "y".repeat(1 << 20)}))
        .send()
        .await
        .refused(413, "PAYLOAD_TOO_LARGE");
    for _ in 0..18 {
        world.get("/account").await.ok();
    }
    send(text_to(ANA, "x")).send().await.refused(429, "RATE_LIMIT_EXCEEDED");
    world.clock.advance(1_000_000);
    world.dev("/fault", json!({"path_prefix": "/messages", "count": 1, "status": 500})).await.ok();
    send(text_to(ANA, "x")).send().await.refused(500, "INTERNAL_ERROR");
    let number = "+34600110006";
    world.inbound("whatsapp", number, "hi").await;
    send(text_to(number, "x")).send().await.refused(502, "WHATSAPP_ERROR");
    let done = send(text_to(ANA, "x")).send().await;
    assert!(!done.replayed());
    done.ok();
}

#[tokio::test]
async fn a_key_has_a_form() {
    let world = ready().await;
    for key in ["", "two words", "é", &"k".repeat(256), "tab\there"] {
        world.text(key, "x").send().await.refused(400, "VALIDATION_ERROR");
    }
    world.text("k", "x").idem("k").send().await.refused(400, "VALIDATION_ERROR");
    world.text(&"k".repeat(255), "x").send().await.ok();
    world.text("!~:/\"", "x").send().await.ok();
}

#[tokio::test]
async fn while_one_runs_others_wait() {
    let told = with_more_time(|before| async move {
        let world = ready().await;
        let span = 500_u64 << (2 * before);
        let fault = json!({"path_prefix": "/v1/messages/send", "count": 1, "delay_ms": span});
        world.dev("/fault", fault).await.ok();
        // Whichever comes first meets the fault and holds the key.
        let (one, two) = tokio::join!(world.text("k1", "hello").send(), world.text("k1", "hello").send());
        let (ran, waited) = if one.status == 200 && !one.replayed() { (one, two) } else { (two, one) };
        if waited.replayed() {
            return Err(TryError::TooLittleTime(format!("{waited:?} came after {ran:?}")));
        }
        waited.refused(409, "IDEMPOTENCY_IN_PROGRESS");
        assert_eq!(waited.number("retry-after"), Some(1));
        assert!(!ran.replayed());
        let first = ran.ok();
        let again = world.text("k1", "hello").send().await;
        assert!(again.replayed());
        assert_eq!(again.ok(), first);
        assert_eq!((world.balance().await, world.outbound().await.len()), (999, 1));
        Ok(())
    });
    told.await.expect("the second comes while the first runs");
}

/// 64 concurrent calls with one key: one runs, the others get a conflict or its answer.
#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_run_once() {
    let world = Arc::new(ready().await);
    for round in 0..5 {
        let tasks: Vec<_> = (0..64)
            .map(|_| {
                let world = world.clone();
                tokio::spawn(async move { world.text(&format!("k{round}"), "hello").send().await })
            })
            .collect();
        let (mut ran, mut ids) = (0, std::collections::HashSet::new());
        for task in tasks {
            let answer = task.await.expect("no panic");
            if answer.status == 200 {
                ran += usize::from(!answer.replayed());
                ids.insert(answer.body["messageId"].as_str().expect("an id").to_owned());
            } else {
                answer.refused(409, "IDEMPOTENCY_IN_PROGRESS");
            }
        }
        assert_eq!((ran, ids.len()), (1, 1));
        assert_eq!(world.balance().await, 999 - round);
    }
}
