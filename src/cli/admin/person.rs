//! `admin person`: manages the people who share the inbox of a workspace.

use anyhow::{Context, Result};
use clap::{Subcommand, ValueEnum};
use serde_json::json;

use crate::cli::print;
use crate::shell::clock::SystemClock;
use api::team::Role;
use model::time::Clock;
use service::admin::Admin;
use service::team::PersonLine;

/// The roles, as the command line names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleArgument {
    /// Answers customers.
    Agent,
    /// Takes claims over from others, too.
    Lead,
    /// Reads, and changes nothing.
    Viewer,
}

impl RoleArgument {
    fn role(self) -> Role {
        match self {
            Self::Agent => Role::Agent,
            Self::Lead => Role::Lead,
            Self::Viewer => Role::Viewer,
        }
    }
}

/// Commands of `admin person`.
#[derive(Debug, Subcommand)]
pub enum PersonAction {
    /// Add a person and print a sign-in token, which is shown only once. For a known name, print another
    /// token: each desk needs its own.
    Add {
        /// Name, as colleagues see it.
        name: String,
        /// Role; without it, agent, or the role of a known person.
        #[arg(long, value_enum)]
        role: Option<RoleArgument>,
    },
    /// List the people by name.
    List,
    /// Remove a person: their sessions and keys end within a second.
    #[command(alias = "delete")]
    Remove {
        /// Name or id.
        name: String,
    },
    /// Give a person another role.
    Role {
        /// Name or id.
        name: String,
        /// The role.
        #[arg(value_enum)]
        role: RoleArgument,
    },
}

pub async fn run(admin: &Admin, action: PersonAction, json: bool) -> Result<()> {
    match action {
        PersonAction::Add { name, role } => {
            let added = admin.add_person(&name, role.map(RoleArgument::role), SystemClock.now()).await;
            let added = added.context("could not add the person")?;
            let (person, token) = (added.person, added.token.expose());
            if json {
                return print::json(&json!({
                    "id": person.id, "name": person.name, "role": person.role.word(), "token": token
                }));
            }
            print::line(&format!("{}\t{}\t{}\t{token}", person.id, person.name, person.role.word()))
        }
        PersonAction::List => list(admin, json).await,
        PersonAction::Remove { name } => {
            let removed = admin.remove_person(&name, SystemClock.now()).await;
            let person = removed.context("could not remove the person")?;
            if json {
                return print::json(&json!({"id": person.id, "name": person.name, "removed": true}));
            }
            print::line(&format!("{} is removed", person.name))
        }
        PersonAction::Role { name, role } => {
            let changed = admin.set_person_role(&name, role.role(), SystemClock.now()).await;
            let person = changed.context("could not change the role")?;
            if json {
                return print::json(
                    &json!({"id": person.id, "name": person.name, "role": person.role.word()}),
                );
            }
            print::line(&format!("{} is now {}", person.name, person.role.word()))
        }
    }
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let people = admin.people().await.context("could not list the people")?;
    if json {
        let item = |line: &PersonLine| {
            let person = &line.person;
            json!({
                "id": person.id, "name": person.name, "role": person.role.word(), "sessions": line.sessions,
                "seenAt": line.has_joined.then(|| person.seen_at.to_string()),
            })
        };
        return print::json(&serde_json::Value::Array(people.iter().map(item).collect()));
    }
    print::empty(people.is_empty(), "people");
    for PersonLine { person, sessions, has_joined } in people {
        let (id, name, role) = (person.id, person.name, person.role.word());
        let seen = if has_joined { format!("last here {}", person.seen_at) } else { "never here".to_owned() };
        let sessions = print::count(sessions, "session");
        print::line(&format!("{id}\t{name}\t{role}\t{sessions}\t{seen}"))?;
    }
    Ok(())
}
