//! A program in a pseudo-terminal, watched from outside: when its bytes come,
//! how many they are, and what the kernel says of its processes.

use std::time::{Duration, Instant};

use frontdesk::shell::clock::instant;
use portable_pty::CommandBuilder;

use crate::watched_terminal::WatchedTerminal;

/// How long a screen is still when its frame is whole.
const STILL: Duration = Duration::from_millis(40);
/// Bytes of a frame in which no more than a number of the status line changes.
const CLOCK: usize = 64;
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came after something was done.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// Until the last byte of its frame.
    pub took: Duration,
    pub bytes: usize,
}

/// What the kernel counted.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    pub resident_kib: u64,
    pub peak_kib: u64,
    pub wake_ups: u64,
    pub running: Duration,
}

pub struct Watched {
    terminal: WatchedTerminal,
    /// The first whole frame.
    pub start: Answer,
}

impl Watched {
    /// Starts a program and waits for its first whole frame.
    pub fn start(command: CommandBuilder) -> Self {
        Self::watch(instant(), WatchedTerminal::start(command))
    }

    /// The same on a screen of another size.
    pub fn start_at(command: CommandBuilder, size: (u16, u16)) -> Self {
        Self::watch(instant(), WatchedTerminal::start_at(command, size))
    }

    fn watch(began: Instant, terminal: WatchedTerminal) -> Self {
        let mut watched = Self { terminal, start: Answer { took: Duration::ZERO, bytes: 0 } };
        // What takes the terminal is no frame yet.
        watched.start = watched.answer(began, 1_000);
        watched
    }

    /// Writes keys at once, and waits for their whole frame.
    pub fn press(&mut self, keys: &str) -> Answer {
        while self.terminal.bytes.try_recv().is_ok() {}
        let began = self.terminal.press(keys);
        self.answer(began, 1)
    }

    /// Lets it rest.
    pub fn rest(&mut self, time: Duration) {
        let until = instant() + time;
        while self.terminal.bytes.recv_timeout(until.saturating_duration_since(instant())).is_ok() {}
    }

    fn answer(&mut self, began: Instant, least: usize) -> Answer {
        let (mut last, mut bytes) = (began, 0);
        loop {
            match self.terminal.bytes.recv_timeout(if bytes < least { PATIENCE } else { STILL }) {
                // The clock in the status line goes on, whatever is pressed.
                Ok((_, more)) if bytes >= least && more.len() < CLOCK => {}
                Ok((at, more)) => (last, bytes) = (at, bytes + more.len()),
                Err(_) if bytes < least => panic!("no frame within {PATIENCE:?}"),
                Err(_) => return Answer { took: last.saturating_duration_since(began), bytes },
            }
        }
    }

    /// What the kernel counted of it so far; zeros where it does not tell.
    pub fn usage(&self) -> Usage {
        let process = format!("/proc/{}", self.terminal.child.process_id().unwrap_or_default());
        let read = |path: String| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default()
        };
        let tasks = std::fs::read_dir(format!("{process}/task")).into_iter().flatten().flatten();
        let (mut wake_ups, mut running) = (0, 0);
        for task in tasks {
            let folder = task.path().display().to_string();
            wake_ups += field(&read(format!("{folder}/status")), "voluntary_ctxt_switches:");
            running += field(&read(format!("{folder}/schedstat")), "");
        }
        let status = read(format!("{process}/status"));
        Usage {
            resident_kib: field(&status, "VmRSS:"),
            peak_kib: field(&status, "VmHWM:"),
            wake_ups,
            running: Duration::from_nanos(running),
        }
    }
}
