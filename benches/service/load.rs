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
    /// Processor time the server took meanwhile.
    pub processor: Duration,
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
        Outcome { took, span, processor: Duration::ZERO }
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
        if let Some(end) = buffer.windows(4).position(|it| it == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = std::str::from_utf8(&buffer[..head]).expect("a head").to_ascii_lowercase();
    let shown = || String::from_utf8_lossy(buffer).into_owned();
    assert!(text.starts_with("http/1.1 200"), "{}", shown());
    let length = text.split("content-length: ").nth(1).and_then(|it| it.split("\r\n").next());
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

    /// The server's processor time for one call, in microseconds.
    #[expect(clippy::cast_precision_loss, reason = "shown without digits")]
    pub fn cost(&self) -> f64 {
        self.processor.as_secs_f64() * 1_000_000.0 / self.took.len() as f64
    }

    /// Milliseconds within which so many of a hundred calls were answered.
    pub fn percentile(&self, hundredth: usize) -> f64 {
        let index = (self.took.len() * hundredth / 100).min(self.took.len().saturating_sub(1));
        self.took.get(index).map_or(f64::NAN, |it| it.as_secs_f64() * 1000.0)
    }
}
