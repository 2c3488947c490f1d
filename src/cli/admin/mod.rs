//! `frontdesk admin`: manages the database of an embedded service, also while the service runs.

mod assistant;
mod audit;
mod calls;
mod channels;
mod connections;
mod credits;
mod erase;
mod key_file;
mod keys;
mod mailbox;
mod moving;
mod person;
mod proposals;
mod retention;
mod templates;
mod webhooks;
mod workspaces;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand, ValueHint};

use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, folders};
use service::DatabaseLocation;
use service::admin::{Admin, AdminError};

/// The switches of `admin`.
#[derive(Debug, Args)]
pub struct AdminArguments {
    /// Database of the service: a file or a PostgreSQL database; without it, the default of
    /// `serve`.
    #[arg(long, value_name = "PATH|URL", value_hint = ValueHint::AnyPath, global = true, display_order = 100)]
    db: Option<DatabaseLocation>,
    /// File with the key that encrypts secrets, if `serve` was given one; without it, the file
    /// beside the database.
    #[arg(long, value_name = "PATH", global = true, display_order = 101)]
    key_file: Option<PathBuf>,
    /// Id or name of the workspace. Without it, `key list`, `key revoke`, `assistant`, `proposal` and
    /// `audit` act on all workspaces, and the others on the first.
    #[arg(long, value_name = "NAME", global = true, display_order = 102)]
    workspace: Option<String>,
    /// Print JSON instead of lines.
    #[arg(long, global = true, display_order = 103)]
    json: bool,
    /// Action.
    #[command(subcommand)]
    action: AdminAction,
}

/// What the dashboard can do.
#[derive(Debug, Subcommand)]
pub enum AdminAction {
    /// Manage API keys: create, list, revoke.
    #[command(subcommand)]
    Key(keys::KeyAction),
    /// Manage channels: connect, list, test, folders, aliases, disconnect.
    #[command(subcommand)]
    Channel(channels::PlatformAction),
    /// Show who created, revoked, connected, paused and erased what, oldest first. With --json, one record
    /// a line.
    Audit(audit::AuditArguments),
    /// Control the assistant in one conversation of any channel: show, pause, resume.
    #[command(subcommand)]
    Assistant(assistant::AssistantAction),
    /// Manage calls in progress: list, hang-up.
    #[command(subcommand)]
    Call(calls::CallAction),
    /// Show or change the balance.
    Credits(credits::CreditArguments),
    /// Erase a person: conversations on all channels, contact, files and undelivered events.
    Erase(erase::EraseArguments),
    /// Export a person: a copy of everything that `erase` would remove, as a JSON file.
    Export(erase::ExportArguments),
    /// Reset a lost key file.
    #[command(subcommand)]
    KeyFile(key_file::KeyFileAction),
    /// Manage Data Connections: add, test, list, log, remove.
    #[command(subcommand)]
    Connection(connections::ConnectionAction),
    /// Move all data between a file and a PostgreSQL database.
    Move(moving::MoveArguments),
    /// Copy all data to a file; the service may keep running.
    Backup(moving::BackupArguments),
    /// Manage the people who share the inbox: add, list, remove, role.
    #[command(subcommand)]
    Person(person::PersonAction),
    /// Manage changes proposed by the assistant: list, carry-out, drop.
    #[command(subcommand)]
    Proposal(proposals::ProposalAction),
    /// Show what the service removes because of its age.
    #[command(subcommand)]
    Retention(retention::RetentionAction),
    /// Manage templates: list, put, submit, remove.
    #[command(subcommand)]
    Template(templates::TemplateAction),
    /// Manage webhooks: list, deliveries, replay, disable, enable.
    #[command(subcommand)]
    Webhook(webhooks::WebhookAction),
    /// Manage workspaces: add, list, rename, suspend, resume.
    #[command(subcommand)]
    Workspace(workspaces::WorkspaceAction),
}

fn read_file(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        let shown = path.display().to_string();
        CommandRefusal::unreadable(&shown, format!("could not read {shown}: {error}"))
    })
}

pub fn run(arguments: AdminArguments) -> Result<(), CliError> {
    let is_of_service = match &arguments.action {
        AdminAction::KeyFile(_)
        | AdminAction::Retention(_)
        | AdminAction::Move(_)
        | AdminAction::Backup(_) => true,
        AdminAction::Workspace(action) => !action.is_of_one(),
        _ => false,
    };
    if arguments.workspace.is_some() && is_of_service {
        return Err(CliError::Usage(
            "this command acts on the whole service; leave --workspace out".to_owned(),
        ));
    }
    if let AdminAction::Move(wanted) = &arguments.action {
        if arguments.db.is_some() {
            return Err(CliError::Usage("`admin move` does not take --db; use --from and --to".to_owned()));
        }
        return Ok(moving::relocate(wanted, arguments.key_file.as_deref(), arguments.json)?);
    }
    let place = match arguments.db {
        Some(place) => place,
        None => folders::data()?.join("service.db").into(),
    };
    if let AdminAction::Backup(wanted) = &arguments.action {
        return Ok(moving::back_up(&place, wanted, arguments.json)?);
    }
    let admin = Admin::open(&place, arguments.key_file.as_deref()).map_err(|why| match why {
        AdminError::Database(_) => anyhow::Error::from(why).context(format!("could not open {place}")),
        told => told.into(),
    })?;
    let name = match &arguments.action {
        AdminAction::Channel(action) => action.new_channel_name(),
        _ => None,
    };
    let admin = admin.in_workspace(arguments.workspace).naming_channel(name).map_err(anyhow::Error::from)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start")?;
    let json = arguments.json;
    let done = runtime.block_on(async {
        match arguments.action {
            // Handled above: they open databases themselves.
            AdminAction::Move(_) | AdminAction::Backup(_) => Ok(()),
            AdminAction::Key(action) => keys::run(&admin, action, json).await,
            AdminAction::Channel(action) => channels::run(&admin, action, json).await,
            AdminAction::Audit(arguments) => audit::run(&admin, &arguments, json).await,
            AdminAction::Assistant(action) => assistant::run(&admin, action, json).await,
            AdminAction::Call(action) => calls::run(&admin, action, json).await,
            AdminAction::Credits(action) => credits::run(&admin, action, json).await,
            AdminAction::Erase(wanted) => erase::run(&admin, &wanted, json).await,
            AdminAction::Export(wanted) => erase::export(&admin, &wanted, json).await,
            AdminAction::KeyFile(action) => key_file::run(&admin, action, json).await,
            AdminAction::Connection(action) => connections::run(&admin, action, json).await,
            AdminAction::Person(action) => person::run(&admin, action, json).await,
            AdminAction::Proposal(action) => proposals::run(&admin, action, json).await,
            AdminAction::Retention(action) => retention::run(&admin, action, json).await,
            AdminAction::Template(action) => templates::run(&admin, action, json).await,
            AdminAction::Webhook(action) => webhooks::run(&admin, action, json).await,
            AdminAction::Workspace(action) => workspaces::run(&admin, action, json).await,
        }
    });
    admin.close();
    Ok(done?)
}
