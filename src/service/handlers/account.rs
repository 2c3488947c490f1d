//! Handlers of `getAccount` and `getDeskService`.

use axum::extract::State;
use axum::http::Method;

use crate::auth::{DeskCaller, Requester};
use crate::database::channels::{self, ChannelRow};
use crate::database::session::DbSession;
use crate::database::workspaces::{self, Workspace};
use crate::database::{DatabaseError, connected, ingress};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::ReadRequest;
use crate::state::Service;
use crate::team;
use api::account::{
    AUTOMATION_FEATURE, AccountBody, AssistantBody, DeskServiceBody, EarlierBody, TEAM_FEATURE, WorkspaceBody,
};
use api::carriers::NumberSettings;
use api::team::TeamServiceBody;
use model::time::{Clock, Timestamp};
use platforms::Channel;
use platforms::whatsapp::HISTORY_LANE;

pub async fn read(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let (caller, state) = (request.caller, service.clone());
    service
        .database
        .read(move |db| {
            let workspace = workspaces::read(db, &caller.workspace)?;
            let channel = channels::read(db, &caller.channel_id)?;
            let address = state.platforms.address(&channel).ok().map(str::to_owned);
            let number = address.filter(|_| channel.kind == Channel::Whatsapp);
            let (quality, tier) = match (&number, state.platforms.are_simulated()) {
                (None, _) => (None, None),
                (Some(_), true) => (Some("GREEN".to_owned()), Some("TIER_1K".to_owned())),
                (Some(_), false) => {
                    let told = connected::read(db, &channel.id)?
                        .map(|connected_row| number_settings(&connected_row.settings));
                    told.transpose()?.map_or((None, None), |transpose| (transpose.quality, transpose.tier))
                }
            };
            let is_chat = matches!(channel.kind, Channel::Whatsapp | Channel::Telegram);
            Reply::ok(&AccountBody {
                id: workspace.id.clone(),
                assistant_id: Some(channel.assistant.clone()),
                key_id: Some(caller.key),
                whatsapp_number: number,
                credits_balance: Some(credits_as_f64(workspace.balance)),
                environment: Some(caller.environment.word().to_owned()),
                messaging_tier: tier,
                quality_rating: quality,
                takes_buttons: channel.kind == Channel::Telegram,
                takes_voice: is_chat,
                takes_stickers: is_chat,
                takes_contacts: is_chat,
                takes_link_preview: is_chat,
                earlier: earlier_body(db, &channel, state.clock.now())?,
                workspace: workspace_body(workspace),
                assistant: AssistantBody {
                    id: Some(channel.assistant),
                    name: channel.assistant_name,
                    platform: Some(channel.kind.platform().word().to_owned()),
                },
            })
        })
        .await
}

pub async fn desk_service(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let workspace = workspace_body(workspaces::read(db, caller.workspace())?);
            let version = env!("CARGO_PKG_VERSION").to_owned();
            let mut features = vec![AUTOMATION_FEATURE.to_owned()];
            match &caller {
                DeskCaller::Key(key) => {
                    let writes_refused = key.check_role(&Method::POST).err().map(|refusal| refusal.message);
                    Reply::ok(&DeskServiceBody { version, workspace, features, writes_refused })
                }
                DeskCaller::Member(member) => {
                    let person = team::person_body(&member.person);
                    features.push(TEAM_FEATURE.to_owned());
                    Reply::ok(&TeamServiceBody { version, person, workspace, features })
                }
            }
        })
        .await
}

/// Returns the progress of the import of earlier messages or mails; `None` without one.
fn earlier_body(
    db: &dyn DbSession,
    channel: &ChannelRow,
    now: Timestamp,
) -> Result<Option<EarlierBody>, DatabaseError> {
    if channel.kind == Channel::Email {
        let earlier = connected::mailbox_mark(db, &channel.id)?.and_then(|mark| mark.earlier);
        return Ok(earlier.map(|earlier| EarlierBody {
            filed: earlier.filed,
            total: earlier.total,
            finished: earlier.is_finished,
        }));
    }
    let filed = u64::try_from(channel.earlier_messages).unwrap_or_default();
    if filed == 0 {
        return Ok(None);
    }
    let is_awaited = channel.earlier_awaited_until.is_some_and(|until| until > now);
    let finished = !is_awaited && !ingress::has_waiting(db, &channel.id, HISTORY_LANE)?;
    Ok(Some(EarlierBody { filed, total: if finished { filed } else { 0 }, finished }))
}

fn workspace_body(row: Workspace) -> WorkspaceBody {
    WorkspaceBody { id: Some(row.id), name: row.name, email: row.email }
}

/// Reads the platform's rating of a WhatsApp number from its settings.
fn number_settings(settings: &str) -> Result<NumberSettings, ApiError> {
    serde_json::from_str(settings).map_err(|cause| ApiError::internal(&cause))
}

/// Converts whole credits to a JSON number; exact far beyond any balance.
#[expect(clippy::cast_precision_loss, reason = "balances are far below 2^52")]
pub fn credits_as_f64(credits: i64) -> f64 {
    credits as f64
}
