//! The commands of the binary and their exit codes.
//!
//! Errors are one line on stderr: the action, the failure and the remedy. Exit code 1 for a failure, 2 for
//! wrong usage.

pub mod admin;
mod asking;
pub mod channel;
pub mod completing;
pub mod connection;
pub mod demo;
pub mod desk;
pub mod development;
pub mod doctor;
pub mod engine;
mod first_run;
pub mod folders;
pub mod log_files;
mod logs;
pub mod manual;
pub mod mcp;
pub mod packaging;
pub mod print;
mod receiving;
mod sample_assistant;
pub mod scripting;
pub mod serve;
pub mod team;
pub mod unfinished;
mod until_sent;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};
use thiserror::Error;

use crate::shell::desk_parts::DeskParts;
use crate::shell::privacy;
use crate::shell::run::DeskError;
use client::PrepareError;
use inbox::wrap;

const NO_TERMINAL: &str = "the inbox needs a terminal on standard output; run it in a terminal, or use `frontdesk \
                           list`, `show`, `search`, `export`, `send`, `react`, `take`, `done`, `later`, `pause`, \
                           `resume`, `close` or `broadcast` in scripts";

const NO_WALL_TERMINAL: &str = "the wall needs a terminal on standard output; run `frontdesk wall` in a terminal, \
    or use `frontdesk list`, `account` or `broadcast list` in scripts";

pub const EXIT_CODES: [(&str, &str); 4] = [
    ("0", "Done: the server confirmed the change, or the result is on standard output"),
    ("1", "Failed: nothing was done and nothing is queued; standard error says why"),
    ("2", "Wrong usage: nothing was changed"),
    (
        "3",
        "Not finished: queued, waiting for a person, or outcome unknown; standard error says which, and names the \
         row of the outbox",
    ),
];
pub const JSON_ERRORS_HELP: &str = "With --json, errors are JSON too: one object per line on standard error.";
/// Columns of the text beside an exit code.
const EXIT_CODE_COLUMNS: usize = 75;

/// The version, with the commit if the build gives one (`build.rs`).
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("FRONTDESK_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
});

fn exit_codes() -> String {
    let told = EXIT_CODES.map(|(code, words)| {
        let lines = wrap::wrap(words, EXIT_CODE_COLUMNS).into_iter().map(|range| words[range].trim_end());
        format!("  {code}  {}\n", lines.collect::<Vec<_>>().join("\n     "))
    });
    format!("Exit codes:\n{}{JSON_ERRORS_HELP}", told.concat())
}

/// A human-takeover inbox for an AI messaging assistant, in the terminal.
#[derive(Debug, Default, Parser)]
#[command(version = VERSION.as_str(), about, long_about = None, after_help = exit_codes())]
pub struct Cli {
    /// Change nothing: turn off every change in all tabs of the inbox.
    #[arg(long)]
    pub read_only: bool,
    /// Show the inbox as lines of text, for screen readers and simple terminals.
    #[arg(long)]
    pub plain: bool,
    /// Command to run; without one, the inbox of the configured channels opens.
    #[command(subcommand)]
    pub command: Option<Action>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Open the inbox on a simulated sample workspace; needs no key and no network.
    Demo(demo::DemoArguments),
    /// Manage channels and their keys: add, list, test, remove.
    #[command(subcommand)]
    Channel(channel::ChannelAction),
    /// Join the team of a service: sign in with a token and get a tab for each channel.
    ///
    /// The token is asked for without being shown, or read from FRONTDESK_JOIN_TOKEN or the first line
    /// of standard input. `frontdesk admin person add` prints it; it is used once.
    Join(team::JoinArguments),
    /// Leave the team: end the session and remove its tabs and keys; drafts and unsent messages are kept.
    Leave(team::LeaveArguments),
    /// Manage this desk's Data Connections: add, list, test, credential, remove.
    #[command(subcommand)]
    Connection(connection::ConnectionAction),
    /// Check configuration, files, terminal and keys, and say what to do.
    ///
    /// Exits with 1 if something does not work.
    Doctor(doctor::DoctorArguments),
    /// Run the service without an inbox.
    Serve(serve::ServeArguments),
    /// Manage your own service: channels, keys, credits, templates.
    Admin(admin::AdminArguments),
    /// Show all channels on one screen, read-only.
    Wall,
    /// Poll, send, run broadcasts and receive webhooks without a screen, until Ctrl-C or SIGTERM.
    ///
    /// An inbox opened on the same files takes over at once, and the engine continues when it is
    /// closed. The engine logs to the same folder as the inbox.
    Engine(engine::EngineArguments),
    /// Serve the Model Context Protocol on standard input and output, for your own assistant. It
    /// can read and leave proposals and notes; only a person sends.
    Mcp(mcp::McpArguments),
    #[command(flatten)]
    Script(scripting::Script),
    /// Tools for benchmarks and for developers of frontdesk.
    #[command(subcommand, hide = true)]
    Dev(development::DevelopmentAction),
    #[command(flatten)]
    Packaging(packaging::Packaging),
}

#[derive(Debug, Error)]
pub enum CliError {
    #[error("{0}")]
    Usage(String),
    #[error("{0:#}")]
    Failed(anyhow::Error),
}

/// Wrong usage, as an error that can be wrapped.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct UsageError(pub String);

impl From<anyhow::Error> for CliError {
    /// A command that cannot be made into a request is wrong usage, too.
    fn from(error: anyhow::Error) -> Self {
        let is_usage = error.chain().any(|error| error.is::<UsageError>() || error.is::<PrepareError>());
        if is_usage { Self::Usage(format!("{error:#}")) } else { Self::Failed(error) }
    }
}

/// Parses the command line, runs the command and returns its exit code.
pub fn main() -> ExitCode {
    completing::answer_shell();
    disk::keep_private();
    privacy::disable_core_dumps();
    let wants_json = is_json_requested();
    // Without arguments the parser is skipped, for a faster start.
    let bare = std::env::args_os().len() == 1;
    let Cli { read_only, plain, command } = match if bare { Ok(Cli::default()) } else { Cli::try_parse() } {
        Ok(cli) => cli,
        Err(error) if wants_json && error.use_stderr() => {
            print::errors(&[unfinished::usage(error.to_string().trim_end())]);
            return ExitCode::from(2);
        }
        Err(error) if error.use_stderr() => error.exit(),
        Err(error) => return exit_code(print::help(&error).map_err(CliError::from), wants_json),
    };
    let wall = matches!(command, Some(Action::Wall));
    let how = RunMode { read_only: read_only || wall, plain: plain || is_dumb_terminal(), wall };
    let result = match command {
        None | Some(Action::Wall) => how.require_terminal().and_then(|()| desk::run(how)),
        Some(Action::Demo(arguments)) => {
            let how = RunMode { plain: how.plain || arguments.lines, ..how };
            how.require_terminal().and_then(|()| Ok(demo::run(arguments, how)?))
        }
        Some(_) if read_only || plain => Err(CliError::Usage(
            "--read-only and --plain work only with the inbox: `frontdesk --plain`, `frontdesk --plain demo`, \
             `frontdesk --read-only wall`"
                .to_owned(),
        )),
        Some(Action::Channel(action)) => channel::run(&action),
        Some(Action::Join(arguments)) => team::join(&arguments),
        Some(Action::Leave(arguments)) => team::leave(&arguments),
        Some(Action::Connection(action)) => connection::run(&action),
        Some(Action::Doctor(arguments)) => doctor::run(&arguments),
        Some(Action::Engine(arguments)) => engine::run(&arguments),
        Some(Action::Mcp(arguments)) => mcp::run(&arguments),
        Some(Action::Serve(arguments)) => serve::run(arguments),
        Some(Action::Admin(arguments)) => admin::run(arguments),
        Some(Action::Script(script)) => scripting::run(script),
        Some(Action::Dev(action)) => development::run(&action).map_err(CliError::from),
        Some(Action::Packaging(what)) => packaging::run(&what).map_err(CliError::from),
    };
    exit_code(result, wants_json)
}

/// Reports a failure on standard error and returns the exit code.
fn exit_code(result: Result<(), CliError>, wants_json: bool) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Failed(error)) if print::is_reader_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if wants_json {
                print::errors(&unfinished::as_json(&error));
            } else {
                for line in unfinished::lines(&error) {
                    let _ = writeln!(std::io::stderr(), "frontdesk: {}", print::without_repetition(&line));
                }
            }
            ExitCode::from(unfinished::exit_code(&error))
        }
    }
}

/// True if `--json` is among the arguments: parse errors are JSON then, too.
fn is_json_requested() -> bool {
    std::env::args_os().skip(1).take_while(|args_os| args_os != "--").any(|args_os| args_os == "--json")
}

/// True if standard output is a terminal that can only print lines.
fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_some_and(|var_os| var_os == "dumb") && std::io::stdout().is_terminal()
}

#[derive(Debug, Clone, Copy)]
pub struct RunMode {
    pub read_only: bool,
    pub plain: bool,
    pub wall: bool,
}

impl RunMode {
    /// Fails if a screen is needed and there is no terminal.
    fn require_terminal(self) -> Result<(), CliError> {
        if self.plain || std::io::stdout().is_terminal() {
            return Ok(());
        }
        let told = if self.wall { NO_WALL_TERMINAL } else { NO_TERMINAL };
        Err(CliError::Usage(told.to_owned()))
    }

    /// True if a person at a screen can choose the first step.
    fn can_ask(self) -> bool {
        !self.plain && !self.wall && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }

    pub fn run(self, desk: DeskParts) -> Result<(), DeskError> {
        if self.plain { desk.run_plain() } else { desk.run() }
    }
}
