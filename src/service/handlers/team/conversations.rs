//! Handlers of claims, tags, snoozes and notes.

use axum::extract::State;

use crate::auth::DeskCaller;
use crate::database::team::conversations as stored;
use crate::errors::ApiError;
use crate::handlers::contacts::check_tags;
use crate::query::{Query, parse_time};
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::team::conversations::{self, Snooze, read_time};
use crate::team::notes;
use api::team::{ClaimRequest, NewNote, NotePatch, SetSnooze, SetTags, SharedConversationList};
use model::time::Timestamp;

/// Maximum number of conversations of one answer.
const MAX_LISTED: usize = 200;
/// Maximum size of the notes of one answer, in bytes, unless one conversation has more.
const MAX_LISTED_BYTES: usize = 4 * 1024 * 1024;

enum Listed {
    Ids(Vec<String>),
    ChangedAfter(Timestamp),
}

impl Listed {
    fn of(query: &Query) -> Result<Self, ApiError> {
        match (query.text("ids"), query.text("changedAfter")) {
            (Some(ids), None) => {
                let ids: Vec<String> =
                    ids.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect();
                if ids.is_empty() || ids.len() > MAX_LISTED {
                    return Err(ApiError::validation(format!(
                        "ids must list 1 to {MAX_LISTED} conversations"
                    )));
                }
                Ok(Self::Ids(ids))
            }
            (None, Some(text)) => parse_time("changedAfter", text).map(Self::ChangedAfter),
            _ => Err(ApiError::validation("send either ids or changedAfter")),
        }
    }
}

/// Handles `listShared`.
pub async fn list(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let member = request.caller.member()?.clone();
    let listed = Listed::of(&request.query)?;
    service
        .database
        .read_consistent(move |db| {
            let count = i64::try_from(MAX_LISTED).unwrap_or(i64::MAX);
            let rows = match &listed {
                Listed::Ids(ids) => stored::list(db, &member.workspace, ids)?,
                Listed::ChangedAfter(after) => stored::list_changed(db, &member.workspace, *after, count)?,
            };
            let (mut data, mut bytes) = (Vec::new(), 0);
            for row in rows {
                let body = conversations::shared_body(db, row)?;
                bytes += body.notes.iter().map(|note| note.text.len()).sum::<usize>();
                if bytes > MAX_LISTED_BYTES && !data.is_empty() {
                    return match listed {
                        // The client continues after the last row.
                        Listed::ChangedAfter(_) => Reply::ok(&SharedConversationList { data }),
                        Listed::Ids(_) => Err(ApiError::validation(
                            "these conversations have more notes than one answer can hold; send fewer ids",
                        )),
                    };
                }
                data.push(body);
            }
            Reply::ok(&SharedConversationList { data })
        })
        .await
}

fn read_claim(request: &mut WriteRequest<DeskCaller>) -> Result<ClaimRequest, ApiError> {
    if request.body.is_null() { Ok(ClaimRequest::default()) } else { request.read_body() }
}

/// Handles `claimConversation`.
pub async fn claim(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (id, asked) = (request.segment("conversationId")?, read_claim(&mut request)?);
    service
        .write(request, move |work, caller| conversations::claim(work, caller.member()?, &id, &asked))
        .await
}

/// Handles `releaseConversation`.
pub async fn release(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (id, asked) = (request.segment("conversationId")?, read_claim(&mut request)?);
    service
        .write(request, move |work, caller| conversations::release(work, caller.member()?, &id, &asked))
        .await
}

pub async fn set_tags(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (id, asked) = (request.segment("conversationId")?, request.read_body::<SetTags>()?);
    let (tags, at) = (check_tags(asked.tags)?, read_time("at", asked.at)?);
    service
        .write(request, move |work, caller| conversations::set_tags(work, caller.member()?, &id, (&tags, at)))
        .await
}

pub async fn set_snooze(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (id, asked) = (request.segment("conversationId")?, Snooze::of(request.read_body::<SetSnooze>()?)?);
    service
        .write(request, move |work, caller| conversations::set_snooze(work, caller.member()?, &id, &asked))
        .await
}

pub async fn add_note(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (id, asked) = (request.segment("conversationId")?, request.read_body::<NewNote>()?);
    service.write(request, move |work, caller| notes::add(work, caller.member()?, &id, &asked)).await
}

pub async fn edit_note(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (id, note) = (request.segment("conversationId")?, request.segment("note")?);
    let text = request.read_body::<NotePatch>()?.text;
    service
        .write(request, move |work, caller| notes::edit(work, caller.member()?, (&id, &note), text.as_str()))
        .await
}

pub async fn delete_note(
    State(service): State<Service>,
    request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (id, note) = (request.segment("conversationId")?, request.segment("note")?);
    service.write(request, move |work, caller| notes::delete(work, caller.member()?, &id, &note)).await
}
