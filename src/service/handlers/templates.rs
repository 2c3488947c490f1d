//! Handler of message templates.

use axum::extract::State;

use crate::database::templates;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::ReadRequest;
use crate::state::Service;
use api::templates::{TemplateBody, TemplateList};
use platforms::Template;

/// Handles `listTemplates`: approved templates only.
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
            };
            let data = templates::list_approved(db, &caller.workspace)?.into_iter().map(body).collect();
            Reply::ok(&TemplateList { data })
        })
        .await
}
