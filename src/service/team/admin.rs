//! Administration of a workspace's people, for `frontdesk admin person`.

use crate::admin::{Admin, AdminError};
use crate::audit::{self, CONSOLE};
use crate::database::session::DbSession;
use crate::database::team::changes::{self, ChangeKind};
use crate::database::team::conversations;
use crate::database::team::people::{self, Person};
use crate::keys;
use crate::team::MAX_PEOPLE;
use api::team::{MAX_NAME_CHARS, Role};
use model::secret::Secret;
use model::time::Timestamp;
use model::{bounds, text};

/// Person with a new sign-in token, which is shown once.
pub struct AddedPerson {
    pub person: Person,
    pub token: Secret,
}

/// Person with the number of their open sessions.
pub struct PersonLine {
    pub person: Person,
    pub sessions: i64,
    /// True if the person has signed in at least once.
    pub has_joined: bool,
}

impl Admin {
    /// Adds a person, or makes another token for the one with this name. `role` of `None` is an agent, and keeps
    /// the role of a known person.
    pub async fn add_person(
        &self,
        name: &str,
        role: Option<Role>,
        now: Timestamp,
    ) -> Result<AddedPerson, AdminError> {
        let (workspace, name) = (self.workspace.clone(), name.trim().to_owned());
        check_name(&name)?;
        let token = keys::generate_with(keys::TOKEN_PREFIX, &mut rand::rng());
        let hash = token.hash;
        let person = self
            .database
            .write(move |db| {
                let workspace = workspace.find(db)?.id;
                let person = match people::find(db, &workspace, &name)? {
                    Some(known) => known,
                    None => insert_person(db, &workspace, &name, now)?,
                };
                let person = match role {
                    Some(role) if role != person.role => change_role(db, &workspace, person, role, now)?,
                    _ => person,
                };
                people::insert_token(db, &hash, &person.id, now)?;
                audit::record(db, &workspace, CONSOLE, ("person add", &person.id), now)?;
                Ok::<_, AdminError>(person)
            })
            .await?;
        Ok(AddedPerson { person, token: Secret::new(&token.text) })
    }

    /// Lists the people of the workspace by name.
    pub async fn people(&self) -> Result<Vec<PersonLine>, AdminError> {
        let workspace = self.workspace.clone();
        self.database
            .read(move |db| {
                let workspace = workspace.find(db)?.id;
                let sessions = people::count_sessions(db, &workspace)?;
                let count = |person: &Person| sessions.iter().find(|(id, _)| *id == person.id);
                let line = |person: Person| PersonLine {
                    sessions: count(&person).map_or(0, |(_, count)| *count),
                    has_joined: count(&person).is_some(),
                    person,
                };
                Ok(people::list(db, &workspace)?.into_iter().map(line).collect())
            })
            .await
    }

    /// Removes a person, named by id or name: ends their sessions, revokes their keys and tokens
    /// and releases what they have claimed.
    pub async fn remove_person(&self, named: &str, now: Timestamp) -> Result<Person, AdminError> {
        let (workspace, named) = (self.workspace.clone(), named.trim().to_owned());
        self.database
            .write(move |db| {
                let workspace = workspace.find(db)?.id;
                let person = find_person(db, &workspace, &named)?;
                people::remove(db, &person.id, now)?;
                for claimed in conversations::claimed_by(db, &person.id)? {
                    conversations::set_claim(db, &claimed, (None, None), now)?;
                    changes::log(db, &workspace, ChangeKind::Claim, (&claimed, ""), now)?;
                    audit::record(db, &workspace, CONSOLE, ("release", &claimed), now)?;
                }
                changes::log(db, &workspace, ChangeKind::Person, (&person.id, ""), now)?;
                audit::record(db, &workspace, CONSOLE, ("person remove", &person.id), now)?;
                Ok(person)
            })
            .await
    }

    /// Gives a person, named by id or name, another role.
    pub async fn set_person_role(
        &self,
        named: &str,
        role: Role,
        now: Timestamp,
    ) -> Result<Person, AdminError> {
        let (workspace, named) = (self.workspace.clone(), named.trim().to_owned());
        self.database
            .write(move |db| {
                let workspace = workspace.find(db)?.id;
                let person = find_person(db, &workspace, &named)?;
                change_role(db, &workspace, person, role, now)
            })
            .await
    }
}

fn check_name(name: &str) -> Result<(), AdminError> {
    let is_long = bounds::count_chars(name) > MAX_NAME_CHARS;
    if name.is_empty() || is_long || name.contains('@') || !text::is_plain(name) {
        return Err(AdminError::Refused(format!(
            "{name:?} is not a valid name; use 1 to {MAX_NAME_CHARS} visible characters without @"
        )));
    }
    Ok(())
}

fn insert_person(
    db: &dyn DbSession,
    workspace: &str,
    name: &str,
    now: Timestamp,
) -> Result<Person, AdminError> {
    if people::list(db, workspace)?.len() >= MAX_PEOPLE {
        return Err(AdminError::Refused(format!(
            "this workspace has {MAX_PEOPLE} people already; remove one with `admin person remove`"
        )));
    }
    let id = format!("prs_{}", uuid::Uuid::now_v7().simple());
    let person = Person { id, name: name.to_owned(), role: Role::Agent, seen_at: now };
    people::insert(db, workspace, &person, now)?;
    changes::log(db, workspace, ChangeKind::Person, (&person.id, ""), now)?;
    Ok(person)
}

fn change_role(
    db: &dyn DbSession,
    workspace: &str,
    person: Person,
    role: Role,
    now: Timestamp,
) -> Result<Person, AdminError> {
    people::set_role(db, &person.id, role)?;
    changes::log(db, workspace, ChangeKind::Person, (&person.id, ""), now)?;
    audit::record(db, workspace, CONSOLE, ("person role", &person.id), now)?;
    Ok(Person { role, ..person })
}

fn find_person(db: &dyn DbSession, workspace: &str, named: &str) -> Result<Person, AdminError> {
    let absent = || {
        AdminError::Absent(format!("there is nobody named {named:?}; `admin person list` shows everybody"))
    };
    people::find(db, workspace, named)?.ok_or_else(absent)
}
