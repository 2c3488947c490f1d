//! Allows one service per file: two would each answer from their own caches, deliver every event
//! twice and count limits separately.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::database::DatabaseError;

const LOCK_FILE_BYTES: u64 = 32;

/// Held lock of a database, released when it is dropped or the process ends in any way.
#[derive(Debug)]
pub struct DatabaseLock(File);

impl Drop for DatabaseLock {
    fn drop(&mut self) {
        // A child process being started holds a copy of the open file, so closing it is not enough.
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "the lock of the database could not be released");
        }
    }
}

/// Takes the lock file beside an existing database and writes this process's id into it.
pub fn acquire(database: &Path) -> Result<DatabaseLock, DatabaseError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let path = lock_path(database)?;
    let file = loop {
        let file = options.open(&path)?;
        lock_result(file.try_lock(), &file)?;
        // Another process may remove the file between these calls; its lock would exclude nobody.
        if !is_removed(&file)? {
            break file;
        }
    };
    let mut lock = DatabaseLock(file);
    lock.0.set_len(0)?;
    lock.0.rewind()?;
    write!(lock.0, "{}", std::process::id())?;
    Ok(lock)
}

/// Removes the lock file of a database that is not served from now on, and releases the lock.
pub fn remove(database: &Path, held: DatabaseLock) -> io::Result<()> {
    std::fs::remove_file(lock_path(database)?)?;
    drop(held);
    Ok(())
}

/// Refuses a database that another service holds; creates nothing.
pub fn check(database: &Path) -> Result<(), DatabaseError> {
    let opened = lock_path(database).and_then(File::open);
    match opened {
        Ok(file) => {
            lock_result(file.try_lock_shared(), &file)?;
            drop(DatabaseLock(file));
            Ok(())
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(cause.into()),
    }
}

/// True if the open file has no name any more. Only [`remove`] removes a lock file.
#[cfg(unix)]
fn is_removed(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0)
}

#[cfg(not(unix))]
fn is_removed(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Returns the lock file of a database; every path to one database gives the same lock.
fn lock_path(database: &Path) -> io::Result<PathBuf> {
    let mut name = database.canonicalize()?.into_os_string();
    name.push("-lock");
    Ok(name.into())
}

fn lock_result(locked: Result<(), TryLockError>, file: &File) -> Result<(), DatabaseError> {
    match locked {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(DatabaseError::InUse(read_owner_pid(file))),
        Err(TryLockError::Error(cause)) => Err(cause.into()),
    }
}

fn read_owner_pid(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(LOCK_FILE_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_is_released_while_a_child_has_a_copy_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        std::fs::write(&path, "").expect("a file");
        let held = acquire(&path).expect("free");
        let copy = held.0.try_clone().expect("a copy");
        drop(held);
        check(&path).expect("free again");
        drop(acquire(&path).expect("free again"));
        drop(copy);
    }

    #[test]
    fn a_file_is_one_services() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        check(&path).expect("not there yet");
        std::fs::write(&path, "").expect("a file");
        check(&path).expect("never locked");
        let held = acquire(&path).expect("free");
        let other = folder.path().join(".").join("service.db");
        let this = Some(std::process::id());
        assert!(matches!(acquire(&other), Err(DatabaseError::InUse(holder)) if holder == this));
        assert!(matches!(check(&other), Err(DatabaseError::InUse(holder)) if holder == this));
        drop(held);
        // The remains of a longer id are not read as part of the next.
        std::fs::write(folder.path().join("service.db-lock"), "12345678901234").expect("written");
        check(&path).expect("free again");
        let _held = acquire(&other).expect("free again");
        assert!(matches!(acquire(&path), Err(DatabaseError::InUse(holder)) if holder == this));
    }
}
