//! Opens links and files with the desktop's opener, which gets the link as its only argument. No shell is
//! involved.

use std::path::Path;
use std::process::Stdio;

use crate::shell::{children, mail_files};
use model::links;

const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens a file written by this process.
pub fn open_file(path: &Path) -> Result<(), String> {
    let child = mail_files::start(OPENER, path);
    let mut child = child.map_err(|error| {
        tracing::warn!(%error, OPENER, "a mail could not be opened");
        format!("could not start {OPENER} ({error}); the mail is in {}", path.display())
    })?;
    let waits = std::thread::Builder::new().name("opener".to_owned());
    // If no thread starts, the process is reaped at exit.
    let _ = waits.spawn(move || child.wait());
    Ok(())
}

pub fn open(url: &str) -> Result<(), String> {
    if links::host_of(url).is_none() {
        return Err("only http and https addresses are opened".to_owned());
    }
    let mut command = children::command(OPENER);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| {
        tracing::warn!(%error, OPENER, "a link could not be opened");
        format!("could not start {OPENER} ({error}); y l copies the link")
    })?;
    let waits = std::thread::Builder::new().name("opener".to_owned());
    // If no thread starts, the process is reaped at exit.
    let _ = waits.spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_web_addresses_leave() {
        for url in ["file:///etc/passwd", "-n", "javascript:alert(1)", ""] {
            assert!(super::open(url).is_err(), "{url}");
        }
    }
}
