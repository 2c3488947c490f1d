//! Team that this desk has joined: `team.json` beside `config.toml`, without secrets.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Address of the service, ending in `/v1`.
    pub base_url: String,
    pub person: String,
    /// Names of the tabs that `frontdesk join` added.
    pub channels: Vec<String>,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("team.json")
}

/// Reads the membership; `None` if this desk has joined no team.
///
/// # Errors
/// As text: the file cannot be read.
pub fn read(folder: &Path) -> Result<Option<Membership>, String> {
    let path = path(folder);
    let text = match disk::read_text(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| format!("could not read {}: {error}", path.display()))?,
    };
    let read = serde_json::from_str(&text);
    read.map(Some).map_err(|error| format!("could not read {}: {error}", path.display()))
}

pub fn write(folder: &Path, membership: &Membership) -> Result<(), String> {
    let path = path(folder);
    let text = serde_json::to_vec_pretty(membership).map_err(|error| error.to_string())?;
    disk::write_with_folder(&path, &text)
        .map_err(|error| format!("could not write {}: {error}", path.display()))
}

pub fn remove(folder: &Path) -> Result<(), String> {
    let path = path(folder);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("could not remove {}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn membership_is_kept_until_it_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path()), Ok(None));
        let membership = Membership {
            base_url: "https://desk.example/v1".to_owned(),
            person: "Ana".to_owned(),
            channels: vec!["whatsapp".to_owned()],
        };
        write(folder.path(), &membership).expect("written");
        assert_eq!(read(folder.path()), Ok(Some(membership)));
        remove(folder.path()).expect("removed");
        remove(folder.path()).expect("removed already");
        assert_eq!(read(folder.path()), Ok(None));
        std::fs::write(path(folder.path()), "{").expect("written");
        assert!(read(folder.path()).is_err());
    }
}
