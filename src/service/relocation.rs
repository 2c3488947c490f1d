//! Moving a service to another database, between a file and a server, and copying
//! it into a file.

use std::path::Path;

use crate::admin::AdminError;
use crate::database::place::DatabasePlace;
use crate::database::session::DbSession;
use crate::database::{Transfer, back_up, meta, transfer};
use crate::sealing_key::{KeyError, KeyPlace, SealingKey};

/// Moves everything, or nothing. The key that seals secrets stays where it is:
/// in the file that is named, or beside the database that is a file; it has to be
/// there and fit, since nothing else opens what is moved. `tell` hears of each
/// step.
pub fn relocate(
    from: &DatabasePlace,
    to: &DatabasePlace,
    key_file: Option<&Path>,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, AdminError> {
    if from.file().is_some() == to.file().is_some() {
        return Err(AdminError::Refused(
            "one of --from and --to has to be a file and the other a database on a server; to move a file, end the \
             service and rename it with all that lies beside it, and a server's tools copy its databases"
                .to_owned(),
        ));
    }
    if let Some(path) = from.file().filter(|it| !it.exists()) {
        return Err(AdminError::Missing(path.to_owned()));
    }
    let place = KeyPlace::of(from, key_file)?;
    let missing = || KeyError::Missing(place.path().to_owned());
    let key = place.read()?.ok_or_else(missing)?;
    transfer(from, to, |db| fits(db, &key, &place), tell)
}

/// Copies everything as it is at one time into a file that is not there yet, also
/// while it is served. The key that seals secrets is no part of it.
pub fn copy(from: &DatabasePlace, to: &Path, tell: &mut dyn FnMut(&str)) -> Result<Transfer, AdminError> {
    if let Some(path) = from.file().filter(|it| !it.exists()) {
        return Err(AdminError::Missing(path.to_owned()));
    }
    Ok(back_up(from, to, tell)?)
}

fn fits(db: &dyn DbSession, key: &SealingKey, place: &KeyPlace) -> Result<(), AdminError> {
    // Where nothing is sealed yet, any key will do.
    if key.is_another(db)? && meta::any_sealed(db)? {
        return Err(KeyError::Other(place.path().to_owned()).into());
    }
    Ok(())
}
