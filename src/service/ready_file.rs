//! The ready file: tells scripts where the service listens and, once, the
//! keys it just made.
//!
//! Knows nothing of flags. Mode 0600; written whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use crate::service::start::Running;

/// Writes the ready file of a service that is bound.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(path: &Path, running: &Running) -> io::Result<()> {
    let keys: Vec<_> = running
        .keys
        .iter()
        .map(
            |it| json!({"channel": it.channel, "environment": it.environment.word(), "key": it.key.expose()}),
        )
        .collect();
    let mut body = json!({"base_url": running.base_url, "dev_url": running.dev_url});
    if !keys.is_empty() {
        body["keys"] = keys.into();
    }
    write_private(path, body.to_string().as_bytes())
}

/// Writes a file only its owner can read, whole or not at all.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = Path::new(&part);
    // A leftover of an earlier run may have another mode.
    match fs::remove_file(part) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(part, path)
}
