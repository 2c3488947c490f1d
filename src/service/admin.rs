//! The dashboard's side of a service's file: keys, credits, templates. Works
//! beside a running service, which sees a change within a second.

use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::channels::Channel;
use crate::database::keys::KeyLine;
use crate::database::place::DatabasePlace;
use crate::database::session::DbSession;
use crate::database::templates::Template;
use crate::database::workspaces::Workspace;
use crate::database::{Database, DatabaseError, channels, keys as stored, templates, workspaces};
use crate::keys;
use crate::sealing_key::{KeyError, KeyPlace};
use crate::workspace::{self, IssuedKey};
use model::account::Environment;
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
        Ok(Self { database, key: KeyPlace::of(place, key).ok() })
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
        let (name, text) = (id.clone(), key.text.clone());
        self.database
            .write(move |db| {
                let Some(channel) = channels::of_kind(db, kind)? else {
                    return Err(AdminError::Refused(format!("this service has no {} channel", kind.word())));
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

    /// All keys, oldest first, never whole.
    pub async fn keys(&self) -> Result<Vec<KeyLine>, AdminError> {
        self.database.read(|db| Ok(stored::list(db)?)).await
    }

    /// Revokes the key of this id, or the whole key given.
    pub async fn revoke(&self, named: &str, now: Timestamp) -> Result<String, AdminError> {
        let named = named.to_owned();
        self.database
            .write(move |db| {
                let hash = keys::hash(&named);
                let found = stored::list(db)?.into_iter().find(|it| it.id == named || it.hash == hash);
                let Some(found) = found else {
                    return Err(AdminError::Refused(
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
        let Some(change) = change else {
            return self.database.read(|db| Ok(workspaces::first(db)?.balance)).await;
        };
        self.database.write(move |db| change_balance(db, change, now)).await
    }

    /// All templates, approved or not.
    pub async fn templates(&self) -> Result<Vec<Template>, AdminError> {
        self.database.read(|db| Ok(templates::all(db, &workspaces::first(db)?.id)?)).await
    }

    /// Adds a template, or replaces the one of its name and language.
    /// Interface: Resources, Template.
    ///
    /// # Errors
    /// When its components are not what a template has, or the database fails.
    pub async fn put_template(&self, template: Template) -> Result<(), AdminError> {
        check_components(&template.components).map_err(AdminError::Refused)?;
        self.database.write(move |db| Ok(templates::put(db, &workspaces::first(db)?.id, &template)?)).await
    }

    pub async fn remove_template(&self, name: &str, language: &str) -> Result<(), AdminError> {
        let (name, language) = (name.to_owned(), language.to_owned());
        self.database
            .write(move |db| {
                if templates::remove(db, &workspaces::first(db)?.id, &name, &language)? {
                    return Ok(());
                }
                Err(AdminError::Refused(format!("there is no template {name} in {language}")))
            })
            .await
    }

    /// Folds what was written into the file.
    pub fn close(&self) {
        self.database.close();
    }
}

fn change_balance(db: &dyn DbSession, change: CreditChange, now: Timestamp) -> Result<i64, AdminError> {
    let workspace = workspaces::first(db)?;
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
