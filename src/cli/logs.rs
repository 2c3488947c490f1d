//! The log: of the inbox a file in the data folder, a week of days at most and
//! never the terminal; of the service standard error, which whoever runs it
//! keeps.

use std::path::Path;

use anyhow::{Context, Result};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

/// Days of log that are kept.
const DAYS: usize = 7;

/// Starts logging into the folder, at the level of `FRONTDESK_LOG` (`info`
/// unless set).
///
/// # Errors
/// When the folder takes no file.
pub fn start(folder: &Path) -> Result<()> {
    disk::own_folder(folder).with_context(|| format!("using the data folder {}", folder.display()))?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("frontdesk")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(folder)
        .with_context(|| format!("opening the log in {}", folder.display()))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter("info"));
    let subscriber = builder.with_ansi(false).with_writer(files);
    // A second start in one process, as tests do, keeps the first log.
    let _ = subscriber.try_init();
    Ok(())
}

/// Starts logging to standard error, at the level of `FRONTDESK_LOG` (`warn`
/// unless set; `info` tells every request).
pub fn to_standard_error() {
    let builder = tracing_subscriber::fmt().with_env_filter(filter("warn"));
    let subscriber = builder.with_ansi(false).with_writer(std::io::stderr);
    let _ = subscriber.try_init();
}

fn filter(usual: &str) -> EnvFilter {
    EnvFilter::try_from_env("FRONTDESK_LOG").unwrap_or_else(|_| EnvFilter::new(usual))
}
