//! Common parts of the platforms' test doubles.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use frontdesk::shell::clock::instant;

use serde_json::{Value, json};

use crate::raw_http::RawRequest;
use crate::waiting::PATIENCE;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrong {
    /// The connection ends before the request is read.
    CutBefore,
    /// Carried out; the answer ends in the middle.
    CutDuring,
    /// Carried out; no answer.
    CutAfter,
    /// Not carried out: 429.
    TooMany,
    /// Not carried out: server error.
    Failed,
    /// Carried out; the answer is a server error.
    FailedAfter,
    /// Carried out; the answer is slow.
    Slow,
    /// Carried out; earlier webhook calls are repeated.
    Repeated,
}

impl Wrong {
    pub const ALL: [Self; 8] = [
        Self::CutBefore,
        Self::CutDuring,
        Self::CutAfter,
        Self::TooMany,
        Self::Failed,
        Self::FailedAfter,
        Self::Slow,
        Self::Repeated,
    ];
}

/// Fault of each request, by its method.
pub type Plan = dyn FnMut(&str) -> Option<Wrong> + Send;
/// Answers to sends that are not carried out.
pub type Answers = dyn Fn(&Value) -> Option<(u16, Value)> + Send;

/// Names of another account: pairs of the usual name and its replacement.
#[derive(Clone, Copy, Default)]
pub struct Names(pub &'static [(&'static str, &'static str)]);

impl Names {
    /// Replaces the usual names by this account's.
    pub fn say(self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (usual, own)| text.replace(usual, own))
    }

    /// Replaces this account's names in a request by the usual ones.
    pub fn read(self, request: RawRequest) -> RawRequest {
        if self.0.is_empty() {
            return request;
        }
        let usual =
            |text: &str| self.0.iter().fold(text.to_owned(), |text, (usual, own)| text.replace(own, usual));
        let headers = request.headers.iter().map(|(name, text)| (name.clone(), usual(text))).collect();
        let body = usual(&String::from_utf8_lossy(&request.body)).into_bytes();
        RawRequest { target: usual(&request.target), headers, body, ..request }
    }

    /// Replaces the usual names in an answer by this account's.
    pub fn answer(self, (status, body): (u16, Vec<u8>)) -> (u16, Vec<u8>) {
        match std::str::from_utf8(&body) {
            Ok(text) if !self.0.is_empty() => (status, self.say(text).into_bytes()),
            _ => (status, body),
        }
    }
}

/// State shared by threads, with a notification of changes.
pub struct Shared<W>(Mutex<W>, Condvar);

impl<W: Default> Default for Shared<W> {
    fn default() -> Self {
        Self(Mutex::default(), Condvar::new())
    }
}

impl<W> Shared<W> {
    pub fn world(&self) -> MutexGuard<'_, W> {
        self.0.lock().expect("no one failed")
    }

    pub fn changed(&self) {
        self.1.notify_all();
    }

    /// Unlocks the state until it changes or the time is over.
    pub fn rest<'a>(&self, world: MutexGuard<'a, W>, most: Duration) -> MutexGuard<'a, W> {
        self.1.wait_timeout(world, most).expect("no one failed").0
    }

    /// Waits until `found` returns a value.
    #[track_caller]
    pub fn wait<T>(&self, what: &str, mut found: impl FnMut(&W) -> Option<T>) -> T {
        let mut world = self.world();
        let end = instant() + PATIENCE;
        loop {
            if let Some(found) = found(&world) {
                return found;
            }
            let left = end.saturating_duration_since(instant());
            assert!(left > Duration::ZERO, "nothing like it came: {what}");
            world = self.1.wait_timeout(world, left).expect("no one failed").0;
        }
    }
}

/// Serves each connection on a thread; returns the address.
pub fn listen<W: Send + 'static>(shared: &Arc<Shared<W>>, serve: fn(TcpStream, &Shared<W>)) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let served = Arc::clone(shared);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let shared = Arc::clone(&served);
            std::thread::spawn(move || serve(stream, &shared));
        }
    });
    address
}

pub fn read(stream: &mut TcpStream) -> Option<RawRequest> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
        if let Some(request) = RawRequest::parse(&bytes) {
            return Some(request);
        }
    }
}

/// Answers a request with the planned fault; `error` is the body for a status other than success.
pub fn respond(
    stream: &mut TcpStream,
    wrong: Option<Wrong>,
    error: fn(u16) -> Value,
    does: impl FnOnce() -> (u16, Vec<u8>),
) {
    let failed = |status: u16| (status, error(status).to_string().into_bytes());
    let (status, body) = match wrong {
        Some(Wrong::CutBefore) => return,
        Some(Wrong::TooMany) => failed(429),
        Some(Wrong::Failed) => failed(500),
        Some(Wrong::FailedAfter) => {
            does();
            failed(502)
        }
        Some(Wrong::CutAfter) => {
            does();
            return;
        }
        Some(Wrong::Repeated | Wrong::Slow | Wrong::CutDuring) | None => does(),
    };
    let retry = if status == 429 { "retry-after: 1\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n{retry}content-length: {}\r\n\r\n",
        body.len()
    );
    let whole = [head.as_bytes(), &body].concat();
    // The client may be gone.
    let _ = match wrong {
        Some(Wrong::CutDuring) => stream.write_all(&whole[..whole.len() - body.len() / 2 - 1]),
        Some(Wrong::Slow) => {
            whole.chunks(16).try_for_each(|chunk| stream.write_all(chunk).and_then(|()| stream.flush()))
        }
        _ => stream.write_all(&whole),
    };
}

/// Fields of a body: JSON, or a form with a file.
pub fn fields(request: &RawRequest) -> Value {
    let kind = request.headers.get("content-type").map_or("", String::as_str);
    let Some((_, boundary)) = kind.split_once("boundary=") else {
        return serde_json::from_slice(&request.body).unwrap_or_default();
    };
    let text = String::from_utf8_lossy(&request.body).into_owned();
    let mut all = json!({});
    for part in text.split(&format!("--{boundary}")).filter(|part| part.contains("name=\"")) {
        let (head, content) = part.split_once("\r\n\r\n").expect("a part");
        let name = head.split("name=\"").nth(1).and_then(|part| part.split('"').next()).expect("a name");
        let content = content.strip_suffix("\r\n").unwrap_or(content);
        all[name] = match head.contains("filename=") {
            true => json!({ "bytes": content.len() }),
            false => serde_json::from_str(content).unwrap_or_else(|_| content.into()),
        };
    }
    all
}

/// Calls a service as platforms do; returns status and body, `None` if it is not running.
pub fn call(method: &str, url: &str, header: (&str, &str), body: &str) -> Option<(u16, String)> {
    let rest = url.strip_prefix("http://").expect("a plain address");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).ok()?;
    let head = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         {}: {}\r\ncontent-length: {}\r\n\r\n{body}",
        header.0,
        header.1,
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let (_, said) = answer.split_once("\r\n\r\n")?;
    Some((status, said.to_owned()))
}
