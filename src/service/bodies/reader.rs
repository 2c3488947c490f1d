//! Reading of one body, bounded in size and time, with a memory reservation.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;
use hyper::body::Bytes;
use tokio::time::{Instant, timeout_at};

use crate::bodies::budget::{BodyBudget, BodyReservation};
use crate::bodies::{BodyOwner, MAX_UNRESERVED_BYTES};
use crate::errors::ApiError;
use crate::options::RequestTimeouts;
use api::errors::ErrorCode;

/// Maximum size read from a refused body, in bytes: a client that is busy writing would not read the refusal.
const MAX_DRAINED_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct BodyRules {
    pub owner: BodyOwner,
    pub max_bytes: usize,
    pub timeouts: RequestTimeouts,
}

pub struct BodyReader {
    pieces: BodyDataStream,
    budget: BodyBudget,
    rules: BodyRules,
    /// Value of `Content-Length`.
    announced: Option<usize>,
    received: usize,
    last: Instant,
    reservation: Option<BodyReservation>,
}

impl BodyReader {
    pub fn new(headers: &HeaderMap, body: Body, budget: &BodyBudget, rules: BodyRules) -> Self {
        let announced =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        Self {
            pieces: body.into_data_stream(),
            budget: budget.clone(),
            last: Instant::now() + rules.timeouts.body,
            rules,
            announced,
            received: 0,
            reservation: None,
        }
    }

    /// Reads the next chunk; `None` at the end. Reads and discards the rest of an oversized body.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` over the bound; `VALIDATION_ERROR` if the body breaks off, pauses too long or
    /// takes too long in total; `RATE_LIMIT_EXCEEDED` without memory for it, or if it arrives too slowly.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        loop {
            let piece = self.next_chunk().await?;
            self.received = self.received.saturating_add(piece.as_ref().map_or(0, Bytes::len));
            let fits = self.received.max(self.announced.unwrap_or(0)) <= self.rules.max_bytes;
            match piece {
                Some(piece) if fits => {
                    self.reserve_for(piece.len()).await?;
                    return Ok(Some(piece));
                }
                Some(_) if self.received <= MAX_DRAINED_BYTES => self.reservation = None,
                None if fits => {
                    if let Some(room) = &self.reservation {
                        room.complete();
                    }
                    return Ok(None);
                }
                Some(_) | None => {
                    let message = format!("the body is larger than {} bytes", self.rules.max_bytes);
                    return Err(ApiError::new(ErrorCode::PayloadTooLarge, message));
                }
            }
        }
    }

    /// Reads the whole body and returns it with its reservation.
    ///
    /// # Errors
    /// See [`next`](Self::next).
    pub async fn read_all(mut self) -> Result<(Vec<u8>, Option<BodyReservation>), ApiError> {
        let mut taken = Vec::new();
        while let Some(piece) = self.next().await? {
            if taken.capacity() - taken.len() < piece.len() {
                taken.reserve_exact(self.memory_growth(taken.len(), piece.len()));
            }
            taken.extend_from_slice(&piece);
        }
        Ok((taken, self.reservation.take()))
    }

    /// Reads and discards the rest, because a client that is busy writing would not read the answer.
    pub async fn drain(&mut self) {
        self.reservation = None;
        while self.received <= MAX_DRAINED_BYTES {
            match self.next_chunk().await {
                Ok(Some(piece)) => self.received = self.received.saturating_add(piece.len()),
                Ok(None) | Err(_) => return,
            }
        }
    }

    pub fn take_reservation(&mut self) -> Option<BodyReservation> {
        self.reservation.take()
    }

    /// Announced length, at most the bound, in bytes.
    pub fn expected_bytes(&self) -> usize {
        self.announced.unwrap_or(0).min(self.rules.max_bytes)
    }

    /// Returns by how many bytes the buffer grows for the next chunk: with a reservation to the announced
    /// length at once, else doubling.
    fn memory_growth(&self, taken: usize, piece: usize) -> usize {
        let whole = match (&self.reservation, self.announced) {
            (Some(_), Some(announced)) => announced,
            (Some(_), None) => (2 * taken).min(self.rules.max_bytes),
            (None, announced) => announced.unwrap_or(MAX_UNRESERVED_BYTES).min(MAX_UNRESERVED_BYTES),
        };
        whole.saturating_sub(taken).max(piece)
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        let until = self.last.min(Instant::now() + self.rules.timeouts.idle);
        let next = timeout_at(until, self.pieces.next());
        let read = match &self.reservation {
            None => next.await,
            Some(room) => {
                room.wait_for_more();
                tokio::select! {
                    biased;
                    read = next => read,
                    refusal = room.wait_until_revoked() => return Err(refusal),
                }
            }
        };
        match read {
            Ok(None) => Ok(None),
            Ok(Some(Ok(piece))) => Ok(Some(piece)),
            Ok(Some(Err(_))) => {
                Err(ApiError::validation("the connection closed before the body was complete"))
            }
            Err(_) => Err(ApiError::validation("the body stopped arriving")),
        }
    }

    /// Counts a chunk; makes the reservation when the first chunk needs it.
    async fn reserve_for(&mut self, bytes: usize) -> Result<(), ApiError> {
        if let Some(room) = &self.reservation {
            return room.receive(bytes);
        }
        if self.received > MAX_UNRESERVED_BYTES {
            let asked = Instant::now();
            let wanted = self.announced.unwrap_or(self.rules.max_bytes);
            let owner = self.rules.owner.clone();
            let room = self.budget.reserve(owner, wanted, self.rules.timeouts.body).await?;
            // No bytes were read while waiting.
            self.last += asked.elapsed();
            room.receive(self.received)?;
            self.reservation = Some(room);
        }
        Ok(())
    }
}

/// Timeout of a body on routes that accept large ones.
pub const LARGE_BODY_TIMEOUT: Duration = Duration::from_secs(120);
