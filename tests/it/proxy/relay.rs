//! One connection of the proxy: reads requests and treats them as planned.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::proxy::script::{Cut, End, Forward, Give, Read};
use crate::proxy::{Asked, Seen, Shared};

/// Maximum size of a head, in bytes.
const HEAD: usize = 256 * 1024;

pub async fn converse(mut client: TcpStream, shared: &Shared) {
    while exchange(&mut client, shared).await == Some(Then::Another) {}
}

#[derive(Debug, PartialEq, Eq)]
enum Then {
    Another,
    Ended,
}

struct Incoming {
    head: Vec<u8>,
    body: Vec<u8>,
    length: usize,
    asked: Asked,
}

async fn exchange(client: &mut TcpStream, shared: &Shared) -> Option<Then> {
    let mut incoming = Incoming::read_head(client).await?;
    let plan = shared.plan.lock().expect("no one failed").clone();
    let script = (plan.lock().expect("no one failed"))(&incoming.asked);
    match script.read {
        Read::Head => {}
        Read::Half => incoming.read_body(client, incoming.length / 2).await?,
        Read::Whole => incoming.read_body(client, incoming.length).await?,
    }
    let place = {
        let mut seen = shared.seen.lock().expect("no one failed");
        seen.push(Seen { asked: incoming.asked.clone(), body: incoming.body.clone(), answered: None });
        seen.len() - 1
    };
    if let Some(gate) = &script.before {
        gate.pass().await;
    }
    let upstream = *shared.upstream.lock().expect("no one failed");
    let answer = match script.forward {
        Forward::Nothing => None,
        Forward::Part => {
            part(upstream, &incoming).await;
            None
        }
        Forward::Whole => forward(upstream, &incoming).await,
    };
    if let Some(answer) = &answer
        && let Some(seen) = shared.seen.lock().expect("no one failed").get_mut(place)
    {
        seen.answered = answer.status();
    }
    if let Some(gate) = &script.after {
        gate.pass().await;
    }
    match answer {
        Some(Reply { bytes, stream: Some(service) }) if matches!(script.give, Give::Answer(..)) => {
            client.write_all(&bytes).await.ok()?;
            relay_stream(client, service).await
        }
        answer => give(client, script.give, answer).await,
    }
}

/// Passes on an event stream as it comes, until either side closes.
async fn relay_stream(client: &mut TcpStream, mut service: TcpStream) -> Option<Then> {
    let (mut from_client, mut to_client) = client.split();
    let mut unread = [0; 1];
    tokio::select! {
        _ = tokio::io::copy(&mut service, &mut to_client) => {}
        _ = from_client.read(&mut unread) => return Some(Then::Ended),
    }
    finish(client, End::Close).await
}

impl Incoming {
    async fn read_head(client: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = head_end(&bytes) {
                break end;
            }
            if bytes.len() > HEAD || client.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let body = bytes.split_off(end);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut words = text.lines().next()?.split(' ').map(str::to_owned);
        let (method, target) = (words.next()?, words.next()?);
        let length = header(&text, "content-length").and_then(|header| header.parse().ok()).unwrap_or(0);
        let asked = Asked { method, target, key: header(&text, "idempotency-key") };
        Some(Self { head: bytes, body, length, asked })
    }

    async fn read_body(&mut self, client: &mut TcpStream, wanted: usize) -> Option<()> {
        while self.body.len() < wanted {
            if client.read_buf(&mut self.body).await.ok()? == 0 {
                return None;
            }
        }
        // Bytes beyond the request are dropped.
        self.body.truncate(wanted);
        Some(())
    }
}

/// The service's answer as far as received.
struct Reply {
    bytes: Vec<u8>,
    /// The connection on which an event stream goes on behind its head.
    stream: Option<TcpStream>,
}

impl Reply {
    fn status(&self) -> Option<u16> {
        String::from_utf8_lossy(self.bytes.get(9..12)?).parse().ok()
    }

    fn head(&self) -> usize {
        head_end(&self.bytes).unwrap_or(self.bytes.len())
    }

    fn is_whole(&self) -> bool {
        let head = self.head();
        let text = String::from_utf8_lossy(&self.bytes[..head]).into_owned();
        let length = header(&text, "content-length").and_then(|header| header.parse::<usize>().ok());
        head_end(&self.bytes).is_some() && length.is_some_and(|length| self.bytes.len() == head + length)
    }
}

/// Sends a whole request on a new connection and reads the answer to its end, or the head of an event stream.
async fn forward(upstream: SocketAddr, incoming: &Incoming) -> Option<Reply> {
    let mut service = TcpStream::connect(upstream).await.ok()?;
    service.write_all(&lonely(&incoming.head)).await.ok()?;
    service.write_all(&incoming.body).await.ok()?;
    let mut bytes = Vec::new();
    // If the service dies, the part received so far counts.
    while let Ok(1..) = service.read_buf(&mut bytes).await {
        if is_event_stream(&bytes) {
            return Some(Reply { bytes, stream: Some(service) });
        }
    }
    (!bytes.is_empty()).then_some(Reply { bytes, stream: None })
}

/// True once the head of an event stream has come.
fn is_event_stream(bytes: &[u8]) -> bool {
    let head = head_end(bytes).map(|end| String::from_utf8_lossy(&bytes[..end]).into_owned());
    head.and_then(|head| header(&head, "content-type"))
        .is_some_and(|kind| kind.starts_with("text/event-stream"))
}

/// Sends part of a request to the service and closes; waits until the service has noticed.
async fn part(upstream: SocketAddr, incoming: &Incoming) {
    let Ok(mut service) = TcpStream::connect(upstream).await else { return };
    let sent = async {
        service.write_all(&lonely(&incoming.head)).await?;
        service.write_all(&incoming.body).await?;
        service.shutdown().await?;
        service.read_to_end(&mut Vec::new()).await
    };
    // The service may have closed first.
    let _ = sent.await;
}

/// The head of a request with `Connection: close`.
fn lonely(head: &[u8]) -> Vec<u8> {
    let end = head.len() - 2;
    [&head[..end], b"connection: close\r\n\r\n"].concat()
}

async fn give(client: &mut TcpStream, give: Give, answer: Option<Reply>) -> Option<Then> {
    match (give, answer) {
        (Give::Nothing(end), _) => finish(client, end).await,
        (Give::Silence, _) => {
            // Until the client gives up.
            while let Ok(1..) = client.read_buf(&mut Vec::new()).await {}
            Some(Then::Ended)
        }
        (Give::Bytes(bytes), _) => {
            client.write_all(&bytes).await.ok()?;
            finish(client, End::Close).await
        }
        // The service is not reachable: the client must not conclude that nothing was sent.
        (_, None) => finish(client, End::Reset).await,
        (Give::Answer(before, delay), Some(reply)) => {
            tokio::time::sleep(delay).await;
            client.write_all(&before).await.ok()?;
            let stays = reply.is_whole();
            client.write_all(&lasting(&reply)).await.ok()?;
            if stays { Some(Then::Another) } else { finish(client, End::Close).await }
        }
        (Give::Last, Some(reply)) => {
            client.write_all(&reply.bytes).await.ok()?;
            finish(client, End::Close).await
        }
        (Give::Part(cut, end), Some(reply)) => {
            let head = reply.head();
            let length = match cut {
                Cut::Head => head / 2,
                Cut::Body => head + (reply.bytes.len() - head) / 2,
            };
            client.write_all(&reply.bytes[..length]).await.ok()?;
            finish(client, end).await
        }
        (Give::Drip(between), Some(reply)) => {
            drip(client, &reply.bytes, between).await?;
            finish(client, End::Close).await
        }
    }
}

async fn drip(client: &mut TcpStream, bytes: &[u8], between: Duration) -> Option<()> {
    for byte in bytes {
        client.write_all(&[*byte]).await.ok()?;
        tokio::time::sleep(between).await;
    }
    Some(())
}

async fn finish(client: &mut TcpStream, end: End) -> Option<Then> {
    match end {
        End::Close => {
            client.shutdown().await.ok()?;
            // Closing with unread bytes would cause a reset, which could discard the answer.
            while let Ok(1..) = client.read_buf(&mut Vec::new()).await {}
        }
        End::Reset => client.set_zero_linger().ok()?,
    }
    Some(Then::Ended)
}

/// The answer without `Connection: close`.
fn lasting(reply: &Reply) -> Vec<u8> {
    let head = reply.head();
    let text = String::from_utf8_lossy(&reply.bytes[..head]).into_owned();
    let kept: Vec<&str> = text
        .split_inclusive("\r\n")
        .filter(|part| !part.to_ascii_lowercase().starts_with("connection:"))
        .collect();
    [kept.concat().as_bytes(), &reply.bytes[head..]].concat()
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|window| window + 4)
}

fn header(head: &str, name: &str) -> Option<String> {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    let mut found = lines.filter(|(entry, _)| entry.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.trim().to_owned())
}
