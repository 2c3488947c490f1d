//! Choose: the commands of the binary, and how each ends.
//!
//! Errors are one line on stderr: what was being done, what went wrong, what
//! to do. Exit code 1 for a failure, 2 for usage.

pub mod admin;
pub mod channel;
pub mod demo;
pub mod development;
pub mod doctor;
pub mod folders;
pub mod inbox;
pub mod logs;
pub mod packaging;
pub mod print;
pub mod scripting;
pub mod serve;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use thiserror::Error;

/// Said where the inbox is asked for without a terminal.
const NO_TERMINAL: &str = "the inbox needs a terminal on stdout; run it in one, or use `frontdesk list`, \
                           `show`, `search`, `export`, `send`, `react`, `pause`, `resume` or `close` in scripts";

/// A human-takeover inbox for an AI messaging assistant, in the terminal.
#[derive(Debug, Parser)]
#[command(version, about, long_about = None)]
pub struct Cli {
    /// Change nothing: every write is off, in all tabs of the inbox.
    #[arg(long)]
    pub read_only: bool,
    /// What to do; without a command, the inbox of the configured channels.
    #[command(subcommand)]
    pub command: Option<Action>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// The inbox on a sample workspace that lives by itself; needs nothing.
    Demo {
        /// Keep the demo's files here instead of in a temporary folder.
        #[arg(long, value_name = "DIR")]
        data_dir: Option<PathBuf>,
    },
    /// Channel keys: add, list, test, remove.
    #[command(subcommand)]
    Channel(channel::ChannelAction),
    /// Look at configuration, files, terminal and keys, and say what to do.
    ///
    /// Exit code 1 when something does not work.
    Doctor(doctor::DoctorArguments),
    /// The embedded service alone.
    Serve(serve::ServeArguments),
    /// The dashboard side of an embedded service: keys, credits, templates.
    Admin(admin::AdminArguments),
    /// For scripts.
    #[command(flatten)]
    Script(scripting::Script),
    /// For benches and those who work on frontdesk.
    #[command(subcommand)]
    Dev(development::DevelopmentAction),
    /// For packagers.
    #[command(flatten)]
    Packaging(packaging::Packaging),
}

/// How a command failed.
#[derive(Debug, Error)]
pub enum CliError {
    /// The command cannot be used so.
    #[error("{0}")]
    Usage(String),
    /// Something went wrong on the way.
    #[error("{0:#}")]
    Failed(#[from] anyhow::Error),
}

/// Reads the command line, does what it says, and says how it ended.
pub fn main() -> ExitCode {
    let Cli { read_only, command } = Cli::parse();
    let result = match command {
        None => terminal().and_then(|()| inbox::run(read_only)),
        Some(Action::Demo { data_dir }) => terminal().and_then(|()| Ok(demo::run(data_dir, read_only)?)),
        Some(_) if read_only => {
            Err(CliError::Usage("--read-only is for the inbox: `frontdesk --read-only`".to_owned()))
        }
        Some(Action::Channel(action)) => channel::run(&action),
        Some(Action::Doctor(arguments)) => doctor::run(&arguments),
        Some(Action::Serve(arguments)) => serve::run(arguments),
        Some(Action::Admin(arguments)) => admin::run(arguments),
        Some(Action::Script(script)) => scripting::run(script),
        Some(Action::Dev(action)) => development::run(&action).map_err(CliError::from),
        Some(Action::Packaging(what)) => packaging::run(&what).map_err(CliError::from),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "frontdesk: {error}");
            ExitCode::from(match error {
                CliError::Usage(_) => 2,
                CliError::Failed(_) => 1,
            })
        }
    }
}

fn terminal() -> Result<(), CliError> {
    if std::io::stdout().is_terminal() { Ok(()) } else { Err(CliError::Usage(NO_TERMINAL.to_owned())) }
}
