//! `frontdesk doctor`: checks the installation and gives advice. Changes nothing.
//!
//! Each submodule checks one area; this one prints the findings.

mod config;
mod files;
mod keys;
mod receiver;
mod service;
mod terminal;
mod zone;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::folders::DeskFolders;
use crate::cli::{CliError, folders, print};
use ::service::DatabaseLocation;

/// The switches of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Print one JSON object instead of lines.
    #[arg(long)]
    pub json: bool,
    /// Contact no server and no keyring.
    #[arg(long)]
    pub offline: bool,
    /// Also check the database of your own service: the process that serves it, and its key file.
    #[arg(long, value_name = "PATH|URL")]
    pub db: Option<DatabaseLocation>,
    /// Key file of that database, if `serve` was given one.
    #[arg(long, value_name = "PATH", requires = "db")]
    pub key_file: Option<PathBuf>,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CheckVerdict {
    Ok,
    /// Works with limitations.
    Warn,
    /// Does not work.
    Fail,
}

impl CheckVerdict {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct CheckResult {
    verdict: CheckVerdict,
    subject: String,
    finding: String,
    /// Advice; empty if none is needed.
    advice: String,
}

impl CheckResult {
    fn ok(subject: &str, seen: impl Into<String>) -> Self {
        Self {
            verdict: CheckVerdict::Ok,
            subject: subject.to_owned(),
            finding: seen.into(),
            advice: String::new(),
        }
    }

    fn warn(subject: &str, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        let (subject, finding, advice) = (subject.to_owned(), seen.into(), advice.into());
        Self { verdict: CheckVerdict::Warn, subject, finding, advice }
    }

    fn fail(subject: &str, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: CheckVerdict::Fail, ..Self::warn(subject, seen, advice) }
    }

    fn line(&self) -> String {
        let advice = if self.advice.is_empty() { String::new() } else { format!(": {}", self.advice) };
        format!("{:<5} {:<14} {}{advice}", self.verdict.word(), self.subject, self.finding)
    }

    fn json(&self) -> Value {
        json!({"verdict": self.verdict.word(), "subject": self.subject, "seen": self.finding, "advice": self.advice})
    }
}

pub fn run(arguments: &DoctorArguments) -> Result<(), CliError> {
    let findings = run_checks(arguments)?;
    let failed = findings.iter().filter(|finding| finding.verdict == CheckVerdict::Fail).count();
    if arguments.json {
        let all: Vec<Value> = findings.iter().map(CheckResult::json).collect();
        print::json(&json!({"ok": failed == 0, "findings": all}))?;
    } else {
        for finding in &findings {
            print::line(&finding.line())?;
        }
    }
    match failed {
        0 => Ok(()),
        count => Err(CliError::Failed(anyhow::anyhow!("{} found", print::count(count, "problem")))),
    }
}

fn run_checks(arguments: &DoctorArguments) -> Result<Vec<CheckResult>> {
    let path = folders::config()?.join("config.toml");
    let (config, mut findings) = config::check_config(&path);
    findings.extend(config::connections(&path));
    let folders = DeskFolders::find()?;
    findings.extend(config.assist.as_ref().map(|assist_config| config::assist(assist_config, &folders)));
    let channels = config.channels;
    findings.extend(receiver::check_receiver(config.receiver.as_ref()));
    findings.extend(files::check_files(&folders, &channels));
    if let Some(database) = &arguments.db {
        findings.extend(service::check_service(database, arguments.key_file.as_deref()));
    }
    findings.push(zone::check_zone());
    findings.extend(terminal::check_terminal(&config.copy_command));
    if !arguments.offline {
        findings.extend(keys::check_keys(&channels));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_well_and_what_to_do() {
        assert_eq!(CheckResult::ok("keyring", "answers").line(), "ok    keyring        answers");
        let line = CheckResult::fail("key a", "readable by others", "run: chmod 600 k").line();
        assert_eq!(line, "fail  key a          readable by others: run: chmod 600 k");
        assert!(CheckVerdict::Ok < CheckVerdict::Warn && CheckVerdict::Warn < CheckVerdict::Fail);
    }
}
