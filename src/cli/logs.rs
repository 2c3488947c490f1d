//! The log: of the inbox a file in the data folder, a week of days at most and
//! never the terminal; of the service standard error, which whoever runs it
//! keeps.

use std::path::Path;

use anyhow::{Context, Result};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Days of log that are kept.
const DAYS: usize = 7;

/// Starts logging into the folder, at the level of `FRONTDESK_LOG` (`info`
/// unless set).
pub fn start(folder: &Path) -> Result<()> {
    disk::own_folder(folder).with_context(|| format!("using the folder of the log {}", folder.display()))?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("frontdesk")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(folder)
        .with_context(|| format!("opening the log in {}", folder.display()))?;
    let lines = fmt::layer().with_ansi(false).with_writer(files);
    // A second start in one process, as tests do, keeps the first log.
    let _ = tracing_subscriber::registry().with(filter(LevelFilter::INFO)).with(lines).try_init();
    Ok(())
}

/// Starts logging to standard error, at the level of `FRONTDESK_LOG` (`warn`
/// unless set; `info` tells every request).
pub fn to_standard_error() {
    let lines = fmt::layer().with_ansi(false).with_writer(std::io::stderr);
    let _ = tracing_subscriber::registry().with(filter(LevelFilter::WARN)).with(lines).try_init();
}

/// A level, or levels of single parts as in `warn,hyper=debug`.
fn filter(usual: LevelFilter) -> Targets {
    let wanted = std::env::var("FRONTDESK_LOG").ok().filter(|it| !it.is_empty());
    wanted.and_then(|it| it.parse().ok()).unwrap_or_else(|| Targets::new().with_default(usual))
}
