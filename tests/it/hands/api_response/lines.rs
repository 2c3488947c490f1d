//! Connections that redirect, decompress to large bodies, or never end.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use frontdesk::client::errors::ReadError;
use frontdesk::client::{Client, ClientTimeouts, NotSent, WriteOutcome};
use frontdesk::model::news::Health;
use frontdesk::model::outbox::{RowState, StopReason};
use frontdesk::model::secret::Secret;
use frontdesk::sync::PushStep;

use crate::hands::Hands;
use crate::hands::api_response::{account, chat, outcome, ready, sends, sent};
use crate::hands::server::Answer;
use crate::waiting::{TryError, with_more_time};

/// Compressed spaces: small on the line, large in memory.
fn packed(megabytes: usize) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let piece = vec![b' '; 1 << 20];
    (0..megabytes).for_each(|_| packer.write_all(&piece).expect("a vector takes it"));
    packer.finish().expect("a vector takes it")
}

pub async fn gzip_bomb() {
    let bomb = packed(200);
    assert!(bomb.len() < 300_000);
    let hands = ready().await;
    let served = bomb.clone();
    hands
        .server
        .now(move |_| Answer::raw(200, "application/json", &served).header("content-encoding", "gzip"));
    let Err(ReadError::Trouble(why)) = account(&hands).await else { panic!("it was read") };
    assert_eq!(why.as_str(), "the server's answer is larger than 16 MiB and was not read");
    // The outcome of a write is unknown.
    let sent = outcome(&hands, &bounded(&hands, ClientTimeouts::default())).await;
    assert!(matches!(sent, WriteOutcome::Unknown(_)), "{sent:?}");
}

pub async fn brotli_zstd_bomb() {
    for encoding in ["br", "zstd", "deflate"] {
        let hands = ready().await;
        let bytes = packed(1);
        hands
            .server
            .now(move |_| Answer::raw(200, "application/json", &bytes).header("content-encoding", encoding));
        let read = account(&hands).await;
        assert!(matches!(read, Err(ReadError::Trouble(_))), "{encoding}: {read:?}");
        let asked = hands.server.seen().pop().expect("asked");
        assert_eq!(asked.headers["accept-encoding"], "gzip", "nothing else is offered");
    }
}

/// A redirect is not followed and halts the tab; the row may have been sent.
async fn not_followed(status: u16, location: impl Fn(&Hands) -> String) {
    let hands = ready().await;
    let location = location(&hands);
    let target = location.clone();
    hands.server.now(move |_| Answer::raw(status, "text/plain", b"").header("location", &target));
    hands.queue_text("c1", "Hello");
    assert_eq!(hands.push().await, PushStep::Halted, "{status} {location}");
    let asked = hands.server.seen();
    assert_eq!(asked.len(), 1, "{status} {location}");
    assert!(matches!(hands.health(), Some(Health::Misconfigured { .. })), "{status} {location}");
    let row = hands.history("c1").outbox.remove(0);
    assert!(matches!(row.state, RowState::Stopped(StopReason::Unknown, _)), "{status} {location}: {row:?}");
    let read = account(&hands).await;
    assert!(matches!(read, Err(ReadError::Misconfigured(_))), "{status} {location}: {read:?}");
}

pub async fn redirect_cross_host() {
    for status in [301, 302, 303, 307, 308] {
        not_followed(status, |_| "http://127.0.0.1:9/".to_owned()).await;
    }
}

pub async fn redirect_downgrade() {
    not_followed(308, |hands| hands.server.base_url.replace("/v1", "/")).await;
}

pub async fn redirect_loop() {
    not_followed(307, |hands| format!("{}/messages/send", hands.server.base_url)).await;
}

fn bounded(hands: &Hands, bounds: ClientTimeouts) -> Client {
    let key = Secret::new("svc_live_0123456789");
    let clock = Arc::clone(&hands.clock) as _;
    Client::with_timeouts(&hands.server.base_url, &key, clock, bounds).expect("a client").for_person()
}

/// However long a server delays, reads fail and the outcome of a write is unknown.
async fn given_up(bounds: impl Fn(Duration) -> ClientTimeouts, answer: impl Fn() -> Answer + Send + 'static) {
    let hands = ready().await;
    hands.server.now(move |_| answer());
    let (hands, bounds) = (&hands, &bounds);
    let given_up = with_more_time(|before| async move {
        let client = bounded(hands, bounds(Duration::from_millis(200) * 5_u32.pow(before)));
        let read = client.account().await.map(|_| ());
        assert!(matches!(read, Err(ReadError::Offline(_) | ReadError::Trouble(_))), "{read:?}");
        let sent = outcome(hands, &client).await;
        // A busy machine may not have sent the request yet.
        if hands.server.posts().is_empty() {
            return Err(TryError::TooLittleTime("nothing was sent".to_owned()));
        }
        assert!(matches!(sent, WriteOutcome::Unknown(_)), "{sent:?}");
        Ok(())
    });
    assert_eq!(given_up.await, Ok(()));
}

fn total(bound: Duration) -> ClientTimeouts {
    ClientTimeouts { read_total: bound, write_total: bound, ..ClientTimeouts::default() }
}

pub async fn slow_drip() {
    let head =
        || b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n".to_vec();
    // Never idle for long, so that only the total timeout ends it.
    given_up(total, move || Answer::Drip(head(), Duration::from_millis(10))).await;
    let idle = |bound| ClientTimeouts { idle: bound, ..ClientTimeouts::default() };
    given_up(idle, move || Answer::Stall(head())).await;
}

pub async fn never_answers() {
    given_up(total, || Answer::Stall(Vec::new())).await;
}

pub async fn continue_flood() {
    let flood = || b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1000);
    given_up(total, move || Answer::Stall(flood())).await;
}

/// A lost request is repeated with the same key and carried out once.
async fn asked_again(first: impl Fn() -> Answer + Send + 'static) {
    let hands = ready().await;
    hands.server.now(sends(move |count| if count == 1 { first() } else { sent("sent-1") }));
    hands.queue_text("c1", "Only once");
    hands.push().await;
    hands.pass(30);
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!((posts[0].key(), &posts[0].body), (posts[1].key(), &posts[1].body));
    assert_eq!(hands.messages("c1"), ["m1", "sent-1"]);
}

pub async fn reset_after_write() {
    asked_again(|| Answer::Reset).await;
}

/// A kept connection that is closed before the next send.
pub async fn closed_idle_connection() {
    let hands = ready().await;
    let body = serde_json::json!({"messageId": "kept", "status": "sent"}).to_string().into_bytes();
    let kept = body.clone();
    hands.server.now(sends(move |count| match count {
        1 => Answer::KeptOnce(kept.clone()),
        _ => sent("sent-2"),
    }));
    hands.queue_text("c1", "first");
    hands.push().await;
    hands.queue_text("c1", "second");
    for _ in 0..3 {
        hands.push().await;
        hands.pass(30);
    }
    let posts = hands.server.posts();
    let keys: std::collections::BTreeSet<_> = posts.iter().map(|post| post.key().to_owned()).collect();
    assert_eq!(keys.len(), 2, "one key each, however often it was asked: {}", posts.len());
    assert_eq!(hands.messages("c1").len(), 3);
    assert!(hands.history("c1").outbox.is_empty());
    // Without a connection nothing was sent for certain.
    hands.server.now(chat);
    let nowhere =
        Client::new("http://127.0.0.1:9/v1", &Secret::new("svc_live_0"), Arc::clone(&hands.clock) as _);
    let sent = outcome(&hands, &nowhere.expect("a client")).await;
    assert!(matches!(sent, WriteOutcome::NotSent(NotSent::Offline(_))), "{sent:?}");
}
