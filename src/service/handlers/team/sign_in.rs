//! Handlers of `signIn` and `signOut`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::audit;
use crate::auth::DeskCaller;
use crate::database::channels::{self, ChannelRow};
use crate::database::keys as stored;
use crate::database::session::{DbSession, WriteScope};
use crate::database::team::changes::{self, ChangeKind};
use crate::database::team::people::{self, Person};
use crate::errors::ApiError;
use crate::gate;
use crate::keys;
use crate::reply::Reply;
use crate::request::{OpenRequest, WriteRequest};
use crate::state::{Service, ServiceState};
use crate::team::{self, TOKEN_LIFETIME};
use api::errors::ErrorCode;
use api::request::RequestBody;
use api::team::{ChannelKey, SignIn, SignedIn, SignedOut};
use model::account::Environment;
use model::time::{Clock, Timestamp};

/// Handles `signIn`. Refused tokens count against the address like refused keys.
pub async fn sign_in(State(service): State<Service>, request: OpenRequest) -> Response {
    let OpenRequest { body, address } = request;
    let signed_in = match SignIn::read(body) {
        Ok(asked) => exchange_token(&service, asked).await,
        Err(refused) => Err(refused.into()),
    };
    match signed_in {
        Ok(reply) => reply.into_response(),
        Err(error) => gate::refuse_unauthenticated(&service, address, error).await,
    }
}

fn refused_token() -> ApiError {
    let words = "this sign-in token is not known, was used or is older than 7 days; `frontdesk admin person add` prints \
                 a new one";
    ApiError::new(ErrorCode::InvalidKey, words)
}

async fn exchange_token(service: &Service, asked: SignIn) -> Result<Reply, ApiError> {
    let token = asked.token.as_str().trim();
    if !keys::has_form(token, keys::TOKEN_PREFIX) {
        return Err(refused_token());
    }
    let (hash, now) = (keys::hash(token), service.clock.now());
    let since = now.plus(-TOKEN_LIFETIME);
    let found =
        service.database.read(move |db| Ok::<_, ApiError>(people::find_token(db, &hash, since)?)).await?;
    let (workspace, person) = found.ok_or_else(refused_token)?;
    let (state, device) = (Arc::clone(service), asked.device.as_str().trim().to_owned());
    let scope = WriteScope::Workspace(workspace.clone());
    let sign_in = move |db: &dyn DbSession| {
        if !people::use_token(db, &hash, now)? {
            return Err(refused_token());
        }
        Reply::ok(&make_session(db, &state, &workspace, (&person, &device))?)
    };
    service.database.write_in(scope, sign_in).await
}

/// Signs a person in: makes a session, and a key for each channel.
pub fn make_session(
    db: &dyn DbSession,
    service: &ServiceState,
    workspace: &str,
    (person, device): (&Person, &str),
) -> Result<SignedIn, ApiError> {
    let now = service.clock.now();
    let session = keys::generate_with(keys::SESSION_PREFIX, &mut rand::rng());
    let id = service.ids.new_id("ses", service.ids.next_stamp(now, None));
    people::insert_session(db, &id, &session.hash, (&person.id, device), now)?;
    people::set_seen(db, &person.id, now)?;
    audit::record(db, workspace, &person.id, ("sign-in", &id), now)?;
    let channels = make_keys(db, service, workspace, &id, now)?;
    Ok(SignedIn { session: session.text, person: team::person_body(person), channels })
}

/// Makes a key for each channel that has a platform.
fn make_keys(
    db: &dyn DbSession,
    service: &ServiceState,
    workspace: &str,
    session: &str,
    now: Timestamp,
) -> Result<Vec<ChannelKey>, ApiError> {
    let mut made = Vec::new();
    for channel in channels::list_by_workspace(db, workspace)? {
        if service.platforms.address(&channel).is_err() {
            continue;
        }
        made.push(make_key(db, &channel, session, now)?.1);
    }
    Ok(made)
}

/// Makes a session's key for a channel. Returns its id, too.
pub fn make_key(
    db: &dyn DbSession,
    channel: &ChannelRow,
    session: &str,
    now: Timestamp,
) -> Result<(String, ChannelKey), ApiError> {
    let key = keys::generate(Environment::Live, &mut rand::rng());
    let id = format!("key_{}", uuid::Uuid::now_v7().simple());
    stored::insert_for_session(db, &id, (&channel.id, session), &key, now)?;
    let body = ChannelKey {
        channel: channel.kind.word().to_owned(),
        name: channel.display_name().to_owned(),
        environment: Environment::Live.word().to_owned(),
        key: key.text,
    };
    Ok((id, body))
}

/// Handles `signOut`: ends the session and revokes its keys.
pub async fn sign_out(
    State(service): State<Service>,
    request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    request.caller.member()?;
    service
        .write(request, |work, caller| {
            let member = caller.member()?;
            people::end_session(work.db, &member.session, work.now)?;
            stored::revoke_of_session(work.db, &member.session, work.now)?;
            let action = ("sign-out", member.session.as_str());
            changes::log(work.db, &member.workspace, ChangeKind::Person, (&member.person.id, ""), work.now)?;
            audit::record(work.db, &member.workspace, &member.person.id, action, work.now)?;
            work.service.team.presence.leave(&member.session);
            Reply::ok(&SignedOut { success: true })
        })
        .await
}
