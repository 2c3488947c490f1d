//! Administration of a service's database: keys, credits, templates, secrets and erasure, for `frontdesk
//! admin`.
//!
//! Works beside a running service, which sees a change within a second.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use crate::audit::{self, CONSOLE, WHOLE_SERVICE};
use crate::database::channels::ChannelRow;
use crate::database::erasing::{self, ErasedPerson};
use crate::database::keys::KeyLine;
use crate::database::place::DatabaseLocation;
use crate::database::rows::single_cell;
use crate::database::session::DbSession;
use crate::database::workspaces::Workspace;
use crate::database::{
    Database, DatabaseError, channels, contacts as stored_contacts, conversations, keys as stored, media,
    person_export, processes, workspaces,
};
use crate::keys;
use crate::media::files::MediaFiles;
use crate::sealing_key::{KeyError, SealingKey, SealingKeyLocation};
use crate::workspace::{self, IssuedKey};
use model::account::Environment;
use model::bounds;
use model::phone_forms;
use model::secret::Secret;
use model::time::Timestamp;
use platforms::Channel;

#[derive(Debug, Error)]
pub enum AdminError {
    #[error(
        "there is no service database at {path}; `frontdesk serve --db {path}` creates one",
        path = .0.display()
    )]
    Missing(PathBuf),
    /// The file or database belongs to another program.
    #[error("{0} is not a service database; nothing was changed")]
    NotOurs(DatabaseLocation),
    #[error(
        "{path} is damaged; nothing was changed. Restore a backup, or move the file away to start with a \
         new one",
        path = .0
    )]
    Damaged(DatabaseLocation),
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The request is not valid in the current state; the text says why.
    #[error("{0}")]
    Refused(String),
    /// The named object does not exist.
    #[error("{0}")]
    Absent(String),
    /// A platform may have carried it out; the text says how to find out.
    #[error("{0}")]
    Unknown(String),
}

/// Change of a workspace's balance, in credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreditChange {
    Set(i64),
    Add(i64),
}

/// Administration of one database, for one workspace at a time.
pub struct Admin {
    pub(crate) database: Database,
    /// `None` for a database server without a named key file.
    pub(crate) key: Option<SealingKeyLocation>,
    place: DatabaseLocation,
    pub(crate) workspace: WorkspaceChoice,
    /// Name of the channel that is connected; `None` for the first one of its kind.
    pub(crate) channel_name: Option<String>,
}

/// Selects the workspace with this id or name; `None` selects the oldest one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WorkspaceChoice(Option<String>);

impl WorkspaceChoice {
    pub(crate) fn is_named(&self) -> bool {
        self.0.is_some()
    }

    /// Returns true if nothing else was selected.
    pub(crate) fn includes(&self, db: &dyn DbSession, workspace: &str) -> Result<bool, AdminError> {
        Ok(!self.is_named() || self.find(db)?.id == workspace)
    }

    pub(crate) fn find(&self, db: &dyn DbSession) -> Result<Workspace, AdminError> {
        let Some(wanted) = &self.0 else { return Ok(workspaces::first(db)?) };
        let all = workspaces::list(db)?;
        let shown = || {
            all.iter().map(|known| format!("{} ({})", known.id, known.name.as_deref().unwrap_or("no name")))
        };
        let known = || shown().take(20).collect::<Vec<_>>().join(", ");
        let mut found = all
            .iter()
            .filter(|known| known.id == *wanted || known.name.as_ref().is_some_and(|name| name == wanted));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one.clone()),
            (Some(_), Some(_)) => Err(AdminError::Refused(format!(
                "several workspaces are named {wanted:?}; name one by its id: {}",
                known()
            ))),
            (None, _) => {
                Err(AdminError::Absent(format!("there is no workspace {wanted:?}; there are: {}", known())))
            }
        }
    }
}

const MAX_CHANNEL_NAME_CHARS: usize = 40;

/// Selects a channel of a workspace: the first one of its kind, or a further one by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelChoice {
    Kind(Channel),
    /// Compared without case.
    Name(String),
}

impl ChannelChoice {
    pub fn word(&self) -> &str {
        match self {
            Self::Kind(kind) => kind.word(),
            Self::Name(name) => name,
        }
    }

    fn selects(&self, channel: &ChannelRow) -> bool {
        match self {
            Self::Kind(kind) => channel.kind == *kind && channel.name.is_none(),
            Self::Name(wanted) => {
                channel.name.as_ref().is_some_and(|name| name.to_lowercase() == wanted.to_lowercase())
            }
        }
    }
}

impl From<Channel> for ChannelChoice {
    fn from(kind: Channel) -> Self {
        Self::Kind(kind)
    }
}

impl FromStr for ChannelChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if let Some(kind) = Channel::from_word(&text.to_lowercase()) {
            return Ok(Self::Kind(kind));
        }
        if text.is_empty()
            || bounds::count_chars(text) > MAX_CHANNEL_NAME_CHARS
            || text.chars().any(char::is_control)
        {
            return Err(format!("a channel's name is one line of 1 to {MAX_CHANNEL_NAME_CHARS} characters"));
        }
        Ok(Self::Name(text.to_owned()))
    }
}

impl WorkspaceChoice {
    pub(crate) fn channel(
        &self,
        db: &dyn DbSession,
        wanted: &ChannelChoice,
    ) -> Result<ChannelRow, AdminError> {
        let mut all = channels::list_by_workspace(db, &self.find(db)?.id)?;
        if let Some(place) = all.iter().position(|channel| wanted.selects(channel)) {
            return Ok(all.swap_remove(place));
        }
        let known: Vec<&str> = all.iter().map(ChannelRow::word).collect();
        Err(AdminError::Absent(format!(
            "there is no channel {:?}; there are: {}",
            wanted.word(),
            known.join(", ")
        )))
    }

    /// Returns the channel of a kind that a platform is connected to; creates it if its name is new.
    pub(crate) fn channel_to_connect(
        &self,
        db: &dyn DbSession,
        (kind, name): (Channel, Option<&str>),
        now: Timestamp,
    ) -> Result<ChannelRow, AdminError> {
        let Some(name) = name else { return self.channel(db, &kind.into()) };
        let wanted = ChannelChoice::Name(name.to_owned());
        let workspace = self.find(db)?.id;
        let all = channels::list_by_workspace(db, &workspace)?;
        if let Some(found) = all.into_iter().find(|channel| wanted.selects(channel)) {
            if found.kind == kind {
                return Ok(found);
            }
            let (is, wanted) = (found.kind.word(), kind.word());
            return Err(AdminError::Refused(format!(
                "the channel {name:?} is a {is} channel; choose another name for a {wanted} channel"
            )));
        }
        let own = uuid::Uuid::now_v7().simple();
        let channel = ChannelRow {
            id: format!("ch_{}_{own}", kind.word()),
            workspace,
            kind,
            name: Some(name.to_owned()),
            assistant: format!("asst_{}_{own}", kind.word()),
            assistant_name: None,
            address: None,
            earlier_messages: 0,
            earlier_awaited_until: None,
        };
        channels::insert(db, &channel, now)?;
        Ok(channel)
    }
}

/// Counts of the data that [`Admin::erase`] removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedCount {
    /// Id of the erasure in the audit log.
    pub id: String,
    pub contacts: usize,
    pub messages: usize,
    /// Mails of others, in which the person's address was replaced.
    pub mails_of_others: usize,
    /// Conversations and mail threads.
    pub histories: usize,
    pub files: usize,
}

/// Result of [`Admin::drop_secrets`], by what has to be set up again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DroppedSecrets {
    /// Disconnected channels, as "kind of workspace".
    pub channels: Vec<String>,
    /// URLs of signed webhooks, which are now inactive.
    pub webhooks: Vec<String>,
    /// Names of the Data Connections that lost their credential.
    pub connections: Vec<String>,
}

impl Admin {
    /// Opens an existing service database. `key` names a key file other than the one beside the database.
    pub fn open(place: &DatabaseLocation, key: Option<&Path>) -> Result<Self, AdminError> {
        if let Some(path) = place.file().filter(|file| !file.exists()) {
            return Err(AdminError::Missing(path.to_owned()));
        }
        let database = Database::open_existing(place).map_err(|cause| match cause {
            DatabaseError::NoDatabase | DatabaseError::Foreign => AdminError::NotOurs(place.clone()),
            cause if cause.is_damage() => AdminError::Damaged(place.clone()),
            cause => cause.into(),
        })?;
        let (key, place) = (SealingKeyLocation::of(place, key).ok(), place.clone());
        Ok(Self { database, key, place, workspace: WorkspaceChoice::default(), channel_name: None })
    }

    /// Selects a workspace by id or name.
    #[must_use]
    pub fn in_workspace(self, workspace: Option<String>) -> Self {
        Self { workspace: WorkspaceChoice(workspace), ..self }
    }

    /// Names the channel of the next connection, which is created if it does not exist.
    ///
    /// # Errors
    /// If the text is not a valid name, or is the word of a kind.
    pub fn naming_channel(self, name: Option<&str>) -> Result<Self, AdminError> {
        let channel_name = match name.map(str::parse).transpose().map_err(AdminError::Refused)? {
            None => None,
            Some(ChannelChoice::Name(name)) => Some(name),
            Some(ChannelChoice::Kind(kind)) => {
                let word = kind.word();
                return Err(AdminError::Refused(format!(
                    "{word:?} names the first {word} channel; leave the name out to connect that one"
                )));
            }
        };
        Ok(Self { channel_name, ..self })
    }

    pub(crate) async fn selected_id(&self) -> Result<String, AdminError> {
        let workspace = self.workspace.clone();
        self.database.read(move |db| Ok(workspace.find(db)?.id)).await
    }

    /// Creates a key and returns its id and text. The text is not stored and cannot be shown again.
    pub async fn create_key(
        &self,
        channel: impl Into<ChannelChoice>,
        environment: Environment,
        now: Timestamp,
    ) -> Result<(String, Secret), AdminError> {
        let key = keys::generate(environment, &mut rand::rng());
        let id = format!("key_{}", uuid::Uuid::now_v7().simple());
        let (name, text, workspace) = (id.clone(), key.text.clone(), self.workspace.clone());
        let wanted = channel.into();
        self.database
            .write(move |db| {
                let channel = workspace.channel(db, &wanted)?;
                stored::insert(db, &name, &channel.id, environment, &key, now)?;
                let action = ("key create", name.as_str());
                Ok::<_, AdminError>(audit::record(db, &channel.workspace, CONSOLE, action, now)?)
            })
            .await?;
        Ok((id, Secret::new(&text)))
    }

    /// Adds a workspace with its own channels, templates, credits and keys. Returns its id and the keys,
    /// which cannot be shown again.
    pub async fn add_workspace(
        &self,
        name: Option<String>,
        now: Timestamp,
    ) -> Result<(String, Vec<IssuedKey>), AdminError> {
        self.database
            .write(move |db| {
                let (id, keys) = workspace::add_workspace(db, name, now)?;
                audit::record(db, &id, CONSOLE, ("workspace add", &id), now)?;
                Ok((id, keys))
            })
            .await
    }

    /// Returns all workspaces, oldest first.
    pub async fn workspaces(&self) -> Result<Vec<Workspace>, AdminError> {
        self.database.read(|db| Ok(workspaces::list(db)?)).await
    }

    /// Gives the workspace a name. Returns its id.
    pub async fn rename_workspace(&self, name: &str, now: Timestamp) -> Result<String, AdminError> {
        let (workspace, name) = (self.workspace.clone(), name.trim().to_owned());
        if name.is_empty() {
            return Err(AdminError::Refused("the name must not be empty".to_owned()));
        }
        self.database
            .write(move |db| {
                let id = workspace.find(db)?.id;
                workspaces::set_name(db, &id, &name)?;
                audit::record(db, &id, CONSOLE, ("workspace rename", &id), now)?;
                Ok(id)
            })
            .await
    }

    /// Suspends or resumes the selected workspace. A suspended one only reads: its keys and people change and
    /// send nothing, and the assistant is silent. Incoming messages are stored.
    pub async fn suspend_workspace(&self, suspended: bool, now: Timestamp) -> Result<String, AdminError> {
        let workspace = self.workspace.clone();
        if !workspace.is_named() {
            return Err(AdminError::Refused("name the workspace with --workspace".to_owned()));
        }
        self.database
            .write(move |db| {
                let id = workspace.find(db)?.id;
                workspaces::set_suspended(db, &id, suspended.then_some(now))?;
                let action = if suspended { "workspace suspend" } else { "workspace resume" };
                audit::record(db, &id, CONSOLE, (action, &id), now)?;
                Ok(id)
            })
            .await
    }

    /// Lists keys without their text, oldest first: those of the selected workspace, else of all workspaces.
    pub async fn keys(&self) -> Result<Vec<KeyLine>, AdminError> {
        let workspace = self.workspace.clone();
        self.database
            .read(move |db| {
                let mut all = stored::list(db)?;
                if workspace.0.is_some() {
                    let only = workspace.find(db)?.id;
                    all.retain(|key| key.workspace == only);
                }
                Ok(all)
            })
            .await
    }

    /// Revokes a key, given by its id or its full text. Returns its id. With a selected workspace, only one of
    /// its keys.
    pub async fn revoke(&self, named: &str, now: Timestamp) -> Result<String, AdminError> {
        let (workspace, named) = (self.workspace.clone(), named.to_owned());
        self.database
            .write(move |db| {
                let hash = keys::hash(&named);
                let found = stored::list(db)?
                    .into_iter()
                    .find(|key_line| key_line.id == named || key_line.hash == hash);
                let absent = || {
                    AdminError::Absent("there is no such key; `admin key list` shows their ids".to_owned())
                };
                let found = found.ok_or_else(absent)?;
                if !workspace.includes(db, &found.workspace)? {
                    return Err(absent());
                }
                stored::revoke(db, &found.hash, now)?;
                audit::record(db, &found.workspace, CONSOLE, ("key revoke", &found.id), now)?;
                Ok(found.id)
            })
            .await
    }

    /// Applies a change, if any, and returns the balance in credits.
    pub async fn credits(&self, change: Option<CreditChange>, now: Timestamp) -> Result<i64, AdminError> {
        let workspace = self.workspace.clone();
        let Some(change) = change else {
            return self.database.read(move |db| Ok(workspace.find(db)?.balance)).await;
        };
        self.database.write(move |db| change_balance(db, &workspace.find(db)?, change, now)).await
    }

    /// Erases a person from every channel of the workspace. `address` is a phone number, a mail address, a
    /// chat id or a `@username`.
    pub async fn erase(&self, address: &str, now: Timestamp) -> Result<ErasedCount, AdminError> {
        let (workspace, address) = (self.workspace.clone(), address.trim().to_owned());
        let is_server = self.place.file().is_none();
        let person = self
            .database
            .write(move |db| {
                let workspace = workspace.find(db)?.id;
                let person = find_person(db, &workspace, &address)?;
                if person.is_unknown() {
                    return Err(AdminError::Absent(format!(
                        "there is no customer with {address}; nothing was erased"
                    )));
                }
                erasing::erase(db, &person)?;
                let id = format!("erasure_{}", uuid::Uuid::now_v7().simple());
                audit::record(db, &workspace, CONSOLE, ("erase", &id), now)?;
                if is_server {
                    person.files().try_for_each(|id| media::remove_bytes(db, id))?;
                }
                Ok((person, id))
            })
            .await?;
        let (person, id) = person;
        if let Some(path) = self.place.file() {
            let files = MediaFiles::beside_database(path).map_err(DatabaseError::from)?;
            person.files().for_each(|id| files.remove(id));
        }
        if let Some(vacuuming) = self.database.wipe().await {
            // The process may end right after this.
            drop(vacuuming.await);
        }
        let ids = person.ids();
        Ok(ErasedCount {
            id,
            contacts: ids.contacts.len(),
            messages: ids.messages.len(),
            mails_of_others: ids.named_in.len(),
            histories: person.history_count(),
            files: person.files().count(),
        })
    }

    /// Copies everything that is stored about a person in the workspace, as JSON; files by their ids.
    pub async fn export_person(&self, address: &str, now: Timestamp) -> Result<Value, AdminError> {
        let (workspace, address) = (self.workspace.clone(), address.trim().to_owned());
        self.database
            .write(move |db| {
                let workspace = workspace.find(db)?.id;
                let person = find_person(db, &workspace, &address)?;
                if person.is_unknown() {
                    return Err(AdminError::Absent(format!("there is no customer with {address}")));
                }
                let subject = person.ids().contacts.first().cloned().unwrap_or_default();
                audit::record(db, &workspace, CONSOLE, ("person export", &subject), now)?;
                Ok(person_export::copy(db, &person)?)
            })
            .await
    }

    /// Drops all sealed secrets, so that a database whose key is lost can be served with a new key. Fails
    /// while a service runs on the database.
    pub async fn drop_secrets(&self, now: Timestamp) -> Result<DroppedSecrets, AdminError> {
        if let Some(path) = self.place.file() {
            Database::check_free(path)?;
        }
        let is_server = self.place.file().is_none();
        self.database
            .write(move |db| {
                if is_server && let Some(process) = processes::find_live(db)? {
                    return Err(DatabaseError::Served(process).into());
                }
                let dropped = drop_secrets(db)?;
                audit::record(db, WHOLE_SERVICE, CONSOLE, ("secrets drop", ""), now)?;
                Ok(dropped)
            })
            .await
    }

    /// Closes the database and checkpoints its log into the file.
    pub fn close(&self) {
        self.database.close();
    }
}

/// Finds everything stored about a person: under the address itself, and under the phone number and mail
/// address of every contact that has this address.
fn find_person(db: &dyn DbSession, workspace: &str, address: &str) -> Result<ErasedPerson, AdminError> {
    let of_workspace = channels::list_by_workspace(db, workspace)?;
    let channels: Vec<String> = of_workspace.into_iter().map(|channel| channel.id).collect();
    let mut addresses = if address.contains('@') && !address.starts_with('@') {
        vec![address.to_lowercase()]
    } else {
        phone_forms::all_forms(address)
    };
    let mut contacts = Vec::new();
    for contact in stored_contacts::find_by_address(db, workspace, &addresses)? {
        addresses.extend(phone_forms::all_forms(&contact.phone));
        addresses.extend(contact.email.map(|email| email.to_lowercase()));
        contacts.push(contact.id);
    }
    if let Some(name) = address.strip_prefix('@') {
        for channel in &channels {
            addresses.extend(conversations::peers_of_username(db, channel, name)?);
        }
    }
    addresses.sort();
    addresses.dedup();
    Ok(ErasedPerson::find(db, workspace, &channels, (contacts, addresses))?)
}

fn drop_secrets(db: &dyn DbSession) -> Result<DroppedSecrets, AdminError> {
    let connected = "SELECT coalesce(channels.name, channels.kind) || ' of ' || channels.workspace FROM connected_channels
                     JOIN channels ON channels.id = connected_channels.channel ORDER BY 1";
    let signed = "SELECT url FROM webhooks WHERE secret IS NOT NULL ORDER BY created_at, id";
    let sealed = "SELECT name FROM connections WHERE sealed IS NOT NULL ORDER BY name, workspace";
    let dropped = DroppedSecrets {
        channels: db.fetch_all(connected, &[], single_cell)?,
        webhooks: db.fetch_all(signed, &[], single_cell)?,
        connections: db.fetch_all(sealed, &[], single_cell)?,
    };
    db.change_later("DELETE FROM connected_channels", &[])?;
    // Without a secret its events would arrive unsigned, and be refused or, worse, trusted.
    db.change_later("UPDATE webhooks SET secret = NULL, active = FALSE WHERE secret IS NOT NULL", &[])?;
    db.change_later("UPDATE connections SET sealed = NULL WHERE sealed IS NOT NULL", &[])?;
    SealingKey::disclaim(db)?;
    Ok(dropped)
}

fn change_balance(
    db: &dyn DbSession,
    workspace: &Workspace,
    change: CreditChange,
    now: Timestamp,
) -> Result<i64, AdminError> {
    let balance = match change {
        CreditChange::Set(balance) => Some(balance),
        CreditChange::Add(more) => workspace.balance.checked_add(more),
    };
    let Some(balance) = balance.filter(|balance| *balance >= 0) else {
        return Err(AdminError::Refused(format!(
            "the balance is {}; it cannot fall below 0",
            workspace.balance
        )));
    };
    let reference = format!("admin_{}", uuid::Uuid::now_v7().simple());
    workspaces::set_balance(db, &workspace.id, balance, &reference, now)?;
    audit::record(db, &workspace.id, CONSOLE, ("credits change", &reference), now)?;
    Ok(balance)
}
