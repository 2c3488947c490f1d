//! Checks of the folders: owner, permissions, both databases and their contents.

use std::io;
use std::path::Path;

use crate::cli::doctor::CheckResult;
use crate::cli::doctor::problem::Problem;
use crate::cli::folders::{DATA_DIR_VARIABLE, DeskFolders};
use crate::config::ChannelConfig;
use crate::shell::clock::SystemClock;
use disk::{AccessDenial, NeededAccess};
use model::text::SafeText;
use model::time::Clock;
use store::inspect::{self, FileState, LeaseOwnerName, StoreInspection};

pub fn is_open_to_others(path: &Path, rights: u32) -> bool {
    path.metadata().is_ok_and(|metadata| disk::is_open_to_others(&metadata, rights))
}

pub fn check_files(files: &DeskFolders, channels: &[ChannelConfig]) -> Vec<CheckResult> {
    let folder = files.data.as_path();
    let is_readable = folder.is_dir() && disk::find_denial(folder, NeededAccess::Read).is_none();
    let mut findings = check_folder("data folder", folder, PRIVATE);
    let outbox_disk_fails = findings.iter().any(CheckResult::is_about_disk);
    let mut cache_disk_fails = outbox_disk_fails;
    if files.cache != files.data {
        let of_cache = check_folder("cache folder", &files.cache, PRIVATE);
        cache_disk_fails = of_cache.iter().any(CheckResult::is_about_disk);
        findings.extend(of_cache);
    }
    if files.logs != files.data {
        // Logs hold no texts of customers.
        findings.extend(check_folder("log folder", &files.logs, NOT_SHARED));
    }
    if !is_readable {
        return findings;
    }
    let seen = inspect::inspect(folder, Some(&files.cache), SystemClock.now());
    // A disk that fails is reported once, not again for each file that cannot be read on it.
    let is_explained = |state: &FileState, disk_fails: bool| disk_fails && state.unread.is_some();
    if !is_explained(&seen.outbox, outbox_disk_fails) {
        let advice = "it may hold unsent messages: make a copy, then move the file away";
        findings.push(database("outbox", &seen.outbox, advice));
    }
    if !is_explained(&seen.cache, cache_disk_fails) {
        let advice = "the next start moves it aside and builds a new one";
        findings.push(database("cache", &seen.cache, advice));
    }
    findings.extend(check_leftovers(&seen, channels));
    findings
}

/// True if an inbox, an engine or a script of this desk runs.
pub fn is_desk_running(files: &DeskFolders) -> bool {
    inspect::has_leases(&files.data, Some(&files.cache), SystemClock.now())
}

/// Subject of a finding about the disk of a folder.
const DISK_SUBJECT: &str = "disk";
/// Rights that others must not have on a private folder.
const PRIVATE: u32 = 0o077;
/// Rights that others must not have on any folder.
const NOT_SHARED: u32 = 0o022;

/// Checks a folder that is written to: whether it or its nearest parent can be used, what others may do
/// there, and whether there is room.
fn check_folder(name: &'static str, folder: &Path, closed: u32) -> Vec<CheckResult> {
    if folder.exists() && !folder.is_dir() {
        let seen = format!("{} is a file, not a folder", folder.display());
        let advice = format!("move it away, or set {DATA_DIR_VARIABLE}");
        return vec![CheckResult::fail(Problem::Folder, name, seen, advice)];
    }
    if let Some(denial) = disk::find_denial(folder, NeededAccess::Write) {
        return vec![CheckResult::fail(
            Problem::ForeignFile,
            name,
            denied(folder, &denial),
            folder_remedy(&denial),
        )];
    }
    if !folder.exists() {
        let seen = format!("{} does not exist yet; the first start creates it", folder.display());
        return vec![CheckResult::ok(name, seen)];
    }
    let mut findings = vec![permissions(name, folder, closed)];
    findings.extend(check_writable(folder, disk::check_folder_writable(folder)));
    findings
}

/// Names the folder, unless the denial is about itself.
fn denied(folder: &Path, denial: &AccessDenial) -> String {
    if denial.path == folder {
        denial.to_string()
    } else {
        format!("{} cannot be used: {denial}", folder.display())
    }
}

fn folder_remedy(denial: &AccessDenial) -> String {
    format!("{}, or set {DATA_DIR_VARIABLE} to a folder of your own", denial.remedy())
}

fn permissions(name: &'static str, folder: &Path, closed: u32) -> CheckResult {
    let shown = folder.display();
    if is_open_to_others(folder, closed) {
        let right = if closed == PRIVATE { "read" } else { "changed" };
        return CheckResult::fail(
            Problem::OpenFile,
            name,
            format!("{shown} can be {right} by other users"),
            format!("run: chmod 700 {shown}"),
        );
    }
    if closed != PRIVATE {
        return CheckResult::ok(name, format!("{shown}, not shared"));
    }
    let entries =
        std::fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let entries: Vec<_> = match entries {
        Ok(entries) => entries,
        Err(error) => {
            let advice = format!("set {DATA_DIR_VARIABLE} to another folder");
            return CheckResult::fail(Problem::Folder, name, format!("{shown}: {error}"), advice);
        }
    };
    let foreign = entries.iter().find_map(|entry| {
        let denial = disk::find_denial(entry, NeededAccess::Write)?;
        (denial.path == *entry && denial.is_foreign()).then_some(denial)
    });
    if let Some(denial) = foreign {
        return CheckResult::fail(Problem::ForeignFile, name, denial.to_string(), denial.remedy());
    }
    let open = entries.iter().find(|entry| {
        entry.extension().is_some_and(|extension| extension != "log") && is_open_to_others(entry, 0o077)
    });
    match open {
        Some(path) => {
            let path = path.display();
            CheckResult::fail(
                Problem::OpenFile,
                name,
                format!("{path} can be read by other users"),
                format!("run: chmod 600 {path}"),
            )
        }
        None => CheckResult::ok(name, format!("{shown}, private")),
    }
}

/// Finding for a folder that cannot be written, with the remedy.
pub fn check_writable(folder: &Path, taken: io::Result<()>) -> Option<CheckResult> {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let error = taken.err()?;
    let shown = folder.display();
    let (problem, seen, advice) = match error.kind() {
        StorageFull | QuotaExceeded => (
            Problem::FullDisk,
            format!("the disk of {shown} is full"),
            "free some space: until then nothing is stored or sent",
        ),
        ReadOnlyFilesystem => (
            Problem::FullDisk,
            format!("the disk of {shown} is read-only"),
            "mount it writable, or set FRONTDESK_DATA_DIR",
        ),
        _ => (
            Problem::Folder,
            format!("{shown} is not writable: {error}"),
            "set FRONTDESK_DATA_DIR to another folder",
        ),
    };
    Some(CheckResult::fail(problem, DISK_SUBJECT, seen, advice))
}

impl CheckResult {
    fn is_about_disk(&self) -> bool {
        self.subject == DISK_SUBJECT
    }
}

fn database(name: &str, state: &FileState, if_damaged: &str) -> CheckResult {
    let Some(bytes) = state.bytes else { return CheckResult::ok(name, "does not exist yet") };
    if let Some(denial) = disk::find_denial(&state.path, NeededAccess::Read) {
        return CheckResult::fail(Problem::ForeignFile, name, denial.to_string(), denial.remedy());
    }
    if let Some(why) = &state.unread {
        let advice = "look at the disk; the file is not known to be damaged";
        return CheckResult::fail(
            Problem::DamagedFile,
            name,
            format!("{} could not be read: {why}", state.path.display()),
            advice,
        );
    }
    if let Some(damage) = &state.damage {
        return CheckResult::fail(
            Problem::DamagedFile,
            name,
            format!("{} is damaged ({damage})", state.path.display()),
            if_damaged,
        );
    }
    if state.version > state.supported_version {
        let seen =
            format!("version {} is newer than this program's {}", state.version, state.supported_version);
        return CheckResult::fail(Problem::DamagedFile, name, seen, "update frontdesk");
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
        CheckResult::warn(Problem::UnsentMessages, "unsent", waiting.join(", "), "open the inbox: frontdesk")
    });
    if left.paused > 0 {
        findings.push(CheckResult::ok(
            "paused",
            format!("the AI is paused by this desk in {} conversations", left.paused),
        ));
    }
    findings.push(processes(&seen.lease_owners));
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
        findings.push(CheckResult::warn(
            Problem::UnsentMessages,
            "unsent",
            seen,
            "add a channel of that name to get them back",
        ));
    }
    if seen.unindexed {
        findings.push(CheckResult::warn(
            Problem::RebuiltCache,
            "search",
            "older messages are not indexed yet",
            "the inbox continues when it is open",
        ));
    }
    if let Some(path) = &seen.set_aside {
        let advice = "it can be deleted";
        findings.push(CheckResult::warn(
            Problem::RebuiltCache,
            "cache",
            format!("an unusable cache was moved aside as {}", path.display()),
            advice,
        ));
    }
    findings
}

/// Names the processes that poll and send for this desk. A further one does neither until they end.
fn processes(owners: &[LeaseOwnerName]) -> CheckResult {
    if owners.is_empty() {
        return CheckResult::ok("processes", "nothing is running");
    }
    let name = |owner: &LeaseOwnerName| match owner.process {
        Some(process) => format!("{} (process {process})", owner.kind),
        None => owner.kind.clone(),
    };
    let names: Vec<String> = owners.iter().map(name).collect();
    let verbs = if names.len() == 1 { "polls and sends" } else { "poll and send" };
    let seen = format!(
        "{} {verbs}; a further one shows everything, and takes over when one of these ends",
        SafeText::line(&names.join(", "))
    );
    CheckResult { problem: Some(Problem::OtherProcess), ..CheckResult::ok("processes", seen) }
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
