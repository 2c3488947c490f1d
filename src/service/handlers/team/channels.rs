//! Handlers of the workspace's channels, for desks that signed in before a channel was connected.

use axum::extract::State;

use crate::audit;
use crate::auth::DeskCaller;
use crate::database::channels::{self, ChannelRow};
use crate::database::keys as stored;
use crate::errors::ApiError;
use crate::handlers::team::sign_in;
use crate::keys;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use api::team::{NewChannelKey, TeamChannel, TeamChannelList};

/// Handles `listTeamChannels`.
pub async fn list(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let member = request.caller.member()?;
    let (workspace, session) = (member.workspace.clone(), member.session.clone());
    let state = service.clone();
    service
        .database
        .read_consistent(move |db| {
            let mut data = Vec::new();
            for channel in channels::list_by_workspace(db, &workspace)? {
                if state.platforms.address(&channel).is_err() {
                    continue;
                }
                let hashes = stored::list_of_session(db, &session, &channel.id)?;
                data.push(TeamChannel {
                    channel: channel.kind.word().to_owned(),
                    name: channel.display_name().to_owned(),
                    id: channel.id,
                    keys: hashes.iter().map(keys::fingerprint).collect(),
                });
            }
            Reply::ok(&TeamChannelList { data })
        })
        .await
}

/// Handles `createChannelKey`.
pub async fn create_key(
    State(service): State<Service>,
    mut request: WriteRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    request.caller.member()?;
    let asked: NewChannelKey = request.read_body()?;
    service
        .write(request, move |work, caller| {
            let member = caller.member()?;
            let all = channels::list_by_workspace(work.db, &member.workspace)?;
            let is_asked = |channel: &ChannelRow| channel.id == asked.channel.as_str();
            let channel = all.into_iter().find(is_asked);
            let channel = channel.filter(|channel| work.service.platforms.address(channel).is_ok());
            let channel = channel.ok_or_else(|| ApiError::not_found("this channel"))?;
            stored::revoke_of_session_in(work.db, &member.session, &channel.id, work.now)?;
            let (id, key) = sign_in::make_key(work.db, &channel, &member.session, work.now)?;
            audit::record(work.db, &member.workspace, &member.person.id, ("key create", &id), work.now)?;
            Reply::ok(&key)
        })
        .await
}
