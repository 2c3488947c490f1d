//! Which process this is, and whether another one on the same folder still
//! runs.
//!
//! A process's number alone does not tell: numbers are given again, and mean
//! something else in a container or after a restart of the machine. So a
//! process is written down with when it began and where its number counts.
//! Where the system does not say enough, a process counts as running.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

/// A process, as others on the same folder may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    number: u32,
    /// When it began, in the system's own measure.
    started_at: u64,
    /// Where its number counts: this start of this machine, this container.
    namespace: String,
}

/// What the system says of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessState {
    /// No process has it, or one that has ended and was not noticed yet.
    Ended,
    /// A process that began then.
    Running(u64),
    /// It does not say.
    Unknown,
}

impl Process {
    /// This process; `None` where the system tells too little of it.
    pub fn current() -> Option<Self> {
        Self::from_number(std::process::id())
    }

    /// A process that runs now.
    pub fn from_number(number: u32) -> Option<Self> {
        match process_state(number) {
            ProcessState::Running(begun) => {
                Some(Self { number, started_at: begun, namespace: namespace_id()? })
            }
            ProcessState::Ended | ProcessState::Unknown => None,
        }
    }

    /// Reads what [`fmt::Display`] wrote, from the start of a text.
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

/// Whether the process an owner's name begins with has certainly ended.
pub fn has_ended(owner: &str) -> bool {
    Process::read(owner).is_some_and(|process| {
        Some(&process.namespace) == namespace_id().as_ref()
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

/// Linux tells in `/proc`; elsewhere nothing is read.
fn process_state(number: u32) -> ProcessState {
    // Without this process's own entry, a missing one says nothing.
    if !Path::new("/proc/self/stat").exists() {
        return ProcessState::Unknown;
    }
    match std::fs::read_to_string(format!("/proc/{number}/stat")) {
        Ok(text) => parse_process_state(&text),
        Err(error) if error.kind() == ErrorKind::NotFound => ProcessState::Ended,
        Err(_) => ProcessState::Unknown,
    }
}

/// Reads the state and the time of the beginning. Between them and the number
/// stands the program's name in brackets, which may hold anything.
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

/// Where numbers of processes count as they do here.
fn namespace_id() -> Option<String> {
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
