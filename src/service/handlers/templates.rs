//! Handler of message templates.

use axum::extract::State;

use crate::database::templates;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::Reading;
use crate::state::Service;
use wire::templates::{TemplateBody, TemplateList};

/// Handles `listTemplates`: approved templates only.
pub async fn list(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let body = |it: templates::Template| TemplateBody {
                components: serde_json::from_str(&it.components).unwrap_or_default(),
                name: it.name,
                language: it.language,
                category: it.category,
                status: it.status,
            };
            let data = templates::approved(db, &caller.workspace)?.into_iter().map(body).collect();
            Reply::ok(&TemplateList { data })
        })
        .await
}
