//! The ready file of `serve --ready-file`: gives scripts the address of the service and the keys it has just
//! created. Written atomically, with mode 0600.

use std::io;
use std::path::Path;

use serde_json::json;

use crate::start::RunningService;

/// Tests whether the ready file can be written. Done before the service creates keys, which are shown only
/// once.
pub fn check(path: &Path) -> io::Result<()> {
    disk::check_writable(path)
}

pub fn write(path: &Path, running: &RunningService) -> io::Result<()> {
    let keys: Vec<_> = running
        .keys
        .iter()
        .map(
            |key| json!({"channel": key.channel, "environment": key.environment.word(), "key": key.key.expose()}),
        )
        .collect();
    let mut body = json!({"base_url": running.base_url, "dev_url": running.dev_url});
    if !keys.is_empty() {
        body["keys"] = keys.into();
    }
    disk::write(path, body.to_string().as_bytes())
}
