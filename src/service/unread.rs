//! What is left of a request's body when it is answered before it was read: a
//! short rest is read, and otherwise the answer says that the connection ends,
//! so that no client sends its next request into one that is being closed.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use crate::crowd::{ConnectionPhase, HeldConnection};

/// Bytes that are read although nobody wants them.
const REST: usize = 64 * 1024;
/// How long they may take.
const TIME: Duration = Duration::from_millis(500);

/// A body on its way to a handler; what the handler leaves is handed back.
pub struct Lent {
    body: Option<Incoming>,
    left: Arc<Mutex<Option<Incoming>>>,
    connection: Arc<HeldConnection>,
}

/// What a handler left of a body.
pub struct Rest(Arc<Mutex<Option<Incoming>>>);

/// Lends a body that comes over a connection, which receives until the body has
/// ended or nobody wants it any more.
pub fn lend(body: Incoming, connection: Arc<HeldConnection>) -> (Lent, Rest) {
    connection.enter(if body.is_end_stream() {
        ConnectionPhase::Working
    } else {
        ConnectionPhase::Receiving
    });
    let left = Arc::default();
    (Lent { body: Some(body), left: Arc::clone(&left), connection }, Rest(left))
}

impl Body for Lent {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = Pin::new(&mut *body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || (frame.is_ready() && body.is_end_stream()) {
            self.connection.enter(ConnectionPhase::Working);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.connection.enter(ConnectionPhase::Working);
        let rest = self.body.take().filter(|it| !it.is_end_stream());
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = rest;
    }
}

impl Rest {
    /// Whether the connection can take another request: nothing is left of the
    /// body, or a short rest was read. A client that waits for leave to send it
    /// is not given any.
    pub async fn drained(self, waits_for_leave: bool) -> bool {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut body) = left else { return true };
        if waits_for_leave || body.size_hint().lower() > u64::try_from(REST).unwrap_or(u64::MAX) {
            return false;
        }
        let reading = async {
            let mut bytes = 0;
            while let Some(frame) = body.frame().await {
                let Ok(frame) = frame else { return false };
                bytes += frame.data_ref().map_or(0, Bytes::len);
                if bytes > REST {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(TIME, reading).await.unwrap_or(false)
    }
}
