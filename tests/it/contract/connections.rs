//! Connections that are slow, numerous, or carry many requests at once.

use std::time::Duration;

use frontdesk::service::RequestTimeouts;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::hostile::split;
use super::*;
use crate::waiting::{until_found, within};

/// A service with short timeouts.
pub async fn hasty() -> World {
    World::with(|options| {
        options.unlimited = true;
        options.timeouts = RequestTimeouts {
            header: Duration::from_millis(300),
            idle: Duration::from_millis(300),
            body: Duration::from_millis(900),
        };
    })
    .await
}

fn head(world: &World, line: &str, more: &str) -> String {
    let key = world.live("whatsapp");
    format!("{line}\r\nhost: {}\r\nauthorization: Bearer {key}\r\n{more}\r\n", world.address())
}

/// Sends these bytes on new connections until one is answered. On a busy machine the timeout may pass before the bytes
/// are read; the connection then ends without an answer.
async fn send_until_answered(world: &World, bytes: &str) -> (u16, Vec<u8>) {
    until_found("an answer", async || {
        let mut stream = TcpStream::connect(world.address()).await.expect("connects");
        // The connection may have ended.
        let _ = stream.write_all(bytes.as_bytes()).await;
        split(&rest(&mut stream).await).ok_or("no answer")
    })
    .await
}

async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A reset is a closed connection too.
    let _ = within("the end", stream.read_to_end(&mut bytes)).await;
    bytes
}

#[tokio::test]
async fn a_slow_head_is_closed() {
    let world = hasty().await;
    // Nothing at all, half a head, and one byte after another.
    let mut silent = TcpStream::connect(world.address()).await.expect("connects");
    let mut half = TcpStream::connect(world.address()).await.expect("connects");
    half.write_all(b"GET /v1/account HTTP/1.1\r\nhost: x").await.expect("written");
    let mut slow = TcpStream::connect(world.address()).await.expect("connects");
    let dripping = async {
        for byte in b"GET /v1/account HTTP/1.1\r\nx: ".iter().chain(std::iter::repeat(&b'y')) {
            if slow.write_all(&[*byte]).await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within("the end", dripping).await;
    rest(&mut silent).await;
    rest(&mut half).await;
    // A used connection that is left open.
    assert_eq!(send_until_answered(&world, &head(&world, "GET /v1/account HTTP/1.1", "")).await.0, 200);
}

#[tokio::test]
async fn a_slow_body_is_refused_and_closed() {
    let world = hasty().await;
    let announced = "content-type: application/json\r\ncontent-length: 500\r\n";
    let line = "POST /v1/messages/send HTTP/1.1";
    let begun = head(&world, line, announced) + "{\"to\":";
    let (status, body) = send_until_answered(&world, &begun).await;
    assert_eq!((status, String::from_utf8_lossy(&body).contains("VALIDATION_ERROR")), (400, true));
    // Never idle for long, and never done.
    let (status, _) = until_found("an answer", async || {
        let slow = TcpStream::connect(world.address()).await.expect("connects");
        let (mut reader, mut writer) = slow.into_split();
        let begun = head(&world, line, announced);
        let dripping = tokio::spawn(async move {
            let mut written = writer.write_all(begun.as_bytes()).await;
            while written.is_ok() {
                tokio::time::sleep(Duration::from_millis(50)).await;
                written = writer.write_all(b" ").await;
            }
        });
        let mut bytes = Vec::new();
        let _ = within("the end", reader.read_to_end(&mut bytes)).await;
        dripping.abort();
        split(&bytes).ok_or("no answer")
    })
    .await;
    assert_eq!(status, 400);
    world.get("/account").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_idle_connections_keeps_nobody_out() {
    let world = hasty().await;
    let mut crowd = Vec::new();
    for number in 0..600 {
        let mut stream = TcpStream::connect(world.address()).await.expect("connects");
        if number % 2 == 0 {
            stream.write_all(b"GET /v1/acc").await.expect("written");
        }
        crowd.push(stream);
    }
    // Further connections are refused at once, and accepted when these are gone.
    let asked = async {
        loop {
            let mut stream = TcpStream::connect(world.address()).await.expect("connects");
            let request = head(&world, "GET /v1/account HTTP/1.1", "connection: close\r\n");
            if stream.write_all(request.as_bytes()).await.is_err() {
                continue;
            }
            let answer = String::from_utf8_lossy(&rest(&mut stream).await).into_owned();
            if answer.starts_with("HTTP/1.1 200") {
                break;
            }
            assert!(answer.is_empty() || answer.contains("too many connections"), "{answer}");
        }
    };
    within("an answer", asked).await;
    for mut stream in crowd {
        rest(&mut stream).await;
    }
}

#[tokio::test]
async fn what_is_asked_at_once_is_answered_in_order() {
    let world = World::new().await;
    let (_, id) = world.inbound("whatsapp", ANA, "hi").await;
    let mut bytes = String::new();
    for number in 0..100 {
        let path = if number % 2 == 0 { "/v1/account".to_owned() } else { format!("/v1/messages/{id}") };
        let more = if number == 99 { "connection: close\r\n" } else { "" };
        bytes.push_str(&head(&world, &format!("GET {path} HTTP/1.1"), more));
    }
    let mut stream = TcpStream::connect(world.address()).await.expect("connects");
    stream.write_all(bytes.as_bytes()).await.expect("written");
    let answers = String::from_utf8(rest(&mut stream).await).expect("text");
    let kinds: Vec<bool> =
        answers.split("HTTP/1.1 200 OK").skip(1).map(|part| part.contains("creditsBalance")).collect();
    assert_eq!(kinds.len(), 100);
    assert!(kinds.iter().enumerate().all(|(number, account)| *account == (number % 2 == 0)));
}

/// A shutdown completes the running request.
#[tokio::test]
async fn the_last_request_is_answered() {
    let mut world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    let running = world.running.take().expect("it runs");
    let body = text_to(ANA, "the last").to_string();
    let more = format!(
        "content-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(world.address()).await.expect("connects");
    stream
        .write_all(head(&world, "POST /v1/messages/send HTTP/1.1", &more).as_bytes())
        .await
        .expect("written");
    // The service sends this when it begins to read the body.
    let mut told = [0; 25];
    stream.read_exact(&mut told).await.expect("told");
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    let stopping = tokio::spawn(running.shutdown());
    tokio::task::yield_now().await;
    stream.write_all(body.as_bytes()).await.expect("written");
    assert_eq!(split(&rest(&mut stream).await).expect("answered").0, 200);
    stopping.await.expect("no panic");
    assert!(TcpStream::connect(world.address()).await.is_err(), "nobody listens any more");
    let db = rusqlite::Connection::open(world.database()).expect("opens");
    let count: i64 = db.query_row("SELECT count(*) FROM outbound", [], |row| row.get(0)).expect("a number");
    assert_eq!(count, 1);
}
