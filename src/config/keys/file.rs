//! Files readable by their owner only.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

const MAX_FILE_BYTES: u64 = 16 * 1024;

#[derive(Debug, Error)]
pub enum KeyFileError {
    #[error("{path} does not exist", path = .0.display())]
    Missing(PathBuf),
    /// Symbolic link: a user who can change it could choose the key.
    #[error("{path} is a symbolic link, which is not followed; give the path of the file itself", path = .0.display())]
    Link(PathBuf),
    /// Directory, pipe or device.
    #[error("{path} is not a regular file", path = .0.display())]
    NotAFile(PathBuf),
    /// Readable by others.
    #[error("{path} can be read by other users; run: chmod 600 {path}", path = .0.display())]
    Open(PathBuf),
    /// Owned by another user, who can change it.
    #[error("{path} belongs to another user; run: chown $(id -un) {path}", path = .0.display())]
    Foreign(PathBuf),
    #[error("{path}: {1}", path = .0.display())]
    Failed(PathBuf, io::Error),
}

impl KeyFileError {
    /// True if the text says what to do.
    pub fn has_remedy(&self) -> bool {
        match self {
            Self::Link(_) | Self::Open(_) | Self::Foreign(_) => true,
            Self::Missing(_) | Self::NotAFile(_) | Self::Failed(..) => false,
        }
    }
}

/// Reads a file if only this user can read it.
pub fn read_private(path: &Path) -> Result<String, KeyFileError> {
    let failed = |error: io::Error| KeyFileError::Failed(path.to_owned(), error);
    let file = open(path)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(KeyFileError::NotAFile(path.to_owned()));
    }
    // Checked on the open file, so that the same file is read.
    check_owner(path, &metadata)?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// Writes a file and creates its folder, both for this user only.
pub fn write_private(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let wrap = |error: io::Error| format!("could not store the key in {}: {error}", path.display());
    disk::create_own_folder(folder).map_err(wrap)?;
    disk::write(path, text.as_bytes()).map_err(wrap)
}

/// Removes a file. Returns true if it existed.
pub fn remove(path: &Path) -> Result<bool, String> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!("could not remove {}: {error}", path.display())),
    }
}

#[cfg(unix)]
fn open(path: &Path) -> Result<File, KeyFileError> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    // NONBLOCK: opening a pipe must not block the start.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    opened.map_err(|error| {
        let is_link = path.symlink_metadata().is_ok_and(|symlink_metadata| symlink_metadata.is_symlink());
        open_error(path, is_link, error)
    })
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<File, KeyFileError> {
    OpenOptions::new().read(true).open(path).map_err(|error| open_error(path, false, error))
}

fn open_error(path: &Path, is_link: bool, error: io::Error) -> KeyFileError {
    match error.kind() {
        _ if is_link => KeyFileError::Link(path.to_owned()),
        io::ErrorKind::NotFound => KeyFileError::Missing(path.to_owned()),
        _ => KeyFileError::Failed(path.to_owned(), error),
    }
}

#[cfg(unix)]
fn check_owner(path: &Path, metadata: &std::fs::Metadata) -> Result<(), KeyFileError> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(KeyFileError::Foreign(path.to_owned()));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(KeyFileError::Open(path.to_owned()));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &std::fs::Metadata) -> Result<(), KeyFileError> {
    Ok(())
}
