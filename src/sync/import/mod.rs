//! Imports contacts from a CSV file: checked first, then queued row by row in the outbox, a few at a time
//! so that changes by people do not wait behind it. The results file beside it holds the whole state: an
//! interrupted import continues after its last entry.

mod reading;
mod results;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::contacts::CHANGED_BY_SERVER;
use client::prepare;
use model::account::Platform;
use model::contacts::ContactChange;
use model::ids::{ChannelId, RowId};
use model::import::{DryRun, ImportProgress, MAX_SHOWN_PROBLEMS, to_operation};
use model::outbox::{Lane, RowState, StopReason, StopVerdict};
use model::queries::OutboxOutcome;
use model::text::SafeText;
use model::time::Timestamp;
use reading::{ImportRows, phone_to_number};
use results::{Results, RowResult};
use store::outbox::NewRow;
use store::{Reader, Store, StoreError};

/// Maximum number of rows in the outbox at once.
const MAX_PENDING_ROWS: usize = 20;

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is unreadable or its results cannot be written.
    #[error("{file}: {why}")]
    File {
        file: String,
        /// Cause and remedy.
        why: String,
    },
    /// The data files failed.
    #[error("this desk's files: {0}")]
    Store(#[from] StoreError),
}

/// Checks a file without a request.
pub fn check(path: &Path) -> Result<DryRun, ImportError> {
    let mut rows = ImportRows::open(path)?;
    let results = Results::read(path)?;
    let mut found = DryRun {
        merges: rows.columns.has_merged_columns(),
        columns: rows.columns.describe(),
        ..DryRun::default()
    };
    let mut seen: HashSet<u64> = HashSet::new();
    while let Some(row) = rows.next()? {
        found.rows += 1;
        found.done += u64::from(results.is_done(row.line));
        match row.change {
            Ok(change) if seen.insert(phone_to_number(&change.phone)) => found.valid += 1,
            Ok(_) => found.duplicates += 1,
            Err(problem) => {
                found.invalid += 1;
                if found.problems.len() < MAX_SHOWN_PROBLEMS {
                    found.problems.push(problem);
                }
            }
        }
    }
    Ok(found)
}

struct PendingRow {
    line: u64,
    phone: String,
    row: RowId,
}

pub struct Import {
    store: Store,
    reader: Reader,
    channel: ChannelId,
    platform: Platform,
    rows: ImportRows,
    results: Results,
    seen: HashSet<u64>,
    pending: Vec<PendingRow>,
    read_all: bool,
    progress: ImportProgress,
}

impl Import {
    /// Starts an import or continues an interrupted one.
    pub fn open(
        store: Store,
        channel: ChannelId,
        platform: Platform,
        path: &Path,
    ) -> Result<Self, ImportError> {
        let total = check(path)?.rows;
        let results = Results::open(path)?;
        let progress = ImportProgress {
            rows: total,
            results: results.path().display().to_string(),
            done: results.count_results(&RowResult::ALL),
            refused: results.count_results(&[RowResult::Refused, RowResult::Differs]),
            skipped: results.count_results(&[RowResult::Bad, RowResult::Twice]),
            ..ImportProgress::default()
        };
        Ok(Self {
            reader: store.reader()?,
            rows: ImportRows::open(path)?,
            seen: HashSet::new(),
            pending: Vec::new(),
            read_all: false,
            store,
            channel,
            platform,
            results,
            progress,
        })
    }

    /// Records the outcomes of queued rows and queues more. Returns the progress. Called at intervals.
    ///
    /// # Errors
    /// When a file fails; rows already queued are still sent.
    pub fn step(&mut self, now: Timestamp) -> Result<&ImportProgress, ImportError> {
        self.progress.stopped = None;
        self.record_outcomes(now)?;
        if self.progress.stopped.is_none() {
            self.queue_next_rows(now)?;
        }
        self.results.flush()?;
        self.progress.ended = self.read_all && self.pending.is_empty();
        Ok(&self.progress)
    }

    /// True while rows are in the outbox; the caller must keep the outbox running.
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    fn record_outcomes(&mut self, now: Timestamp) -> Result<(), ImportError> {
        let ids: Vec<RowId> = self.pending.iter().map(|leaving| leaving.row.clone()).collect();
        for (row, fate) in self.reader.row_outcomes(&ids)? {
            let Some(at) = self.pending.iter().position(|leaving| leaving.row == row) else { continue };
            let (word, detail) = match fate {
                OutboxOutcome::Waiting | OutboxOutcome::Sending => continue,
                OutboxOutcome::Done => (RowResult::Saved, String::new()),
                OutboxOutcome::Recalled | OutboxOutcome::Dropped | OutboxOutcome::Refused(_) => {
                    (RowResult::Refused, "given up in the outbox".to_owned())
                }
                OutboxOutcome::NeedsDecision(why) => match self.handle_stopped_row(&row, &why, now)? {
                    Some(ended) => ended,
                    None => continue,
                },
            };
            let PendingRow { line, phone, .. } = self.pending.remove(at);
            self.write_result(line, &phone, word, &detail)?;
        }
        Ok(())
    }

    /// Records a row the server refused, without a decision. Any other stopped row stops the import until
    /// a person has decided.
    fn handle_stopped_row(
        &mut self,
        row: &RowId,
        why: &SafeText,
        now: Timestamp,
    ) -> Result<Option<(RowResult, String)>, ImportError> {
        let entry = self.reader.outbox_entry(row)?;
        let refused =
            entry.is_some_and(|entry| matches!(entry.row.state, RowState::Stopped(StopReason::Refused, _)));
        if !refused {
            self.progress.stopped = Some(why.clone());
            return Ok(None);
        }
        self.store.decide(row, StopVerdict::Drop, None, now)?;
        let word =
            if why.as_str().starts_with(CHANGED_BY_SERVER) { RowResult::Differs } else { RowResult::Refused };
        Ok(Some((word, why.to_string())))
    }

    fn queue_next_rows(&mut self, now: Timestamp) -> Result<(), ImportError> {
        let mut batch: Vec<(u64, ContactChange)> = Vec::new();
        while !self.read_all && self.pending.len() + batch.len() < MAX_PENDING_ROWS {
            let Some(row) = self.rows.next()? else {
                self.read_all = true;
                break;
            };
            let phone = row.change.as_ref().map_or("", |wish| wish.phone.as_str()).to_owned();
            let first = phone.is_empty() || self.seen.insert(phone_to_number(&phone));
            if self.results.is_done(row.line) {
                self.results.check_unchanged(row.line, &phone)?;
                continue;
            }
            match row.change {
                Ok(_) if !first => self.write_result(
                    row.line,
                    &phone,
                    RowResult::Twice,
                    "the same number is in an earlier line",
                )?,
                Ok(change) => batch.push((row.line, change)),
                Err(problem) => self.write_result(row.line, "", RowResult::Bad, &problem.describe())?,
            }
        }
        self.queue_batch(batch, now)
    }

    fn queue_batch(&mut self, batch: Vec<(u64, ContactChange)>, now: Timestamp) -> Result<(), ImportError> {
        let mut rows = Vec::with_capacity(batch.len());
        let mut lines = Vec::with_capacity(batch.len());
        for (line, change) in batch {
            let phone = change.phone.clone();
            let lane = Lane::Contact(phone.clone());
            let operation = to_operation(change);
            match prepare(&self.platform, &lane, &operation) {
                Ok(request) => {
                    lines.push((line, phone));
                    rows.push(NewRow::without_delay(self.channel.clone(), lane, operation, request));
                }
                Err(error) => self.write_result(line, &phone, RowResult::Bad, &error.to_string())?,
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let queued = self.store.enqueue_many(rows, false, now)?;
        let leaving = lines.into_iter().zip(queued);
        self.pending.extend(leaving.map(|((line, phone), row)| PendingRow { line, phone, row: row.id }));
        Ok(())
    }

    fn write_result(
        &mut self,
        line: u64,
        phone: &str,
        word: RowResult,
        detail: &str,
    ) -> Result<(), ImportError> {
        self.results.append(line, phone, word, detail)?;
        self.progress.done += 1;
        match word {
            RowResult::Saved => (),
            RowResult::Refused | RowResult::Differs => self.progress.refused += 1,
            RowResult::Bad | RowResult::Twice => self.progress.skipped += 1,
        }
        Ok(())
    }
}

pub fn results_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".results.csv");
    path.with_file_name(name)
}

fn file_error(path: &Path, why: impl ToString) -> ImportError {
    ImportError::File { file: path.display().to_string(), why: why.to_string() }
}
