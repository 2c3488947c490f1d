//! Importing people from a file: a check, a confirmation, then progress.

pub(crate) mod update;

use crate::components::dialog::DialogLine;
use model::account::Platform;
use model::ids::ChannelId;
use model::import::{DryRun, ImportProgress};
use model::text::SafeText;

const MAX_LISTED_PROBLEMS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportAction {
    /// Checks the file; answered by [`ImportResult::Checked`].
    Check(ImportSource),
    /// Imports the file; answered by repeated [`ImportResult::Progress`].
    Start(ImportSource),
    /// Stops the running import; rows already queued are still sent.
    Stop,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSource {
    pub channel: ChannelId,
    pub platform: Platform,
    /// Path as typed.
    pub file: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportResult {
    Checked(ImportSource, Result<Box<DryRun>, String>),
    Progress(ImportSource, ImportProgress),
    Failed(ImportSource, String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningImport {
    pub source: ImportSource,
    pub progress: ImportProgress,
}

impl ImportSource {
    pub fn name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

fn confirmation_lines(source: &ImportSource, found: &DryRun) -> Vec<DialogLine> {
    let mut lines = vec![
        DialogLine::strong(SafeText::line(&source.file).to_string()),
        DialogLine::plain(format!("Columns: {}", SafeText::line(&found.columns))),
        DialogLine::blank(),
    ];
    let counts = [
        (found.valid, "to be imported"),
        (found.duplicates, "listed twice, left out"),
        (found.invalid, "invalid, left out"),
        (found.done, "already imported, left out"),
    ];
    lines.push(DialogLine::plain(format!("{} rows", found.rows)));
    for (count, words) in counts.into_iter().filter(|pair| pair.0 > 0) {
        lines.push(DialogLine::plain(format!("{count:>8}  {words}")));
    }
    for problem in found.problems.iter().take(MAX_LISTED_PROBLEMS) {
        lines.push(DialogLine::error(problem.describe()));
    }
    if found.invalid > MAX_LISTED_PROBLEMS.min(found.problems.len()) as u64 {
        let more = found.invalid - MAX_LISTED_PROBLEMS.min(found.problems.len()) as u64;
        lines.push(DialogLine::dim(format!("… and {more} more; the results name each")));
    }
    lines.push(DialogLine::blank());
    let merges = if found.merges { "Tags and metadata are merged with what the server has. " } else { "" };
    let minutes = match found.estimated_minutes() {
        0 | 1 => "about a minute".to_owned(),
        minutes if minutes < 120 => format!("about {minutes} minutes"),
        minutes => format!("about {} hours", minutes / 60),
    };
    lines.push(DialogLine::plain(format!(
        "{merges}It takes {minutes} within the rate limit, free of charge. The results are saved beside the \
         file; after a crash, the same command continues."
    )));
    lines
}
