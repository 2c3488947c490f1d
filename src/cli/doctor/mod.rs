//! `frontdesk doctor`: checks the installation and gives advice. Changes nothing.
//!
//! Each submodule checks one area; this one prints the findings.

mod config;
mod files;
mod keys;
pub mod problem;
mod receiver;
mod service;
mod terminal;
mod zone;

use std::path::PathBuf;

use clap::{Args, ValueHint};
use serde_json::{Value, json};

use crate::cli::doctor::problem::Problem;
use crate::cli::folders::DeskFolders;
use crate::cli::{CliError, folders, print};
use crate::config::Config;
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
    #[arg(long, value_name = "PATH|URL", value_hint = ValueHint::AnyPath)]
    pub db: Option<DatabaseLocation>,
    /// Key file of that database, if `serve` was given one.
    #[arg(long, value_name = "PATH", requires = "db")]
    pub key_file: Option<PathBuf>,
}

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
    /// Subject of the book that explains the finding.
    problem: Option<Problem>,
}

impl CheckResult {
    fn ok(subject: &str, seen: impl Into<String>) -> Self {
        Self {
            verdict: CheckVerdict::Ok,
            subject: subject.to_owned(),
            finding: seen.into(),
            advice: String::new(),
            problem: None,
        }
    }

    fn warn(problem: Problem, subject: &str, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        let (subject, finding, advice) = (subject.to_owned(), seen.into(), advice.into());
        Self { verdict: CheckVerdict::Warn, subject, finding, advice, problem: Some(problem) }
    }

    fn fail(problem: Problem, subject: &str, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: CheckVerdict::Fail, ..Self::warn(problem, subject, seen, advice) }
    }

    fn line(&self) -> String {
        let advice = if self.advice.is_empty() { String::new() } else { format!(": {}", self.advice) };
        format!("{:<5} {:<14} {}{advice}", self.verdict.word(), self.subject, self.finding)
    }

    fn json(&self) -> Value {
        json!({
            "verdict": self.verdict.word(),
            "subject": self.subject,
            "seen": self.finding,
            "advice": self.advice,
            "help": self.problem.map(Problem::place).unwrap_or_default(),
        })
    }
}

pub fn run(arguments: &DoctorArguments) -> Result<(), CliError> {
    let findings = run_checks(arguments);
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

fn run_checks(arguments: &DoctorArguments) -> Vec<CheckResult> {
    let (config, mut findings) = match folders::config() {
        Ok(folder) => {
            let path = folder.join("config.toml");
            let (config, mut findings) = config::check_config(&path);
            findings.extend(config::connections(&path));
            (config, findings)
        }
        Err(error) => (Config::default(), vec![without_folder("configuration", &error)]),
    };
    let channels = config.channels;
    let folders = match DeskFolders::find() {
        Ok(folders) => {
            findings.extend(config.assist.as_ref().map(|assist| config::assist(assist, &folders)));
            findings.extend(files::check_files(&folders, &channels));
            Some(folders)
        }
        Err(error) => {
            findings.push(without_folder("data folder", &error));
            None
        }
    };
    let is_running = folders.as_ref().is_some_and(files::is_desk_running);
    findings.extend(receiver::check_receiver(config.receiver.as_ref(), is_running));
    if let Some(database) = &arguments.db {
        findings.extend(service::check_service(database, arguments.key_file.as_deref()));
    }
    findings.push(zone::check_zone());
    findings.extend(terminal::check_terminal(&config.copy_command));
    if !arguments.offline {
        findings.extend(keys::check_keys(folders.as_ref(), &channels, config.receiver.as_ref()));
    }
    findings
}

/// Finding for a folder that has no place. The error is one sentence: problem and remedy.
fn without_folder(subject: &str, error: &anyhow::Error) -> CheckResult {
    let text = error.to_string();
    match text.split_once("; ") {
        Some((problem, remedy)) => CheckResult::fail(Problem::Folder, subject, problem, remedy),
        None => CheckResult::fail(Problem::Folder, subject, text, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_well_and_what_to_do() {
        assert_eq!(CheckResult::ok("keyring", "answers").line(), "ok    keyring        answers");
        let line =
            CheckResult::fail(Problem::OpenFile, "key a", "readable by others", "run: chmod 600 k").line();
        assert_eq!(line, "fail  key a          readable by others: run: chmod 600 k");
        assert!(CheckVerdict::Ok < CheckVerdict::Warn && CheckVerdict::Warn < CheckVerdict::Fail);
    }
}
