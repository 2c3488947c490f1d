//! The dashboard's side of a service's file: keys, credits, templates. Works
//! beside a running service, which sees a change within a second.

use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::channels::Channel;
use crate::database::erasing::{self, ErasedPerson};
use crate::database::keys::KeyLine;
use crate::database::place::DatabasePlace;
use crate::database::rows::only;
use crate::database::session::DbSession;
use crate::database::templates::Template;
use crate::database::webhooks::WebhookRow;
use crate::database::workspaces::Workspace;
use crate::database::{
    Database, DatabaseError, channels, contacts as stored_contacts, conversations, keys as stored, media,
    processes, templates, webhooks, workspaces,
};
use crate::keys;
use crate::media::files::MediaFiles;
use crate::sealing_key::{KeyError, KeyPlace, SealingKey};
use crate::workspace::{self, IssuedKey};
use model::account::Environment;
use model::phone_forms;
use model::secret::Secret;
use model::time::Timestamp;

/// Why something was not done.
#[derive(Debug, Error)]
pub enum AdminError {
    /// The file is not there yet.
    #[error("there is no service database at {path}; `frontdesk serve --db {path}` makes one", path = .0.display())]
    Missing(PathBuf),
    /// The file is something else.
    #[error("{0} is not a service database; nothing was changed")]
    NotOurs(DatabasePlace),
    /// The file is damaged.
    #[error("{path} is damaged; nothing was changed: bring a copy back, or move it away to start with a new one", path = .0)]
    Damaged(DatabasePlace),
    /// The database did not do it.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The key that seals secrets cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// What was asked for cannot be.
    #[error("{0}")]
    Refused(String),
    /// A named thing is not there.
    #[error("{0}")]
    Absent(String),
}

/// What is done to a balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreditChange {
    /// It becomes this much.
    Set(i64),
    /// So much more.
    Add(i64),
}

/// The dashboard's side of one file.
pub struct Admin {
    pub(crate) database: Database,
    /// None for a database on a server whose key nobody named.
    pub(crate) key: Option<KeyPlace>,
    place: DatabasePlace,
    workspace: WorkspaceChoice,
}

/// Which workspace is acted on: the one of this id or name, else the first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct WorkspaceChoice(Option<String>);

impl WorkspaceChoice {
    fn find(&self, db: &dyn DbSession) -> Result<Workspace, AdminError> {
        let Some(wanted) = &self.0 else { return Ok(workspaces::first(db)?) };
        let all = workspaces::all(db)?;
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
                Err(AdminError::Refused(format!("there is no workspace {wanted:?}; there are: {}", known())))
            }
        }
    }
}

/// Count of what was erased of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedCount {
    /// Conversations and threads of mail.
    pub histories: usize,
    /// Uploaded files.
    pub files: usize,
}

/// Secrets that were dropped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DroppedSecrets {
    /// Channels, each as its kind and workspace: they are not connected any more.
    pub channels: Vec<String>,
    /// Webhooks that were signed, by their addresses: nothing is delivered to them.
    pub webhooks: Vec<String>,
    /// Data Connections, by their names: they have no credential.
    pub connections: Vec<String>,
}

impl Admin {
    /// Opens the database of a service. The key may be in another file than the
    /// one beside it.
    pub fn open(place: &DatabasePlace, key: Option<&Path>) -> Result<Self, AdminError> {
        if let Some(path) = place.file().filter(|it| !it.exists()) {
            return Err(AdminError::Missing(path.to_owned()));
        }
        let database = Database::existing(place).map_err(|cause| match cause {
            DatabaseError::NoDatabase | DatabaseError::Foreign => AdminError::NotOurs(place.clone()),
            cause if cause.is_damage() => AdminError::Damaged(place.clone()),
            cause => cause.into(),
        })?;
        let (key, place) = (KeyPlace::of(place, key).ok(), place.clone());
        Ok(Self { database, key, place, workspace: WorkspaceChoice::default() })
    }

    /// Acts on the workspace of this id or name instead of the first.
    #[must_use]
    pub fn in_workspace(self, workspace: Option<String>) -> Self {
        Self { workspace: WorkspaceChoice(workspace), ..self }
    }

    /// Makes a key; it is told this once. Interface: Authentication.
    pub async fn create_key(
        &self,
        kind: Channel,
        environment: Environment,
        now: Timestamp,
    ) -> Result<(String, Secret), AdminError> {
        let key = keys::make(environment, &mut rand::rng());
        let id = format!("key_{}", uuid::Uuid::now_v7().simple());
        let (name, text, workspace) = (id.clone(), key.text.clone(), self.workspace.clone());
        self.database
            .write(move |db| {
                let all = channels::of_workspace(db, &workspace.find(db)?.id)?;
                let Some(channel) = all.into_iter().find(|channel| channel.kind == kind) else {
                    return Err(AdminError::Refused(format!(
                        "this workspace has no {} channel",
                        kind.word()
                    )));
                };
                Ok(stored::insert(db, &name, &channel.id, environment, &key, now)?)
            })
            .await?;
        Ok((id, Secret::new(&text)))
    }

    /// Adds a workspace, with channels, templates, credits and keys of its own,
    /// which are told this once.
    pub async fn add_workspace(
        &self,
        name: Option<String>,
        now: Timestamp,
    ) -> Result<(String, Vec<IssuedKey>), AdminError> {
        self.database.write(move |db| Ok(workspace::add(db, name, now)?)).await
    }

    /// All workspaces, oldest first.
    pub async fn workspaces(&self) -> Result<Vec<Workspace>, AdminError> {
        self.database.read(|db| Ok(workspaces::all(db)?)).await
    }

    /// Keys of all workspaces or of the one that was named, oldest first, never whole.
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

    /// Revokes the key of this id, or the whole key given.
    pub async fn revoke(&self, named: &str, now: Timestamp) -> Result<String, AdminError> {
        let named = named.to_owned();
        self.database
            .write(move |db| {
                let hash = keys::hash(&named);
                let found = stored::list(db)?.into_iter().find(|it| it.id == named || it.hash == hash);
                let Some(found) = found else {
                    return Err(AdminError::Absent(
                        "there is no such key; `admin key list` shows their ids".to_owned(),
                    ));
                };
                stored::revoke(db, &found.hash, now)?;
                Ok(found.id)
            })
            .await
    }

    /// The balance, after a change if one is wanted. Interface: Limits,
    /// Credit costs.
    pub async fn credits(&self, change: Option<CreditChange>, now: Timestamp) -> Result<i64, AdminError> {
        let workspace = self.workspace.clone();
        let Some(change) = change else {
            return self.database.read(move |db| Ok(workspace.find(db)?.balance)).await;
        };
        self.database.write(move |db| change_balance(db, &workspace.find(db)?, change, now)).await
    }

    /// All templates, approved or not.
    pub async fn templates(&self) -> Result<Vec<Template>, AdminError> {
        let workspace = self.workspace.clone();
        self.database.read(move |db| Ok(templates::all(db, &workspace.find(db)?.id)?)).await
    }

    /// Adds a template, or replaces the one of its name and language.
    /// Interface: Resources, Template.
    ///
    /// # Errors
    /// When its components are not what a template has, or the database fails.
    pub async fn put_template(&self, template: Template) -> Result<(), AdminError> {
        check_components(&template.components).map_err(AdminError::Refused)?;
        let workspace = self.workspace.clone();
        self.database.write(move |db| Ok(templates::put(db, &workspace.find(db)?.id, &template)?)).await
    }

    pub async fn remove_template(&self, name: &str, language: &str) -> Result<(), AdminError> {
        let (name, language, workspace) = (name.to_owned(), language.to_owned(), self.workspace.clone());
        self.database
            .write(move |db| {
                if templates::remove(db, &workspace.find(db)?.id, &name, &language)? {
                    return Ok(());
                }
                Err(AdminError::Absent(format!("there is no template {name} in {language}")))
            })
            .await
    }

    /// Erases a person who is known under a phone number, a mail address, or the id or
    /// user name of a chat, from every channel of the workspace.
    pub async fn erase(&self, address: &str) -> Result<ErasedCount, AdminError> {
        let (workspace, address) = (self.workspace.clone(), address.trim().to_owned());
        let is_server = self.place.file().is_none();
        let person = self
            .database
            .write(move |db| {
                let workspace = workspace.find(db)?.id;
                let person = find_person(db, &workspace, &address)?;
                if person.is_unknown() {
                    return Err(AdminError::Refused(format!(
                        "nobody is known under {address}; nothing was erased"
                    )));
                }
                erasing::erase(db, &person)?;
                if is_server {
                    person.files().try_for_each(|id| media::remove_bytes(db, id))?;
                }
                Ok(person)
            })
            .await?;
        if let Some(path) = self.place.file() {
            let files = MediaFiles::beside(path).map_err(DatabaseError::from)?;
            person.files().for_each(|id| files.remove(id));
        }
        self.database.wipe().await;
        Ok(ErasedCount { histories: person.histories(), files: person.files().count() })
    }

    /// Webhook subscriptions of all channels of the workspace, oldest first, each with
    /// its channel.
    pub async fn webhooks(&self) -> Result<Vec<(Channel, WebhookRow)>, AdminError> {
        let workspace = self.workspace.clone();
        self.database
            .read(move |db| {
                let mut all = Vec::new();
                for channel in channels::of_workspace(db, &workspace.find(db)?.id)? {
                    let rows = webhooks::list(db, &channel.id)?;
                    all.extend(rows.into_iter().map(|row| (channel.kind, row)));
                }
                Ok(all)
            })
            .await
    }

    /// Drops the secrets of a database whose key is lost, so that it can be served with
    /// another one. No service may run on it.
    pub async fn drop_secrets(&self) -> Result<DroppedSecrets, AdminError> {
        if let Some(path) = self.place.file() {
            Database::check_free(path)?;
        }
        let is_server = self.place.file().is_none();
        self.database
            .write(move |db| {
                if is_server && let Some(process) = processes::heard(db)? {
                    return Err(DatabaseError::Served(process).into());
                }
                drop_secrets(db)
            })
            .await
    }

    /// Folds what was written into the file.
    pub fn close(&self) {
        self.database.close();
    }
}

/// Finds what is kept of a person: of those who have the address, and of the contacts
/// that have it, what they have under their number and their mail address.
fn find_person(db: &dyn DbSession, workspace: &str, address: &str) -> Result<ErasedPerson, AdminError> {
    let of_workspace = channels::of_workspace(db, workspace)?;
    let channels: Vec<String> = of_workspace.into_iter().map(|channel| channel.id).collect();
    let mut addresses = if address.contains('@') && !address.starts_with('@') {
        vec![address.to_lowercase()]
    } else {
        phone_forms::forms(address)
    };
    let mut contacts = Vec::new();
    for contact in stored_contacts::of_address(db, workspace, &addresses)? {
        addresses.extend(phone_forms::forms(&contact.phone));
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
    let connected = "SELECT channels.kind || ' of ' || channels.workspace FROM connected_channels
                     JOIN channels ON channels.id = connected_channels.channel ORDER BY 1";
    let signed = "SELECT url FROM webhooks WHERE secret IS NOT NULL ORDER BY created_at, id";
    let sealed = "SELECT name FROM connections WHERE sealed IS NOT NULL ORDER BY name";
    let dropped = DroppedSecrets {
        channels: db.all(connected, &[], only)?,
        webhooks: db.all(signed, &[], only)?,
        connections: db.all(sealed, &[], only)?,
    };
    db.note("DELETE FROM connected_channels", &[])?;
    // Unsigned, an event would be refused or, worse, believed.
    db.note("UPDATE webhooks SET secret = NULL, active = FALSE WHERE secret IS NOT NULL", &[])?;
    db.note("UPDATE connections SET sealed = NULL WHERE sealed IS NOT NULL", &[])?;
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
    let Some(balance) = balance.filter(|it| *it >= 0) else {
        return Err(AdminError::Refused(format!(
            "the balance is {}; it cannot fall below 0",
            workspace.balance
        )));
    };
    let reference = format!("admin_{}", uuid::Uuid::now_v7().simple());
    workspaces::set_balance(db, &workspace.id, balance, &reference, now)?;
    Ok(balance)
}

/// Whether this is what a template's components are: a list of parts with a
/// type, one of them a body with text.
fn check_components(text: &str) -> Result<(), String> {
    const PARTS: [&str; 4] = ["HEADER", "BODY", "FOOTER", "BUTTONS"];
    let parts: Value =
        serde_json::from_str(text).map_err(|error| format!("the components are no JSON: {error}"))?;
    let Some(parts) = parts.as_array() else {
        return Err("the components must be a list: [{\"type\": \"BODY\", \"text\": \"…\"}]".to_owned());
    };
    for (place, part) in parts.iter().enumerate() {
        let kind = part["type"].as_str().unwrap_or_default();
        if !PARTS.contains(&kind) {
            return Err(format!("component {place} has the type {kind:?}; use one of {}", PARTS.join(", ")));
        }
    }
    let body = parts.iter().find(|it| it["type"] == "BODY").and_then(|it| it["text"].as_str());
    match body {
        Some(text) if !text.trim().is_empty() => Ok(()),
        _ => Err("a template needs a BODY component with text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_checked_before_they_are_kept() {
        let cases = [
            (r#"[{"type":"BODY","text":"Hi {{1}}"}]"#, ""),
            (r#"[{"type":"HEADER"},{"type":"BODY","text":"Hi"}]"#, ""),
            ("[", "no JSON"),
            ("{}", "must be a list"),
            (r#"[{"type":"BODYS","text":"Hi"}]"#, "component 0 has the type \"BODYS\""),
            (r#"[{"type":"BODY","text":" "}]"#, "needs a BODY"),
            ("[]", "needs a BODY"),
        ];
        for (text, problem) in cases {
            match check_components(text) {
                Ok(()) => assert_eq!(problem, "", "{text}"),
                Err(said) => assert!(!problem.is_empty() && said.contains(problem), "{text}: {said}"),
            }
        }
    }
}
