//! Requests of a person's session below `/desk/v1` (docs/team.md).
//!
//! The client of these requests has the session as its key. Claims, notes, tags and snoozes can be repeated without
//! harm: notes by their id, claims by their version, tags and snoozes by their time.

use std::sync::Arc;

use reqwest::Method;
use serde_json::value::RawValue;

use crate::connect::{Client, ClientError};
use crate::errors::{ErrorCode, ReadError, WriteOutcome};
use crate::pages::read_one;
use api::paths;
use api::team::{
    AnnouncePresence, ChannelKey, ClaimRequest, ClaimedError, NewChannelKey, NewNote, NoteBody, NotePatch,
    PresenceAnnounced, ReplyBody, SetReply, SetSnooze, SetTags, SharedConversation, SharedConversationList,
    SharedDeleted, SharedReplyList, SignIn, SignedIn, SignedOut, TeamChannel, TeamChannelList, TeamMember,
    TeamMemberList, TeamServiceBody, TeamStats,
};
use model::secret::Secret;
use model::text::SafeText;
use model::time::Clock;

/// Parser of an answer as the type that is expected.
macro_rules! read {
    () => {
        |body| serde_json::from_slice(body).ok()
    };
}

/// Maximum number of conversations in a request.
pub const MAX_SHARED_IDS: usize = 200;

/// Error text for a service too old for statistics.
const NO_STATS: &str = "this service has no numbers by person; update the service";

#[derive(Debug, Clone, PartialEq)]
pub enum ClaimAnswer {
    /// Changed, or already as requested.
    Changed(Box<SharedConversation>),
    /// 409: somebody else has the conversation.
    Claimed(ClaimedError),
}

/// Checks that a service answers and has teams, without using the token up: a service with teams refuses a token
/// there, and a server without them does not know the path. The inner error is the server's.
///
/// # Errors
/// The address or the token is unusable.
pub async fn check_teams(
    base_url: &str,
    token: &Secret,
    clock: Arc<dyn Clock>,
) -> Result<Result<(), ReadError>, ClientError> {
    let client = Client::new(base_url, token, clock)?.for_person();
    Ok(match client.get(paths::DESK, &[]).await {
        Ok(_) | Err(ReadError::Refused { .. }) => Ok(()),
        Err(error) => Err(error),
    })
}

/// Exchanges a sign-in token for a session. The server accepts a token once: after an unknown outcome it may be
/// used up.
///
/// # Errors
/// The address or the token is unusable.
pub async fn sign_in(
    base_url: &str,
    token: &Secret,
    device: &str,
    clock: Arc<dyn Clock>,
) -> Result<WriteOutcome<SignedIn>, ClientError> {
    let client = Client::new(base_url, token, clock)?.for_person();
    let body = SignIn { token: token.expose().into(), device: device.into() };
    Ok(client.share(Method::POST, paths::DESK_SIGN_IN, serde_json::to_value(body).ok(), read!()).await)
}

impl Client {
    /// Reads an extension of the interface; `None` if the service does not have it.
    pub(crate) async fn read_extension<T>(
        &self,
        path: &str,
        read: impl Fn(&RawValue) -> Option<T>,
    ) -> Result<Option<T>, ReadError> {
        match self.get(path, &[]).await {
            Ok(answer) => read_one(&answer, read).map(Some),
            Err(error) if error.is_inaccessible() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// `GET /desk/v1` with a session; `None` if the service has no teams.
    pub async fn team_service(&self) -> Result<Option<TeamServiceBody>, ReadError> {
        self.read_extension(paths::DESK, |raw| serde_json::from_str(raw.get()).ok()).await
    }

    /// Ends the session and revokes its keys.
    pub async fn sign_out(&self) -> WriteOutcome<SignedOut> {
        self.share(Method::DELETE, paths::DESK_SIGN_IN, None, read!()).await
    }

    /// Reads the channels of the workspace; `None` if the service is of a version that does not list them.
    pub async fn team_channels(&self) -> Result<Option<Vec<TeamChannel>>, ReadError> {
        let read = |raw: &RawValue| serde_json::from_str::<TeamChannelList>(raw.get()).ok();
        Ok(self.read_extension(paths::DESK_CHANNELS, read).await?.map(|list| list.data))
    }

    /// Makes a key of the session for a channel; revokes the keys that the session had for it.
    pub async fn create_channel_key(&self, channel: &str) -> WriteOutcome<ChannelKey> {
        let body = NewChannelKey { channel: channel.into() };
        self.share(Method::POST, paths::DESK_CHANNELS, serde_json::to_value(body).ok(), read!()).await
    }

    /// Reads what the team shares about conversations, at most [`MAX_SHARED_IDS`].
    pub async fn shared_conversations(&self, ids: &[&str]) -> Result<Vec<SharedConversation>, ReadError> {
        self.shared_list(&[("ids", &ids.join(","))]).await
    }

    /// Reads the conversations changed after a time, oldest change first, at most [`MAX_SHARED_IDS`].
    pub async fn shared_changes(&self, after: &str) -> Result<Vec<SharedConversation>, ReadError> {
        self.shared_list(&[("changedAfter", after)]).await
    }

    async fn shared_list(&self, query: &[(&str, &str)]) -> Result<Vec<SharedConversation>, ReadError> {
        let answer = self.get(paths::DESK_CONVERSATIONS, query).await?;
        let list: SharedConversationList = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(list.data)
    }

    /// Claims a conversation for the person of the session, or for `request.person`.
    pub async fn claim(&self, id: &str, request: &ClaimRequest) -> WriteOutcome<ClaimAnswer> {
        self.change_claim(Method::PUT, id, request).await
    }

    pub async fn release(&self, id: &str, request: &ClaimRequest) -> WriteOutcome<ClaimAnswer> {
        self.change_claim(Method::DELETE, id, request).await
    }

    async fn change_claim(
        &self,
        method: Method,
        id: &str,
        request: &ClaimRequest,
    ) -> WriteOutcome<ClaimAnswer> {
        let read = |body: &[u8]| {
            let claimed = serde_json::from_slice::<ClaimedError>(body).ok();
            let claimed = claimed.filter(|claimed| claimed.code == ErrorCode::Claimed.word());
            let changed =
                || serde_json::from_slice(body).ok().map(|shared| ClaimAnswer::Changed(Box::new(shared)));
            claimed.map(ClaimAnswer::Claimed).or_else(changed)
        };
        let path = paths::desk_shared(id, "claim");
        self.share(method, &path, serde_json::to_value(request).ok(), read).await
    }

    /// Adds a note under an id made by this desk; a repeat changes nothing.
    pub async fn add_shared_note(&self, id: &str, note: &NewNote) -> WriteOutcome<NoteBody> {
        let path = paths::desk_shared(id, "notes");
        self.share(Method::POST, &path, serde_json::to_value(note).ok(), read!()).await
    }

    pub async fn edit_shared_note(&self, id: &str, note: &str, patch: &NotePatch) -> WriteOutcome<NoteBody> {
        let path = paths::desk_note(id, note);
        self.share(Method::PATCH, &path, serde_json::to_value(patch).ok(), read!()).await
    }

    pub async fn delete_shared_note(&self, id: &str, note: &str) -> WriteOutcome<SharedDeleted> {
        self.share(Method::DELETE, &paths::desk_note(id, note), None, read!()).await
    }

    pub async fn set_shared_tags(&self, id: &str, tags: &SetTags) -> WriteOutcome<SharedConversation> {
        let path = paths::desk_shared(id, "tags");
        self.share(Method::PUT, &path, serde_json::to_value(tags).ok(), read!()).await
    }

    pub async fn set_shared_snooze(&self, id: &str, snooze: &SetSnooze) -> WriteOutcome<SharedConversation> {
        let path = paths::desk_shared(id, "snooze");
        self.share(Method::PUT, &path, serde_json::to_value(snooze).ok(), read!()).await
    }

    /// Announces what the person does; the service forgets it after 15 seconds.
    pub async fn announce_presence(&self, presence: &AnnouncePresence) -> WriteOutcome<PresenceAnnounced> {
        self.share(Method::POST, paths::DESK_PRESENCE, serde_json::to_value(presence).ok(), read!()).await
    }

    /// `GET /desk/v1/people`
    pub async fn team_members(&self) -> Result<Vec<TeamMember>, ReadError> {
        let answer = self.get(paths::DESK_PEOPLE, &[]).await?;
        let list: TeamMemberList = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(list.data)
    }

    /// `GET /desk/v1/stats`; the bounds are times, `None` is now.
    pub async fn team_stats(&self, from: &str, to: Option<&str>) -> Result<TeamStats, ReadError> {
        let query: Vec<(&str, &str)> = [("from", Some(from)), ("to", to)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        let read = self.get(paths::DESK_STATS, &query).await;
        let answer = read.map_err(|error| match error {
            ReadError::NotFound(_) | ReadError::NoSuchPath(_) => {
                ReadError::NotFound(SafeText::line(NO_STATS))
            }
            error => error,
        })?;
        read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    pub async fn shared_replies(&self) -> Result<Vec<ReplyBody>, ReadError> {
        let answer = self.get(paths::DESK_REPLIES, &[]).await?;
        let list: SharedReplyList = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(list.data)
    }

    pub async fn set_shared_reply(&self, name: &str, reply: &SetReply) -> WriteOutcome<ReplyBody> {
        let path = paths::desk_reply(name);
        self.share(Method::PUT, &path, serde_json::to_value(reply).ok(), read!()).await
    }

    pub async fn delete_shared_reply(&self, name: &str) -> WriteOutcome<SharedDeleted> {
        self.share(Method::DELETE, &paths::desk_reply(name), None, read!()).await
    }
}
