//! Opening a link outside: the desktop's own opener, with the link as its one
//! argument. Nothing here passes through a shell.

use std::path::Path;
use std::process::Stdio;

use crate::shell::{children, mail_files};
use model::links;

/// The program that opens a link on this system.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens a file this desk has just written.
pub fn open_file(path: &Path) -> Result<(), String> {
    let child = mail_files::start(OPENER, path);
    let mut child = child.map_err(|error| {
        tracing::warn!(%error, OPENER, "a mail could not be opened");
        format!("{OPENER} could not be started ({error}); the mail is in {}", path.display())
    })?;
    let waits = std::thread::Builder::new().name("opener".to_owned());
    // Without a thread to wait for it, it is waited for at the end.
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
        format!("{OPENER} could not be started ({error}); y l copies the link")
    })?;
    let waits = std::thread::Builder::new().name("opener".to_owned());
    // Without a thread to wait for it, it is waited for at the end.
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
