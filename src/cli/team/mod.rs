//! `frontdesk join` and `frontdesk leave`: this desk and the team of a service (docs/team.md).

mod join;
mod leave;

use clap::Args;

use crate::cli::CliError;

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

/// Text of an error about the base URL, for an address entered as URL.
fn about_url(why: &client::ClientError) -> CliError {
    CliError::Usage(why.to_string().replacen("base_url", "URL", 1))
}
