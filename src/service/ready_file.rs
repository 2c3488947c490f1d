//! The ready file: tells scripts where the service listens and, once, the
//! keys it just made.
//!
//! Knows nothing of flags. Mode 0600; written whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::service::start::Running;

#[derive(Serialize)]
struct ReadyBody<'a> {
    base_url: &'a str,
    dev_url: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<KeyBody<'a>>,
}

#[derive(Serialize)]
struct KeyBody<'a> {
    channel: &'a str,
    environment: &'a str,
    key: &'a str,
}

/// Writes the ready file of a service that is bound.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(path: &Path, running: &Running) -> io::Result<()> {
    let keys = running
        .keys
        .iter()
        .map(|key| KeyBody {
            channel: key.channel,
            environment: key.environment.word(),
            key: key.key.expose(),
        })
        .collect();
    let body = ReadyBody { base_url: &running.base_url, dev_url: &running.dev_url, keys };
    let text = serde_json::to_vec(&body).map_err(io::Error::other)?;
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
    file.write_all(&text)?;
    file.sync_all()?;
    fs::rename(part, path)
}
