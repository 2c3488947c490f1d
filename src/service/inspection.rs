//! Read-only inspection of a service's database for `doctor`: the serving process, the key and the channels.
//! Safe while the database is served.

use std::path::{Path, PathBuf};

use crate::carriers::dashboard::{ChannelStanding, all_standings};
use crate::database::{Database, DatabaseError};
use crate::sealing_key::{KeyError, KeyPlace};

#[derive(Debug)]
pub struct Inspection {
    /// Serving process, if any; its id where it can be read.
    pub holder: Option<Option<u32>>,
    /// Path of the key that fits the database, or the problem with it.
    pub key: Result<PathBuf, KeyError>,
    pub channels: Vec<ChannelStanding>,
}

/// Inspects a database and its key, which is in `key_file` or beside the database.
pub fn inspect(database: &Path, key_file: Option<&Path>) -> Result<Inspection, DatabaseError> {
    // Fails first for a file that is no service database.
    Database::look(database, |_| Ok(()))?;
    let holder = match Database::check_free(database) {
        Ok(()) => None,
        Err(DatabaseError::InUse(process)) => Some(process),
        Err(other) => return Err(other),
    };
    let key = match KeyPlace::of(&database.to_owned().into(), key_file) {
        Ok(place) => look_for_key(&place, database)?,
        Err(wrong) => Err(wrong),
    };
    // A database of an earlier version may lack the tables.
    let channels = Database::look(database, all_standings).unwrap_or_default();
    Ok(Inspection { holder, key, channels })
}

fn look_for_key(place: &KeyPlace, database: &Path) -> Result<Result<PathBuf, KeyError>, DatabaseError> {
    let path = || place.path().to_owned();
    Ok(match place.read() {
        Err(wrong) => Err(wrong),
        Ok(None) => Err(KeyError::Missing(path())),
        Ok(Some(key)) => {
            let another = Database::look(database, move |db| key.is_another(db))?;
            if another { Err(KeyError::Other(path())) } else { Ok(path()) }
        }
    })
}
