//! `frontdesk admin`: manages the database of an embedded service, also while the service runs.

mod assistant;
mod calls;
mod channels;
mod connections;
mod credits;
mod erase;
mod key_file;
mod keys;
mod moving;
mod proposals;
mod templates;
mod webhooks;
mod workspaces;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, folders};
use service::DatabaseLocation;
use service::admin::{Admin, AdminError};

/// The switches of `admin`.
#[derive(Debug, Args)]
pub struct AdminArguments {
    /// The service's database, a file or one on a PostgreSQL server; without it,
    /// the one `serve` uses without it.
    #[arg(long, value_name = "PATH|URL", global = true)]
    db: Option<DatabaseLocation>,
    /// The key that seals secrets, where `serve` was given one; without it, the
    /// one beside the database.
    #[arg(long, value_name = "PATH", global = true)]
    key_file: Option<PathBuf>,
    /// The workspace to act on, by its id or name; without it, the first. Keys are
    /// listed of all workspaces without it.
    #[arg(long, value_name = "NAME", global = true)]
    workspace: Option<String>,
    /// JSON instead of lines.
    #[arg(long, global = true)]
    json: bool,
    /// What to do.
    #[command(subcommand)]
    action: AdminAction,
}

/// What the dashboard can do.
#[derive(Debug, Subcommand)]
pub enum AdminAction {
    /// API keys: create, list, revoke.
    #[command(subcommand)]
    Key(keys::KeyAction),
    /// Channels: connect to a platform, list, test, disconnect.
    #[command(subcommand)]
    Channel(channels::PlatformAction),
    /// The assistant in one conversation of any channel: show, pause, resume.
    #[command(subcommand)]
    Assistant(assistant::AssistantAction),
    /// Calls that go on: list, end.
    #[command(subcommand)]
    Call(calls::CallAction),
    /// Show the balance, or change it.
    Credits(credits::CreditArguments),
    /// Erase a person: all that was said with them on every channel, their contact,
    /// files, and what waits to be told of them.
    Erase(erase::EraseArguments),
    /// The file of the key that seals secrets: reset, where it is lost.
    #[command(subcommand)]
    KeyFile(key_file::KeyFileAction),
    /// Data Connections: add, test, list, log, remove.
    #[command(subcommand)]
    Connection(connections::ConnectionAction),
    /// Move everything between a file and a PostgreSQL database.
    Move(moving::MoveArguments),
    /// Copy everything into a file, also while it is served.
    Backup(moving::BackupArguments),
    /// Changes the assistant proposes: list, carry out, drop.
    #[command(subcommand)]
    Proposal(proposals::ProposalAction),
    /// Templates: list, put, remove.
    #[command(subcommand)]
    Template(templates::TemplateAction),
    /// Webhooks: list, with those that nothing reaches.
    #[command(subcommand)]
    Webhook(webhooks::WebhookAction),
    /// Workspaces: add, list.
    #[command(subcommand)]
    Workspace(workspaces::WorkspaceAction),
}

/// Reads a file that the command line names.
fn read_file(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        let shown = path.display().to_string();
        CommandRefusal::unreadable(&shown, format!("reading {shown}: {error}"))
    })
}

pub fn run(arguments: AdminArguments) -> Result<(), CliError> {
    if let AdminAction::Move(wanted) = &arguments.action {
        if arguments.db.is_some() {
            return Err(CliError::Usage("`admin move` takes --from and --to instead of --db".to_owned()));
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
        AdminError::Database(_) => anyhow::Error::from(why).context(format!("opening {place}")),
        told => told.into(),
    })?;
    let is_elsewhere = arguments.workspace.is_some();
    let of_first = matches!(
        arguments.action,
        AdminAction::Connection(_)
            | AdminAction::Proposal(_)
            | AdminAction::Workspace(_)
            | AdminAction::KeyFile(_)
    );
    if is_elsewhere && of_first {
        return Err(CliError::Usage(
            "--workspace is for keys, channels, calls, credits, templates, webhooks, `assistant` and `erase`; the others \
             act on the first workspace or on all"
                .to_owned(),
        ));
    }
    let admin = admin.in_workspace(arguments.workspace);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting")?;
    let json = arguments.json;
    let done = runtime.block_on(async {
        match arguments.action {
            // Handled above: they open databases themselves.
            AdminAction::Move(_) | AdminAction::Backup(_) => Ok(()),
            AdminAction::Key(action) => keys::run(&admin, action, json).await,
            AdminAction::Channel(action) => channels::run(&admin, action, json).await,
            AdminAction::Assistant(action) => assistant::run(&admin, action, json).await,
            AdminAction::Call(action) => calls::run(&admin, action, json).await,
            AdminAction::Credits(action) => credits::run(&admin, action, json).await,
            AdminAction::Erase(wanted) => erase::run(&admin, &wanted, json).await,
            AdminAction::KeyFile(action) => key_file::run(&admin, action, json).await,
            AdminAction::Connection(action) => connections::run(&admin, action, json).await,
            AdminAction::Proposal(action) => proposals::run(&admin, action, json).await,
            AdminAction::Template(action) => templates::run(&admin, action, json).await,
            AdminAction::Webhook(action) => webhooks::run(&admin, action, json).await,
            AdminAction::Workspace(action) => workspaces::run(&admin, action, json).await,
        }
    });
    admin.close();
    Ok(done?)
}
