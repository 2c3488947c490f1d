//! One service at a time on a file: two would each answer from what they
//! remember, deliver every event twice and count limits apart.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::service::database::DatabaseError;

/// Takes the lock that lies beside a database that is there; it is free again
/// when the file is dropped, and when the process ends in whatever way.
pub fn take(database: &Path) -> Result<File, DatabaseError> {
    // The same file by another way has the same lock.
    let mut name = database.canonicalize()?.into_os_string();
    name.push("-lock");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(name)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DatabaseError::InUse),
        Err(TryLockError::Error(cause)) => Err(cause.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_one_services() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        std::fs::write(&path, "").expect("a file");
        let held = take(&path).expect("free");
        let other = folder.path().join(".").join("service.db");
        assert!(matches!(take(&other), Err(DatabaseError::InUse)));
        drop(held);
        take(&other).expect("free again");
    }
}
