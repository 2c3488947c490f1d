//! `frontdesk serve` with the real binary: its output, its requests, and its end.

mod dashboards;
mod doctor;
mod ending;
mod metrics;
mod operating_page;
mod probes;
mod proxies;
pub mod public;
mod sealing;
mod unconnected;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout};

use serde_json::Value;

use crate::binary::Binary;
use crate::waiting::until_so;

/// A service that runs until dropped.
struct Serving {
    child: Child,
    out: BufReader<ChildStdout>,
    /// First line of output.
    line: String,
    ready: PathBuf,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    /// Starts a service in a binary's folder and waits for its address.
    fn start(binary: &Binary, arguments: &[&str]) -> Self {
        let (database, ready) = (binary.folder().join("service.db"), binary.folder().join("ready.json"));
        let own = ["--db", path_text(&database), "--ready-file", path_text(&ready)];
        Self::read(binary, &[&own, arguments].concat(), &ready)
    }

    fn read(binary: &Binary, arguments: &[&str], ready: &Path) -> Self {
        let listens = arguments.contains(&"--listen");
        let listen: &[&str] = if listens { &[] } else { &["--listen", "127.0.0.1:0"] };
        let mut child = binary.command(&[&["serve"], listen, arguments].concat()).spawn().expect("it runs");
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it says where it is");
        Self { child, out, line, ready: ready.to_owned() }
    }

    fn ready_file(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(&self.ready).expect("ready")).expect("JSON")
    }

    fn address(&self) -> String {
        let (_, rest) = self.line.trim().split_once("http://").expect("where it is");
        rest.trim_end_matches("/v1").to_owned()
    }

    fn key(&self, channel: &str, environment: &str) -> String {
        let told = self.ready_file();
        let keys = told["keys"].as_array().expect("keys");
        let found = keys.iter().find(|key| key["channel"] == channel && key["environment"] == environment);
        found.expect("a key")["key"].as_str().expect("text").to_owned()
    }

    /// One request on a new connection, with headers as lines.
    fn ask(&self, method: &str, path: &str, headers: &[&str], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address()).expect("it listens");
        write_request(&mut stream, &self.address(), (method, path), headers, body);
        Answer::read(&mut stream)
    }

    fn call(&self, method: &str, path: &str, headers: &[&str], body: &[u8]) -> Answer {
        let key = format!("authorization: Bearer {}", self.key("whatsapp", "live"));
        self.ask(method, path, &[&[key.as_str()], headers].concat(), body)
    }
}

/// Writes a request with `Connection: close`.
fn write_request(
    stream: &mut TcpStream,
    host: &str,
    (method, path): (&str, &str),
    headers: &[&str],
    body: &[u8],
) {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|header| header.starts_with("host:")) {
        head.push_str(&format!("host: {host}\r\n"));
    }
    headers.iter().for_each(|header| head.push_str(&format!("{header}\r\n")));
    stream.write_all(format!("{head}\r\n").as_bytes()).expect("sent");
    stream.write_all(body).expect("sent");
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("an answer, not {text:?}"));
        let status = head.split(' ').nth(1).and_then(|part| part.parse().ok()).expect("a status");
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("JSON: {self:?}"))
    }
}

fn path_text(path: &Path) -> &str {
    path.to_str().expect("a path in words")
}

#[test]
fn a_second_service_on_a_file_says_so_and_ends() {
    let binary = Binary::new();
    let database = binary.folder().join("service.db");
    let first = Serving::start(&binary, &[]);
    assert!(first.line.starts_with("listening on http://127.0.0.1:"), "{}", first.line);
    let link = binary.folder().join("link.db");
    std::os::unix::fs::symlink(&database, &link).expect("a link");
    for path in [&database, &link] {
        let said = binary.fails(1, &["serve", "--listen", "127.0.0.1:0", "--db", path_text(path)], "");
        let holder = format!("another frontdesk (process {}) already serves this file", first.child.id());
        assert_eq!(said.matches(&holder).count(), 1, "{said}");
    }
    // The error does not name the address, which both would use.
    let said = binary.fails(1, &["serve", "--listen", &first.address(), "--db", path_text(&database)], "");
    assert!(said.contains("already serves this file") && !said.contains("--listen"), "{said}");
    binary.ok(&["admin", "--db", path_text(&database), "credits"], "");
    // A killed service leaves no lock behind.
    drop(first);
    let next = Serving::start(&binary, &[]);
    assert!(next.line.starts_with("listening on "), "{}", next.line);
}

#[test]
fn keys_are_printed_only_without_a_ready_file() {
    let binary = Binary::new();
    let mut serving = Serving::start(&binary, &["--simulate"]);
    assert!(serving.key("whatsapp", "live").contains("svc_live_"));
    serving.child.kill().expect("it ends");
    let mut rest = String::new();
    serving.out.read_to_string(&mut rest).expect("read");
    assert!(!rest.contains("svc_"), "{rest}");
}

#[test]
fn log_goes_to_the_named_file() {
    let mut binary = Binary::new();
    binary.set("FRONTDESK_LOG", "info");
    let log = binary.folder().join("service.log");
    let arguments = ["--log-file", path_text(&log), "--log-format", "json", "--log-files", "2"];
    let mut serving = Serving::start(&binary, &arguments);
    let answer = serving.ask("GET", "/v1/account", &["x-request-id: trace-1"], b"");
    assert_eq!(answer.status, 401);
    // A request is logged after its answer.
    until_so("the record", || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("trace-1")));
    serving.child.kill().expect("killed");
    let mut said = String::new();
    serving.child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    assert!(!said.contains("trace-1"), "{said}");
    let written = std::fs::read_to_string(&log).expect("a log");
    let records: Vec<Value> =
        written.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert!(records.iter().any(|record| record["request"] == "trace-1"), "{written}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&log).expect("there").permissions().mode() & 0o777, 0o600);
    }
    let nowhere = binary.folder().join("nowhere/service.log");
    let said = binary.fails(1, &["serve", "--log-file", path_text(&nowhere)], "");
    assert!(said.contains("could not open the log file"), "{said}");
    let without_file = binary.run(&["serve", "--log-files", "3"], "");
    assert_eq!(without_file.code, Some(2), "{}", without_file.err);
}
