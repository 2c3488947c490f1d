//! Memory stays bounded with hundreds of half-read bodies, and the largest mails at once.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use super::killing::Killable;

/// Maximum memory of the service, in megabytes.
const MOST: u64 = 200;

/// Number of answers before the memory is checked.
const ANSWERS: usize = 300;

/// Peak memory of a process, in megabytes; from `/proc`.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

/// Sends a head and most of a body.
fn half(address: &str, path: &str, key: &str, announced: usize, sent: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "POST /v1{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {announced}\r\n\r\n"
    );
    stream.set_write_timeout(Some(Duration::from_millis(50))).expect("set");
    // Bytes the service does not read stay in the sockets.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&vec![b' '; sent]));
    stream
}

#[test]
fn half_read_bodies_take_little_memory_together() {
    let folder = tempfile::tempdir().expect("a folder");
    frontdesk::client::install_tls();
    let service = Killable::start(folder.path());
    let address = service.url("base_url", "").replace("http://", "").replace("/v1", "");
    let chat = service.key("whatsapp");
    let mut streams: Vec<TcpStream> =
        (0..300).map(|_| half(&address, "/messages/send", &chat, 1_040_000, 1_000_000)).collect();
    let mail = service.key("email");
    streams.extend((0..4).map(|_| half(&address, "/email/send", &mail, 41_000_000, 2_000_000)));
    // Other callers are answered; each answer gives the service time to read on.
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        for _ in 0..ANSWERS {
            let asked = http.get(service.url("base_url", "/account")).bearer_auth(&chat).send().await;
            assert_eq!(asked.expect("an answer").status(), 200);
        }
    });
    let peak = peak(service.child.id());
    assert!(peak < MOST, "{peak} MB");
    drop(streams);
}
