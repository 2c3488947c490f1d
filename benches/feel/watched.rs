//! A program in a pseudo-terminal, watched from outside: when its bytes come,
//! how many they are, and what the kernel says of its processes.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use frontdesk::shell::clock::instant;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

/// How long a screen is still when its frame is whole.
const STILL: Duration = Duration::from_millis(40);
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
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    bytes: Receiver<(Instant, usize)>,
    /// The first whole frame.
    pub start: Answer,
}

impl Drop for Watched {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watched {
    /// Starts a program and waits for its first whole frame.
    pub fn start(command: CommandBuilder) -> Self {
        let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let began = instant();
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send((instant(), count)).is_err() {
                    return;
                }
            }
        });
        // The terminal stays open as long as the bench runs.
        std::mem::forget(pair.slave);
        std::mem::forget(pair.master);
        let mut watched = Self { child, writer, bytes, start: Answer { took: Duration::ZERO, bytes: 0 } };
        // What takes the terminal is no frame yet.
        watched.start = watched.answer(began, 1_000);
        watched
    }

    /// Writes keys at once, and waits for their whole frame.
    pub fn press(&mut self, keys: &str) -> Answer {
        while self.bytes.try_recv().is_ok() {}
        let began = instant();
        self.writer.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.writer.flush().expect("the terminal takes keys");
        self.answer(began, 1)
    }

    /// Lets it rest.
    pub fn rest(&mut self, time: Duration) {
        let until = instant() + time;
        while self.bytes.recv_timeout(until.saturating_duration_since(instant())).is_ok() {}
    }

    fn answer(&mut self, began: Instant, least: usize) -> Answer {
        let (mut last, mut bytes) = (began, 0);
        loop {
            match self.bytes.recv_timeout(if bytes < least { PATIENCE } else { STILL }) {
                Ok((at, count)) => (last, bytes) = (at, bytes + count),
                Err(_) if bytes < least => panic!("no frame within {PATIENCE:?}"),
                Err(_) => return Answer { took: last.saturating_duration_since(began), bytes },
            }
        }
    }

    /// What the kernel counted of it so far; zeros where it does not tell.
    pub fn usage(&self) -> Usage {
        let process = format!("/proc/{}", self.child.process_id().unwrap_or_default());
        let read = |path: String| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find_map(|it| it.strip_prefix(name));
            line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default()
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
