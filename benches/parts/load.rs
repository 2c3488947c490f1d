//! Callers: each has one connection that stays open, sends a request, reads
//! the whole answer, and sends the next. Requests are bytes made beforehand;
//! the answers are hardly looked at, so that the callers take little time
//! from the server.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// What one caller asks: given the last answer's body, the next request.
pub type Job = Box<dyn FnMut(&[u8]) -> Vec<u8> + Send>;

/// How long every run lasts.
pub struct Load {
    pub span: Duration,
}

/// What came of a run.
pub struct Outcome {
    /// How long each call took, sorted.
    took: Vec<Duration>,
    span: Duration,
}

impl Load {
    /// Runs all callers at once.
    pub async fn run(&self, address: &str, jobs: Vec<Job>) -> Outcome {
        let begun = Instant::now();
        let until = begun + self.span;
        let callers: Vec<_> =
            jobs.into_iter().map(|job| tokio::spawn(call(address.to_owned(), job, until))).collect();
        let mut took = Vec::new();
        for caller in callers {
            took.extend(caller.await.expect("a caller"));
        }
        let span = begun.elapsed();
        took.sort_unstable();
        Outcome { took, span }
    }
}

async fn call(address: String, mut job: Job, until: Instant) -> Vec<Duration> {
    let mut stream = TcpStream::connect(&address).await.expect("connects");
    stream.set_nodelay(true).expect("set");
    let (mut took, mut buffer, mut body) = (Vec::new(), Vec::with_capacity(64 * 1024), 0..0);
    while Instant::now() < until {
        let request = job(&buffer[body.clone()]);
        let begun = Instant::now();
        stream.write_all(&request).await.expect("written");
        body = answer(&mut stream, &mut buffer).await;
        took.push(begun.elapsed());
    }
    took
}

/// Reads one answer; where its body lies in the buffer.
pub async fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::ops::Range<usize> {
    buffer.clear();
    let head = loop {
        assert!(stream.read_buf(buffer).await.expect("read") > 0, "the server closed");
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = std::str::from_utf8(&buffer[..head]).expect("a head").to_ascii_lowercase();
    let shown = || String::from_utf8_lossy(buffer).into_owned();
    assert!(text.starts_with("http/1.1 200"), "{}", shown());
    let length = text.split("content-length: ").nth(1).and_then(|part| part.split("\r\n").next());
    let length: usize = length.expect("a length").parse().expect("a number");
    while buffer.len() < head + length {
        assert!(stream.read_buf(buffer).await.expect("read") > 0, "the server closed");
    }
    head..head + length
}

impl Outcome {
    /// Calls in a second.
    #[expect(clippy::cast_precision_loss, reason = "shown without digits")]
    pub fn per_second(&self) -> f64 {
        self.took.len() as f64 / self.span.as_secs_f64()
    }

    /// What one call took of the server's processor time, in microseconds.
    #[expect(clippy::cast_precision_loss, reason = "shown without digits")]
    pub fn cost(&self, processor: Duration) -> f64 {
        processor.as_secs_f64() * 1_000_000.0 / self.took.len() as f64
    }

    /// Milliseconds within which so many of a hundred calls were answered.
    pub fn percentile(&self, hundredth: usize) -> f64 {
        let index = (self.took.len() * hundredth / 100).min(self.took.len().saturating_sub(1));
        self.took.get(index).map_or(f64::NAN, |entry| entry.as_secs_f64() * 1000.0)
    }
}

/// The cursor at the end of a page.
pub fn next_cursor(body: &[u8]) -> Option<String> {
    let end = &body[body.len().saturating_sub(200)..];
    let text = String::from_utf8_lossy(end).into_owned();
    let (_, rest) = text.rsplit_once("\"nextCursor\":\"")?;
    rest.split('"').next().map(str::to_owned)
}

/// A request as bytes.
pub fn request(method: &str, path: &str, key: Option<&str>, idem: Option<&str>, body: &str) -> Vec<u8> {
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
