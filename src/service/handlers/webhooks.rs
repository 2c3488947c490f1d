//! Handlers of webhook subscriptions, for `/webhooks` and `/email/webhooks`.

use axum::extract::State;
use rand::RngExt;

use crate::audit;
use crate::auth::Caller;
use crate::database::delivery_log;
use crate::database::webhooks::{self, WebhookRow};
use crate::errors::ApiError;
use crate::events::events_of_channel;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use api::events::Event;
use api::fields::Text;
use api::request::FieldError;
use api::webhooks::{CreateWebhook, DeleteResult, WebhookBody, WebhookList};
use platforms::Channel;

/// Maximum number of subscriptions per channel.
const MAX_WEBHOOKS: usize = 20;

/// Handles `listWebhooks` and `listEmailWebhooks`.
pub async fn list(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let mut data = Vec::new();
            for row in webhooks::list(db, &caller.channel_id)? {
                let (waiting, dead) = delivery_log::count_open(db, &row.id)?;
                let counted = |count: i64| u64::try_from(count).ok().filter(|count| *count > 0);
                let (waiting, dead_letters) = (counted(waiting), counted(dead));
                data.push(WebhookBody { waiting, dead_letters, ..webhook_body(row) });
            }
            Reply::ok(&WebhookList { data })
        })
        .await
}

/// Checked [`CreateWebhook`].
struct WebhookRequest {
    url: String,
    events: Vec<&'static str>,
    secret: Option<String>,
}

/// Handles `createWebhook` and `createEmailWebhook`.
pub async fn create(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let wanted = WebhookRequest::of(request.read_body()?, request.caller.channel)?;
    let url = service.guard.vet(&wanted.url);
    let url = url.map_err(|why| ApiError::validation(format!("url cannot be used: {why}")))?;
    let answered = service.claim(&mut request).await?;
    let verified = if request.caller.is_test() {
        true
    } else if answered {
        // The stored answer is replayed. Without one the write must fail, since no challenge was sent.
        false
    } else {
        let value: [u8; 32] = rand::rng().random();
        let value: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
        service.guard.challenge(&url, &value).await.is_ok()
    };
    service.write(request, move |work, caller| create_in(work, caller, wanted, verified)).await
}

impl WebhookRequest {
    fn of(body: CreateWebhook, channel: Channel) -> Result<Self, FieldError> {
        let secret = body.secret.map(Text::into_string);
        if secret.as_deref() == Some("") {
            return Err(FieldError::new("secret", "must not be empty; leave it out instead"));
        }
        let events = select_events(body.events, events_of_channel(channel))?;
        Ok(Self { url: body.url.into_string(), events, secret })
    }
}

/// Returns the named events without duplicates; all events of the channel if none are named.
fn select_events(named: Option<Vec<String>>, known: &[Event]) -> Result<Vec<&'static str>, FieldError> {
    let Some(named) = named else { return Ok(known.iter().map(|event| event.word()).collect()) };
    let (mut wanted, mut unknown) = (Vec::new(), Vec::new());
    for name in named {
        match known.iter().map(|event| event.word()).find(|word| *word == name) {
            Some(word) if wanted.contains(&word) => {}
            Some(word) => wanted.push(word),
            None => unknown.push(name),
        }
    }
    if !unknown.is_empty() {
        unknown.truncate(5);
        let cut: String = unknown.join(", ").chars().take(200).collect();
        let all = known.iter().map(|event| event.word()).collect::<Vec<_>>().join(", ");
        let problem = format!("has events that this channel does not have: {cut}; the channel has {all}");
        return Err(FieldError::new("events", problem));
    }
    if wanted.is_empty() {
        return Err(FieldError::new("events", "must name at least one event; leave it out for all"));
    }
    Ok(wanted)
}

fn create_in(
    work: &WriteContext<'_>,
    caller: &Caller,
    wanted: WebhookRequest,
    verified: bool,
) -> Result<Reply, ApiError> {
    if !verified {
        // One message for every reason, so that callers cannot probe networks.
        return Err(ApiError::new(
            ErrorCode::WebhookVerificationFailed,
            "the endpoint did not return the challenge value as plain text; it must be reachable from the \
             public internet over https and answer 200 with exactly that value",
        ));
    }
    if webhooks::count(work.db, &caller.channel_id)? >= MAX_WEBHOOKS {
        let message =
            format!("this channel has {MAX_WEBHOOKS} webhooks, which is the maximum; delete one first");
        return Err(ApiError::validation(message));
    }
    let stamp = work.stamp();
    let id = work.id("wh", stamp);
    let sealed = wanted.secret.map(|secret| work.service.vault.seal(&id, &secret)).transpose();
    let row = WebhookRow {
        channel: caller.channel_id.clone(),
        url: wanted.url,
        events: serde_json::Value::from(wanted.events).to_string(),
        secret: sealed.map_err(|cause| ApiError::internal(&cause))?,
        active: true,
        failing_since: None,
        created_at: stamp,
        ended_why: None,
        id,
    };
    webhooks::insert(work.db, &row)?;
    audit::record_request(work, caller, ("webhook create", &row.id))?;
    Reply::ok(&webhook_body(row))
}

/// Handles `deleteWebhook` and `deleteEmailWebhook`.
pub async fn delete(State(service): State<Service>, request: WriteRequest) -> Result<Reply, ApiError> {
    let id = request.segment("webhookId")?;
    service
        .write(request, move |work, caller| {
            if !webhooks::delete(work.db, &caller.channel_id, &id)? {
                return Err(ApiError::not_found("this webhook"));
            }
            audit::record_request(work, caller, ("webhook delete", &id))?;
            Reply::ok(&DeleteResult { success: true, deleted: id })
        })
        .await
}

fn webhook_body(row: WebhookRow) -> WebhookBody {
    WebhookBody {
        events: serde_json::from_str(&row.events).unwrap_or_default(),
        id: row.id,
        url: row.url,
        is_active: row.active,
        created_at: Some(row.created_at.to_string()),
        failing_since: row.failing_since.map(|at| at.to_string()),
        ended_why: row.ended_why,
        waiting: None,
        dead_letters: None,
    }
}
