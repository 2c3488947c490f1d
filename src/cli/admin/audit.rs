//! `admin audit`: who created, revoked, connected, paused, erased.

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::text::SafeText;
use model::time::{Clock, DAY, HOUR, MINUTE, Timestamp};
use service::admin::Admin;

/// The switches of `admin audit`.
#[derive(Debug, Args)]
pub struct AuditArguments {
    /// Only entries since this time (2026-11-20T10:00:00Z), or of this span (30m, 12h, 7d).
    #[arg(long, value_name = "TIME", value_parser = read_since)]
    since: Option<Since>,
    /// Maximum number of entries; the newest are shown.
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    At(Timestamp),
    /// Span before now, in microseconds.
    Span(i64),
}

fn read_since(text: &str) -> Result<Since, String> {
    let wrong = || {
        format!("{text:?} is neither a time such as 2026-11-20T10:00:00Z nor a span such as 30m, 12h or 7d")
    };
    if let Some(at) = Timestamp::parse(text) {
        return Ok(Since::At(at));
    }
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let unit = match unit {
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        _ => return Err(wrong()),
    };
    let number: u32 = number.parse().map_err(|_| wrong())?;
    Ok(Since::Span(i64::from(number).saturating_mul(unit)))
}

pub async fn run(admin: &Admin, arguments: &AuditArguments, json: bool) -> Result<()> {
    let since = arguments.since.map(|since| match since {
        Since::At(at) => at,
        Since::Span(span) => SystemClock.now().plus(-span),
    });
    let entries = admin.audit(since, arguments.limit).await.context("could not read the audit log")?;
    for entry in entries {
        if json {
            // One record a line, for programs that collect logs.
            print::line(
                &json!({
                    "id": entry.id, "at": entry.at.to_string(), "workspace": entry.workspace,
                    "actor": entry.actor, "action": entry.action, "subject": entry.subject,
                })
                .to_string(),
            )?;
            continue;
        }
        let workspace = if entry.workspace.is_empty() { "all workspaces" } else { &entry.workspace };
        let line =
            format!("{} · {workspace} · {} · {} · {}", entry.at, entry.actor, entry.action, entry.subject);
        print::line(SafeText::line(&line).as_str())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_times_are_read() {
        let at = Timestamp::parse("2026-11-20T10:00:00Z").expect("a time");
        assert_eq!(read_since("2026-11-20T10:00:00Z"), Ok(Since::At(at)));
        assert_eq!(read_since("7d"), Ok(Since::Span(7 * DAY)));
        for text in ["", "7", "d", "7w", "-1d", "yesterday", "é"] {
            assert!(read_since(text).is_err(), "{text}");
        }
    }
}
