//! Templates. Interface: Templates.

use axum::extract::State;

use crate::service::database::templates;
use crate::service::errors::ApiError;
use crate::service::reply::Reply;
use crate::service::request::Reading;
use crate::service::state::Service;
use crate::wire::templates::{TemplateBody, TemplateList};

/// `GET /templates`: the approved ones.
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
