//! Rows of a CSV file, one at a time, each with its line and its change or problem.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, Reader, ReaderBuilder};

use crate::import::{ImportError, file_error};
use model::contacts::ContactChange;
use model::import::{ImportColumns, ImportProblem};
use model::text::SafeText;

const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
const MAX_FIRST_LINE_BYTES: usize = 64 * 1024;

pub(super) struct ImportRows {
    pub(super) columns: ImportColumns,
    path: PathBuf,
    reader: Reader<File>,
    record: ByteRecord,
}

pub(super) struct ImportRow {
    /// First line of the row, counted from 1.
    pub(super) line: u64,
    /// Requested change, or the problem with the row.
    pub(super) change: Result<ContactChange, ImportProblem>,
}

impl ImportRows {
    /// Opens a file and reads its header.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let fails = |error: std::io::Error| file_error(path, format!("could not read the file: {error}"));
        let mut file = File::open(path).map_err(fails)?;
        let sign = detect_separator(&mut file).map_err(fails)?;
        let mut reader = ReaderBuilder::new().delimiter(sign).flexible(true).from_reader(file);
        let names = reader.headers().map_err(|error| file_error(path, describe_csv_error(&error)))?.clone();
        let columns =
            ImportColumns::from_names(names.iter()).map_err(|error| file_error(path, error.describe()))?;
        Ok(Self { columns, path: path.to_owned(), reader, record: ByteRecord::new() })
    }

    /// Next row; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<ImportRow>, ImportError> {
        let read = self.reader.read_byte_record(&mut self.record);
        if !read.map_err(|error| file_error(&self.path, describe_csv_error(&error)))? {
            return Ok(None);
        }
        let line = self.record.position().map_or(0, csv::Position::line);
        let cells: Result<Vec<&str>, _> = self.record.iter().map(std::str::from_utf8).collect();
        let wish = match cells {
            Ok(cells) => self.columns.parse_row(&cells),
            Err(_) => Err(ImportProblem {
                line,
                column: SafeText::default(),
                what: SafeText::line("is not UTF-8 text; save the file as UTF-8"),
            }),
        };
        Ok(Some(ImportRow { line, change: wish.map_err(|error| error.at(line)) }))
    }
}

/// Detects the delimiter from the header.
fn detect_separator(file: &mut File) -> std::io::Result<u8> {
    let mut line = Vec::new();
    let mut first = BufReader::new(std::io::Read::take(&mut *file, MAX_FIRST_LINE_BYTES as u64));
    first.read_until(b'\n', &mut line)?;
    file.seek(SeekFrom::Start(0))?;
    let count = |sign: u8| line.iter().filter(|byte| **byte == sign).count();
    // On a tie the first wins: the comma.
    Ok(SEPARATORS.into_iter().rev().max_by_key(|sign| count(*sign)).unwrap_or(b','))
}

fn describe_csv_error(error: &csv::Error) -> String {
    match error.position() {
        Some(position) => format!("line {}: {error}", position.line()),
        None => error.to_string(),
    }
}

/// Phone number as an integer, which takes less memory than its text.
pub(super) fn phone_to_number(phone: &str) -> u64 {
    phone
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(0, |sum, byte| sum.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')))
}
