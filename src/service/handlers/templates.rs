//! Handlers of message templates. `submitTemplate` is beside the interface, which has no operation for it.

use axum::extract::State;

use crate::audit;
use crate::auth::{Caller, DeskCaller};
use crate::database::{DatabaseError, WriteScope, connected, templates};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use api::errors::ErrorCode;
use api::templates::{SubmitTemplate, SubmittedTemplateBody, TemplateBody, TemplateList};
use model::templates::find_problem;
use model::time::Clock;
use platforms::whatsapp::SubmissionError;
use platforms::{Channel, Template};

const APPROVED: &str = "APPROVED";
const PENDING: &str = "PENDING";
const EXISTING_TEMPLATE: &str = "the account already has this template in this language; choose another name";
const NOT_STORED: &str = "the platform reviews the template, but it could not be stored here; the service \
                          stores it within ten minutes, when it reads the account's templates";

/// Handles `listTemplates`: the approved templates, and beside them the others.
pub async fn list(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let all = templates::list(db, &caller.channel_id)?.into_iter().map(template_body);
            let (data, not_approved) = all.partition(|template| template.status == APPROVED);
            Reply::ok(&TemplateList { data, not_approved })
        })
        .await
}

fn template_body(template: Template) -> TemplateBody {
    TemplateBody {
        components: serde_json::from_str(&template.components).unwrap_or_default(),
        name: template.name,
        language: template.language,
        category: template.category,
        status: template.status,
        rejected_reason: template.reason,
    }
}

/// Handles `submitTemplate`: the platform of a connected number reviews it. Where platforms are simulated, and
/// for test keys, it stays in review.
pub async fn submit(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let wanted: SubmitTemplate = request.read_body()?;
    let DeskCaller::Key(caller) = request.caller.clone() else {
        let words = "a template is submitted with a key of its channel, not with a session";
        return Err(ApiError::new(ErrorCode::Forbidden, words));
    };
    if caller.channel != Channel::Whatsapp {
        let words = "only WhatsApp numbers have templates";
        return Err(ApiError::new(ErrorCode::Forbidden, words));
    }
    let components = serde_json::Value::from(wanted.components.to_values());
    if components.as_array().is_none_or(Vec::is_empty) {
        return Err(ApiError::validation("components must have at least one part"));
    }
    if let Some(why) = find_problem(wanted.name.as_str(), wanted.language.as_str()) {
        return Err(ApiError::validation(why));
    }
    let template = Template {
        name: wanted.name.into_string(),
        language: wanted.language.into_string(),
        category: wanted.category.word().to_owned(),
        status: PENDING.to_owned(),
        components: components.to_string(),
        reason: None,
    };
    let is_pretended = service.platforms.are_simulated() || caller.is_test();
    // A stored answer is replayed. Without one the write must fail, since nothing was submitted.
    let submitted = match service.claim(&mut request).await? {
        true => Err(ApiError::new(ErrorCode::InternalError, "the answer to the earlier request is missing")),
        false if is_pretended => Ok(template),
        false => request_review(&service, &caller, template).await,
    };
    let is_reviewed = submitted.is_ok() && !is_pretended;
    let answer = service
        .write(request, move |work, caller| {
            let template = submitted?;
            let DeskCaller::Key(key) = caller else { return Err(ApiError::not_found("the channel")) };
            let (name, language) = (&template.name, &template.language);
            if is_pretended && templates::find(work.db, &key.channel_id, name, language)?.is_some() {
                return Err(ApiError::new(ErrorCode::TemplateError, EXISTING_TEMPLATE));
            }
            templates::put(work.db, &key.channel_id, &template)?;
            connected::request_description(work.db, &key.channel_id, work.now)?;
            audit::record_request(work, caller, ("template submit", &template.name))?;
            Reply::ok(&SubmittedTemplateBody { template: template_body(template) })
        })
        .await;
    answer.map_err(|error| match is_reviewed && error.is_server_fault() {
        true => ApiError::new(ErrorCode::InternalError, NOT_STORED),
        false => error,
    })
}

/// Has the platform review a template. Returns it with the platform's category and status.
///
/// # Errors
/// `TEMPLATE_ERROR` with the platform's words. `INTERNAL_ERROR` if it is not known whether the platform has it:
/// a repetition is refused if it has.
async fn request_review(
    service: &Service,
    caller: &Caller,
    template: Template,
) -> Result<Template, ApiError> {
    let unconnected = || {
        ApiError::new(
            ErrorCode::NotConfigured,
            "no number is connected to this channel, so nobody reviews the template",
        )
    };
    let connected = service.platforms.connected(&caller.channel_id).ok_or_else(unconnected)?;
    let review = connected.platform.request_review(&template).ok_or_else(unconnected)?;
    match review.await {
        Ok(submitted) => Ok(submitted.template),
        Err(SubmissionError::Refused(why)) => Err(ApiError::new(ErrorCode::TemplateError, why)),
        Err(SubmissionError::Unknown(why)) => {
            // The next reading of the account shows it.
            let (channel, now) = (caller.channel_id.clone(), service.clock.now());
            let scope = WriteScope::Workspace(caller.workspace.clone());
            let requested: Result<(), DatabaseError> = service
                .database
                .write_in(scope, move |db| connected::request_description(db, &channel, now))
                .await;
            requested?;
            Err(ApiError::new(ErrorCode::InternalError, why))
        }
    }
}
