//! Checks of a service's database: state, serving process and sealing key.

use std::path::Path;

use crate::cli::doctor::CheckResult;
use crate::cli::doctor::files::{check_writable, is_open_to_others};
use crate::cli::doctor::problem::Problem;
use crate::cli::print;
use crate::shell::clock::SystemClock;
use disk::NeededAccess;
use model::text::SafeText;
use model::time::Clock;
use service::DatabaseLocation;
use service::admin::{Admin, AdminError};
use service::carriers::dashboard::ChannelStatus;
use service::database::DatabaseError;
use service::database::webhooks::WebhookRow;
use service::inspection::{self, Inspection};

const SUBJECT: &str = "service";

pub fn check_service(place: &DatabaseLocation, key_file: Option<&Path>) -> Vec<CheckResult> {
    match place.file() {
        Some(path) => check_file(path, key_file),
        None => check_server(place),
    }
}

/// Checks a database on a server, where the serving process is unknown.
fn check_server(place: &DatabaseLocation) -> Vec<CheckResult> {
    let seen = Admin::open(place, None).and_then(|admin| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(DatabaseError::from)?;
        runtime.block_on(async {
            Ok((admin.channels(SystemClock.now()).await?, admin.failing_webhooks().await?))
        })
    });
    match seen {
        Ok((channels, failing)) => {
            let answers = CheckResult::ok(SUBJECT, format!("{place}, a service database"));
            let found = channels.iter().filter_map(channel).chain(failing.iter().map(failing_webhook));
            std::iter::once(answers).chain(found).collect()
        }
        Err(error) => {
            let advice = match &error {
                AdminError::Database(
                    DatabaseError::Absent(_) | DatabaseError::Unreachable(_) | DatabaseError::Lost,
                ) => "start the database server, or correct host, port, user and name in the URL",
                _ => "",
            };
            vec![CheckResult::fail(Problem::Database, SUBJECT, format!("{place}: {error}"), advice)]
        }
    }
}

fn failing_webhook(webhook: &WebhookRow) -> CheckResult {
    let since = webhook.failing_since.map_or_else(String::new, |at| format!(" since {at}"));
    let seen = SafeText::line(&format!("{} to {}: failing{since}", webhook.id, webhook.url));
    CheckResult::warn(
        Problem::Webhook,
        "webhook",
        seen.as_str(),
        format!("run: frontdesk admin webhook deliveries {} --failed", webhook.id),
    )
}

fn check_file(database: &Path, key_file: Option<&Path>) -> Vec<CheckResult> {
    let shown = database.display();
    if let Some(denial) = disk::find_denial(database, NeededAccess::Read) {
        return vec![CheckResult::fail(Problem::ForeignFile, SUBJECT, denial.to_string(), denial.remedy())];
    }
    if !database.exists() {
        let advice = format!("run: frontdesk serve --db {shown}");
        return vec![CheckResult::warn(
            Problem::Service,
            SUBJECT,
            format!("{shown} does not exist yet"),
            advice,
        )];
    }
    let mut findings = Vec::new();
    if is_open_to_others(database, 0o077) {
        let advice = format!("run: chmod 600 {shown}");
        findings.push(CheckResult::fail(
            Problem::OpenFile,
            SUBJECT,
            format!("{shown} can be read by other users"),
            advice,
        ));
    }
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Only the user of the service may have to write there.
    let is_own = |folder: &&Path| disk::find_denial(folder, NeededAccess::Write).is_none();
    if let Some(folder) = folder.filter(is_own) {
        findings.extend(check_writable(folder, disk::check_folder_writable(folder)));
    }
    let Inspection { lock_owner: holder, key, channels, failing_webhooks } =
        match inspection::inspect(database, key_file) {
            Ok(seen) => seen,
            Err(error) => {
                findings.push(CheckResult::fail(Problem::Database, SUBJECT, format!("{shown}: {error}"), ""));
                return findings;
            }
        };
    findings.push(match holder {
        Some(Some(process)) => CheckResult::ok(SUBJECT, format!("{shown}, served by process {process}")),
        Some(None) => CheckResult::ok(SUBJECT, format!("{shown}, served by another process")),
        None => {
            let advice = format!("run: frontdesk serve --db {shown}");
            CheckResult::warn(Problem::Service, SUBJECT, format!("{shown}, not served"), advice)
        }
    });
    findings.push(match key {
        Ok(path) => CheckResult::ok("sealing key", format!("{}, private", path.display())),
        Err(error) => CheckResult::fail(Problem::SealingKey, "sealing key", error.to_string(), ""),
    });
    findings.extend(channels.iter().filter_map(channel));
    findings.extend(failing_webhooks.iter().map(failing_webhook));
    findings
}

fn channel(status: &ChannelStatus) -> Option<CheckResult> {
    let address = status.address.as_ref()?;
    let name = format!("{} channel", status.word());
    let named = if status.name.is_some() { format!("{:?}", status.word()) } else { status.word().to_owned() };
    let advice = format!("run: frontdesk admin channel test {named}");
    let unknown = format!("{address}, {} with unknown outcome", print::count(status.unknown, "message"));
    Some(match &status.trouble {
        Some(why) => CheckResult::fail(
            Problem::Platform,
            &name,
            SafeText::line(&format!("{address}: {why}")).as_str(),
            advice,
        ),
        None if status.unknown > 0 => CheckResult::warn(
            Problem::Platform,
            &name,
            unknown,
            "check their conversations, which ask for a person",
        ),
        None => CheckResult::ok(&name, format!("{address}, connected")),
    })
}
