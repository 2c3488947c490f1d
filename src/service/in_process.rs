//! The whole service without a socket, for simulations in one process: requests go directly to the router,
//! and due tasks run when asked for.
//!
//! Not durable against loss of power, and not started by any command.

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, Response};
use tower::ServiceExt;

use crate::chat::receive::{self, ReceivedMessage};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, Durability, channels};
use crate::errors::ApiError;
use crate::faults::ConnectionCut;
use crate::options::Options;
use crate::start::{self, PreparedService, StartError};
use crate::state::Service;
use crate::workspace::IssuedKey;
use crate::write::WriteContext;
use crate::{router, world};
use model::time::{Clock, Timestamp};
use platforms::Channel;

pub use platforms::InboundMessage;

pub struct InProcess {
    /// Base URL of requests, ending in `/v1`.
    pub base_url: String,
    /// Keys created for a new database.
    pub keys: Vec<IssuedKey>,
    service: Service,
    router: Router,
}

impl InProcess {
    /// Opens the database without listening.
    pub async fn open(options: Options) -> Result<Self, StartError> {
        let address = options.listen;
        let PreparedService { service, keys, .. } =
            start::open_service(options, address, Durability::Simulated).await?;
        let router = router::router(&service);
        Ok(Self { base_url: service.hosts.local_url(), keys, service, router })
    }

    /// Answers a request; `None` if a fault of `/dev/fault` cuts it off.
    pub async fn answer(&self, request: Request<Vec<u8>>) -> Option<Response<Bytes>> {
        let answered = self.router.clone().oneshot(request.map(Body::from)).await;
        let response = answered.unwrap_or_else(|never| match never {});
        if response.extensions().get::<ConnectionCut>().is_some() {
            return None;
        }
        let (head, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.ok()?;
        Some(Response::from_parts(head, body))
    }

    pub fn now(&self) -> Timestamp {
        self.service.clock.now()
    }

    /// Runs all due tasks and returns the time of the next one.
    pub async fn catch_up(&self) -> Result<Option<Timestamp>, ApiError> {
        world::catch_up(&self.service).await
    }

    /// Receives messages from customers, all in one transaction.
    pub async fn receive_messages(
        &self,
        channel: Channel,
        written: Vec<InboundMessage>,
    ) -> Result<Vec<ReceivedMessage>, ApiError> {
        let state = self.service.clone();
        let job = move |db: &dyn DbSession| {
            let now = state.clock.now();
            let work = WriteContext::of_service(db, &state, now);
            let row = channels::find_by_kind(db, channel)?.ok_or(DatabaseError::Closed)?;
            let each = written.iter().map(|inbound| receive::receive(&work, &row, inbound));
            Ok::<_, ApiError>(each.collect::<Result<Vec<_>, _>>()?)
        };
        self.service.database.write(job).await
    }
}
