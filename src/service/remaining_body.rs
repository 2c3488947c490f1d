//! Request bodies that were answered before they were read to the end.
//!
//! A short rest is read. Otherwise the answer announces that the connection closes, so that no client sends
//! its next request into it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use crate::open_connections::{ConnectionPhase, HeldConnection};

/// Maximum size of a rest that is read, in bytes.
const MAX_DRAINED_BYTES: usize = 64 * 1024;
/// Maximum time for reading a rest.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Body lent to a handler; its unread part goes to [`RemainingBody`] when it is dropped.
pub struct BorrowedBody {
    body: Option<Incoming>,
    remaining: Arc<Mutex<Option<Incoming>>>,
    connection: Arc<HeldConnection>,
}

pub struct RemainingBody(Arc<Mutex<Option<Incoming>>>);

/// Lends a body to a handler. Its connection counts as receiving until the body has ended or is dropped.
pub fn split_body(body: Incoming, connection: Arc<HeldConnection>) -> (BorrowedBody, RemainingBody) {
    connection.enter(if body.is_end_stream() {
        ConnectionPhase::Working
    } else {
        ConnectionPhase::Receiving
    });
    let left = Arc::default();
    (BorrowedBody { body: Some(body), remaining: Arc::clone(&left), connection }, RemainingBody(left))
}

impl Body for BorrowedBody {
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

impl Drop for BorrowedBody {
    fn drop(&mut self) {
        self.connection.enter(ConnectionPhase::Working);
        let rest = self.body.take().filter(|body| !body.is_end_stream());
        *self.remaining.lock().unwrap_or_else(PoisonError::into_inner) = rest;
    }
}

impl RemainingBody {
    /// Returns true if the connection can take another request: the body was read, or its short rest could
    /// be. A client that waits for `100 Continue` is not asked to send the rest.
    pub async fn drain(self, waits_for_leave: bool) -> bool {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut body) = left else { return true };
        if waits_for_leave || body.size_hint().lower() > u64::try_from(MAX_DRAINED_BYTES).unwrap_or(u64::MAX)
        {
            return false;
        }
        let reading = async {
            let mut bytes = 0;
            while let Some(frame) = body.frame().await {
                let Ok(frame) = frame else { return false };
                bytes += frame.data_ref().map_or(0, Bytes::len);
                if bytes > MAX_DRAINED_BYTES {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(DRAIN_TIMEOUT, reading).await.unwrap_or(false)
    }
}
