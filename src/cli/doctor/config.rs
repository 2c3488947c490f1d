//! Checks of the configuration file: mistakes and permissions.

use std::path::Path;

use crate::cli::doctor::CheckResult;
use crate::cli::doctor::files::is_open_to_others;
use crate::cli::doctor::problem::Problem;
use crate::cli::folders::DeskFolders;
use crate::config::keys::connections::key_provider;
use crate::config::{AssistConfig, Config, read_text};
use crate::shell::clock::{self, SystemClock};
use model::model_costs::ModelUsage;
use model::time::Clock;
use net::connections::{Credentials, file};
use store::Store;

/// Checks the connections file, if there is one.
pub fn connections(config: &Path) -> Vec<CheckResult> {
    let path = config.with_file_name("connections.toml");
    if !path.exists() {
        return Vec::new();
    }
    let (read, wrong) = file::read(&path);
    let mut findings: Vec<CheckResult> = wrong
        .into_iter()
        .map(|text| CheckResult::fail(Problem::DataConnection, "connections", text, ""))
        .collect();
    if findings.is_empty() {
        findings.push(CheckResult::ok("connections", format!("{}: {}", path.display(), read.len())));
    }
    let folder = config.parent().unwrap_or(Path::new("")).to_owned();
    let credentials = Credentials::new(config.with_file_name("connections.sealed"), key_provider(folder));
    let without =
        read.iter().filter(|connection| connection.auth.needs_secret() && !credentials.has(connection));
    findings.extend(without.map(|connection| {
        let advice = format!("run: frontdesk connection credential {}", connection.name);
        CheckResult::warn(
            Problem::DataConnection,
            "connections",
            format!("connection {:?} has no credential", connection.name),
            advice,
        )
    }));
    findings
}

/// Checks the key of the language model and reports today's usage.
pub fn assist(assist: &AssistConfig, folders: &DeskFolders) -> CheckResult {
    if let Err(error) = assist.fetch_key() {
        let advice = if error.has_remedy { "" } else { "check key_env or key_command in [assist]" };
        return CheckResult::fail(Problem::LanguageModel, "assist", error.to_string(), advice);
    }
    let files = folders.files(String::new());
    let today = SystemClock.now().day_number(&clock::zone());
    let rows = Store::peek(&files.folder, &files.options).and_then(|reader| reader.model_usage(today).ok());
    let used = rows.unwrap_or_default().iter().fold(ModelUsage::default(), |all, row| all.plus(&row.usage));
    let (model, caps) = (&assist.model, &assist.caps);
    let tokens = format!("{model}, {} of {} tokens used today", used.total_tokens(), caps.tokens);
    let cost = caps
        .cost
        .map(|most| format!(", {} of {} {}", used.cost.to_price(), most.to_price(), assist.currency));
    CheckResult::ok("assist", format!("{tokens}{}", cost.unwrap_or_default()).trim_end().to_owned())
}

/// Checks the file. Returns the configuration and the findings.
pub fn check_config(path: &Path) -> (Config, Vec<CheckResult>) {
    let shown = path.display().to_string();
    let nothing = || Config::examine(&shown, "").0;
    let text = match read_text(path) {
        Ok(Some(text)) => text,
        Ok(None) => {
            let advice = "run: frontdesk channel add, or try: frontdesk demo";
            return (
                nothing(),
                vec![CheckResult::warn(
                    Problem::NoChannel,
                    "configuration",
                    format!("{shown} does not exist"),
                    advice,
                )],
            );
        }
        Err(error) => {
            return (
                nothing(),
                vec![CheckResult::fail(Problem::Configuration, "configuration", error.to_string(), "")],
            );
        }
    };
    let (config, mistakes) = Config::examine(&shown, &text);
    let mut findings: Vec<CheckResult> = mistakes
        .iter()
        .map(|mistake| CheckResult::fail(Problem::Configuration, "configuration", mistake.to_string(), ""))
        .collect();
    if mistakes.is_empty() {
        let count = config.channels.len();
        findings.push(match count {
            0 => CheckResult::warn(
                Problem::NoChannel,
                "configuration",
                format!("{shown} has no channel"),
                "run: frontdesk channel add",
            ),
            _ => CheckResult::ok("configuration", format!("{shown}, channels: {count}")),
        });
    }
    // A file of root may be given to all users of a machine.
    if let Some(owner) = disk::foreign_owner(path).filter(|owner| owner.uid != 0) {
        let seen = format!("{shown} belongs to {owner}, who can change it");
        findings.push(CheckResult::fail(
            Problem::ForeignFile,
            "configuration",
            seen,
            format!("run: sudo chown $(id -un) {shown}"),
        ));
    }
    if is_open_to_others(path, 0o022) {
        let advice = format!("run: chmod go-w {shown}");
        findings.push(CheckResult::fail(Problem::OpenFile, "configuration", "others can change it", advice));
    }
    if let Some(folder) = path.parent().filter(|folder| is_open_to_others(folder, 0o022)) {
        let shown = folder.display();
        let (seen, advice) =
            (format!("others can replace files in {shown}"), format!("run: chmod go-w {shown}"));
        findings.push(CheckResult::fail(Problem::OpenFile, "configuration", seen, advice));
    }
    (config, findings)
}
