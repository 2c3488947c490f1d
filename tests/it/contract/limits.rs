//! Rate limits: exact in any window, reported on every answer.

use frontdesk::model::time::Clock;

use super::*;

const MILLI: i64 = 1_000;

async fn limited() -> World {
    World::with(|_| ()).await
}

#[tokio::test]
async fn twenty_a_second_whatever_is_called() {
    let world = limited().await;
    for call in 0..20 {
        let path = ["/account", "/conversations", "/nowhere", "/messages?limit=0"][call % 4];
        assert_ne!(world.get(path).await.status, 429);
        world.clock.advance(10 * MILLI);
    }
    let answer = world.get("/account").await;
    answer.refused(429, "RATE_LIMIT_EXCEEDED");
    assert_eq!(answer.number("x-ratelimit-limit"), Some(20));
    assert_eq!(answer.number("x-ratelimit-remaining"), Some(0));
    assert_eq!(answer.number("retry-after"), Some(1));
    // Refusals consume nothing: the first call leaves the window in 800 ms.
    for _ in 0..50 {
        world.get("/account").await.refused(429, "RATE_LIMIT_EXCEEDED");
    }
    world.clock.advance(800 * MILLI - 1);
    world.get("/account").await.refused(429, "RATE_LIMIT_EXCEEDED");
    world.clock.advance(1);
    world.get("/account").await.ok();
    world.get("/account").await.refused(429, "RATE_LIMIT_EXCEEDED");
    // Writes count against the same burst; other keys do not.
    world.post("/messages/send", json!({})).await.refused(429, "RATE_LIMIT_EXCEEDED");
    world.call("GET", "/account").key(world.key("whatsapp", Environment::Test)).send().await.ok();
}

#[tokio::test]
async fn reads_and_sends_in_any_minute() {
    let world = limited().await;
    for (limit, method, path, other) in
        [(300, "GET", "/account", "POST"), (100, "POST", "/conversations/c/close", "GET")]
    {
        let start = world.clock.now().seconds();
        for call in 0..limit {
            let answer = world.call(method, path).send().await;
            assert_ne!(answer.status, 429, "{call}");
            assert_eq!(answer.number("x-ratelimit-limit"), Some(limit));
            assert_eq!(answer.number("x-ratelimit-remaining"), Some(limit - call - 1));
            assert_eq!(answer.number("x-ratelimit-reset"), Some(start + 60));
            world.clock.advance(60 * MILLI);
        }
        let answer = world.call(method, path).send().await;
        answer.refused(429, "RATE_LIMIT_EXCEEDED");
        assert_eq!(answer.number("x-ratelimit-limit"), Some(limit));
        let wait = answer.number("retry-after").expect("a wait");
        assert_eq!(wait, 60 - limit * 60 / 1000);
        // Refused just before the promised time, accepted at it.
        world.clock.advance(wait * 1_000 * MILLI - 1);
        world.call(method, path).send().await.refused(429, "RATE_LIMIT_EXCEEDED");
        world.clock.advance(1);
        assert_ne!(world.call(method, path).send().await.status, 429);
        assert_ne!(world.call(other, "/conversations/c/close").send().await.status, 429);
        world.clock.advance(120 * 1_000 * MILLI);
    }
}

#[tokio::test]
async fn what_is_refused_before_the_limit_counts_against_nobody() {
    let world = limited().await;
    for _ in 0..30 {
        let call = world.call("GET", "/telegram/conversations");
        let answer = call.send().await;
        answer.refused(403, "FORBIDDEN");
        assert_eq!(answer.number("x-ratelimit-remaining"), Some(300));
        world.call("GET", "/account").keyless().send().await.refused(401, "INVALID_AUTH");
    }
    assert_eq!(world.get("/account").await.number("x-ratelimit-remaining"), Some(299));
}

#[tokio::test]
async fn headers_on_everything() {
    let world = limited().await;
    // The harness checks the headers on each answer.
    for (method, path) in [
        ("GET", "/nowhere"),
        ("OPTIONS", "/account"),
        ("HEAD", "/account"),
        ("HEAD", "/nowhere"),
        ("DELETE", "/messages/send"),
        ("OPTIONS", "/nowhere"),
    ] {
        world.call(method, path).send().await;
        world.call(method, path).keyless().send().await;
    }
    for path in ["", "/", "/v1", "/v2/account", "/dev", "/dev/", "/dev/nowhere", "/dev/clock"] {
        for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::POST] {
            let request = world.http.request(method, format!("http://{}{path}", world.address()));
            Call { http: world.http.clone(), request, key: None }.send().await;
        }
    }
}

/// With any number of callers, no window exceeds the limit.
#[tokio::test(flavor = "multi_thread")]
async fn exact_under_concurrency() {
    let world = Arc::new(limited().await);
    let mut accepted = 0;
    for _ in 0..3 {
        let calls = (0..64).map(|_| {
            let world = world.clone();
            tokio::spawn(async move { world.get("/account").await.status })
        });
        let mut now = 0;
        for call in calls.collect::<Vec<_>>() {
            now += usize::from(call.await.expect("no panic") == 200);
        }
        assert_eq!(now, 20);
        accepted += now;
        world.clock.advance(1_000 * MILLI);
    }
    assert_eq!(accepted, 60);
}

#[tokio::test]
async fn guesses_at_keys_are_limited() {
    let world = World::with(|options| options.failure_limit = service::FailureLimit::Everyone).await;
    let guess = || world.call("GET", "/account").key("svc_live_guess").send();
    for left in (0..30).rev() {
        let answer = guess().await;
        answer.refused(401, "INVALID_KEY");
        assert_eq!(answer.number("x-ratelimit-remaining"), Some(left));
    }
    let answer = guess().await;
    answer.refused(429, "RATE_LIMIT_EXCEEDED");
    assert_eq!(answer.number("retry-after"), Some(60));
    world.get("/account").await.ok();
    world.clock.advance(60 * 1_000 * MILLI);
    guess().await.refused(401, "INVALID_KEY");
}

#[tokio::test]
async fn without_limits_nothing_is_refused() {
    let world = World::new().await;
    for _ in 0..350 {
        let answer = world.get("/account").await;
        assert_eq!(answer.number("x-ratelimit-limit"), Some(300));
        answer.ok();
    }
}
