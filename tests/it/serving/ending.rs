//! The end of a service: running requests are answered, new ones are refused.

use std::process::ExitStatus;

use super::*;
use crate::waiting::until_so;

const JSON: &str = "content-type: application/json";
const INBOUND: &[u8] = br#"{"channel": "whatsapp", "from": "+34600111222", "text": "hi"}"#;
const TEXT: &[u8] = br#"{"to": "+34600111222", "type": "text", "text": {"body": "on the way"}}"#;

/// Sends a signal and waits until the service has announced its end.
fn signal(serving: &mut Serving, name: &str) -> BufReader<std::process::ChildStderr> {
    let mut said = BufReader::new(serving.child.stderr.take().expect("its errors"));
    crate::binary::signal(serving.child.id(), name);
    let mut line = String::new();
    while !line.contains("a second signal") {
        line.clear();
        assert!(said.read_line(&mut line).expect("text") > 0, "it ended without a word");
    }
    said
}

fn ended(serving: &mut Serving) -> ExitStatus {
    serving.child.wait().expect("it ends")
}

/// A request with an incomplete body, and the rest of the body.
fn under_way(serving: &Serving) -> (TcpStream, &'static [u8]) {
    let mut stream = TcpStream::connect(serving.address()).expect("it listens");
    let (first, rest) = TEXT.split_at(10);
    let key = serving.key("whatsapp", "live");
    let head = format!(
        "POST /v1/messages/send HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n{JSON}\r\n\
         expect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        TEXT.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    // Sent once the handler reads the body: from then on the request is running.
    let mut told = [0; 25];
    stream.read_exact(&mut told).expect("it reads on");
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(first).expect("sent");
    (stream, rest)
}

/// Waits until the listener is closed; existing connections may continue.
fn refuses(serving: &Serving) {
    until_so("the listener's end", || TcpStream::connect(serving.address()).is_err());
}

#[test]
fn open_requests_are_answered_and_new_ones_refused() {
    for name in ["TERM", "INT"] {
        let binary = Binary::new();
        let mut serving = Serving::start(&binary, &["--dev"]);
        assert_eq!(serving.ask("POST", "/dev/inbound", &[JSON], INBOUND).status, 200);
        // An idle connection does not delay the end.
        let mut idle = TcpStream::connect(serving.address()).expect("it listens");
        idle.write_all(b"HEAD /health HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("sent");
        let mut begun = [0; 12];
        idle.read_exact(&mut begun).expect("it answers");
        assert_eq!(&begun, b"HTTP/1.1 200");
        let (mut stream, rest) = under_way(&serving);
        let _said = signal(&mut serving, name);
        refuses(&serving);
        idle.read_to_end(&mut Vec::new()).expect("the idle one is ended");
        stream.write_all(rest).expect("sent");
        let answer = Answer::read(&mut stream);
        assert_eq!(answer.status, 200, "{answer:?}");
        let id = answer.json()["messageId"].as_str().expect("an id").to_owned();
        assert_eq!(ended(&mut serving).code(), Some(0), "{name}");
        // Answers are stored, and the WAL is checkpointed.
        let database = binary.folder().join("service.db");
        let log = std::fs::metadata(binary.folder().join("service.db-wal"));
        assert!(log.map_or(true, |log| log.len() == 0));
        let kept = rusqlite::Connection::open(database).expect("opens");
        let count =
            kept.query_row("SELECT count(*) FROM messages WHERE id = ?1", [&id], |row| row.get::<_, i64>(0));
        assert_eq!(count.expect("read"), 1);
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    let binary = Binary::new();
    let mut serving = Serving::start(&binary, &[]);
    let (mut stream, _) = under_way(&serving);
    let mut said = signal(&mut serving, "TERM");
    crate::binary::signal(serving.child.id(), "INT");
    assert_eq!(ended(&mut serving).code(), Some(1));
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    assert!(rest.contains("by a second signal"), "{rest}");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn request_that_takes_too_long_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let listen = "127.0.0.1:0".parse().expect("an address");
    let clock = crate::desk::HandClock::new();
    let mut options = frontdesk::service::Options::new(listen, folder.path().join("service.db"), clock);
    options.drain = std::time::Duration::from_millis(10);
    // Longer than any test: only the shutdown timeout ends it.
    options.timeouts.idle = std::time::Duration::from_secs(3600);
    options.timeouts.body = std::time::Duration::from_secs(3600);
    let running = frontdesk::service::start(options).await.expect("it starts");
    let (_, address) = running.base_url.split_once("http://").expect("an address");
    let mut stream =
        tokio::net::TcpStream::connect(address.trim_end_matches("/v1")).await.expect("it listens");
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let key = running.keys[0].key.expose();
    let head = format!(
        "POST /v1/messages/send HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n{JSON}\r\n\
         expect: 100-continue\r\ncontent-length: 10\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut told = [0; 25];
    stream.read_exact(&mut told).await.expect("it reads on");
    running.shutdown().await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
}
