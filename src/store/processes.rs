//! Identifies this process and checks if another one on the same folder still runs.
//!
//! A process id alone is not enough: ids are reused and differ between containers and boots. So a
//! process is recorded with its start time and namespace. If the system does not report enough, a
//! process counts as running.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::OnceLock;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    number: u32,
    /// Start time in clock ticks since boot.
    started_at: u64,
    /// Boot id and pid namespace in which the number is valid.
    namespace: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessState {
    /// No process, or one that has ended and was not reaped yet.
    Ended,
    /// A process with this start time.
    Running(u64),
    Unknown,
}

impl Process {
    /// Returns this process; `None` if the system does not report enough.
    pub fn current() -> Option<Self> {
        Self::from_number(std::process::id())
    }

    pub fn from_number(number: u32) -> Option<Self> {
        match process_state(number) {
            ProcessState::Running(begun) => {
                Some(Self { number, started_at: begun, namespace: namespace_id()?.to_owned() })
            }
            ProcessState::Ended | ProcessState::Unknown => None,
        }
    }

    /// Parses the output of [`fmt::Display`] at the start of a text.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, '-');
        let number = parts.next()?.parse().ok()?;
        let begun = parts.next()?.parse().ok()?;
        let place = parts.next().filter(|part| !part.is_empty())?.to_owned();
        Some(Self { number, started_at: begun, namespace: place })
    }
}

impl fmt::Display for Process {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{}", self.number, self.started_at, self.namespace)
    }
}

/// True if the process named at the start of `owner` has certainly ended.
pub fn has_ended(owner: &str) -> bool {
    Process::read(owner).is_some_and(|process| {
        Some(process.namespace.as_str()) == namespace_id()
            && is_ended(&process, process_state(process.number))
    })
}

fn is_ended(process: &Process, fate: ProcessState) -> bool {
    match fate {
        ProcessState::Ended => true,
        ProcessState::Running(begun) => begun != process.started_at,
        ProcessState::Unknown => false,
    }
}

/// Reads `/proc`; returns `Unknown` on other systems.
fn process_state(number: u32) -> ProcessState {
    // Without an entry for this process a missing one proves nothing.
    if !Path::new("/proc/self/stat").exists() {
        return ProcessState::Unknown;
    }
    match std::fs::read_to_string(format!("/proc/{number}/stat")) {
        Ok(text) => parse_process_state(&text),
        Err(error) if error.kind() == ErrorKind::NotFound => ProcessState::Ended,
        Err(_) => ProcessState::Unknown,
    }
}

/// Parses state and start time, which follow the program name in parentheses; the name may contain
/// anything.
fn parse_process_state(stat: &str) -> ProcessState {
    let Some((_, rest)) = stat.rsplit_once(')') else { return ProcessState::Unknown };
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next();
    let begun = fields.nth(18).and_then(|field| field.parse().ok());
    match (state, begun) {
        (Some("Z" | "X" | "x"), _) => ProcessState::Ended,
        (Some(_), Some(begun)) => ProcessState::Running(begun),
        _ => ProcessState::Unknown,
    }
}

/// Cached, because it does not change while the process lives.
fn namespace_id() -> Option<&'static str> {
    static NAMESPACE: OnceLock<Option<String>> = OnceLock::new();
    NAMESPACE.get_or_init(read_namespace_id).as_deref()
}

fn read_namespace_id() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let space: String = space.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    let boot: String = boot.chars().filter(char::is_ascii_alphanumeric).collect();
    (!boot.is_empty() && !space.is_empty()).then(|| format!("{boot}.{space}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let after = "1 7 7 0 -1 4194560 110 0 0 0 0 0 0 0 20 0 1 0 8812 2699264 250";
        let cases = [
            (format!("7 (frontdesk) S {after}"), ProcessState::Running(8812)),
            (format!("7 (a) Z 1) R {after}"), ProcessState::Running(8812)),
            (format!("7 (frontdesk) T {after}"), ProcessState::Running(8812)),
            (format!("7 (frontdesk) Z {after}"), ProcessState::Ended),
            ("7 (frontdesk) S 1 2 3".to_owned(), ProcessState::Unknown),
            (String::new(), ProcessState::Unknown),
        ];
        for (text, fate) in cases {
            assert_eq!(parse_process_state(&text), fate, "{text}");
        }
    }

    #[test]
    fn a_number_given_again_is_not_taken_for_the_process_that_had_it() {
        let process = Process { number: 7, started_at: 8812, namespace: "here".to_owned() };
        let cases = [
            (ProcessState::Ended, true),
            (ProcessState::Running(8812), false),
            (ProcessState::Running(9000), true),
            (ProcessState::Unknown, false),
        ];
        for (fate, gone) in cases {
            assert_eq!(is_ended(&process, fate), gone, "{fate:?}");
        }
        let owner = format!("{process}-00ff");
        assert_eq!(Process::read(&owner), Some(process));
        for odd in ["", "12-00ff", "a", "7-x-here", "7-8812-", "-1-2-3"] {
            assert_eq!(Process::read(odd), None, "{odd}");
            assert!(!has_ended(odd), "{odd}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_was_killed_is_gone_also_before_anyone_noticed() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let there = Process::from_number(child.id()).unwrap();
        let owner = format!("{there}-00ff");
        assert!(!has_ended(&owner) && !has_ended(&Process::current().unwrap().to_string()));
        let earlier = Process { started_at: there.started_at - 1, ..there.clone() };
        assert!(has_ended(&earlier.to_string()), "its number was given to another");
        let elsewhere = Process { namespace: "another".to_owned(), ..earlier };
        assert!(!has_ended(&elsewhere.to_string()), "numbers mean nothing there");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(has_ended(&owner));
    }
}
