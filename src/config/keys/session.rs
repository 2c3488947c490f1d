//! Session of the person who joined a team: in the desktop's keyring if available, else in a file readable by its
//! owner only. Bound to its server, as the keys of channels are.

use std::path::Path;

use crate::config::keys::{KeyStorage, StoredSecret};
use model::secret::Secret;

const REJOIN_ADVICE: &str = "run: frontdesk leave, then frontdesk join";

fn entry(folder: &Path) -> StoredSecret {
    let path = folder.join("keys").join("team.session");
    StoredSecret { entry: format!("session of the team in {}", folder.display()), path }
}

pub fn store(folder: &Path, base_url: &str, session: &Secret) -> Result<KeyStorage, String> {
    entry(folder).store(base_url, session)
}

pub fn fetch(folder: &Path, base_url: &str) -> Result<Secret, String> {
    let text = entry(folder).read(base_url, REJOIN_ADVICE).map_err(|error| error.to_string())?;
    Ok(Secret::new(&text))
}

/// Returns true if there was one.
pub fn forget(folder: &Path) -> Result<bool, String> {
    entry(folder).forget()
}
