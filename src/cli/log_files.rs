//! Log files of the service: one is written, and older ones are kept up to a number. `service.log` becomes
//! `service.log.1` when it is full, which becomes `service.log.2`, and so on.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use tracing_subscriber::fmt::MakeWriter;

const MEGABYTE: u64 = 1024 * 1024;

/// Switches of a log file.
#[derive(Debug, Clone, clap::Args)]
pub struct LogFileArguments {
    /// Write the log to this file instead of standard error, and keep older files beside it as PATH.1, PATH.2
    /// and so on. Each process needs a file of its own.
    #[arg(long, value_name = "PATH")]
    log_file: Option<PathBuf>,
    /// Size at which the log file is followed by a new one, in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 20, requires = "log_file", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    log_file_size: u64,
    /// Number of log files that are kept, with the one that is written.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, requires = "log_file", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    log_files: u32,
}

impl LogFileArguments {
    /// Opens the log file, if one is named.
    pub fn open(&self) -> Result<Option<RotatingFile>> {
        let Some(path) = &self.log_file else { return Ok(None) };
        let opened = RotatingFile::open(path, self.log_file_size * MEGABYTE, self.log_files);
        opened.map(Some).with_context(|| format!("could not open the log file {}", path.display()))
    }
}

/// A log file that is followed by a new one when it is full.
pub struct RotatingFile {
    path: PathBuf,
    /// In bytes. A record is never divided, so a file may be one record shorter.
    max_size: u64,
    /// Number of files, with the one that is written.
    max_files: u32,
    open: Mutex<OpenFile>,
}

struct OpenFile {
    file: File,
    /// In bytes.
    size: u64,
    /// True if the last attempt to begin a new file failed; the old one is then written on.
    is_stuck: bool,
}

impl RotatingFile {
    fn open(path: &Path, max_size: u64, max_files: u32) -> io::Result<Self> {
        let file = disk::append(path)?;
        let open = Mutex::new(OpenFile { size: file.metadata()?.len(), file, is_stuck: false });
        Ok(Self { path: path.to_owned(), max_size, max_files, open })
    }

    /// Path of an older file; 1 is the newest of them.
    fn older(&self, number: u32) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    }

    /// Moves each file one number on, drops the oldest, and begins a new one.
    fn begin_file(&self) -> io::Result<File> {
        if self.max_files == 1 {
            fs::remove_file(&self.path)?;
            return disk::append(&self.path);
        }
        for number in (1..self.max_files - 1).rev() {
            match fs::rename(self.older(number), self.older(number + 1)) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
                _ => {}
            }
        }
        fs::rename(&self.path, self.older(1))?;
        disk::append(&self.path)
    }

    fn write_record(&self, record: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let length = u64::try_from(record.len()).unwrap_or(u64::MAX);
        if open.size > 0 && open.size.saturating_add(length) > self.max_size {
            match self.begin_file() {
                Ok(file) => *open = OpenFile { file, size: 0, is_stuck: false },
                Err(cause) if !open.is_stuck => {
                    open.is_stuck = true;
                    let path = self.path.display();
                    let words =
                        format!("could not begin a new log file after {path}: {cause}; it grows on\n");
                    open.file.write_all(words.as_bytes())?;
                }
                Err(_) => {}
            }
        }
        open.file.write_all(record)?;
        open.size = open.size.saturating_add(length);
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for RotatingFile {
    type Writer = RecordWriter<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        RecordWriter(self)
    }
}

/// Writes whole records to the current file.
pub struct RecordWriter<'a>(&'a RotatingFile);

impl Write for RecordWriter<'_> {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        self.0.write_record(record)?;
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(log: &RotatingFile, record: &str) {
        log.make_writer().write_all(record.as_bytes()).expect("written");
    }

    #[test]
    fn files_are_bounded_in_size_and_number_and_lose_no_record_between() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.log");
        for max_files in [1, 2, 4] {
            let log = RotatingFile::open(&path, 100, max_files).expect("it opens");
            for number in 0..200 {
                write(&log, &format!("record {number:03}\n"));
            }
            let mut records = Vec::new();
            for number in (0..max_files).rev() {
                let path = if number == 0 { path.clone() } else { log.older(number) };
                let text = fs::read_to_string(&path).expect("a file");
                assert!(text.len() <= 100 && text.ends_with('\n'), "{text}");
                records.extend(text.lines().map(str::to_owned));
            }
            let first = 200 - records.len();
            let wanted: Vec<String> = (first..200).map(|number| format!("record {number:03}")).collect();
            assert_eq!(records, wanted, "{max_files}");
            assert!(!log.older(max_files).exists(), "{max_files}");
        }
    }

    #[test]
    fn log_of_an_earlier_run_is_continued() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.log");
        for number in 0..3 {
            let log = RotatingFile::open(&path, 20, 3).expect("it opens");
            write(&log, &format!("record {number}\n"));
        }
        assert_eq!(fs::read_to_string(&path).expect("the newest"), "record 2\n");
        let older = fs::read_to_string(folder.path().join("service.log.1")).expect("older");
        assert_eq!(older, "record 0\nrecord 1\n");
    }

    #[test]
    fn record_longer_than_a_file_is_written_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.log");
        let log = RotatingFile::open(&path, 10, 2).expect("it opens");
        write(&log, "a record that is longer than the file\n");
        write(&log, "next\n");
        assert_eq!(fs::read_to_string(&path).expect("the newest"), "next\n");
        assert!(fs::read_to_string(log.older(1)).expect("older").starts_with("a record"));
    }

    #[test]
    fn log_goes_on_in_the_full_file_if_no_new_one_can_be_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.log");
        let log = RotatingFile::open(&path, 10, 2).expect("it opens");
        // Cannot be replaced by a file.
        fs::create_dir_all(log.older(1).join("inside")).expect("made");
        for number in 0..5 {
            write(&log, &format!("record {number}\n"));
        }
        let text = fs::read_to_string(&path).expect("a file");
        assert_eq!(text.matches("record").count(), 5, "{text}");
        assert_eq!(text.matches("could not begin a new log file").count(), 1, "{text}");
    }
}
