//! Too many connections, and requests that are answered before their body is read.

use std::time::Duration;

use frontdesk::service::RequestTimeouts;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

fn host(running: &RunningService) -> &str {
    running.base_url.trim_start_matches("http://").trim_end_matches("/v1")
}

async fn answer(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|length| length.parse().ok()).expect("a length");
            if body.len() >= length {
                return (head, body.to_owned());
            }
        }
        let read = stream.read_buf(&mut bytes).await.expect("it answers");
        assert!(read > 0, "it ended after {text:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_above_the_limit_are_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    // A timeout that does not end idle connections during the test.
    let patience = RequestTimeouts { header: Duration::from_secs(3600), ..RequestTimeouts::default() };
    let options = Options { connections: 4, timeouts: patience, ..options(folder.path().join("service.db")) };
    let running = start(options).await.expect("it starts");
    let request = format!("GET /v1/openapi.json HTTP/1.1\r\nhost: {}\r\n\r\n", host(&running));
    let mut held = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(host(&running)).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("sent");
        assert!(answer(&mut stream).await.0.starts_with("http/1.1 200"));
        held.push(stream);
    }
    for _ in 0..3 {
        let mut stream = TcpStream::connect(host(&running)).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let (head, body) = answer(&mut stream).await;
        assert!(head.starts_with("http/1.1 503") && head.contains("retry-after: 1"), "{head}");
        assert!(head.contains("connection: close") && body.contains("too many connections"), "{head}{body}");
    }
    drop(held.pop());
    loop {
        let mut stream = TcpStream::connect(host(&running)).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("sent");
        // Until the service has noticed the closed connection.
        if answer(&mut stream).await.0.starts_with("http/1.1 200") {
            break;
        }
    }
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn early_answer_reads_the_rest_or_closes_the_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { unlimited: false, ..options(folder.path().join("service.db")) };
    let running = start(options).await.expect("it starts");
    let key =
        running.keys.iter().find(|key| key.channel == "whatsapp").expect("a key").key.expose().to_owned();
    let head = |method: &str, path: &str, length: usize| {
        format!(
            "{method} /v1/{path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\ncontent-type: \
             application/json\r\ncontent-length: {length}\r\n\r\n",
            host(&running)
        )
    };
    let mut stream = TcpStream::connect(host(&running)).await.expect("it listens");
    // The clock does not move: the burst is soon used up.
    for _ in 0..20 {
        stream.write_all(head("GET", "account", 0).as_bytes()).await.expect("sent");
        assert!(answer(&mut stream).await.0.starts_with("http/1.1 200"));
    }
    // A short body is read, and the connection continues.
    for _ in 0..3 {
        let body = "{\"to\": \"+34600111222\"}";
        let sent = format!("{}{body}", head("POST", "messages/send", body.len()));
        stream.write_all(sent.as_bytes()).await.expect("sent");
        let (head, _) = answer(&mut stream).await;
        assert!(head.starts_with("http/1.1 429") && !head.contains("connection: close"), "{head}");
    }
    // A long body is not awaited, as the answer says.
    stream.write_all(head("POST", "messages/send", 900_000).as_bytes()).await.expect("sent");
    stream.write_all(&[b' '; 4096]).await.expect("sent");
    let (head, _) = answer(&mut stream).await;
    assert!(head.starts_with("http/1.1 429") && head.contains("connection: close"), "{head}");
    running.shutdown().await;
}

async fn ask(running: &RunningService, path: &str) -> String {
    let mut stream = TcpStream::connect(host(running)).await.expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", host(running));
    stream.write_all(request.as_bytes()).await.expect("sent");
    answer(&mut stream).await.0.lines().next().expect("a line").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connection_is_closed_for_a_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let patience = RequestTimeouts { header: Duration::from_secs(3600), ..RequestTimeouts::default() };
    let clock = HandClock::new();
    let options = Options {
        connections: 4,
        timeouts: patience,
        clock: clock.clone(),
        ..options(folder.path().join("service.db"))
    };
    let running = start(options).await.expect("it starts");
    let mut silent = Vec::new();
    for _ in 0..4 {
        silent.push(TcpStream::connect(host(&running)).await.expect("it listens"));
    }
    // Each has a moment to send a request; health checks are always answered.
    assert_eq!(ask(&running, "/v1/openapi.json").await, "http/1.1 503 service unavailable");
    for probe in ["/health", "/ready"] {
        assert_eq!(ask(&running, probe).await, "http/1.1 200 ok");
    }
    clock.advance(2_000_000);
    assert_eq!(ask(&running, "/v1/openapi.json").await, "http/1.1 200 ok");
    // The connection idle for longest is closed.
    let mut bytes = Vec::new();
    let ended = silent[0].read_to_end(&mut bytes).await;
    assert!(matches!(ended, Ok(0) | Err(_)) && bytes.is_empty(), "{ended:?}");
    running.shutdown().await;
}
