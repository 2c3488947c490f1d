//! Detection of file changes with inotify, on Linux only.

use std::io;
use std::path::Path;

/// Watches files and their siblings whose names start with the same name, such as `-wal`.
#[derive(Debug)]
pub struct FileWatch {
    #[cfg(target_os = "linux")]
    events: std::os::fd::OwnedFd,
    #[cfg(target_os = "linux")]
    names: Vec<Vec<u8>>,
}

#[cfg(target_os = "linux")]
impl FileWatch {
    /// Watches the folders of these files.
    ///
    /// # Errors
    /// Fails if inotify is unavailable or its limits are reached.
    pub fn new(files: &[&Path]) -> io::Result<Self> {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        use std::os::unix::ffi::OsStrExt;

        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mut names = Vec::new();
        for file in files {
            let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { continue };
            add_watch(&events, folder, WatchFlags::MODIFY | WatchFlags::CREATE)?;
            names.push(name.as_bytes().to_vec());
        }
        Ok(Self { events, names })
    }

    /// True if one of the files changed since the previous call.
    ///
    /// # Errors
    /// Fails if the inotify queue cannot be read.
    pub fn take_changed(&self) -> io::Result<bool> {
        use rustix::fs::inotify::{ReadFlags, Reader};
        use std::mem::MaybeUninit;

        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.events, &mut buffer);
        let mut changed = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|file_name| file_name.to_bytes());
                    // An overflow may have dropped events of these files.
                    changed |= event.events().contains(ReadFlags::QUEUE_OVERFLOW)
                        || name.is_some_and(|entry| self.names.iter().any(|name| entry.starts_with(name)));
                }
                Err(rustix::io::Errno::WOULDBLOCK) => return Ok(changed),
                Err(rustix::io::Errno::INTR) => (),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl std::os::fd::AsRawFd for FileWatch {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.events.as_raw_fd()
    }
}

#[cfg(not(target_os = "linux"))]
impl FileWatch {
    /// # Errors
    /// Always fails: the caller has to poll the files.
    pub fn new(_: &[&Path]) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_the_files_and_those_named_after_them_are_told_of() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("cache.db"), "").expect("written");
        let watch = FileWatch::new(&[&path("cache.db")]).expect("a watch");
        assert!(!watch.take_changed().expect("told"), "nothing happened since");
        fs::write(path("frontdesk.log"), "x").expect("written");
        assert!(!watch.take_changed().expect("told"), "another file");
        for name in ["cache.db-wal", "cache.db"] {
            fs::write(path(name), "x").expect("written");
            assert!(watch.take_changed().expect("told"), "{name}");
            assert!(!watch.take_changed().expect("told"), "told once");
        }
        fs::read(path("cache.db")).expect("read");
        assert!(!watch.take_changed().expect("told"), "reading changes nothing");
    }
}
