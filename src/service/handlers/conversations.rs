//! Handlers of WhatsApp conversations.

use axum::extract::State;
use serde_json::Value;

use crate::auth::Caller;
use crate::channels::Channel;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages as stored;
use crate::errors::ApiError;
use crate::fields::Fields;
use crate::handlers::bodies;
use crate::last_answer;
use crate::query::{PageRequest, Query};
use crate::reply::Reply;
use crate::request::{Reading, Writing};
use crate::state::Service;
use crate::takeover::{self, Subject};
use crate::write::Work;
use model::time::{Clock, Timestamp};
use wire::body::Body;
use wire::conversations::{AutomationResult, CloseResult};

const STATUSES: [&str; 2] = ["open", "closed"];

/// Handles `listConversations`. The first page is answered from the cache.
pub async fn list(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let now = service.clock.now();
    let Reading { caller, query, .. } = request;
    let (status, page) = asked(&service, &caller, &query)?;
    // Further pages are read once, so caching them has no use.
    let is_first = query.text("cursor").is_none();
    let question = is_first.then(|| format!("list {} {status:?} {}", caller.channel_id, page.limit));
    let (state, asking) = (service.clone(), caller.clone());
    last_answer::answer(&service, &asking, question, move |db| {
        // Only the end of a service window changes the answer without a commit.
        let mut until = Timestamp::from_micros(i64::MAX);
        let mut lines = page.lines();
        conversations::each(db, &caller.channel_id, status, &page.after, page.reach(), |row| {
            until = row
                .window_closes()
                .filter(|window_close| now < *window_close)
                .map_or(until, |time| time.min(until));
            lines.take(&bodies::conversation_line(row, now), || row.place())
        })?;
        Ok((lines.reply(&state.cursors)?, now..until))
    })
    .await
}

/// Parses the status filter, as stored, and the page.
fn asked(
    service: &Service,
    caller: &Caller,
    query: &Query,
) -> Result<(Option<&'static str>, PageRequest), ApiError> {
    let status = query.word("status", &STATUSES)?;
    let page = query.page(&service.cursors, &["conversations", &caller.channel_id, status.unwrap_or("")])?;
    // `open` in the interface is stored as `active`.
    Ok((status.map(|entry| if entry == "open" { "active" } else { entry }), page))
}

/// Answers a page of the channel's conversations, each with its escalation.
pub async fn page<B: Body>(
    service: Service,
    request: Reading,
    body: impl Fn((ConversationRow, Option<Value>)) -> B + Send + 'static,
) -> Result<Reply, ApiError> {
    let Reading { caller, query, .. } = request;
    let (status, page) = asked(&service, &caller, &query)?;
    let state = service.clone();
    service
        .database
        .read_together(move |db| {
            let rows = conversations::list(db, &caller.channel_id, status, &page.after, page.reach())?;
            let told = rows.into_iter().map(|row| {
                let escalation = bodies::escalation(db, &row)?;
                Ok::<_, ApiError>((row, escalation))
            });
            let told = told.collect::<Result<Vec<_>, _>>()?;
            page.reply(&state.cursors, told, |(row, _)| row.place(), body)
        })
        .await
}

/// Handles `getConversation`.
pub async fn read(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let caller = request.caller;
    let now = service.clock.now();
    service
        .database
        .read_together(move |db| {
            let row = conversations::read(db, &caller.channel_id, &id)?.ok_or_else(absent)?;
            let escalation = bodies::escalation(db, &row)?;
            Reply::ok(&bodies::whole_conversation(row, escalation, now))
        })
        .await
}

/// Handles `listConversationMessages`.
pub async fn messages(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    page_of_messages(service, request).await
}

/// Answers a page of a conversation's messages, newest first.
pub async fn page_of_messages(service: Service, request: Reading) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let Reading { caller, query, .. } = request;
    let page = query.page(&service.cursors, &["history", &caller.channel_id, &id])?;
    let state = service.clone();
    service
        .database
        .read(move |db| {
            conversations::read(db, &caller.channel_id, &id)?.ok_or_else(absent)?;
            let mut lines = page.lines();
            stored::each_of_history(db, &id, &page.after, page.reach(), |row| {
                lines.take(&bodies::message_line(row, caller.channel), || row.place_in_history())
            })?;
            lines.reply(&state.cursors)
        })
        .await
}

/// Handles `updateConversation`.
pub async fn patch(State(service): State<Service>, request: Writing) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let enabled = Fields::of_body(&request.body)?.required_boolean("automationEnabled")?;
    let lane = id.clone();
    let reply = service
        .write(request, move |work, caller| {
            let row = find(work, caller, &id)?;
            takeover::switch(work.db, Subject::Chat(&row.id), enabled, work.now)?;
            Reply::ok(&AutomationResult {
                success: true,
                id: row.id,
                automation_enabled: enabled,
                status: row.status,
            })
        })
        .await?;
    if !enabled {
        takeover::wait_for_recalled(&service, &lane).await?;
    }
    Ok(reply)
}

/// Handles `closeConversation`; idempotent.
pub async fn close(State(service): State<Service>, request: Writing) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let lane = id.clone();
    let reply = service
        .write(request, move |work, caller| {
            let row = find(work, caller, &id)?;
            conversations::set_status(work.db, &row.id, "closed")?;
            takeover::silence(work.db, Subject::Chat(&row.id), work.now)?;
            Reply::ok(&CloseResult { success: true, conversation_id: row.id, status: "closed".to_owned() })
        })
        .await?;
    takeover::wait_for_recalled(&service, &lane).await?;
    Ok(reply)
}

fn find(work: &Work<'_>, caller: &Caller, id: &str) -> Result<ConversationRow, ApiError> {
    debug_assert!(caller.channel == Channel::Whatsapp, "the gate lets no other key in");
    conversations::read(work.db, &caller.channel_id, id)?.ok_or_else(absent)
}

pub fn absent() -> ApiError {
    ApiError::not_found("this conversation")
}
