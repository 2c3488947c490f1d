//! Endless webhook calls take little memory and block no other callers. `FRONTDESK_HOOK_BODIES`
//! sets their number.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use super::number_server::{self, NumberServer};
use crate::binary::Binary;

const BODIES: usize = 300;
/// Announced size of each body: the maximum of a call.
const ANNOUNCED_BYTES: usize = 4 * 1024 * 1024;
const SENT_BYTES: usize = 1024 * 1024;
/// Maximum memory of the service, in megabytes.
const MAX_MEMORY: u64 = 128;

fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

/// Sends a head and a part of a body.
fn unfinished(address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "POST /hooks/whatsapp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: \
         {ANNOUNCED_BYTES}\r\n\r\n"
    );
    stream.set_write_timeout(Some(Duration::from_millis(50))).expect("set");
    // Bytes the service does not read stay in the sockets.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&vec![b' '; SENT_BYTES]));
    stream
}

fn probe(address: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn calls_that_never_end_take_little_memory_together() {
    let (binary, number) = (Binary::new(), NumberServer::start());
    let database = binary.folder().join("service.db").to_str().expect("words").to_owned();
    let serve = || {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--db", &database];
        let mut child = binary.command(&arguments).stderr(Stdio::null()).spawn().expect("it runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit(' ').next().expect("an address");
        (child, address.trim_start_matches("http://").trim_end_matches("/v1").to_owned())
    };
    let (mut first, _) = serve();
    first.kill().and_then(|()| first.wait()).expect("ended");
    let connect = ["admin", "--db", &database, "channel", "connect", "whatsapp", "--api-url", &number.url()];
    let ids = ["--phone-number-id", number_server::NUMBER, "--business-account-id", number_server::ACCOUNT];
    let secrets = [number_server::TOKEN, number_server::APP_SECRET, number_server::VERIFY].join("\n");
    binary.ok(&[&connect[..], &ids].concat(), &format!("{secrets}\n"));

    let (mut child, address) = serve();
    let wanted = std::env::var("FRONTDESK_HOOK_BODIES").ok().and_then(|count| count.parse().ok());
    let streams: Vec<TcpStream> = (0..wanted.unwrap_or(BODIES)).map(|_| unfinished(&address)).collect();
    // Each answer gives the service time to read on.
    for _ in 0..300 {
        assert_eq!(probe(&address), "HTTP/1.1 200 OK");
    }
    let peak = peak(child.id());
    child.kill().and_then(|()| child.wait()).expect("ended");
    assert!(peak < MAX_MEMORY, "{peak} MB");
    println!("{} bodies that never end: {peak} MB at most", streams.len());
}
