//! A cache that cannot be used: it is marked, set aside and made anew.

use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::files::{Paths, private_file};

/// Remembers that the cache was found to be damaged in use, for the process that opens
/// it next alone: others may be using what is left of it.
pub(crate) fn mark_cache_damaged(cache: &Path) {
    if let Err(error) = private_file(&marker_path(cache)) {
        tracing::error!(%error, "the damaged cache could not be marked");
    }
}

/// Sets a cache aside that was marked as damaged; only for a process that is
/// alone on the folder. Tells whether it did.
pub(crate) fn set_damaged_aside(paths: &Paths) -> Result<bool, StoreError> {
    let marker = Some(marker_path(&paths.cache)).filter(|path| path.exists());
    let Some(marker) = marker else { return Ok(false) };
    tracing::warn!(file = %paths.cache.display(), "the cache was damaged and is rebuilt");
    if paths.cache.exists() {
        set_aside(&paths.cache)?;
    }
    std::fs::remove_file(&marker).map_err(|source| StoreError::Folder { path: marker, source })?;
    Ok(true)
}

pub(crate) fn marker_path(cache: &Path) -> PathBuf {
    cache.with_extension("db.damaged")
}

/// Renames an unusable file; an older one set aside before gives way.
pub(crate) fn set_aside(path: &Path) -> Result<(), StoreError> {
    let wrap = |source| StoreError::Folder { path: path.to_owned(), source };
    std::fs::rename(path, set_aside_path(path)).map_err(wrap)?;
    for extension in ["db-wal", "db-shm"] {
        match std::fs::remove_file(path.with_extension(extension)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(wrap(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Where a file is set aside.
pub(crate) fn set_aside_path(path: &Path) -> PathBuf {
    path.with_extension("db.set-aside")
}
