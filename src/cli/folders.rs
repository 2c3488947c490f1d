//! Folders of configuration and data.

use std::path::PathBuf;

use anyhow::{Context, Result};
use directories::ProjectDirs;
use store::{Store, StoreOptions};

use crate::shell::clock;
use crate::shell::desk_parts::DeskFiles;

/// Variable that sets one folder for all files but the configuration.
pub const DATA_DIR_VARIABLE: &str = "FRONTDESK_DATA_DIR";

/// Configuration folder: `FRONTDESK_CONFIG_DIR`, else the platform's.
pub fn config() -> Result<PathBuf> {
    chosen("FRONTDESK_CONFIG_DIR", |project_dirs| project_dirs.config_dir().to_owned())
}

/// Data folder: `FRONTDESK_DATA_DIR`, else the platform's.
pub fn data() -> Result<PathBuf> {
    chosen(DATA_DIR_VARIABLE, |project_dirs| project_dirs.data_local_dir().to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskFolders {
    /// Data that exists nowhere else.
    pub data: PathBuf,
    /// Data that can be read from the server again.
    pub cache: PathBuf,
    pub logs: PathBuf,
}

impl DeskFolders {
    /// `FRONTDESK_DATA_DIR` for all, else the platform's folder for each.
    pub fn find() -> Result<Self> {
        Ok(Self {
            data: data()?,
            cache: chosen(DATA_DIR_VARIABLE, |project_dirs| project_dirs.cache_dir().to_owned())?,
            logs: chosen(DATA_DIR_VARIABLE, |project_dirs| {
                project_dirs.state_dir().unwrap_or(project_dirs.data_local_dir()).to_owned()
            })?,
        })
    }

    /// Files opened under an owner's name.
    pub fn files(&self, owner: String) -> DeskFiles {
        let options = StoreOptions {
            owner,
            zone: clock::zone(),
            cache: Some(self.cache.clone()),
            marks: Some(self.logs.clone()),
            ..StoreOptions::default()
        };
        DeskFiles { folder: self.data.clone(), options }
    }

    pub fn open(&self, owner: String) -> Result<Store> {
        self.files(owner).open().with_context(|| {
            match disk::find_denial(&self.data.join("outbox.db"), disk::NeededAccess::Write) {
                Some(denial) => {
                    format!("could not open this desk's files: {denial}; {}", denial.remedy())
                }
                None => "could not open this desk's files".to_owned(),
            }
        })
    }
}

fn chosen(variable: &str, of_platform: fn(&ProjectDirs) -> PathBuf) -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os(variable).filter(|var_os| !var_os.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    let dirs = ProjectDirs::from("", "", "frontdesk");
    let dirs = dirs.with_context(|| format!("there is no home folder; set {variable} to a folder"))?;
    Ok(of_platform(&dirs))
}
