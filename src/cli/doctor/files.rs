//! Checks of the data folder: permissions, both databases and their contents.

use std::io;
use std::path::Path;

use crate::cli::doctor::CheckResult;
use crate::cli::folders::DeskFolders;
use crate::config::ChannelConfig;
use crate::shell::clock::SystemClock;
use model::time::Clock;
use store::inspect::{self, FileState, StoreInspection};

pub fn is_open_to_others(path: &Path, rights: u32) -> bool {
    path.metadata().is_ok_and(|metadata| disk::is_open_to_others(&metadata, rights))
}

pub fn check_files(files: &DeskFolders, channels: &[ChannelConfig]) -> Vec<CheckResult> {
    let folder = files.data.as_path();
    let shown = folder.display();
    if !folder.exists() {
        return vec![CheckResult::ok(
            "data folder",
            format!("{shown} does not exist yet; the first start creates it"),
        )];
    }
    let mut findings = vec![permissions("data folder", folder)];
    if files.cache != files.data && files.cache.exists() {
        findings.push(permissions("cache folder", &files.cache));
    }
    findings.extend(check_writable(folder, disk::check_folder_writable(folder)));
    let seen = inspect::inspect(folder, Some(&files.cache), SystemClock.now());
    findings.push(database(
        "outbox",
        &seen.outbox,
        "it may hold unsent messages: make a copy, then move the file away",
    ));
    findings.push(database("cache", &seen.cache, "the next start moves it aside and builds a new one"));
    findings.extend(check_leftovers(&seen, channels));
    findings
}

fn permissions(name: &'static str, folder: &Path) -> CheckResult {
    let shown = folder.display();
    if is_open_to_others(folder, 0o077) {
        return CheckResult::fail(
            name,
            format!("{shown} can be read by other users"),
            format!("run: chmod 700 {shown}"),
        );
    }
    let entries =
        std::fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let entries: Vec<_> = match entries {
        Ok(entries) => entries,
        Err(error) => {
            let advice = "check its owner, or set FRONTDESK_DATA_DIR";
            return CheckResult::fail(name, format!("{shown}: {error}"), advice);
        }
    };
    let open = entries.iter().find(|entry| {
        entry.extension().is_some_and(|extension| extension != "log") && is_open_to_others(entry, 0o077)
    });
    match open {
        Some(path) => {
            let path = path.display();
            CheckResult::fail(
                name,
                format!("{path} can be read by other users"),
                format!("run: chmod 600 {path}"),
            )
        }
        None => CheckResult::ok(name, format!("{shown}, private")),
    }
}

/// Finding for a folder that cannot be written, with the remedy.
fn check_writable(folder: &Path, taken: io::Result<()>) -> Option<CheckResult> {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let error = taken.err()?;
    let shown = folder.display();
    let (seen, advice) = match error.kind() {
        StorageFull | QuotaExceeded => {
            (format!("the disk of {shown} is full"), "free some space: until then nothing is stored or sent")
        }
        ReadOnlyFilesystem => {
            (format!("the disk of {shown} is read-only"), "mount it writable, or set FRONTDESK_DATA_DIR")
        }
        _ => (format!("{shown} is not writable: {error}"), "check its owner, or set FRONTDESK_DATA_DIR"),
    };
    Some(CheckResult::fail("disk", seen, advice))
}

fn database(name: &str, state: &FileState, if_damaged: &str) -> CheckResult {
    let Some(bytes) = state.bytes else { return CheckResult::ok(name, "does not exist yet") };
    if let Some(why) = &state.unread {
        let advice = "check its owner and the disk; it is not known to be damaged";
        return CheckResult::fail(name, format!("{} could not be read: {why}", state.path.display()), advice);
    }
    if let Some(damage) = &state.damage {
        return CheckResult::fail(
            name,
            format!("{} is damaged ({damage})", state.path.display()),
            if_damaged,
        );
    }
    if state.version > state.supported_version {
        let seen =
            format!("version {} is newer than this program's {}", state.version, state.supported_version);
        return CheckResult::fail(name, seen, "update frontdesk");
    }
    let size = if bytes < 1 << 20 { String::new() } else { format!(", {} MiB", bytes >> 20) };
    CheckResult::ok(name, format!("whole, version {}{size}", state.version))
}

fn check_leftovers(seen: &StoreInspection, channels: &[ChannelConfig]) -> Vec<CheckResult> {
    let mut findings = Vec::new();
    let left = seen.leftovers;
    let mut waiting = Vec::new();
    for (count, what) in [
        (left.stopped, "wait for your decision"),
        (left.uncertain, "have an unknown outcome"),
        (left.lapsed, "were interrupted while being sent"),
    ] {
        if count > 0 {
            waiting.push(format!("{count} {what}"));
        }
    }
    findings.push(if waiting.is_empty() {
        CheckResult::ok("unsent", format!("{} queued to send", left.queued))
    } else {
        CheckResult::warn("unsent", waiting.join(", "), "open the inbox: frontdesk")
    });
    if left.paused > 0 {
        findings.push(CheckResult::ok(
            "paused",
            format!("the AI is paused by this desk in {} conversations", left.paused),
        ));
    }
    let running =
        if seen.leased_channels > 0 { "an inbox, engine or script is running" } else { "nothing is running" };
    findings.push(CheckResult::ok("processes", running));
    let known: Vec<_> = channels.iter().map(ChannelConfig::id).collect();
    let orphaned: Vec<&str> = seen
        .channels
        .iter()
        .map(String::as_str)
        .filter(|name| !known.iter().any(|entry| entry.as_str() == *name))
        .collect();
    if !orphaned.is_empty() {
        let seen = format!(
            "drafts or unsent messages of channels that are no longer configured: {}",
            orphaned.join(", ")
        );
        findings.push(CheckResult::warn("unsent", seen, "add a channel of that name to get them back"));
    }
    if seen.unindexed {
        findings.push(CheckResult::warn(
            "search",
            "older messages are not indexed yet",
            "the inbox continues when it is open",
        ));
    }
    if let Some(path) = &seen.set_aside {
        let advice = "it can be deleted";
        findings.push(CheckResult::warn(
            "cache",
            format!("an unusable cache was moved aside as {}", path.display()),
            advice,
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_read_only_and_forbidden_are_three_sayings() {
        let said = |number: i32| {
            let finding = check_writable(Path::new("/data"), Err(io::Error::from_raw_os_error(number)));
            finding.expect("a finding").line()
        };
        for (number, words) in [(28, "is full"), (30, "is read-only"), (122, "is full"), (13, "os error 13")]
        {
            assert!(said(number).contains(words), "{number}: {}", said(number));
            assert!(!said(number).contains("damaged"), "{number}");
        }
        assert_eq!(check_writable(Path::new("/data"), Ok(())), None);
    }
}
