//! `frontdesk join` and `frontdesk leave`: this desk and the team of a service (docs/team.md).

mod channels;
mod join;
mod leave;

use std::path::Path;

use clap::Args;

use crate::cli::CliError;
use crate::config::keys::session;
use crate::config::{ChannelConfig, Config, membership};
use model::text::SafeText;
use sync::TeamSpec;

pub use channels::add_at_start;
pub use join::run as join;
pub use leave::run as leave;

/// The arguments of `join`.
#[derive(Debug, Args)]
pub struct JoinArguments {
    /// Address of the service, such as https://desk.example.com.
    pub url: String,
    /// Name of this machine, as the team sees it; the host name if not given.
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// The switches of `leave`.
#[derive(Debug, Args)]
pub struct LeaveArguments {
    /// Do not ask for confirmation.
    #[arg(long)]
    pub yes: bool,
    /// Remove tabs and keys even if the service cannot be told; the session ends when the person is removed.
    #[arg(long)]
    pub offline: bool,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// Returns the team that this desk has joined, with its session. Channels that are found later change nothing if
/// `read_only`.
///
/// # Errors
/// As text: the membership or the session cannot be read.
pub fn joined(folder: &Path, config: &Config, read_only: bool) -> Result<Option<TeamSpec>, String> {
    let Some(joined) = membership::read(folder)? else { return Ok(None) };
    let session = session::fetch(folder, &joined.base_url)?;
    let of_team = config.channels.iter().filter(|channel| joined.channels.contains(&channel.name));
    Ok(Some(TeamSpec {
        channels: of_team.map(ChannelConfig::id).collect(),
        person: SafeText::line(&joined.person),
        base_url: joined.base_url,
        session,
        new_channels: Some(channels::while_running(read_only)),
    }))
}

/// Text of an error about the base URL, for an address entered as URL.
fn about_url(why: &client::ClientError) -> CliError {
    CliError::Usage(why.to_string().replacen("base_url", "URL", 1))
}
