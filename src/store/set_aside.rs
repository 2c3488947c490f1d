//! Marks an unusable cache and sets it aside, so that it is recreated.

use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::files::{Paths, private_file};

/// Marks the cache as damaged for the next process that opens it alone; others may still be using
/// it.
pub(crate) fn mark_cache_damaged(cache: &Path) {
    if let Err(error) = private_file(&marker_path(cache)) {
        tracing::error!(%error, "the damaged cache could not be marked for rebuilding");
    }
}

/// Sets aside a cache marked as damaged; returns true if it did. The caller must be the only
/// process on the folder.
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

/// Renames an unusable file, replacing one set aside earlier.
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

pub(crate) fn set_aside_path(path: &Path) -> PathBuf {
    path.with_extension("db.set-aside")
}
