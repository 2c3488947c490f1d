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
    begun: u64,
    /// Where its number counts: this start of this machine, this container.
    place: String,
}

/// What the system says of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessState {
    /// No process has it, or one that has ended and was not noticed yet.
    Gone,
    /// A process that began then.
    Runs(u64),
    /// It does not say.
    Untold,
}

impl Process {
    /// This process; `None` where the system tells too little of it.
    pub fn this() -> Option<Self> {
        Self::numbered(std::process::id())
    }

    /// A process that runs now.
    pub fn numbered(number: u32) -> Option<Self> {
        match fate(number) {
            ProcessState::Runs(begun) => Some(Self { number, begun, place: place()? }),
            ProcessState::Gone | ProcessState::Untold => None,
        }
    }

    /// Reads what [`fmt::Display`] wrote, from the start of a text.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, '-');
        let number = parts.next()?.parse().ok()?;
        let begun = parts.next()?.parse().ok()?;
        let place = parts.next().filter(|part| !part.is_empty())?.to_owned();
        Some(Self { number, begun, place })
    }
}

impl fmt::Display for Process {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{}", self.number, self.begun, self.place)
    }
}

/// Whether the process an owner's name begins with has certainly ended.
pub fn is_gone(owner: &str) -> bool {
    Process::read(owner).is_some_and(|process| {
        Some(&process.place) == place().as_ref() && judge(&process, fate(process.number))
    })
}

fn judge(process: &Process, fate: ProcessState) -> bool {
    match fate {
        ProcessState::Gone => true,
        ProcessState::Runs(begun) => begun != process.begun,
        ProcessState::Untold => false,
    }
}

/// Linux tells in `/proc`; elsewhere nothing is read.
fn fate(number: u32) -> ProcessState {
    // Without this process's own entry, a missing one says nothing.
    if !Path::new("/proc/self/stat").exists() {
        return ProcessState::Untold;
    }
    match std::fs::read_to_string(format!("/proc/{number}/stat")) {
        Ok(text) => fate_of(&text),
        Err(error) if error.kind() == ErrorKind::NotFound => ProcessState::Gone,
        Err(_) => ProcessState::Untold,
    }
}

/// Reads the state and the time of the beginning. Between them and the number
/// stands the program's name in brackets, which may hold anything.
fn fate_of(stat: &str) -> ProcessState {
    let Some((_, rest)) = stat.rsplit_once(')') else { return ProcessState::Untold };
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next();
    let begun = fields.nth(18).and_then(|field| field.parse().ok());
    match (state, begun) {
        (Some("Z" | "X" | "x"), _) => ProcessState::Gone,
        (Some(_), Some(begun)) => ProcessState::Runs(begun),
        _ => ProcessState::Untold,
    }
}

/// Where numbers of processes count as they do here.
fn place() -> Option<String> {
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
            (format!("7 (frontdesk) S {after}"), ProcessState::Runs(8812)),
            (format!("7 (a) Z 1) R {after}"), ProcessState::Runs(8812)),
            (format!("7 (frontdesk) T {after}"), ProcessState::Runs(8812)),
            (format!("7 (frontdesk) Z {after}"), ProcessState::Gone),
            ("7 (frontdesk) S 1 2 3".to_owned(), ProcessState::Untold),
            (String::new(), ProcessState::Untold),
        ];
        for (text, fate) in cases {
            assert_eq!(fate_of(&text), fate, "{text}");
        }
    }

    #[test]
    fn a_number_given_again_is_not_taken_for_the_process_that_had_it() {
        let process = Process { number: 7, begun: 8812, place: "here".to_owned() };
        let cases = [
            (ProcessState::Gone, true),
            (ProcessState::Runs(8812), false),
            (ProcessState::Runs(9000), true),
            (ProcessState::Untold, false),
        ];
        for (fate, gone) in cases {
            assert_eq!(judge(&process, fate), gone, "{fate:?}");
        }
        let owner = format!("{process}-00ff");
        assert_eq!(Process::read(&owner), Some(process));
        for odd in ["", "12-00ff", "a", "7-x-here", "7-8812-", "-1-2-3"] {
            assert_eq!(Process::read(odd), None, "{odd}");
            assert!(!is_gone(odd), "{odd}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_was_killed_is_gone_also_before_anyone_noticed() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let there = Process::numbered(child.id()).unwrap();
        let owner = format!("{there}-00ff");
        assert!(!is_gone(&owner) && !is_gone(&Process::this().unwrap().to_string()));
        let earlier = Process { begun: there.begun - 1, ..there.clone() };
        assert!(is_gone(&earlier.to_string()), "its number was given to another");
        let elsewhere = Process { place: "another".to_owned(), ..earlier };
        assert!(!is_gone(&elsewhere.to_string()), "numbers mean nothing there");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_gone(&owner));
    }
}
