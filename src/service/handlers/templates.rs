//! Handler of message templates.

use axum::extract::State;

use crate::database::templates;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::ReadRequest;
use crate::state::Service;
use api::templates::{TemplateBody, TemplateList};
use platforms::Template;

const APPROVED: &str = "APPROVED";

/// Handles `listTemplates`: the approved templates, and beside them the others.
pub async fn list(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let body = |template: Template| TemplateBody {
                components: serde_json::from_str(&template.components).unwrap_or_default(),
                name: template.name,
                language: template.language,
                category: template.category,
                status: template.status,
                rejected_reason: template.reason,
            };
            let all = templates::list(db, &caller.channel_id)?.into_iter().map(body);
            let (data, not_approved) = all.partition(|template| template.status == APPROVED);
            Reply::ok(&TemplateList { data, not_approved })
        })
        .await
}
