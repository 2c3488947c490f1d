//! A server in a process of its own, and what it takes of the machine.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running server; killed when it is dropped.
pub struct ServerProcess {
    child: Child,
    pub address: String,
}

impl ServerProcess {
    /// Starts it; it says where it listens.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let (_, rest) = line.trim().split_once("http://").expect("an address");
        let address = rest.trim_end_matches("/v1").to_owned();
        Self { child, address }
    }

    /// Processor time it has taken so far: what the machine does beside it
    /// matters less to this than to the clock on the wall.
    pub fn processor(&self) -> Duration {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let (_, rest) = text.rsplit_once(')').unwrap_or(("", ""));
        let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok());
        // Linux counts hundredths of a second.
        Duration::from_millis(ticks.sum::<u64>() * 10)
    }

    /// Bytes of memory it holds.
    pub fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) * 1024
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
