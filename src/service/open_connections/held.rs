//! One open connection: its phase and its traffic.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::open_connections::idle_timeout;
use model::time::{Clock, Timestamp};

/// Bytes that have to move before a body or an answer counts as progressing.
const MIN_PROGRESS_BYTES: usize = 4 * 1024;

/// Phase of a connection; the module above lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionPhase {
    Silent,
    Idle,
    Receiving,
    Working,
    Sending,
}

pub struct HeldConnection {
    /// Client's address, as [`network_of`](crate::client_info::network_of) returns it.
    pub(super) peer: IpAddr,
    clock: Arc<dyn Clock>,
    progress: Mutex<Progress>,
    gives_way: Notify,
}

#[derive(Debug, Clone, Copy)]
struct Progress {
    phase: ConnectionPhase,
    /// Start of the phase, or the time of the latest progress.
    since: Timestamp,
    /// Bytes since then.
    moved_bytes: usize,
}

impl HeldConnection {
    pub(super) fn new(peer: IpAddr, clock: Arc<dyn Clock>) -> Self {
        let progress = Progress { phase: ConnectionPhase::Silent, since: clock.now(), moved_bytes: 0 };
        Self { peer, clock, progress: Mutex::new(progress), gives_way: Notify::new() }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Progress, Timestamp) -> T) -> T {
        let now = self.clock.now();
        change(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner), now)
    }

    pub fn enter(&self, phase: ConnectionPhase) {
        self.change(|progress, now| *progress = Progress { phase, since: now, moved_bytes: 0 });
    }

    /// Counts bytes of a body or an answer. Those of a head do not count, since clients send it at once.
    pub(super) fn count_bytes(&self, bytes: usize) {
        self.change(|progress, now| {
            progress.moved_bytes = progress.moved_bytes.saturating_add(bytes);
            if progress.moved_bytes >= MIN_PROGRESS_BYTES
                && matches!(progress.phase, ConnectionPhase::Receiving | ConnectionPhase::Sending)
            {
                (progress.since, progress.moved_bytes) = (now, 0);
            }
        });
    }

    pub(super) fn phase(&self) -> ConnectionPhase {
        self.change(|progress, _| progress.phase)
    }

    pub(super) fn since(&self) -> Timestamp {
        self.change(|progress, _| progress.since)
    }

    /// Returns true if the connection may be closed for another. A clock that was set back restarts its grace
    /// period.
    pub(super) fn is_replaceable(&self, now: Timestamp) -> bool {
        self.change(|progress, _| {
            progress.since = progress.since.min(now);
            idle_timeout(progress.phase).is_some_and(|grace| progress.since.plus(grace) <= now)
        })
    }

    pub(super) fn end(&self) {
        self.gives_way.notify_one();
    }

    /// Completes when the connection has to close.
    pub async fn wait_for_end(&self) {
        self.gives_way.notified().await;
    }
}

/// Stream that counts its traffic.
pub struct WatchedStream {
    pub stream: TcpStream,
    pub connection: Arc<HeldConnection>,
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.connection.count_bytes(buffer.filled().len() - before);
        }
        read
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = &written {
            self.connection.count_bytes(*count);
        }
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        if let Poll::Ready(Ok(count)) = &written {
            self.connection.count_bytes(*count);
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Body of an answer; dropping it makes the connection idle.
pub struct WatchedBody {
    body: Body,
    connection: Arc<HeldConnection>,
}

impl WatchedBody {
    pub fn new(body: Body, connection: Arc<HeldConnection>) -> Self {
        connection.enter(ConnectionPhase::Sending);
        Self { body, connection }
    }
}

impl hyper::body::Body for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        self.connection.enter(ConnectionPhase::Idle);
    }
}
