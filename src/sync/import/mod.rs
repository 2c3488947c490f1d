//! Imports contacts from a CSV file: checked first, then queued row by row in the outbox, a few at a time
//! so that changes by people do not wait behind it. The results file beside it holds the whole state: an
//! interrupted import continues after its last entry.

mod reading;
mod results;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::contacts::DIFFERS;
use client::prepare;
use model::account::Platform;
use model::contacts::ContactChange;
use model::ids::{ChannelId, RowId};
use model::import::{DryRun, ImportProgress, SHOWN, operation};
use model::outbox::{Lane, RowState, Stop, StopVerdict};
use model::queries::OutboxFate;
use model::text::SafeText;
use model::time::Timestamp;
use reading::{ImportRows, number_of};
use results::{Results, RowResult};
use store::outbox::NewRow;
use store::{Reader, Store, StoreError};

/// Maximum number of rows in the outbox at once.
const WINDOW: usize = 20;

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
    let mut found =
        DryRun { merges: rows.columns.merge(), columns: rows.columns.words(), ..DryRun::default() };
    let mut seen: HashSet<u64> = HashSet::new();
    while let Some(row) = rows.next()? {
        found.rows += 1;
        found.done += u64::from(results.has(row.line));
        match row.wish {
            Ok(change) if seen.insert(number_of(&change.phone)) => found.good += 1,
            Ok(_) => found.twice += 1,
            Err(problem) => {
                found.bad += 1;
                if found.problems.len() < SHOWN {
                    found.problems.push(problem);
                }
            }
        }
    }
    Ok(found)
}

/// Row in the outbox.
struct Leaving {
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
    leaving: Vec<Leaving>,
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
            done: results.counted(&RowResult::ALL),
            refused: results.counted(&[RowResult::Refused, RowResult::Differs]),
            skipped: results.counted(&[RowResult::Bad, RowResult::Twice]),
            ..ImportProgress::default()
        };
        Ok(Self {
            reader: store.reader()?,
            rows: ImportRows::open(path)?,
            seen: HashSet::new(),
            leaving: Vec::new(),
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
        self.note_fates(now)?;
        if self.progress.stopped.is_none() {
            self.queue_more(now)?;
        }
        self.results.flush()?;
        self.progress.ended = self.read_all && self.leaving.is_empty();
        Ok(&self.progress)
    }

    /// True while rows are in the outbox; the caller must keep the outbox running.
    pub fn is_waiting(&self) -> bool {
        !self.leaving.is_empty()
    }

    fn note_fates(&mut self, now: Timestamp) -> Result<(), ImportError> {
        let ids: Vec<RowId> = self.leaving.iter().map(|leaving| leaving.row.clone()).collect();
        for (row, fate) in self.reader.fates(&ids)? {
            let Some(at) = self.leaving.iter().position(|leaving| leaving.row == row) else { continue };
            let (word, detail) = match fate {
                OutboxFate::Waiting | OutboxFate::Sending => continue,
                OutboxFate::Done => (RowResult::Saved, String::new()),
                OutboxFate::TakenBack | OutboxFate::Dropped | OutboxFate::Refused(_) => {
                    (RowResult::Refused, "given up in the outbox".to_owned())
                }
                OutboxFate::Asks(why) => match self.asks(&row, &why, now)? {
                    Some(ended) => ended,
                    None => continue,
                },
            };
            let Leaving { line, phone, .. } = self.leaving.remove(at);
            self.note(line, &phone, word, &detail)?;
        }
        Ok(())
    }

    /// Records a row the server refused, without a decision. Any other stopped row stops the import until
    /// a person has decided.
    fn asks(
        &mut self,
        row: &RowId,
        why: &SafeText,
        now: Timestamp,
    ) -> Result<Option<(RowResult, String)>, ImportError> {
        let entry = self.reader.entry(row)?;
        let refused =
            entry.is_some_and(|entry| matches!(entry.row.state, RowState::Stopped(Stop::Refused, _)));
        if !refused {
            self.progress.stopped = Some(why.clone());
            return Ok(None);
        }
        self.store.decide(row, StopVerdict::Drop, None, now)?;
        let word = if why.as_str().starts_with(DIFFERS) { RowResult::Differs } else { RowResult::Refused };
        Ok(Some((word, why.to_string())))
    }

    fn queue_more(&mut self, now: Timestamp) -> Result<(), ImportError> {
        let mut batch: Vec<(u64, ContactChange)> = Vec::new();
        while !self.read_all && self.leaving.len() + batch.len() < WINDOW {
            let Some(row) = self.rows.next()? else {
                self.read_all = true;
                break;
            };
            let phone = row.wish.as_ref().map_or("", |wish| wish.phone.as_str()).to_owned();
            let first = phone.is_empty() || self.seen.insert(number_of(&phone));
            if self.results.has(row.line) {
                self.results.agrees(row.line, &phone)?;
                continue;
            }
            match row.wish {
                Ok(_) if !first => {
                    self.note(row.line, &phone, RowResult::Twice, "the number stands further up")?
                }
                Ok(change) => batch.push((row.line, change)),
                Err(problem) => self.note(row.line, "", RowResult::Bad, &problem.words())?,
            }
        }
        self.queue(batch, now)
    }

    fn queue(&mut self, batch: Vec<(u64, ContactChange)>, now: Timestamp) -> Result<(), ImportError> {
        let mut rows = Vec::with_capacity(batch.len());
        let mut lines = Vec::with_capacity(batch.len());
        for (line, change) in batch {
            let phone = change.phone.clone();
            let lane = Lane::Contact(phone.clone());
            let operation = operation(change);
            match prepare(&self.platform, &lane, &operation) {
                Ok(request) => {
                    lines.push((line, phone));
                    rows.push(NewRow::at_once(self.channel.clone(), lane, operation, request));
                }
                Err(error) => self.note(line, &phone, RowResult::Bad, &error.to_string())?,
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let queued = self.store.enqueue_many(rows, false, now)?;
        let leaving = lines.into_iter().zip(queued);
        self.leaving.extend(leaving.map(|((line, phone), row)| Leaving { line, phone, row: row.id }));
        Ok(())
    }

    fn note(&mut self, line: u64, phone: &str, word: RowResult, detail: &str) -> Result<(), ImportError> {
        self.results.add(line, phone, word, detail)?;
        self.progress.done += 1;
        match word {
            RowResult::Saved => (),
            RowResult::Refused | RowResult::Differs => self.progress.refused += 1,
            RowResult::Bad | RowResult::Twice => self.progress.skipped += 1,
        }
        Ok(())
    }
}

pub fn results_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".results.csv");
    path.with_file_name(name)
}

fn file_error(path: &Path, why: impl ToString) -> ImportError {
    ImportError::File { file: path.display().to_string(), why: why.to_string() }
}
