//! A server with scripted answers, byte by byte, including ones no correct server gives.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::raw_http::RawRequest;

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    /// Below the base URL, without the query.
    pub path: String,
    pub query: HashMap<String, String>,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn route(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub fn cursor(&self) -> Option<&str> {
        self.query.get("cursor").map(String::as_str)
    }

    pub fn key(&self) -> &str {
        self.headers.get("idempotency-key").expect("a key")
    }
}

pub enum Answer {
    /// A complete answer with extra header lines.
    Full { status: u16, headers: String, body: Vec<u8> },
    /// The connection ends without a byte.
    Cut,
    /// The answer ends before its announced length.
    Short { status: u16, body: Vec<u8> },
    /// The connection is reset.
    Reset,
    /// These bytes, then nothing; the connection stays open.
    Stall(Vec<u8>),
    /// These bytes, then one more at each interval, forever.
    Drip(Vec<u8>, Duration),
    /// A complete answer on a kept connection, which ends silently after the next request.
    KeptOnce(Vec<u8>),
}

impl Answer {
    pub fn ok(body: Value) -> Self {
        Self::status(200, body)
    }

    pub fn status(status: u16, body: Value) -> Self {
        Self::raw(status, "application/json", body.to_string().as_bytes())
    }

    pub fn refusal(status: u16, code: &str, message: &str) -> Self {
        Self::status(status, json!({"code": code, "message": message}))
    }

    pub fn raw(status: u16, kind: &str, body: &[u8]) -> Self {
        Self::Full { status, headers: format!("content-type: {kind}\r\n"), body: body.to_vec() }
    }

    /// Adds rate limit headers.
    pub fn rated(self) -> Self {
        self.header("x-ratelimit-limit", "100").header("x-ratelimit-remaining", "99")
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Self::Full { headers, .. } = &mut self {
            headers.push_str(&format!("{name}: {value}\r\n"));
        }
        self
    }
}

type Answering = Arc<Mutex<dyn FnMut(&Request) -> Answer + Send>>;

/// Listens until dropped.
pub struct Server {
    pub base_url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    answering: Arc<Mutex<Answering>>,
    listening: tokio::task::JoinHandle<()>,
}

impl Server {
    pub async fn start(answer: impl FnMut(&Request) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let first: Answering = Arc::new(Mutex::new(answer));
        let answering = Arc::new(Mutex::new(first));
        let (requests, current) = (seen.clone(), answering.clone());
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, requests.clone(), current.clone()));
            }
        });
        Self { base_url, seen, answering, listening }
    }

    pub fn now(&self, answer: impl FnMut(&Request) -> Answer + Send + 'static) {
        *self.answering.lock().expect("no one failed") = Arc::new(Mutex::new(answer));
    }

    /// Returns and clears the requests so far.
    pub fn seen(&self) -> Vec<Request> {
        std::mem::take(&mut *self.seen.lock().expect("no one failed"))
    }

    /// Returns the `POST` requests and clears all.
    pub fn posts(&self) -> Vec<Request> {
        self.seen().into_iter().filter(|request| request.method == "POST").collect()
    }

    /// Returns method and path of the requests and clears them.
    pub fn routes(&self) -> Vec<String> {
        self.seen().iter().map(Request::route).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<Mutex<Vec<Request>>>, answering: Arc<Mutex<Answering>>) {
    let Some(request) = read(&mut stream).await else { return };
    seen.lock().expect("no one failed").push(request.clone());
    let current = answering.lock().expect("no one failed").clone();
    let answer = (current.lock().expect("no one failed"))(&request);
    let bytes = match answer {
        Answer::Cut => return,
        Answer::Reset => {
            let _ = stream.set_zero_linger();
            return;
        }
        Answer::Stall(bytes) => {
            let _ = stream.write_all(&bytes).await;
            // Until the client gives up.
            let _ = read(&mut stream).await;
            return;
        }
        Answer::Drip(bytes, every) => {
            let mut written = stream.write_all(&bytes).await;
            while written.is_ok() {
                tokio::time::sleep(every).await;
                written = stream.write_all(b" ").await;
            }
            return;
        }
        Answer::KeptOnce(body) => {
            let head = format!(
                "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&[head.as_bytes(), &body].concat()).await;
            if let Some(next) = read(&mut stream).await {
                seen.lock().expect("no one failed").push(next);
            }
            return;
        }
        Answer::Full { status, headers, body } => whole(status, &headers, &body, body.len()),
        Answer::Short { status, body } => {
            whole(status, "content-type: application/json\r\n", &body, body.len() + 10)
        }
    };
    // The client may be gone.
    let _ = stream.write_all(&bytes).await;
    let _ = stream.shutdown().await;
}

fn whole(status: u16, headers: &str, body: &[u8], length: usize) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let RawRequest { method, target, headers, body } = RawRequest::read(stream).await?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query =
        query.split('&').filter_map(|part| part.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned()));
    let path = path.strip_prefix("/v1").unwrap_or(path).to_owned();
    Some(Request { method, path, query: query.collect(), headers, body })
}
