//! Hostile requests to the public address of the receiver, named in the corpus.

use std::time::Duration;

use frontdesk::model::webhook_status::DeliverySubject;
use frontdesk::receiver::{ConnectionLimits, MAX_BODY_BYTES};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Ears, OTHER, SECRET, path_of};
use crate::service::receiver::hex_hmac;
use crate::waiting::within;

const RECEIVED: &[u8] =
    br#"{"event":"message.received","timestamp":"2026-11-20T10:00:00Z","data":{"conversationId":"c1"}}"#;

/// Lines of the corpus about signatures, and their status.
const HELD: [(&str, u16); 10] = [
    ("no-signature", 401),
    ("wrong-case-hex", 200),
    ("short-hex", 401),
    ("reserialised-body", 401),
    ("body-bom", 401),
    ("two-headers", 401),
    ("replay-other-endpoint", 401),
    ("duplicate-key-json", 400),
    ("oversize", 413),
    ("unknown-event", 200),
];

#[test]
fn every_line_of_the_corpus_has_a_place() {
    let lines = include_str!("../../hostile.jsonl").lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let names: Vec<String> = lines
        .filter(|line| line["group"] == "webhook-signature")
        .map(|line| line["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, HELD.map(|(name, _)| name));
}

async fn tried(ears: &Ears, name: &str) -> u16 {
    let right = hex_hmac(SECRET, RECEIVED);
    match name {
        "no-signature" => ears.deliver("chat", &[], RECEIVED).await,
        "wrong-case-hex" => ears.deliver("chat", &[&right.to_uppercase()], RECEIVED).await,
        "short-hex" => {
            for wrong in
                ["", &right[..62], &right[..63], &right.replace(|_| true, "z"), "é", &right.repeat(2)]
            {
                assert_eq!(ears.deliver("chat", &[wrong], RECEIVED).await, 401, "{wrong:?}");
            }
            401
        }
        "reserialised-body" => {
            let spaced = String::from_utf8_lossy(RECEIVED).replace(':', ": ");
            ears.deliver("chat", &[&right], spaced.as_bytes()).await
        }
        "body-bom" => ears.deliver("chat", &[&right], &[b"\xef\xbb\xbf", RECEIVED].concat()).await,
        "two-headers" => {
            assert_eq!(ears.deliver("chat", &["00", &right], RECEIVED).await, 401);
            ears.deliver("chat", &[&right, &right], RECEIVED).await
        }
        "replay-other-endpoint" => {
            let others = hex_hmac(OTHER, RECEIVED);
            assert_eq!(ears.deliver("mail", &[&right], RECEIVED).await, 401);
            ears.deliver("chat", &[&others], RECEIVED).await
        }
        "duplicate-key-json" => ears.signed(br#"{"event":"message.received","event":"x.y"}"#).await,
        "oversize" => {
            let body = vec![b' '; 30_000_000];
            ears.signed(&body).await
        }
        "unknown-event" => ears.signed(br#"{"event":"x.y","data":{}}"#).await,
        other => panic!("{other} is not tried"),
    }
}

#[tokio::test]
async fn what_is_not_rightly_signed_is_refused_and_nothing_is_heard() {
    for (name, status) in HELD {
        let ears = Ears::open().await;
        assert_eq!(tried(&ears, name).await, status, "{name}");
        let told: Vec<DeliverySubject> = ears.deliveries().iter().map(|entry| entry.1.subject).collect();
        let wanted: &[DeliverySubject] = match name {
            "wrong-case-hex" => &[DeliverySubject::Received],
            // Counted, without further effect.
            "unknown-event" => &[DeliverySubject::Unknown],
            _ => &[],
        };
        assert_eq!(told, wanted, "{name}");
    }
}

#[tokio::test]
async fn a_delivery_is_heard_once_and_all_are_counted() {
    let ears = Ears::open().await;
    assert_eq!(ears.signed(RECEIVED).await, 200);
    assert_eq!(ears.signed(RECEIVED).await, 200, "taken before");
    assert_eq!(ears.deliver("chat", &["00"], RECEIVED).await, 401);
    assert_eq!(ears.signed(b"[]").await, 400);
    assert_eq!(ears.signed(br#"{"event":"x.y"}"#).await, 200);
    assert_eq!(ears.signed(br#"{"event":"message.read","data":{}}"#).await, 200);
    let heard = ears.deliveries();
    assert_eq!(
        heard.iter().map(|entry| entry.1.subject).collect::<Vec<_>>(),
        [DeliverySubject::Received, DeliverySubject::Unknown, DeliverySubject::Changed]
    );
    assert_eq!(heard[0].1.conversation.as_ref().map(|conversation| conversation.as_str()), Some("c1"));
    let counts = heard[2].2;
    assert_eq!((counts.accepted, counts.repeated, counts.unknown, counts.refused), (2, 1, 1, 2));
}

#[tokio::test]
async fn a_challenge_comes_back_as_text_and_only_where_somebody_listens() {
    let ears = Ears::open().await;
    let path = path_of("chat");
    let get = async |target: &str| {
        ears.raw(format!("GET {target} HTTP/1.1\r\nhost: desk\r\n\r\n").as_bytes()).await.expect("an answer")
    };
    assert_eq!(get(&format!("/{path}?x=1&challenge=a%2Bb%20c")).await, (200, "a+b c".to_owned()));
    assert_eq!(get(&format!("/behind/a/proxy/{path}/?challenge=v")).await, (200, "v".to_owned()));
    assert_eq!(get(&format!("/{path}")).await.0, 400);
    assert_eq!(get(&format!("/{path}?challenge={}", "v".repeat(1025))).await.0, 400);
    assert_eq!(get("/other?challenge=v").await, (404, String::new()));
    assert_eq!(get("/?challenge=v").await.0, 404);
    let put = format!("PUT /{path} HTTP/1.1\r\nhost: desk\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(ears.raw(put.as_bytes()).await.map(|raw| raw.0), Some(405));
    assert_eq!(ears.deliver("nobody", &["00"], RECEIVED).await, 404);
    assert!(
        ears.deliveries().is_empty(),
        "what anybody may ask says nothing of deliveries: {:?}",
        ears.deliveries()
    );
}

#[tokio::test]
async fn the_largest_body_is_taken_and_a_longer_one_is_not_read() {
    let ears = Ears::open().await;
    let of = |size: usize| {
        let head = br#"{"event":"message.sent","data":""#;
        let mut body = head.to_vec();
        body.resize(size - 2, b'x');
        body.extend_from_slice(b"\"}");
        body
    };
    assert_eq!(ears.signed(&of(MAX_BODY_BYTES)).await, 200);
    assert_eq!(ears.signed(&of(MAX_BODY_BYTES + 1)).await, 413);
    // Without a content length.
    let path = path_of("chat");
    let head = format!("POST /{path} HTTP/1.1\r\nhost: desk\r\ntransfer-encoding: chunked\r\n\r\n");
    let part = [b"10000\r\n", &[b' '; 0x10000][..], b"\r\n"].concat();
    let mut bytes = head.into_bytes();
    (0..20).for_each(|_| bytes.extend_from_slice(&part));
    assert_eq!(ears.raw(&bytes).await.map(|raw| raw.0), Some(413));
}

#[tokio::test]
async fn slow_clients_are_cut_off_and_many_wait_for_their_turn() {
    let (head, whole) = (Duration::from_millis(200), Duration::from_millis(400));
    let ears = Ears::within(ConnectionLimits {
        connections: 16,
        head,
        lifetime: whole,
        ..ConnectionLimits::default()
    })
    .await;
    let path = path_of("chat");
    // More than are served at a time, each with half a request.
    let mut slow = Vec::new();
    for number in 0..64 {
        let mut stream = TcpStream::connect(&ears.address).await.expect("connects");
        let half = match number % 2 {
            0 => format!("POST /{path} HTTP/1.1\r\nhost: de"),
            _ => format!("POST /{path} HTTP/1.1\r\nhost: desk\r\ncontent-length: 100\r\n\r\n{{"),
        };
        stream.write_all(half.as_bytes()).await.expect("written");
        slow.push(stream);
    }
    assert_eq!(ears.signed(RECEIVED).await, 200, "in its turn");
    for mut stream in slow {
        let mut rest = Vec::new();
        // A reset is an end, too.
        let _ = within("its end", stream.read_to_end(&mut rest)).await;
    }
    assert_eq!(ears.deliveries().len(), 1);
}

#[tokio::test]
async fn who_only_holds_connections_gives_way_to_a_delivery() {
    // Neither ends by a timeout during this test.
    let never = Duration::from_secs(3600);
    let ears =
        Ears::within(ConnectionLimits { head: never, lifetime: never, ..ConnectionLimits::default() }).await;
    let mut idle = Vec::new();
    for _ in 0..500 {
        idle.push(TcpStream::connect(&ears.address).await.expect("connects"));
    }
    assert_eq!(within("the delivery", ears.signed(RECEIVED)).await, 200);
    assert_eq!(ears.deliveries().len(), 1);
}

#[tokio::test]
async fn a_hundred_deliveries_at_a_time_are_all_taken() {
    let ears = Ears::open().await;
    let bodies =
        (0..100).map(|number| format!(r#"{{"event":"message.received","data":{{"messageId":"{number}"}}}}"#));
    let bodies: Vec<String> = bodies.collect();
    let statuses = bodies.iter().map(|body| ears.signed(body.as_bytes()));
    let statuses = futures_util::future::join_all(statuses).await;
    assert!(statuses.iter().all(|entry| *entry == 200), "{statuses:?}");
    assert_eq!(ears.deliveries().len(), 100);
}
