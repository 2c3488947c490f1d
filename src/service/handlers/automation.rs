//! Handlers of `/desk/v1/conversations/{conversationId}/automation`: switches the assistant in a conversation
//! or thread of any channel. `updateConversation` does so for WhatsApp only.

use axum::extract::State;

use crate::audit;
use crate::auth::{DeskCaller, Requester};
use crate::database::session::DbSession;
use crate::database::team::work::WorkKind;
use crate::errors::ApiError;
use crate::handlers::conversations::not_found;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::takeover::{self, AutomationSubject};
use crate::team;
use crate::team::conversations::check_subject;
use api::conversations::{DeskAutomationBody, DeskAutomationResult};

/// Finds a conversation or thread of the key's channel, or of any channel of a person's workspace.
fn find<'a>(
    db: &dyn DbSession,
    caller: &DeskCaller,
    id: &'a str,
) -> Result<(AutomationSubject<'a>, bool), ApiError> {
    let found = match caller {
        DeskCaller::Key(caller) => AutomationSubject::find(db, &caller.channel_id, id)?,
        DeskCaller::Member(member) => {
            check_subject(db, &member.workspace, id)?;
            AutomationSubject::find_anywhere(db, id)?
        }
    };
    found.ok_or_else(not_found)
}

/// Handles `getDeskAutomation`.
pub async fn read(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let (_, enabled) = find(db, &caller, &id)?;
            automation_reply(&id, enabled)
        })
        .await
}

/// Handles `setDeskAutomation`.
pub async fn write(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let enabled = request.read_body::<DeskAutomationBody>()?.enabled;
    let lane = id.clone();
    let reply = service
        .write(request, move |work, caller| {
            let (subject, was_enabled) = find(work.db, caller, &id)?;
            takeover::switch(work.db, subject, (enabled, takeover::pauser(work)), work.now)?;
            if enabled && !was_enabled {
                team::work::record_done(work, caller.workspace(), WorkKind::HandedBack, &id)?;
            }
            if let DeskCaller::Member(member) = caller {
                let action = if enabled { "hand back" } else { "pause" };
                audit::record(work.db, &member.workspace, &member.person.id, (action, &id), work.now)?;
            }
            automation_reply(&id, enabled)
        })
        .await?;
    if !enabled {
        takeover::wait_for_recalled(&service, &lane).await?;
    }
    Ok(reply)
}

fn automation_reply(id: &str, enabled: bool) -> Result<Reply, ApiError> {
    Reply::ok(&DeskAutomationResult { enabled, id: id.to_owned() })
}
