//! A body as it comes in: bounded in size and time, with room for what is kept.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;
use hyper::body::Bytes;
use tokio::time::{Instant, timeout_at};

use crate::bodies::budget::{BodyBudget, BodyRoom};
use crate::bodies::{BodyOwner, FREE_BYTES};
use crate::errors::ApiError;
use crate::options::Patience;
use wire::errors::ErrorCode;

/// Bytes of a refused body that are still taken in, so that the refusal can
/// be read by a caller who is busy writing.
const DRAINED_BYTES: usize = 64 * 1024 * 1024;

/// Rules for one body.
#[derive(Debug, Clone)]
pub struct BodyRules {
    pub owner: BodyOwner,
    /// Maximum size, in bytes.
    pub bound: usize,
    pub patience: Patience,
}

/// Reads a body piece by piece.
pub struct BodyReader {
    pieces: BodyDataStream,
    budget: BodyBudget,
    rules: BodyRules,
    /// Bytes the body is said to have.
    announced: Option<usize>,
    seen: usize,
    last: Instant,
    room: Option<BodyRoom>,
}

impl BodyReader {
    pub fn new(headers: &HeaderMap, body: Body, budget: &BodyBudget, rules: BodyRules) -> Self {
        let announced =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        Self {
            pieces: body.into_data_stream(),
            budget: budget.clone(),
            last: Instant::now() + rules.patience.body,
            rules,
            announced,
            seen: 0,
            room: None,
        }
    }

    /// Reads the next piece; `None` at the end. The rest of a body that is too
    /// large is read and not kept.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` over the bound, `VALIDATION_ERROR` when it breaks off,
    /// pauses too long or does not end, `RATE_LIMIT_EXCEEDED` when there is no
    /// room for it or it comes too slowly.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        loop {
            let piece = self.pull().await?;
            self.seen = self.seen.saturating_add(piece.as_ref().map_or(0, Bytes::len));
            let fits = self.seen.max(self.announced.unwrap_or(0)) <= self.rules.bound;
            match piece {
                Some(piece) if fits => {
                    self.hold(piece.len()).await?;
                    return Ok(Some(piece));
                }
                Some(_) if self.seen <= DRAINED_BYTES => self.room = None,
                None if fits => {
                    if let Some(room) = &self.room {
                        room.complete();
                    }
                    return Ok(None);
                }
                Some(_) | None => {
                    let message = format!("the body is larger than {} bytes", self.rules.bound);
                    return Err(ApiError::new(ErrorCode::PayloadTooLarge, message));
                }
            }
        }
    }

    /// Reads the whole body, and hands over the room that it takes.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn whole(mut self) -> Result<(Vec<u8>, Option<BodyRoom>), ApiError> {
        let mut taken = Vec::new();
        while let Some(piece) = self.next().await? {
            if taken.capacity() - taken.len() < piece.len() {
                taken.reserve_exact(self.growth(taken.len(), piece.len()));
            }
            taken.extend_from_slice(&piece);
        }
        Ok((taken, self.room.take()))
    }

    /// Reads what is left and keeps nothing, so that the answer can be read by a
    /// caller who is busy writing.
    pub async fn drain(&mut self) {
        self.room = None;
        while self.seen <= DRAINED_BYTES {
            match self.pull().await {
                Ok(Some(piece)) => self.seen = self.seen.saturating_add(piece.len()),
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Hands over the room that the body takes.
    pub fn take_room(&mut self) -> Option<BodyRoom> {
        self.room.take()
    }

    /// Bytes the body is said to have, at most its bound.
    pub fn expected(&self) -> usize {
        self.announced.unwrap_or(0).min(self.rules.bound)
    }

    /// Bytes by which memory grows for the next piece: with room to the announced
    /// length at once, otherwise to twice what is there.
    fn growth(&self, taken: usize, piece: usize) -> usize {
        let whole = match (&self.room, self.announced) {
            (Some(_), Some(announced)) => announced,
            (Some(_), None) => (2 * taken).min(self.rules.bound),
            (None, announced) => announced.unwrap_or(FREE_BYTES).min(FREE_BYTES),
        };
        whole.saturating_sub(taken).max(piece)
    }

    async fn pull(&mut self) -> Result<Option<Bytes>, ApiError> {
        let until = self.last.min(Instant::now() + self.rules.patience.idle);
        let next = timeout_at(until, self.pieces.next());
        let read = match &self.room {
            None => next.await,
            Some(room) => {
                room.wait_for_more();
                tokio::select! {
                    biased;
                    read = next => read,
                    refusal = room.must_give_way() => return Err(refusal),
                }
            }
        };
        match read {
            Ok(None) => Ok(None),
            Ok(Some(Ok(piece))) => Ok(Some(piece)),
            Ok(Some(Err(_))) => Err(ApiError::validation("the body broke off")),
            Err(_) => Err(ApiError::validation("the body stopped arriving")),
        }
    }

    /// Counts a piece; asks for room with the first one that needs it.
    async fn hold(&mut self, bytes: usize) -> Result<(), ApiError> {
        if let Some(room) = &self.room {
            return room.receive(bytes);
        }
        if self.seen > FREE_BYTES {
            let asked = Instant::now();
            let wanted = self.announced.unwrap_or(self.rules.bound);
            let owner = self.rules.owner.clone();
            let room = self.budget.reserve(owner, wanted, self.rules.patience.body).await?;
            // Nobody was read meanwhile.
            self.last += asked.elapsed();
            room.receive(self.seen)?;
            self.room = Some(room);
        }
        Ok(())
    }
}

/// For the whole body of a route that takes large ones.
pub const LARGE_PATIENCE: Duration = Duration::from_secs(120);
