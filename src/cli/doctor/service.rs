//! Checks of a service's database: state, serving process and sealing key.

use std::path::Path;

use crate::cli::doctor::CheckResult;
use crate::cli::doctor::files::is_open_to_others;
use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::text::SafeText;
use model::time::Clock;
use service::DatabaseLocation;
use service::admin::Admin;
use service::carriers::dashboard::ChannelStatus;
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
    let seen = Admin::open(place, None).map_err(anyhow::Error::new).and_then(|admin| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(admin.channels(SystemClock.now()))?)
    });
    match seen {
        Ok(channels) => {
            let answers = CheckResult::ok(SUBJECT, format!("{place}, a service database"));
            std::iter::once(answers).chain(channels.iter().filter_map(channel)).collect()
        }
        Err(error) => vec![CheckResult::fail(SUBJECT, format!("{place}: {error}"), "")],
    }
}

fn check_file(database: &Path, key_file: Option<&Path>) -> Vec<CheckResult> {
    let shown = database.display();
    if !database.exists() {
        let advice = format!("run: frontdesk serve --db {shown}");
        return vec![CheckResult::warn(SUBJECT, format!("{shown} does not exist yet"), advice)];
    }
    let mut findings = Vec::new();
    if is_open_to_others(database, 0o077) {
        let advice = format!("run: chmod 600 {shown}");
        findings.push(CheckResult::fail(SUBJECT, format!("{shown} can be read by other users"), advice));
    }
    let Inspection { lock_owner: holder, key, channels } = match inspection::inspect(database, key_file) {
        Ok(seen) => seen,
        Err(error) => {
            findings.push(CheckResult::fail(SUBJECT, format!("{shown}: {error}"), ""));
            return findings;
        }
    };
    findings.push(match holder {
        Some(Some(process)) => CheckResult::ok(SUBJECT, format!("{shown}, served by process {process}")),
        Some(None) => CheckResult::ok(SUBJECT, format!("{shown}, served by another process")),
        None => {
            let advice = format!("run: frontdesk serve --db {shown}");
            CheckResult::warn(SUBJECT, format!("{shown}, not served"), advice)
        }
    });
    findings.push(match key {
        Ok(path) => CheckResult::ok("sealing key", format!("{}, private", path.display())),
        Err(error) => CheckResult::fail("sealing key", error.to_string(), ""),
    });
    findings.extend(channels.iter().filter_map(channel));
    findings
}

/// Finding for a connected channel.
fn channel(it: &ChannelStatus) -> Option<CheckResult> {
    let address = it.address.as_ref()?;
    let name = format!("{} channel", it.kind.word());
    let advice = format!("run: frontdesk admin channel test {}", it.kind.word());
    let unknown = format!("{address}, {} with unknown outcome", print::count(it.unknown, "message"));
    Some(match &it.trouble {
        Some(why) => CheckResult::fail(&name, SafeText::line(&format!("{address}: {why}")).as_str(), advice),
        None if it.unknown > 0 => {
            CheckResult::warn(&name, unknown, "check their conversations, which ask for a person")
        }
        None => CheckResult::ok(&name, format!("{address}, connected")),
    })
}
