//! The ready file: tells scripts where the service listens and, once, the
//! keys it just made.
//!
//! Mode 0600; written whole or not at all.

use std::io;
use std::path::Path;

use serde_json::json;

use crate::start::Running;

/// Looks whether the ready file can be written once the service is bound:
/// keys are told once, so they must not be made for a file that cannot be.
pub fn check(path: &Path) -> io::Result<()> {
    disk::can_write(path)
}

/// Writes the ready file of a service that is bound.
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
    disk::write(path, body.to_string().as_bytes())
}
