//! The two servers that are measured, each in its own process, and what is
//! asked of them.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::floor;
use crate::load::{self, Job, next_cursor, request};
use crate::server_process::ServerProcess;
use crate::world::{LONG, World, conversation, phone};

/// Recipients the sends go to, and the first of them: numbers the simulated
/// operator has no special plans for.
const RECIPIENTS: usize = 256;
const FIRST: usize = 1_000;

/// A running server.
pub struct Server {
    pub process: ServerProcess,
    key: Option<String>,
}

impl Server {
    /// The service itself.
    pub fn real(file: &Path, world: &World) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.args(["serve", "--dev", "--unlimited", "--listen", "127.0.0.1:0", "--db"]).arg(file);
        Self { process: ServerProcess::start(command), key: Some(world.key.clone()) }
    }

    /// The bare one: this binary again.
    pub fn bare(file: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this binary"));
        command.env(floor::PATH, file);
        Self { process: ServerProcess::start(command), key: None }
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
        let mut stream = TcpStream::connect(&self.process.address).await.expect("connects");
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
            let rest = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
            request("GET", &format!("{prefix}{list}?limit=50{rest}"), key.as_deref(), None, "")
        })
    }
}
