//! Handlers of shared canned replies.

use axum::extract::State;

use crate::audit;
use crate::auth::DeskCaller;
use crate::database::team::changes::{self, ChangeKind};
use crate::database::team::replies;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::team;
use crate::write::WriteContext;
use api::team::{MAX_NAME_CHARS, SetReply, SharedDeleted, SharedReplyList};
use model::{bounds, text};

/// Maximum number of replies of a workspace.
const MAX_REPLIES: i64 = 500;

fn not_found() -> ApiError {
    ApiError::not_found("this reply")
}

/// Handles `listSharedReplies`.
pub async fn list(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let workspace = request.caller.member()?.workspace.clone();
    service
        .database
        .read(move |db| {
            let rows = replies::list(db, &workspace)?;
            Reply::ok(&SharedReplyList { data: rows.into_iter().map(team::reply_body).collect() })
        })
        .await
}

/// Handles `getSharedReply`.
pub async fn read(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (workspace, name) = (request.caller.member()?.workspace.clone(), request.segment("name")?);
    service
        .database
        .read(move |db| {
            Reply::ok(&team::reply_body(replies::find(db, &workspace, &name)?.ok_or_else(not_found)?))
        })
        .await
}

/// Handles `setSharedReply`.
pub async fn set(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let (name, asked) = (request.segment("name")?, request.read_body::<SetReply>()?);
    if bounds::count_chars(&name) > MAX_NAME_CHARS || name.trim() != name || !text::is_plain(&name) {
        let words = format!(
            "the name must have 1 to {MAX_NAME_CHARS} visible characters and must not begin or end with a \
             space"
        );
        return Err(ApiError::validation(words));
    }
    service
        .write(request, move |work, caller| {
            let member = caller.member()?;
            let known = replies::find(work.db, &member.workspace, &name)?;
            if known.is_none() && replies::count(work.db, &member.workspace)? >= MAX_REPLIES {
                return Err(ApiError::validation(format!(
                    "there are {MAX_REPLIES} replies, which is the maximum; delete one first"
                )));
            }
            if known.is_none_or(|known| known.text != asked.text.as_str()) {
                let reply = (name.as_str(), asked.text.as_str());
                replies::put(work.db, &member.workspace, reply, &member.person.id, work.now)?;
                record(work, caller, &name, "reply")?;
            }
            let row = replies::find(work.db, &member.workspace, &name)?.ok_or_else(not_found)?;
            Reply::ok(&team::reply_body(row))
        })
        .await
}

/// Handles `deleteSharedReply`.
pub async fn delete(
    State(service): State<Service>,
    request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let name = request.segment("name")?;
    service
        .write(request, move |work, caller| {
            if !replies::delete(work.db, &caller.member()?.workspace, &name)? {
                return Err(not_found());
            }
            record(work, caller, &name, "reply delete")?;
            Reply::ok(&SharedDeleted { success: true, deleted: name.clone() })
        })
        .await
}

fn record(work: &WriteContext<'_>, caller: &DeskCaller, name: &str, action: &str) -> Result<(), ApiError> {
    let member = caller.member()?;
    changes::log(work.db, &member.workspace, ChangeKind::Reply, (name, ""), work.now)?;
    Ok(audit::record(work.db, &member.workspace, &member.person.id, (action, name), work.now)?)
}
