//! Metrics of the process itself, where the system reports them (`/proc` on Linux).

use std::fs;

use crate::metrics::exposition::Exposition;

const KIBIBYTE: u64 = 1024;

/// Writes open files, their limit, and memory; leaves out what cannot be read.
pub fn write(page: &mut Exposition) {
    let mut gauge = |name: &str, help: &str, value: Option<u64>| {
        if let Some(value) = value {
            page.begin_family(name, "gauge", help);
            page.write_sample(name, &[], value);
        }
    };
    gauge("frontdesk_process_open_fds", "Open file descriptors of this process.", open_files());
    gauge("frontdesk_process_max_fds", "Maximum number of open file descriptors.", max_files());
    gauge("frontdesk_process_resident_bytes", "Memory of this process in RAM.", resident_bytes());
}

fn open_files() -> Option<u64> {
    // The listing itself needs one.
    Some(u64::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok()?.saturating_sub(1))
}

fn max_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * KIBIBYTE)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn process_knows_its_files_and_memory() {
        assert!(open_files().is_some_and(|open| open >= 3));
        assert!(max_files().is_some_and(|most| most > 16));
        assert!(resident_bytes().is_some_and(|bytes| bytes > 100 * KIBIBYTE));
    }
}
