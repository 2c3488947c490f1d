//! `contacts import`: checks or imports a CSV file.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};

use crate::cli::CliError;
use crate::cli::print;
use crate::cli::scripting::contacts::writable;
use crate::cli::scripting::session::SendStep;
use crate::cli::scripting::{Common, Session};
use crate::cli::unfinished::{RemainingState, Unfinished};
use client::{FailureCause, RequestFailure};
use model::import::DryRun;
use model::time::SECOND;
use sync::ChannelSync;
use sync::import::{self, Import};

/// Interval between checks of queued rows.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Interval between progress lines, in microseconds.
const PROGRESS_INTERVAL: i64 = 5 * SECOND;

/// The switches of `contacts import`.
#[derive(Debug, Args)]
pub struct ContactImportArguments {
    /// CSV file; its first line names the columns, one of which is phone.
    pub file: PathBuf,
    /// Only check the file: show counts and the first invalid lines.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub common: Common,
}

/// `contacts import --dry-run`: exit code 1 if a line is wrong.
pub fn dry_run(arguments: &ContactImportArguments) -> Result<(), CliError> {
    let found = import::check(&arguments.file).map_err(anyhow::Error::from)?;
    if arguments.common.json {
        print::json(&found_json(&found))?;
    } else {
        print::line(&format!(
            "{}: {} valid, {} of an earlier row, {} invalid, {} already imported",
            print::count(found.rows, "row"),
            found.valid,
            print::count(found.duplicates, "duplicate"),
            found.invalid,
            found.done
        ))?;
        print::line(&format!("columns: {}", found.columns))?;
        found.problems.iter().try_for_each(|problem| print::line(&problem.describe()))?;
    }
    if found.invalid > 0 {
        let (lines, them) = match found.invalid {
            1 => ("1 line is".to_owned(), "it"),
            count => (format!("{count} lines are"), "them"),
        };
        return Err(anyhow!("{lines} invalid; an import leaves {them} out").into());
    }
    Ok(())
}

fn found_json(found: &DryRun) -> Value {
    let problem = |problem: &model::import::ImportProblem| json!({"line": problem.line, "column": problem.column.as_str(), "what": problem.what.as_str()});
    json!({
        "rows": found.rows, "good": found.valid, "twice": found.duplicates, "bad": found.invalid, "done": found.done,
        "merges": found.merges, "columns": found.columns,
        "problems": found.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// Error of an import with rows left; a repeated command continues it.
fn unfinished(channel: &ChannelSync, failure: RequestFailure) -> anyhow::Error {
    let left = RemainingState::GoesOn("frontdesk contacts import".to_owned());
    let (channel, what) = (channel.spec().name.clone(), "the import".to_owned());
    Unfinished { failure, remaining: left, channel, what }.into()
}

/// Imports all rows, with progress lines on stderr.
pub fn run(session: &Session, channel: &ChannelSync, arguments: &ContactImportArguments) -> Result<()> {
    let platform = writable(session, channel)?;
    let id = channel.spec().id.clone();
    let mut import = Import::open(session.store().clone(), id, platform, &arguments.file)?;
    let mut said = session.moment();
    // No time limit: the import takes as long as its rows.
    session.deadline.clear();
    let progress = loop {
        let progress = import.step(session.now())?.clone();
        if progress.ended {
            break progress;
        }
        if let Some(why) = progress.stopped {
            return Err(unfinished(
                channel,
                RequestFailure::new(FailureCause::Undecided, &format!("paused: {why}")),
            ));
        }
        if session.moment().since(said) >= PROGRESS_INTERVAL {
            said = session.moment();
            print::print_progress(&format!(
                "{} of {}: {}",
                progress.done,
                progress.rows,
                progress.describe()
            ))?;
        }
        let work = session.run_send_step(channel, "contacts import")?;
        if channel.is_stopped() {
            let refused =
                || RequestFailure::new(FailureCause::KeyRefused, "the server refuses this channel's key");
            return Err(unfinished(channel, channel.failure().unwrap_or_else(refused)));
        }
        if work != SendStep::Moved {
            session.sleep(POLL_INTERVAL);
        }
    };
    if arguments.common.json {
        return print::json(
            &json!({"ok": true, "rows": progress.rows, "done": progress.done, "refused": progress.refused,
                "leftOut": progress.skipped, "results": progress.results}),
        );
    }
    print::line(&format!("{}; the results are in {}", progress.describe(), progress.results))
}
