//! Log file of a desk's latest calls, one line each, limited in size. Contains no responses and no
//! credentials.

use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use model::connections::calls::{CallLine, CallResult, MAX_LOG_LINES};
use model::text::SafeText;
use model::time::Timestamp;

#[derive(Debug)]
pub struct CallLog {
    file: Option<PathBuf>,
    inner: Mutex<LogState>,
}

#[derive(Debug, Default)]
struct LogState {
    lines: VecDeque<CallLine>,
    written: usize,
}

impl CallLog {
    /// Continues an existing file; keeps the log in memory only for `None`.
    pub fn open(file: Option<PathBuf>) -> Self {
        let text = file.as_ref().and_then(|file| disk::read_text(file).ok()).unwrap_or_default();
        let read: Vec<CallLine> = text.lines().filter_map(parse).collect();
        let lines: VecDeque<_> =
            read.iter().skip(read.len().saturating_sub(MAX_LOG_LINES)).cloned().collect();
        Self { file, inner: Mutex::new(LogState { lines, written: text.lines().count() }) }
    }

    /// Appends a line and drops the oldest beyond the limit.
    pub fn add(&self, line: CallLine) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let text = format(&line);
        inner.lines.push_back(line);
        if inner.lines.len() > MAX_LOG_LINES {
            inner.lines.pop_front();
        }
        let Some(file) = &self.file else { return };
        let kept = if inner.written >= 2 * MAX_LOG_LINES || !file.exists() {
            inner.written = inner.lines.len();
            let all: String = inner.lines.iter().map(format).collect();
            disk::write_with_folder(file, all.as_bytes())
        } else {
            inner.written += 1;
            disk::append(file).and_then(|mut append| append.write_all(text.as_bytes()))
        };
        if let Err(error) = kept {
            tracing::warn!(%error, "the log of connection calls could not be written");
        }
    }

    /// Returns at most `most` lines, newest first.
    pub fn newest(&self, most: usize) -> Vec<CallLine> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.lines.iter().rev().take(most).cloned().collect()
    }
}

fn plain(text: &str) -> String {
    SafeText::line(text).as_str().replace('\t', " ")
}

fn format(line: &CallLine) -> String {
    let result = match &line.result {
        CallResult::Status(status) => status.to_string(),
        CallResult::Failed(why) => plain(why.as_str()),
    };
    format!(
        "{}\t{}\t{}\t{}\t{result}\t{}\t{}\n",
        line.at,
        plain(&line.connection),
        plain(&line.endpoint),
        plain(&line.contact),
        line.millis,
        line.bytes
    )
}

fn parse(line: &str) -> Option<CallLine> {
    let mut cells = line.split('\t');
    let at = Timestamp::parse(cells.next()?)?;
    let [connection, endpoint, contact, result] =
        [cells.next()?, cells.next()?, cells.next()?, cells.next()?];
    Some(CallLine {
        at,
        connection: connection.to_owned(),
        endpoint: endpoint.to_owned(),
        contact: contact.to_owned(),
        result: result
            .parse()
            .map_or_else(|_| CallResult::Failed(SafeText::line(result)), CallResult::Status),
        millis: cells.next()?.parse().ok()?,
        bytes: cells.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: i64) -> CallLine {
        CallLine {
            at: Timestamp::from_micros(1_700_000_000_000_000 + number * 1_000_000),
            connection: "shop".to_owned(),
            endpoint: "orders".to_owned(),
            contact: format!("+{number}"),
            result: if number % 2 == 0 {
                CallResult::Status(200)
            } else {
                CallResult::Failed(SafeText::line("the host did not\tanswer"))
            },
            millis: 7,
            bytes: 99,
        }
    }

    #[test]
    fn it_goes_on_and_stays_small() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("connections.log");
        let log = CallLog::open(Some(file.clone()));
        let many = i64::try_from(MAX_LOG_LINES * 5 / 2).expect("small");
        for number in 0..many {
            log.add(line(number));
        }
        let newest = log.newest(3);
        assert_eq!(
            newest.iter().map(|call_line| call_line.contact.clone()).collect::<Vec<_>>(),
            ["+2499", "+2498", "+2497"]
        );
        assert_eq!(log.newest(usize::MAX).len(), MAX_LOG_LINES);
        let kept = std::fs::read_to_string(&file).expect("written").lines().count();
        assert!(kept <= 2 * MAX_LOG_LINES, "{kept}");
        let again = CallLog::open(Some(file));
        assert_eq!(again.newest(1)[0].contact, "+2499");
        assert_eq!(again.newest(2)[1], line(2498));
        assert_eq!(again.newest(usize::MAX).len(), MAX_LOG_LINES);
    }
}
