//! Transfer of a service's data between a file and a database server, and copies into a file.

use std::path::Path;

use crate::admin::AdminError;
use crate::database::place::DatabaseLocation;
use crate::database::session::DbSession;
use crate::database::{Transfer, back_up, meta, transfer};
use crate::sealing_key::{KeyError, SealingKey, SealingKeyLocation};

/// Moves all data, or none. The sealing key stays in its file, and must be there and fit, since nothing else
/// opens the moved secrets. `tell` receives a line per step.
pub fn relocate(
    from: &DatabaseLocation,
    to: &DatabaseLocation,
    key_file: Option<&Path>,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, AdminError> {
    if from.file().is_some() == to.file().is_some() {
        return Err(AdminError::Refused(
            "one of --from and --to must be a file and the other a database on a server. To move a file, \
             stop the service and rename the file together with its side files; to copy a database on a \
             server, use the tools of that server"
                .to_owned(),
        ));
    }
    if let Some(path) = from.file().filter(|file| !file.exists()) {
        return Err(AdminError::Missing(path.to_owned()));
    }
    let place = SealingKeyLocation::of(from, key_file)?;
    let missing = || KeyError::Missing(place.path().to_owned());
    let key = place.read()?.ok_or_else(missing)?;
    transfer(from, to, |db| check_key(db, &key, &place), tell)
}

/// Copies a consistent snapshot into a new file, also while the database is served. The sealing key is not
/// copied.
pub fn copy_to_file(
    from: &DatabaseLocation,
    to: &Path,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, AdminError> {
    if let Some(path) = from.file().filter(|file| !file.exists()) {
        return Err(AdminError::Missing(path.to_owned()));
    }
    Ok(back_up(from, to, tell)?)
}

fn check_key(db: &dyn DbSession, key: &SealingKey, place: &SealingKeyLocation) -> Result<(), AdminError> {
    // While nothing is sealed, any key fits.
    if key.is_another(db)? && meta::has_sealed(db)? {
        return Err(KeyError::Other(place.path().to_owned()).into());
    }
    Ok(())
}
