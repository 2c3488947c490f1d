//! Importing people from a file: looked through, asked about, then followed
//! while it goes on.

pub(crate) mod update;

use crate::components::dialog::DialogLine;
use model::account::Platform;
use model::ids::ChannelId;
use model::import::{DryRun, ImportProgress};
use model::text::SafeText;

/// Problems shown.
const SHOWN: usize = 5;

/// What is to be done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportAction {
    /// Look it through; answered by [`ImportResult::Checked`].
    Check(ImportSource),
    /// Import it; answered by [`ImportResult::Progress`] now and then.
    Start(ImportSource),
    /// Stop the one under way; what is queued leaves all the same.
    Stop,
}

/// A file and whose people it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSource {
    pub channel: ChannelId,
    pub platform: Platform,
    /// The path as it was typed.
    pub file: String,
}

/// What is told of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportResult {
    /// What a file holds, or why it cannot be read.
    Checked(ImportSource, Result<Box<DryRun>, String>),
    /// How far one is.
    Progress(ImportSource, ImportProgress),
    /// One has ended with a failure of files.
    Failed(ImportSource, String),
}

/// An import as it is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningImport {
    pub source: ImportSource,
    pub progress: ImportProgress,
}

impl ImportSource {
    /// The file's name without its folders.
    pub fn name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

/// What was found in a file.
fn ask(source: &ImportSource, found: &DryRun) -> Vec<DialogLine> {
    let mut lines = vec![
        DialogLine::strong(SafeText::line(&source.file).to_string()),
        DialogLine::plain(format!("Columns: {}", SafeText::line(&found.columns))),
        DialogLine::gap(),
    ];
    let counts = [
        (found.valid, "to be imported"),
        (found.duplicates, "with a number that stands further up: left out"),
        (found.invalid, "wrong: left out"),
        (found.done, "seen to by an earlier import: not done again"),
    ];
    lines.push(DialogLine::plain(format!("{} rows", found.rows)));
    for (count, words) in counts.into_iter().filter(|pair| pair.0 > 0) {
        lines.push(DialogLine::plain(format!("{count:>8}  {words}")));
    }
    for problem in found.problems.iter().take(SHOWN) {
        lines.push(DialogLine::error(problem.describe()));
    }
    if found.invalid > SHOWN.min(found.problems.len()) as u64 {
        let more = found.invalid - SHOWN.min(found.problems.len()) as u64;
        lines.push(DialogLine::dim(format!("… and {more} more; the results name each")));
    }
    lines.push(DialogLine::gap());
    let merges = if found.merges { "Tags and metadata are merged with what the server has. " } else { "" };
    let minutes = match found.estimated_minutes() {
        0 | 1 => "about a minute".to_owned(),
        minutes if minutes < 120 => format!("about {minutes} minutes"),
        minutes => format!("about {} hours", minutes / 60),
    };
    lines.push(DialogLine::plain(format!(
        "{merges}It takes {minutes} within the rate limit, free of charge. The results stand beside the file; after a \
         crash the same command goes on behind them."
    )));
    lines
}
