//! Handlers of `/desk/v1/conversations/{conversationId}/automation`: switches the assistant in a conversation
//! or thread of any channel. `updateConversation` does so for WhatsApp only.

use axum::Router;
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use serde_json::json;

use crate::errors::ApiError;
use crate::fields::Fields;
use crate::gate;
use crate::handlers::conversations::not_found;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::takeover::{self, AutomationSubject};

pub fn routes(service: &Service) -> Router<Service> {
    Router::new()
        .route("/desk/v1/conversations/{conversationId}/automation", get(read).put(write))
        .method_not_allowed_fallback(gate::wrong_method)
        .layer(from_fn_with_state(service.clone(), gate::interface_layer))
}

async fn read(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let channel = request.caller.channel_id;
    service
        .database
        .read(move |db| {
            let (_, enabled) = AutomationSubject::find(db, &channel, &id)?.ok_or_else(not_found)?;
            automation_reply(&id, enabled)
        })
        .await
}

async fn write(State(service): State<Service>, request: WriteRequest) -> Result<Reply, ApiError> {
    let id = request.segment("conversationId")?;
    let enabled = Fields::of_body(&request.body)?.required_boolean("enabled")?;
    let lane = id.clone();
    let reply = service
        .write(request, move |work, caller| {
            let (subject, _) =
                AutomationSubject::find(work.db, &caller.channel_id, &id)?.ok_or_else(not_found)?;
            takeover::switch(work.db, subject, enabled, work.now)?;
            automation_reply(&id, enabled)
        })
        .await?;
    if !enabled {
        takeover::wait_for_recalled(&service, &lane).await?;
    }
    Ok(reply)
}

fn automation_reply(id: &str, enabled: bool) -> Result<Reply, ApiError> {
    Reply::ok(&json!({ "id": id, "enabled": enabled }))
}
