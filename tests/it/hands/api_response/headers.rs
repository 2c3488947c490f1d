//! Headers that are wrong, or use another format.

use frontdesk::client::errors::ReadError;
use frontdesk::model::outbox::RowState;
use frontdesk::model::time::{Clock, HOUR, SECOND, Timestamp};
use frontdesk::sync::PushStep;

use crate::hands::api_response::{chat, client, ready, refusal, sends, sent};
use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, message, page};

fn limited() -> Answer {
    Answer::refusal(429, "RATE_LIMIT_EXCEEDED", "slower")
}

/// Wait of a rate limit refusal with these headers.
async fn wait<const N: usize>(headers: [(&'static str, &'static str); N]) -> Option<i64> {
    let hands = ready().await;
    hands.server.now(sends(move |_| {
        headers.iter().fold(limited(), |header, (name, value)| header.header(name, value))
    }));
    let refusal = refusal(&hands).await;
    assert_eq!(refusal.status, 429);
    refusal.retry_after
}

pub async fn retry_after_huge() {
    assert_eq!(wait([("retry-after", "99999999999")]).await, Some(3600 * SECOND));
}

pub async fn retry_after_date() {
    let date = ("date", "Wed, 21 Oct 2026 07:27:30 GMT");
    assert_eq!(wait([date, ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")]).await, Some(30 * SECOND));
    assert_eq!(wait([date, ("retry-after", "Wed, 21 Oct 2026 07:20:00 GMT")]).await, Some(SECOND));
}

pub async fn retry_after_float() {
    assert_eq!(wait([("retry-after", "1.5")]).await, Some(2 * SECOND));
}

pub async fn retry_after_zero() {
    assert_eq!(wait([("retry-after", "0")]).await, Some(SECOND));
}

pub async fn retry_after_garbage() {
    for garbage in ["soon", "-3", "", "1e400"] {
        let hands = ready().await;
        hands.server.now(sends(move |_| limited().header("retry-after", garbage)));
        assert_eq!(refusal(&hands).await.retry_after, None, "{garbage}");
        // Still not repeated at once.
        let row = hands.history("c1").outbox.remove(0);
        assert_eq!(row.state, RowState::Queued);
        let step = hands.push().await;
        assert!(matches!(step, PushStep::Due(at) if at > hands.clock.now()), "{step:?}");
    }
}

const LIMITED: (&str, &str) = ("x-ratelimit-limit", "100");
const NONE_LEFT: (&str, &str) = ("x-ratelimit-remaining", "0");
/// 1795000000 seconds of the epoch, less twelve.
const TWELVE_BEFORE: (&str, &str) = ("date", "Wed, 18 Nov 2026 11:06:28 GMT");

pub async fn reset_epoch() {
    let reset = ("x-ratelimit-reset", "1795000000");
    assert_eq!(wait([TWELVE_BEFORE, LIMITED, NONE_LEFT, reset]).await, Some(12 * SECOND));
}

pub async fn reset_delta() {
    let reset = ("x-ratelimit-reset", "12");
    assert_eq!(wait([TWELVE_BEFORE, LIMITED, NONE_LEFT, reset]).await, Some(12 * SECOND));
}

pub async fn reset_milliseconds() {
    let reset = ("x-ratelimit-reset", "1795000000000");
    assert_eq!(wait([TWELVE_BEFORE, LIMITED, NONE_LEFT, reset]).await, Some(12 * SECOND));
}

/// Reads in a burst until the desk's own rate limit stops it.
async fn reads_until_paced(hands: &Hands) -> usize {
    let client = client(hands);
    for count in 0..400 {
        if count % 15 == 14 {
            hands.pass(1);
        }
        if let Err(ReadError::Paced(_)) = client.account().await {
            return count;
        }
    }
    panic!("never paced");
}

pub async fn rate_headers_missing() {
    let hands = ready().await;
    let made = reads_until_paced(&hands).await;
    assert!((200..300).contains(&made), "its own budget holds: {made}");
}

pub async fn remaining_negative() {
    let hands = ready().await;
    hands.server.now(|request| {
        let answer = chat(request).header("x-ratelimit-limit", "300");
        answer.header("x-ratelimit-remaining", "-3").header("x-ratelimit-reset", "30")
    });
    let client = client(&hands);
    client.account().await.expect("read");
    let next = client.account().await;
    assert!(matches!(next, Err(ReadError::Paced(wait)) if wait == 30 * SECOND), "none is left: {next:?}");
}

/// Date header of a server whose clock is off by some hours.
fn dated(hands: &Hands, hours: i64) -> String {
    http_date(hands.clock.now().plus(hours * HOUR))
}

fn http_date(at: Timestamp) -> String {
    // The story begins on a Friday in November and takes two days.
    let iso = at.to_string();
    let (day, clock) = (&iso[8..10], &iso[11..19]);
    let name = match day {
        "20" => "Fri",
        "21" => "Sat",
        _ => "Sun",
    };
    format!("{name}, {day} Nov 2026 {clock} GMT")
}

/// With any server clock, an idempotency key is used for 23 hours and no message is missed.
pub async fn date_skew() {
    for skew in [Some(3), Some(-3), None] {
        let hands = ready().await;
        let answer = move |date: Option<String>, answer: Answer| match date {
            Some(date) => answer.header("date", &date),
            None => answer,
        };
        let serve = |hands: &Hands, fails: bool| {
            let date = skew.map(|skew| dated(hands, skew));
            hands.server.now(move |request: &Request| {
                let told = match request.route().as_str() {
                    "POST /messages/send" if fails => Answer::status(500, serde_json::json!({})),
                    "POST /messages/send" => sent("sent-1"),
                    "GET /triggers/new-message" => {
                        Answer::ok(page(&[message("m5", "c1", "inbound", 5)], None))
                    }
                    _ => chat(request),
                };
                answer(date.clone(), told)
            });
        };
        serve(&hands, true);
        hands.pull().await;
        assert_eq!(hands.messages("c1"), ["m1", "m5"], "{skew:?}");
        hands.queue_text("c1", "first");
        hands.push().await;
        assert_eq!(hands.server.posts().len(), 1, "{skew:?}");
        // Shortly before the limit the same key is used, and answered.
        hands.pass(23 * 3600 - 120);
        serve(&hands, false);
        hands.pull().await;
        hands.push().await;
        assert_eq!(hands.server.posts().len(), 1, "{skew:?}: still recognised");
        assert!(hands.history("c1").outbox.is_empty(), "{skew:?}");
        // Beyond the limit it is not.
        serve(&hands, true);
        hands.queue_text("c1", "second");
        hands.push().await;
        assert_eq!(hands.server.posts().len(), 1, "{skew:?}");
        hands.pass(23 * 3600 + 60);
        serve(&hands, false);
        hands.pull().await;
        hands.push().await;
        assert_eq!(hands.server.posts().len(), 0, "{skew:?}: too old to be recognised");
        assert!(hands.history("c1").outbox[0].is_stopped(), "{skew:?}");
    }
}
