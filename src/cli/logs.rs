//! Logging. The inbox logs to files in the data folder, kept for a week, never to the terminal; the service
//! logs to standard error, or to a file that it follows by new ones.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{self, FmtContext, FormatEvent, FormatFields, FormattedFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::cli::log_files::RotatingFile;

const HISTORY_LIMIT_DAYS: usize = 7;
/// Name of the service's span around a request.
const REQUEST_SPAN: &str = "request";
/// Allowed values of `FRONTDESK_LOG`, as text.
const LEVELS_HELP: &str =
    "use error, warn, info, debug, trace or off, or levels of single modules such as warn,hyper=debug";

/// Starts logging to the folder, at the level of `FRONTDESK_LOG` (default `info`).
pub fn start(folder: &Path) -> Result<()> {
    let filter = filter(LevelFilter::INFO)?;
    if let Some(denial) = disk::find_denial(folder, disk::NeededAccess::Write) {
        bail!("could not use the log folder {}: {denial}; {}", folder.display(), denial.remedy());
    }
    disk::create_own_folder(folder)
        .with_context(|| format!("could not use the log folder {}", folder.display()))?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("frontdesk")
        .filename_suffix("log")
        .max_log_files(HISTORY_LIMIT_DAYS)
        .build(folder)
        .map_err(|error| anyhow!("could not open the log in {}: {}", folder.display(), root_cause(&error)))?;
    let lines = fmt::layer().with_ansi(false).with_writer(OneLineRecords(files));
    // A second start in one process, as in tests, keeps the first log.
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
    Ok(())
}

/// Innermost error of a chain: the others name no cause.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// Form of the records of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line, for programs that collect logs.
    Json,
}

/// Starts the log of the service in a file, or else on standard error, at the level of `FRONTDESK_LOG` (default
/// `warn`; `info` logs every request).
pub fn start_of_service(format: LogFormat, file: Option<RotatingFile>) -> Result<()> {
    match file {
        Some(file) => start_with_writer(format, file),
        None => start_with_writer(format, std::io::stderr),
    }
}

fn start_with_writer<M>(format: LogFormat, writer: M) -> Result<()>
where
    M: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let registry = tracing_subscriber::registry().with(filter(LevelFilter::WARN)?);
    let lines = fmt::layer().with_ansi(false).with_writer(OneLineRecords(writer));
    let _ = match format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.event_format(JsonRecords)).try_init(),
    };
    Ok(())
}

/// Formats a record as a JSON object: `time`, `level`, `target`, `message`, the fields of the record, and
/// `request`, the id of the request that it belongs to.
struct JsonRecords;

impl<S, N> FormatEvent<S, N> for JsonRecords
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        let mut record = JsonFields::default();
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        record.put("time", Value::from(time));
        record.put("level", Value::from(event.metadata().level().as_str()));
        record.put("target", Value::from(event.metadata().target()));
        event.record(&mut record);
        let spans = context.event_scope().into_iter().flatten();
        for span in spans.filter(|span| span.name() == REQUEST_SPAN) {
            let extensions = span.extensions();
            let fields = extensions.get::<FormattedFields<N>>();
            if let Some(id) = fields.and_then(|fields| fields.fields.strip_prefix("id=")) {
                record.put("request", Value::from(id));
            }
        }
        writeln!(writer, "{}", Value::Object(record.0))
    }
}

#[derive(Default)]
struct JsonFields(Map<String, Value>);

impl JsonFields {
    fn put(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }
}

impl Visit for JsonFields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.put(field.name(), Value::from(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field.name(), Value::from(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field.name(), Value::from(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field.name(), Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field.name(), Value::from(value));
    }
}

/// Returns the levels of `FRONTDESK_LOG`, or the default.
fn filter(usual: LevelFilter) -> Result<Targets> {
    match std::env::var("FRONTDESK_LOG") {
        Ok(wanted) if !wanted.trim().is_empty() => read_levels(&wanted).map_err(anyhow::Error::msg),
        Ok(_) | Err(std::env::VarError::NotPresent) => Ok(Targets::new().with_default(usual)),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(anyhow::anyhow!("FRONTDESK_LOG is not valid UTF-8: {LEVELS_HELP}"))
        }
    }
}

/// Parses a level, or levels of single targets as in `warn,hyper=debug`.
fn read_levels(text: &str) -> Result<Targets, String> {
    let wrong = |word: &str| format!("FRONTDESK_LOG={text}: {word:?} is not a log level: {LEVELS_HELP}");
    let mut levels = Targets::new();
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let (part, word) =
            entry.rsplit_once('=').map_or((None, entry), |(part, word)| (Some(part.trim()), word.trim()));
        // The parser accepts numbers, which are not documented levels.
        let level = word.parse::<LevelFilter>().ok().filter(|_| word.parse::<usize>().is_err());
        let level = level.ok_or_else(|| wrong(word))?;
        levels = match part {
            Some("") => return Err(wrong(entry)),
            Some(part) => levels.with_target(part, level),
            None => levels.with_default(level),
        };
    }
    Ok(levels)
}

/// Writes each record as one line, so that text inside a record cannot forge another.
struct OneLineRecords<M>(M);

struct OneLineWriter<W>(W);

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for OneLineRecords<M> {
    type Writer = OneLineWriter<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        OneLineWriter(self.0.make_writer())
    }
}

impl<W: Write> Write for OneLineWriter<W> {
    /// Receives a whole record from the subscriber.
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        self.0.write_all(&one_line(record))?;
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns a record as one line: line breaks and control characters escaped, except the line break at its
/// end.
fn one_line(record: &[u8]) -> Vec<u8> {
    let (text, end) = record.strip_suffix(b"\n").map_or((record, &b""[..]), |text| (text, b"\n"));
    let mut line = Vec::with_capacity(record.len());
    for character in String::from_utf8_lossy(text).chars() {
        let breaks_line = character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
        if breaks_line && character != '\t' {
            line.extend(character.escape_default().to_string().into_bytes());
        } else {
            line.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    line.extend_from_slice(end);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_line_whatever_is_in_it() {
        let cases = [
            ("a plain record\twith Grüße\n", "a plain record\twith Grüße\n"),
            (
                "cause=first\nsecond\r\n2026-11-26 ERROR forged\n",
                "cause=first\\nsecond\\r\\n2026-11-26 ERROR forged\n",
            ),
            ("\u{1b}[31mred\u{2028}x\0", "\\u{1b}[31mred\\u{2028}x\\u{0}"),
            ("\n", "\n"),
        ];
        for (record, written) in cases {
            let mut bytes = Vec::new();
            OneLineWriter(&mut bytes).write_all(record.as_bytes()).expect("written");
            assert_eq!(String::from_utf8(bytes).expect("text"), written, "{record:?}");
        }
    }

    #[test]
    fn a_level_that_is_none_is_told_with_those_that_are() {
        for text in ["debug", "WARN", "off", "warn,hyper=debug", " info , hyper = trace ", "info,"] {
            assert!(read_levels(text).is_ok(), "{text}");
        }
        let cases = [
            ("verbose", "verbose"),
            ("warn,hyper=loud", "loud"),
            ("hyper", "hyper"),
            ("3", "3"),
            ("=info", "=info"),
        ];
        for (text, word) in cases {
            let told = read_levels(text).expect_err(text);
            assert!(told.contains(&format!("{word:?}")) && told.contains("error, warn, info"), "{told}");
        }
    }

    #[derive(Clone, Default)]
    struct Collected(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl Write for Collected {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no one failed").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn json_record_is_one_line_and_names_its_request() {
        let collected = Collected::default();
        let writer = collected.clone();
        let lines = fmt::layer()
            .with_ansi(false)
            .with_writer(OneLineRecords(move || writer.clone()))
            .event_format(JsonRecords);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            let id = "trace-1";
            tracing::error_span!("request", %id).in_scope(|| {
                tracing::warn!(status = 503_u16, why = "two\nlines \u{1b}[31m", "it failed");
            });
            tracing::info!("outside");
        });
        let written = String::from_utf8(collected.0.lock().expect("no one failed").clone()).expect("text");
        let records: Vec<Value> =
            written.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
        assert_eq!(records.len(), 2, "{written}");
        assert_eq!(
            (&records[0]["request"], &records[0]["status"], &records[0]["level"], &records[0]["message"]),
            (&Value::from("trace-1"), &Value::from(503), &Value::from("WARN"), &Value::from("it failed"))
        );
        assert_eq!(records[0]["why"], Value::from("two\nlines \u{1b}[31m"));
        assert!(records[1].get("request").is_none() && records[1]["time"].is_string(), "{written}");
    }
}
