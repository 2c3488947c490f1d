//! Where configuration and data live.

use std::path::PathBuf;

use anyhow::{Context, Result};
use directories::ProjectDirs;

/// The configuration folder: `FRONTDESK_CONFIG_DIR`, else the platform's.
///
/// # Errors
/// When there is no home folder to start from.
pub fn config() -> Result<PathBuf> {
    chosen("FRONTDESK_CONFIG_DIR", |it| it.config_dir().to_owned())
}

/// The data folder: `FRONTDESK_DATA_DIR`, else the platform's.
///
/// # Errors
/// When there is no home folder to start from.
pub fn data() -> Result<PathBuf> {
    chosen("FRONTDESK_DATA_DIR", |it| it.data_local_dir().to_owned())
}

fn chosen(variable: &str, of_platform: fn(&ProjectDirs) -> PathBuf) -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os(variable).filter(|it| !it.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    let dirs = ProjectDirs::from("", "", "frontdesk");
    let dirs = dirs.with_context(|| format!("no home folder is known; set {variable} to a folder"))?;
    Ok(of_platform(&dirs))
}
