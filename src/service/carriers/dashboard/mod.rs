//! Administration of channels: connection after a live test, listing, test, disconnection. The parts of each
//! platform are in a file of its name.

mod accounts;
mod bot;
mod mailbox;
mod mailbox_changes;
mod number;
mod phone;
mod templates;

use serde_json::{Value, json};

use crate::admin::{Admin, AdminError, ChannelChoice};
use crate::audit::{self, CONSOLE};
use crate::carriers::watch;
use crate::database::channels::{self, ChannelRow};
use crate::database::connected::{self as stored, ConnectedRow};
use crate::database::egress::{self, EgressState};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, meta, workspaces};
use crate::sealing_key::KeyError;
use crate::vault::Vault;
use api::carriers::MailboxCursor;
use model::time::{SECOND, Timestamp};
use platforms::{Channel, PlatformError};

pub use mailbox::{MailSince, MailboxAccess};
pub use number::NumberAccess;
pub use phone::{OpenCall, PhoneAccess};
pub use templates::TemplateRemoval;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelStatus {
    pub kind: Channel,
    /// Name of a further channel of its kind.
    pub name: Option<String>,
    /// Address customers use; `None` if not connected.
    pub address: Option<String>,
    /// Arrival of inbound messages: by webhook or by polling.
    pub delivery_method: Option<&'static str>,
    pub trouble: Option<String>,
    /// Quality rating, in the platform's word.
    pub quality: Option<String>,
    /// Limit of new customers per day, in the platform's word.
    pub tier: Option<String>,
    pub waiting: i64,
    pub unknown: i64,
    pub earlier: Option<MailImportProgress>,
}

impl ChannelStatus {
    /// Returns what commands take: the name or, for the first of its kind, the word of the kind.
    pub fn word(&self) -> &str {
        self.name.as_deref().unwrap_or(self.kind.word())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailImportProgress {
    /// Older mail is not imported.
    pub since: Timestamp,
    pub filed: u64,
    /// Mails to import, including the imported ones; 0 until they are counted.
    pub total: u64,
    pub is_finished: bool,
}

impl MailImportProgress {
    /// Reads the progress from a mailbox's mark; `None` without an import.
    pub fn of(mark: &str) -> Option<Self> {
        let mark: MailboxCursor = serde_json::from_str(mark).ok()?;
        mark.earlier.map(|earlier| Self {
            since: Timestamp::from_micros(earlier.since.saturating_mul(SECOND)),
            filed: earlier.filed,
            total: earlier.total,
            is_finished: earlier.is_finished,
        })
    }
}

/// Trouble of a connected channel that a simulated service does not use.
const SIMULATED_NOTICE: &str = "not used: the service was started with --dev, --demo or --simulate, which \
                                simulate the platforms; start it without them";

/// Trouble of a connected channel that no process reads.
const NOT_READ_NOTICE: &str = "not read: no service runs on this database, or it cannot read the channel; \
                               start `frontdesk serve`, or check its log if it already runs";
/// Arrival of messages from a platform without webhooks.
const POLLED_NOTICE: &str = "it is read";
/// Time in which a service starts to read a new channel, in microseconds.
const READ_START_GRACE: i64 = 15 * SECOND;

/// Returns false if no process holds the reading lease of a connected channel [`READ_START_GRACE`] after its connection.
fn is_being_read(
    db: &dyn DbSession,
    row: Option<&ConnectedRow>,
    now: Timestamp,
) -> Result<bool, DatabaseError> {
    let Some(row) = row else { return Ok(true) };
    let until = stored::lease_end(db, &row.channel)?;
    Ok(until.is_some_and(|until| until > now) || now.since(row.connected_at) < READ_START_GRACE)
}

fn refused_error(trouble: PlatformError) -> AdminError {
    AdminError::Refused(trouble.why)
}

fn check_address(api: &str) -> Result<(), AdminError> {
    let url = url::Url::parse(api).map_err(|_| AdminError::Refused(format!("{api:?} is not an address")))?;
    let here = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    match url.scheme() {
        "https" => Ok(()),
        "http" if here => Ok(()),
        _ => Err(AdminError::Refused(format!(
            "{api:?} must begin with https:// (http:// on loopback only), so that the token is encrypted \
             on its way"
        ))),
    }
}

impl Admin {
    /// Opens the vault with the service's key. Does not create one.
    async fn vault(&self) -> Result<Vault, AdminError> {
        let place = self.key.as_ref().ok_or(KeyError::Unnamed)?;
        let key = place.read()?.ok_or_else(|| KeyError::Missing(place.path().to_owned()))?;
        let asked = key.clone();
        let other: Result<bool, DatabaseError> = self.database.read(move |db| asked.is_another(db)).await;
        if other? {
            return Err(KeyError::Other(place.path().to_owned()).into());
        }
        Vault::new(&key).map_err(|why| AdminError::Refused(why.to_string()))
    }

    /// Stores a connection with its sealed secrets. `also` runs in the same transaction.
    async fn store_connection(
        &self,
        vault: Vault,
        new: NewConnection,
        also: impl FnOnce(&dyn DbSession, &ChannelRow) -> Result<(), DatabaseError> + Send + 'static,
    ) -> Result<(), AdminError> {
        let (workspace, name) = (self.workspace.clone(), self.channel_name.clone());
        self.database
            .write(move |db| {
                let NewConnection { kind, address, settings, secrets, mark, at } = new;
                let channel = workspace.channel_to_connect(db, (kind, name.as_deref()), at)?;
                accounts::check_free(db, &channel, &settings)?;
                let sealed = vault
                    .seal(&watch::secret_owner(&channel.id), &secrets)
                    .map_err(|why| AdminError::Refused(why.to_string()))?;
                let before = stored::read(db, &channel.id)?;
                stored::put(
                    db,
                    &ConnectedRow {
                        channel: channel.id.clone(),
                        mark: mark(before.as_ref()),
                        settings,
                        sealed,
                        version: watch::new_version(),
                        trouble: None,
                        connected_at: at,
                    },
                )?;
                stored::set_address(db, &channel.id, Some(&address))?;
                let action = ("channel connect", channel.id.as_str());
                audit::record(db, &channel.workspace, CONSOLE, action, at)?;
                Ok::<_, AdminError>(also(db, &channel)?)
            })
            .await
    }

    pub async fn channels(&self, now: Timestamp) -> Result<Vec<ChannelStatus>, AdminError> {
        let workspace = self.workspace.clone();
        let of_workspace = move |db: &dyn DbSession| {
            let channels = channels_of(db, &workspace.find(db)?.id)?;
            Ok::<_, AdminError>(list_channel_statuses(db, channels, Some(now))?)
        };
        self.database.read(of_workspace).await
    }

    /// Tests a connected channel and returns the results, one per line.
    ///
    /// # Errors
    /// With an explanation of the problem, or if the database fails.
    pub async fn test_channel(&self, channel: impl Into<ChannelChoice>) -> Result<Vec<String>, AdminError> {
        let (kind, row, secrets) = self.connected_row(&channel.into()).await?;
        let mut lines = match kind {
            Channel::Whatsapp => number::test(&row.settings, &secrets).await?,
            Channel::Telegram => bot::test(&row.settings, &secrets).await?,
            Channel::Voip => self.test_phone(&row, &secrets).await?,
            Channel::Email => {
                let (tested, changed) = mailbox::test(&row.settings, &secrets).await?;
                if let Some(secrets) = changed {
                    self.reseal(&row, &secrets).await?;
                }
                tested?
            }
        };
        lines.extend(row.trouble.map(|trouble| format!("the service's last error: {trouble}")));
        Ok(lines)
    }

    /// Stores secrets that the platform has changed.
    async fn reseal(&self, row: &ConnectedRow, secrets: &str) -> Result<(), AdminError> {
        let sealed = self.vault().await?.seal(&watch::secret_owner(&row.channel), secrets);
        let sealed = sealed.map_err(|why| AdminError::Refused(why.to_string()))?;
        let (channel, version) = (row.channel.clone(), row.version.clone());
        let keep = move |db: &dyn DbSession| Ok(stored::reseal(db, (&channel, &version), &sealed)?);
        self.database.write(keep).await
    }

    /// Disconnects a channel and deletes its secrets.
    pub async fn disconnect(
        &self,
        channel: impl Into<ChannelChoice>,
        now: Timestamp,
    ) -> Result<(), AdminError> {
        let (kind, row, secrets) = self.connected_row(&channel.into()).await?;
        let platform =
            watch::open_platform(kind, &row.settings, &secrets, None).map_err(AdminError::Refused)?;
        let (channel, settings) = (row.channel.clone(), row.settings.clone());
        let sharing = move |db: &dyn DbSession| accounts::sharing_channels(db, &channel, kind, &settings);
        let sharing: Result<Vec<String>, DatabaseError> = self.database.read(sharing).await;
        // The platform calls for all numbers of an account or for none.
        if !platform.needs_polling()
            && sharing?.is_empty()
            && let Err(trouble) = platform.subscribe(None).await
        {
            tracing::warn!(%trouble, "the platform could not be asked to stop, and still sends requests");
        }
        self.database
            .write(move |db| {
                stored::remove(db, &row.channel)?;
                stored::set_address(db, &row.channel, None)?;
                let action = ("channel disconnect", row.channel.as_str());
                Ok::<_, AdminError>(audit::record_in_channel(db, &row.channel, CONSOLE, action, now)?)
            })
            .await
    }

    async fn connected_row(
        &self,
        wanted: &ChannelChoice,
    ) -> Result<(Channel, ConnectedRow, String), AdminError> {
        let (channel, row) = self.find_connection(wanted).await?;
        let Some(row) = row else {
            return Err(AdminError::Refused(describe_unconnected(&channel)));
        };
        let secrets = self.open_secrets(&row).await?;
        Ok((channel.kind, row, secrets))
    }

    async fn find_connection(
        &self,
        wanted: &ChannelChoice,
    ) -> Result<(ChannelRow, Option<ConnectedRow>), AdminError> {
        let (workspace, choice) = (self.workspace.clone(), wanted.clone());
        let found = self.database.read(move |db| {
            let channel = workspace.channel(db, &choice)?;
            let row = stored::read(db, &channel.id)?;
            Ok::<_, AdminError>((channel, row))
        });
        found.await
    }

    async fn open_secrets(&self, row: &ConnectedRow) -> Result<String, AdminError> {
        let secrets = self.vault().await?.open(&watch::secret_owner(&row.channel), &row.sealed);
        secrets.map_err(|why| AdminError::Refused(why.to_string()))
    }
}

/// Computes the new reading position from the previous connection.
type MarkAfter = Box<dyn FnOnce(Option<&ConnectedRow>) -> String + Send>;

/// Tested connection to be stored.
struct NewConnection {
    kind: Channel,
    /// Address customers use.
    address: String,
    settings: String,
    secrets: String,
    mark: MarkAfter,
    at: Timestamp,
}

/// Describes how to connect a channel that has no connection.
fn describe_unconnected(channel: &ChannelRow) -> String {
    let (word, kind) = (channel.word(), channel.kind.word());
    let named = channel.name.as_ref().map(|name| format!(" --channel {name:?}")).unwrap_or_default();
    format!("the channel {word} is not connected; connect it with `admin channel connect {kind}{named}`")
}

fn json_text(written: Result<String, serde_json::Error>) -> Result<String, AdminError> {
    written.map_err(|why| AdminError::Refused(why.to_string()))
}

/// Reads the state of channels. With `now` it also checks whether a process reads each one.
fn list_channel_statuses(
    db: &dyn DbSession,
    channels: Vec<ChannelRow>,
    now: Option<Timestamp>,
) -> Result<Vec<ChannelStatus>, DatabaseError> {
    let mut all = Vec::new();
    let is_played = meta::get_number(db, meta::PLAYS_PLATFORMS)?.is_some_and(|is_played| is_played != 0);
    for channel in channels {
        let kind = channel.kind;
        let row = stored::read(db, &channel.id)?;
        let settings: Option<Value> =
            row.as_ref().map(|row| serde_json::from_str(&row.settings).unwrap_or_else(|_| json!({})));
        let word =
            |name: &str| settings.as_ref().and_then(|setting| Some(setting[name].as_str()?.to_owned()));
        let (quality, tier) = (word("quality"), word("tier"));
        let heard = settings
            .map(|setting| if setting["webhook"] == true { "the platform calls" } else { POLLED_NOTICE });
        let is_read = match now {
            Some(now) if heard == Some(POLLED_NOTICE) => is_being_read(db, row.as_ref(), now)?,
            _ => true,
        };
        all.push(ChannelStatus {
            kind,
            name: channel.name,
            address: channel.address.filter(|_| row.is_some()),
            delivery_method: heard,
            earlier: row.as_ref().and_then(|row| MailImportProgress::of(&row.mark)),
            trouble: row.and_then(|row| match is_played {
                true => Some(SIMULATED_NOTICE.to_owned()),
                false => row.trouble.or_else(|| (!is_read).then(|| NOT_READ_NOTICE.to_owned())),
            }),
            quality,
            tier,
            waiting: egress::count_in_state(db, &channel.id, EgressState::Waiting)?,
            unknown: egress::count_in_state(db, &channel.id, EgressState::Unknown)?,
        });
    }
    Ok(all)
}

/// Returns the status of the first workspace's channels and of all connected channels of the others, without
/// checking whether a process reads them.
pub fn list_all_channel_statuses(db: &dyn DbSession) -> Result<Vec<ChannelStatus>, DatabaseError> {
    let mut all = Vec::new();
    for (place, workspace) in workspaces::list(db)?.into_iter().enumerate() {
        let of_workspace = list_channel_statuses(db, channels_of(db, &workspace.id)?, None)?;
        all.extend(of_workspace.into_iter().filter(|status| place == 0 || status.address.is_some()));
    }
    Ok(all)
}

/// Channels of a workspace, by kind.
fn channels_of(db: &dyn DbSession, workspace: &str) -> Result<Vec<ChannelRow>, DatabaseError> {
    let mut all = channels::list_by_workspace(db, workspace)?;
    all.sort_by_key(|channel| Channel::ALL.iter().position(|kind| *kind == channel.kind));
    Ok(all)
}
