//! `admin workspace`: separate businesses on one service.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::json;

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::time::Clock;
use service::admin::Admin;

/// What can be done with workspaces.
#[derive(Debug, Subcommand)]
pub enum WorkspaceAction {
    /// Add a workspace with its own channels and keys. The keys are printed only once. Other
    /// commands act on the first workspace, or on the one named by --workspace.
    Add {
        /// Name of the business.
        #[arg(long)]
        name: Option<String>,
    },
    /// List the workspaces with their balances, oldest first.
    List,
    /// Give a workspace a name: the first one, or the one named by --workspace.
    Rename {
        /// Name of the business.
        name: String,
    },
    /// Suspend the workspace named by --workspace: it can only be read, and the assistant is silent.
    /// Incoming messages are stored.
    Suspend,
    /// Resume the suspended workspace named by --workspace.
    Resume,
}

impl WorkspaceAction {
    /// Returns true if it acts on one workspace.
    pub fn is_of_one(&self) -> bool {
        matches!(self, Self::Rename { .. } | Self::Suspend | Self::Resume)
    }
}

pub async fn run(admin: &Admin, action: WorkspaceAction, json: bool) -> Result<()> {
    match action {
        WorkspaceAction::Add { name } => {
            let (id, keys) =
                admin.add_workspace(name, SystemClock.now()).await.context("could not add the workspace")?;
            if json {
                let key = |issued_key: &service::IssuedKey| {
                    let environment = issued_key.environment.word();
                    json!({"channel": issued_key.channel, "environment": environment, "key": issued_key.key.expose()})
                };
                return print::json(&json!({"id": id, "keys": keys.iter().map(key).collect::<Vec<_>>()}));
            }
            print::line(&id)?;
            for key in keys {
                print::line(&format!("{}\t{}\t{}", key.channel, key.environment.word(), key.key.expose()))?;
            }
            Ok(())
        }
        WorkspaceAction::List => {
            let all = admin.workspaces().await.context("could not list the workspaces")?;
            if json {
                let one = |workspace: &service::database::workspaces::Workspace| json!({"id": workspace.id, "name": workspace.name, "balance": workspace.balance, "suspendedAt": workspace.suspended_at.map(|at| at.to_string())});
                return print::json(&serde_json::Value::Array(all.iter().map(one).collect()));
            }
            for workspace in all {
                let state =
                    workspace.suspended_at.map_or_else(String::new, |at| format!("\tsuspended since {at}"));
                let balance = print::count(workspace.balance, "credit");
                let name = workspace.name.unwrap_or_default();
                print::line(&format!("{}\t{balance}\t{name}{state}", workspace.id))?;
            }
            Ok(())
        }
        WorkspaceAction::Rename { name } => {
            let renamed = admin.rename_workspace(&name, SystemClock.now()).await;
            let id = renamed.context("could not rename the workspace")?;
            if json {
                return print::json(&json!({"id": id, "name": name.trim()}));
            }
            print::line(&format!("{id} is now {}", name.trim()))
        }
        WorkspaceAction::Suspend | WorkspaceAction::Resume => {
            let suspended = matches!(action, WorkspaceAction::Suspend);
            let changed = admin.suspend_workspace(suspended, SystemClock.now()).await;
            let id = changed.context("could not change the workspace")?;
            if json {
                return print::json(&json!({"id": id, "suspended": suspended}));
            }
            print::line(&format!("{id} {}", if suspended { "is suspended" } else { "is resumed" }))
        }
    }
}
