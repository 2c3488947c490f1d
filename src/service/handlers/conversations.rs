//! Handlers of WhatsApp conversations.

use axum::extract::State;

use crate::audit;
use crate::auth::Caller;
use crate::chat::keywords::ListedOptOuts;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages as stored;
use crate::database::team::work::WorkKind;
use crate::errors::ApiError;
use crate::handlers::bodies;
use crate::last_answer;
use crate::query::{PageRequest, Query};
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::takeover::{self, AutomationSubject};
use crate::team;
use crate::write::WriteContext;
use api::body::Body;
use api::conversations::{AutomationPatch, AutomationResult, CloseResult};
use api::escalations::EscalationBody;
use model::conversations::NoMessagesReason;
use model::time::{Clock, Timestamp};
use platforms::Channel;

const STATUSES: [&str; 2] = ["open", "closed"];

/// Handles `listConversations`. The first page is answered from the cache.
pub async fn list(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let now = service.clock.now();
    let ReadRequest { caller, query, .. } = request;
    let (status, page) = read_page_request(&service, &caller, &query)?;
    // Further pages are read once, so caching them has no use.
    let is_first = query.text("cursor").is_none();
    let question = is_first.then(|| format!("list {} {status:?} {}", caller.channel_id, page.limit));
    let (state, asking) = (service.clone(), caller.clone());
    last_answer::answer_cached(&service, &asking, question, move |db| {
        // Only the end of a service window changes the answer without a commit.
        let mut until = Timestamp::from_micros(i64::MAX);
        let mut lines = page.lines();
        conversations::visit_page(db, &caller.channel_id, status, &page.after, page.rows_to_read(), |row| {
            until = row
                .window_closes_at()
                .filter(|window_close| now < *window_close)
                .map_or(until, |time| time.min(until));
            lines.push(&bodies::conversation_body(row, now), || row.page_position())
        })?;
        Ok((lines.reply(&state.cursors)?, now..until))
    })
    .await
}

/// Parses the status filter, as stored, and the page.
fn read_page_request(
    service: &Service,
    caller: &Caller,
    query: &Query,
) -> Result<(Option<&'static str>, PageRequest), ApiError> {
    let status = query.word("status", &STATUSES)?;
    let page = query.page(&service.cursors, &["conversations", &caller.channel_id, status.unwrap_or("")])?;
    // `open` in the interface is stored as `active`.
    Ok((status.map(|entry| if entry == "open" { "active" } else { entry }), page))
}

/// Answers a page of the channel's conversations, each with its escalation and why it takes no messages.
pub async fn list_page<B: Body>(
    service: Service,
    request: ReadRequest,
    body: impl Fn((ConversationRow, Option<EscalationBody>, Option<NoMessagesReason>)) -> B + Send + 'static,
) -> Result<Reply, ApiError> {
    let ReadRequest { caller, query, .. } = request;
    let (status, page) = read_page_request(&service, &caller, &query)?;
    let state = service.clone();
    service
        .database
        .read_consistent(move |db| {
            let rows = conversations::list(db, &caller.channel_id, status, &page.after, page.rows_to_read())?;
            let opt_outs = ListedOptOuts::load(db, (caller.channel, &caller.channel_id), &rows)?;
            let told = rows.into_iter().map(|row| {
                let escalation = bodies::load_escalation(db, &row)?;
                let reason = opt_outs.find_reason(&row.peer);
                Ok::<_, ApiError>((row, escalation, reason))
            });
            let told = told.collect::<Result<Vec<_>, _>>()?;
            page.reply(&state.cursors, told, |(row, ..)| row.page_position(), body)
        })
        .await
}

/// Handles `getConversation`.
pub async fn read(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let caller = request.caller;
    let now = service.clock.now();
    service
        .database
        .read_consistent(move |db| {
            let row = conversations::read(db, &caller.channel_id, &id)?.ok_or_else(not_found)?;
            let escalation = bodies::load_escalation(db, &row)?;
            Reply::ok(&bodies::whole_conversation_body(&row, escalation, now))
        })
        .await
}

/// Handles `listConversationMessages`.
pub async fn messages(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    list_messages(service, request).await
}

/// Answers a page of a conversation's messages, newest first.
pub async fn list_messages(service: Service, request: ReadRequest) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let ReadRequest { caller, query, .. } = request;
    let page = query.page(&service.cursors, &["history", &caller.channel_id, &id])?;
    let state = service.clone();
    service
        .database
        .read(move |db| {
            conversations::read(db, &caller.channel_id, &id)?.ok_or_else(not_found)?;
            let mut lines = page.lines();
            stored::visit_history(db, &id, &page.after, page.rows_to_read(), |row| {
                lines.push(&bodies::message_body(row, caller.channel), || row.history_position())
            })?;
            lines.reply(&state.cursors)
        })
        .await
}

/// Handles `updateConversation`.
pub async fn patch(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let enabled = request.read_body::<AutomationPatch>()?.automation_enabled;
    let lane = id.clone();
    let reply = service
        .write(request, move |work, caller| {
            let row = find(work, caller, &id)?;
            let subject = AutomationSubject::Chat(&row.id);
            takeover::switch(work.db, subject, (enabled, takeover::pauser(work)), work.now)?;
            let action = if enabled { "hand back" } else { "pause" };
            audit::record_request(work, caller, (action, &row.id))?;
            if enabled && !row.automation {
                team::work::record_done(work, &caller.workspace, WorkKind::HandedBack, &row.id)?;
            }
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
pub async fn close(State(service): State<Service>, request: WriteRequest) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let lane = id.clone();
    let reply = service
        .write(request, move |work, caller| {
            let row = find(work, caller, &id)?;
            conversations::close(work.db, &row.id, work.now)?;
            if row.status != "closed" {
                team::work::record_done(work, &caller.workspace, WorkKind::Closed, &row.id)?;
            }
            team::conversations::release_closed(work, caller, &row.id)?;
            takeover::recall_answers(work.db, AutomationSubject::Chat(&row.id), work.now)?;
            Reply::ok(&CloseResult { success: true, conversation_id: row.id, status: "closed".to_owned() })
        })
        .await?;
    takeover::wait_for_recalled(&service, &lane).await?;
    Ok(reply)
}

fn find(work: &WriteContext<'_>, caller: &Caller, id: &str) -> Result<ConversationRow, ApiError> {
    debug_assert!(caller.channel == Channel::Whatsapp, "the gate lets no other key in");
    conversations::read(work.db, &caller.channel_id, id)?.ok_or_else(not_found)
}

pub fn not_found() -> ApiError {
    ApiError::not_found("this conversation")
}
