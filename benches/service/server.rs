//! The two servers that are measured, each in its own process, and what is
//! asked of them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::floor;
use crate::load::{self, Job};
use crate::world::{LONG, World, conversation, phone};

/// Recipients the sends go to, and the first of them: numbers the simulated
/// operator has no special plans for.
const RECIPIENTS: usize = 256;
const FIRST: usize = 1_000;

/// A running server; killed when it is dropped.
pub struct Server {
    child: Child,
    pub address: String,
    key: Option<String>,
}

impl Server {
    /// The service itself.
    pub fn real(file: &Path, world: &World) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.args(["serve", "--dev", "--unlimited", "--listen", "127.0.0.1:0", "--db"]).arg(file);
        Self::start(command, Some(world.key.clone()))
    }

    /// The bare one: this binary again.
    pub fn bare(file: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this binary"));
        command.env(floor::PATH, file);
        Self::start(command, None)
    }

    fn start(mut command: Command, key: Option<String>) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let (_, rest) = line.trim().split_once("http://").expect("an address");
        let address = rest.trim_end_matches("/v1").to_owned();
        Self { child, address, key }
    }

    /// Reads what will be read, and opens the recipients' windows.
    pub async fn warm(&self) {
        for kind in ["conversations", "messages", "history"] {
            for mut job in self.jobs(kind, 8) {
                let mut body = Vec::new();
                for _ in 0..100 {
                    body = self.ask(job(&body)).await;
                }
            }
        }
        if self.key.is_some() {
            for number in 0..RECIPIENTS {
                let told =
                    json!({"channel": "whatsapp", "from": phone(FIRST + number), "text": "hi"}).to_string();
                self.ask(request("POST", "/dev/inbound", None, None, &told)).await;
            }
            let credits = json!({"balance": 1_000_000_000}).to_string();
            self.ask(request("POST", "/dev/credits", None, None, &credits)).await;
        }
    }

    async fn ask(&self, request: Vec<u8>) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).await.expect("connects");
        stream.write_all(&request).await.expect("written");
        let mut buffer = Vec::new();
        let body = load::answer(&mut stream, &mut buffer).await;
        buffer[body].to_vec()
    }

    /// What each of so many callers asks.
    pub fn jobs(&self, kind: &str, connections: usize) -> Vec<Job> {
        (0..connections).map(|caller| self.job(kind, caller)).collect()
    }

    fn job(&self, kind: &str, caller: usize) -> Job {
        let key = self.key.clone();
        let prefix = if key.is_some() { "/v1" } else { "" };
        if kind == "send" {
            let mut number = 0;
            return Box::new(move |_| {
                number += 1;
                let idem = format!("{caller}-{number}");
                let text = format!("message {number} of caller {caller}, about forty characters");
                let to = phone(FIRST + (caller * 7 + number) % RECIPIENTS);
                let body = json!({"to": to, "type": "text", "text": {"body": text}}).to_string();
                request("POST", &format!("{prefix}/messages/send"), key.as_deref(), Some(&idem), &body)
            });
        }
        let kind = kind.to_owned();
        let mut visited = caller;
        Box::new(move |last| {
            let cursor = next_cursor(last);
            // A list that has ended gives way to the next one.
            visited += if cursor.is_none() { 31 } else { 0 };
            let list = match kind.as_str() {
                "history" => format!("/conversations/{}/messages", conversation(visited % LONG)),
                other => format!("/{other}"),
            };
            let rest = cursor.map(|it| format!("&cursor={it}")).unwrap_or_default();
            request("GET", &format!("{prefix}{list}?limit=50{rest}"), key.as_deref(), None, "")
        })
    }

    /// Processor time it has taken so far: what the machine does beside it
    /// matters less to this than to the clock on the wall.
    pub fn processor(&self) -> Duration {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let (_, rest) = text.rsplit_once(')').unwrap_or(("", ""));
        let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|it| it.parse::<u64>().ok());
        // Linux counts hundredths of a second.
        Duration::from_millis(ticks.sum::<u64>() * 10)
    }

    /// Bytes of memory it holds.
    pub fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = text.lines().find_map(|it| it.strip_prefix("VmRSS:")).unwrap_or("0 kB");
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The cursor at the end of a page.
fn next_cursor(body: &[u8]) -> Option<String> {
    let end = &body[body.len().saturating_sub(200)..];
    let text = String::from_utf8_lossy(end).into_owned();
    let (_, rest) = text.rsplit_once("\"nextCursor\":\"")?;
    rest.split('"').next().map(str::to_owned)
}

fn request(method: &str, path: &str, key: Option<&str>, idem: Option<&str>, body: &str) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    if let Some(key) = key {
        text.push_str(&format!("authorization: Bearer {key}\r\n"));
    }
    if let Some(idem) = idem {
        text.push_str(&format!("idempotency-key: {idem}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into_bytes()
}
