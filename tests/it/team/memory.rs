//! Memory of the real service with many open event streams.
//!
//! `FRONTDESK_STREAMS` sets the number of streams.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::json;

use crate::binary::Binary;
use crate::postgres::together::Process;
use crate::waiting::until_found;

/// Streams of a plain run.
const STREAMS: usize = 200;
const STREAMS_PER_DESK: usize = 4;
const DESKS_PER_PERSON: usize = 16;
/// Maximum memory that a stream takes, in kibibytes.
const MAX_KIBIBYTES_PER_STREAM: u64 = 128;
const CUSTOMER: &str = "+34600111222";

fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Opens an event stream and waits for its first event.
fn open(address: &str, session: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request =
        format!("GET /desk/v1/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {session}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    until_event(&mut stream, "event: reset");
    stream
}

fn until_event(stream: &mut TcpStream, words: &str) {
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while !text.contains(words) {
        let count = stream.read(&mut bytes).expect("bytes");
        assert!(count > 0, "the stream ended: {text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
}

/// Number of open streams according to the metrics.
async fn open_streams(process: &Process) -> String {
    let request = process.http.get(format!("http://{}/metrics", process.address));
    let page = request.send().await.expect("an answer").text().await.expect("a page");
    let count = page.lines().find_map(|line| line.strip_prefix("frontdesk_team_streams "));
    count.expect("the metric").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_take_little_memory() {
    frontdesk::client::install_tls();
    let wanted = std::env::var("FRONTDESK_STREAMS").ok().and_then(|var| var.parse().ok()).unwrap_or(STREAMS);
    let binary = Binary::new();
    let database = binary.folder().join("service.db").to_str().expect("words").to_owned();
    let arguments = ["--db", &database, "--dev", "--simulate", "--unlimited"];
    let process = Process::reached(Process::begin(&binary, "service", &arguments));
    let mut sessions = Vec::new();
    for desk in 0..wanted.div_ceil(STREAMS_PER_DESK) {
        let person = format!("Person {}", desk / DESKS_PER_PERSON);
        let mut admin = binary.command(&["admin", "--db", &database, "person", "add", &person]);
        let added = admin.stdin(Stdio::null()).output().expect("it runs");
        let out = String::from_utf8_lossy(&added.stdout).into_owned();
        let token = out.split_whitespace().last().unwrap_or_default().to_owned();
        let body = json!({"token": token, "device": "laptop"});
        let (status, told) = process.ask("/desk/v1/sign-in", "none", None, Some(body)).await;
        assert_eq!(status, 200, "{out} {told}");
        sessions.push(told["session"].as_str().expect("a session").to_owned());
    }
    // Load what the process loads once, with the first stream, before its memory is read.
    let conversation = process.inbound(CUSTOMER, "Hola").await["conversationId"].clone();
    let address = &process.address;
    drop(open(address, &sessions[0]));
    until_found("no stream", async || match open_streams(&process).await.as_str() {
        "0" => Ok(()),
        other => Err(other.to_owned()),
    })
    .await;
    let before = resident(process.child.id());
    let mut streams: Vec<TcpStream> = sessions
        .iter()
        .flat_map(|session| std::iter::repeat_n(session, STREAMS_PER_DESK))
        .take(wanted)
        .map(|session| open(address, session))
        .collect();
    let idle = resident(process.child.id());
    for number in 0..50 {
        process.inbound(CUSTOMER, &format!("message {number}")).await;
    }
    let tags = json!({"tags": ["last"]});
    let path = format!("/desk/v1/conversations/{}/tags", conversation.as_str().expect("an id"));
    let request = process.http.put(format!("http://{address}{path}")).bearer_auth(&sessions[0]);
    let request = request.header("content-type", "application/json").body(tags.to_string());
    assert!(request.send().await.expect("an answer").status().is_success());
    for stream in &mut streams {
        until_event(stream, "event: tag");
    }
    let busy = resident(process.child.id());
    println!(
        "{wanted} streams of {} desks: {before} KiB before, {idle} KiB while nothing happens, {busy} KiB after 51 events",
        sessions.len()
    );
    let count = u64::try_from(streams.len()).expect("few");
    let taken = busy.saturating_sub(before);
    assert!(taken <= MAX_KIBIBYTES_PER_STREAM * count, "{taken} KiB for {count} streams");
    assert_eq!(open_streams(&process).await, wanted.to_string());
}
