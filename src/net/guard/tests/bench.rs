//! Test bench of the guard: a stub network and small servers with scripted responses.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::guard::network::Connected;
use crate::guard::tests::certificate;
use crate::guard::{Guard, GuardedNetwork, Policy};

/// A network with known names. Records connections and routes them to one local server.
#[derive(Debug, Default)]
pub struct Stub {
    names: HashMap<String, Vec<Vec<IpAddr>>>,
    lookups: AtomicUsize,
    dialled: Mutex<Vec<SocketAddr>>,
    /// Target of all connections; without it every connection fails.
    server: Option<SocketAddr>,
    /// Addresses that refuse connections.
    dead: Vec<IpAddr>,
    /// Peer address reported instead of the requested one.
    impostor: Option<SocketAddr>,
}

impl Stub {
    pub fn new(names: &[(&str, &[&str])]) -> Self {
        let mut stub = Self::default();
        for (name, addresses) in names {
            stub = stub.then(name, addresses);
        }
        stub
    }

    /// Adds an answer for the name's next lookup; the last answer is repeated.
    pub fn then(mut self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        self.names.entry(name.to_owned()).or_default().push(addresses);
        self
    }

    /// Routes every address to `server`.
    pub fn leading_to(self, server: &Server) -> Self {
        Self { server: Some(server.address), ..self }
    }

    pub fn without(mut self, address: &str) -> Self {
        self.dead.push(address.parse().expect("an address"));
        self
    }

    pub fn impersonated_by(self, impostor: &str) -> Self {
        Self { impostor: Some(impostor.parse().expect("an address")), ..self }
    }

    pub fn dialled(&self) -> Vec<SocketAddr> {
        self.dialled.lock().expect("a lock").clone()
    }

    pub fn lookups(&self) -> usize {
        self.lookups.load(Ordering::SeqCst)
    }

    /// Returns a guard on this network that trusts only the certificate of `hooks.example`.
    pub fn guard(self, policy: Policy) -> (Guard, Arc<Self>) {
        let stub = Arc::new(self);
        (Guard::with_network(policy, Arc::<Self>::clone(&stub), certificate::trust()), stub)
    }
}

impl GuardedNetwork for Stub {
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let turn = self.lookups.fetch_add(1, Ordering::SeqCst);
        let answers = self.names.get(name);
        let answer = answers.and_then(|answer| answer.get(turn).or(answer.last())).cloned();
        Box::pin(async move { answer.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }

    fn connect(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Connected>> {
        self.dialled.lock().expect("a lock").push(to);
        Box::pin(async move {
            let server = self.server.filter(|_| !self.dead.contains(&to.ip()));
            let stream = TcpStream::connect(server.ok_or(io::ErrorKind::ConnectionRefused)?).await?;
            Ok(Connected { stream, peer: self.impostor.unwrap_or(to) })
        })
    }
}

/// Behaviour of a server after it has read a request.
pub enum Answer {
    /// Sends these bytes and closes.
    Whole(Vec<u8>),
    /// Sends these bytes and keeps the connection open without more.
    Silence(Vec<u8>),
    /// Sends these bytes, then one more every few milliseconds.
    Drip(Vec<u8>),
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Self::Whole(text.as_bytes().to_vec())
    }
}

pub fn ok(body: impl AsRef<[u8]>) -> Answer {
    let body = body.as_ref();
    let mut answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    Answer::Whole(answer)
}

/// A server on loopback that records its requests.
pub struct Server {
    pub address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

type Respond = dyn Fn(&str) -> Answer + Send + Sync;

impl Server {
    pub async fn plain(respond: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(None, Arc::new(respond)).await
    }

    /// Serves https as `hooks.example`.
    pub async fn tls(respond: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(Some(TlsAcceptor::from(certificate::server())), Arc::new(respond)).await
    }

    async fn start(tls: Option<TlsAcceptor>, respond: Arc<Respond>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Self { address, accepted: Arc::default(), requests: Arc::default() };
        let (accepted, requests) = (Arc::clone(&server.accepted), Arc::clone(&server.requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepted.fetch_add(1, Ordering::SeqCst);
                let (tls, respond, requests) = (tls.clone(), Arc::clone(&respond), Arc::clone(&requests));
                tokio::spawn(async move {
                    let Some(tls) = tls else { return converse(stream, &requests, &*respond).await };
                    if let Ok(stream) = tls.accept(stream).await {
                        requests
                            .lock()
                            .expect("a lock")
                            .extend(stream.get_ref().1.server_name().map(|name| format!("SNI {name}")));
                        converse(stream, &requests, &*respond).await;
                    }
                });
            }
        });
        server
    }

    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Returns the TLS server names and requests so far, in order.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("a lock").clone()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// Reads one request and sends the answer. A client that disconnects is not an error.
async fn converse<S>(mut stream: S, requests: &Mutex<Vec<String>>, respond: &Respond)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let Some(request) = read_request(&mut stream).await else { return };
    let answer = respond(&request);
    requests.lock().expect("a lock").push(request);
    match answer {
        Answer::Whole(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Answer::Silence(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.flush().await;
            let _ = stream.read(&mut [0]).await;
        }
        Answer::Drip(bytes) => {
            let mut going = stream.write_all(&bytes).await;
            while going.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
                going = stream.write_all(b"x").await;
            }
        }
    }
}

/// Reads the head of a request and the announced body; `None` if it is incomplete or a TLS
/// greeting.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().expect("a length")) {
                return Some(text);
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 || bytes.starts_with(&[0x16]) {
            return None;
        }
    }
}

/// A listener that expects no connection. A connection on loopback is queued before `connect`
/// returns, so a single check suffices.
pub struct Tripwire(std::net::TcpListener);

impl Tripwire {
    pub fn set() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a setting");
        Self(listener)
    }

    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("an address")
    }

    /// True if no connection arrived.
    pub fn is_untouched(&self) -> bool {
        self.0.accept().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}
