//! Results file: one line for each processed row. Only appended to, and read again when an import
//! continues.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, Writer, WriterBuilder};

use crate::import::reading::phone_to_number;
use crate::import::{ImportError, file_error, results_path};
use model::cells;

model::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum RowResult {
        Saved = "saved",
        /// Accepted, but the server stored something else.
        Differs = "differs",
        Refused = "refused",
        /// Not sent: invalid.
        Bad = "bad",
        /// Not sent: the number occurs earlier in the file.
        Twice = "twice",
    }
}

pub(super) struct Results {
    path: PathBuf,
    /// Number and outcome by line.
    done: HashMap<u64, (u64, RowResult)>,
    writer: Option<Writer<File>>,
}

impl Results {
    /// Reads the results of an earlier import; empty if there was none.
    pub(super) fn read(of: &Path) -> Result<Self, ImportError> {
        let path = results_path(of);
        let mut text = Vec::new();
        match File::open(&path).and_then(|mut file| file.read_to_end(&mut text)) {
            Ok(_) => (),
            Err(error) if error.kind() == ErrorKind::NotFound => (),
            Err(error) => return Err(file_error(&path, error)),
        }
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(complete_lines(&text));
        let mut known = HashMap::new();
        for record in reader.records() {
            let record = record.map_err(|error| file_error(&path, error))?;
            let line = record.get(0).and_then(|text| text.parse::<u64>().ok());
            let word = record.get(2).and_then(RowResult::from_word);
            let (Some(line), Some(word)) = (line, word) else {
                return Err(file_error(&path, "is not a results file; move it away to start over"));
            };
            known.insert(line, (phone_to_number(record.get(1).unwrap_or("")), word));
        }
        Ok(Self { path, done: known, writer: None })
    }

    /// Reads the results and opens the file for appending. A partial last line left by a crash is
    /// removed.
    pub(super) fn open(of: &Path) -> Result<Self, ImportError> {
        let mut results = Self::read(of)?;
        let path = results.path.clone();
        let fails = |error: std::io::Error| file_error(&path, error);
        let mut file = disk::append(&path).map_err(fails)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(fails)?;
        let whole = complete_lines(&text).len();
        if whole < text.len() {
            file.set_len(whole as u64).map_err(fails)?;
        }
        let mut writer = WriterBuilder::new().from_writer(file);
        if whole == 0 {
            writer
                .write_record(["line", "phone", "result", "detail"])
                .map_err(|error| file_error(&path, error))?;
        }
        results.writer = Some(writer);
        Ok(results)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_done(&self, line: u64) -> bool {
        self.done.contains_key(&line)
    }

    pub(super) fn count_results(&self, words: &[RowResult]) -> u64 {
        self.done.values().filter(|(_, word)| words.contains(word)).count() as u64
    }

    /// Fails if a processed line now has another number.
    pub(super) fn check_unchanged(&self, line: u64, phone: &str) -> Result<(), ImportError> {
        match self.done.get(&line) {
            Some((number, word)) if *word != RowResult::Bad && *number != phone_to_number(phone) => {
                let why = format!(
                    "the phone number in line {line} has changed; move the results file away to start over"
                );
                Err(file_error(&self.path, why))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn append(
        &mut self,
        line: u64,
        phone: &str,
        word: RowResult,
        detail: &str,
    ) -> Result<(), ImportError> {
        self.done.insert(line, (phone_to_number(phone), word));
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let (phone, detail) = (cells::guard_formula(phone), cells::guard_formula(detail));
        let written = writer.write_record([&line.to_string(), &*phone, word.word(), &*detail]);
        written.map_err(|error| file_error(&self.path, error))
    }

    pub(super) fn flush(&mut self) -> Result<(), ImportError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let flushed = writer.flush().and_then(|()| writer.get_ref().flush());
        flushed.map_err(|error| file_error(&self.path, error))
    }
}

/// Text up to and including the last line break.
fn complete_lines(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |rposition| rposition + 1);
    &text[..end]
}
