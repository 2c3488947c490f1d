//! A look at the file of a service, for `doctor`: who serves it, and whether its
//! key is there and its own. Changes nothing, also while it is served.

use std::path::{Path, PathBuf};

use crate::carriers::dashboard::{ChannelStanding, standings};
use crate::database::{Database, DatabaseError};
use crate::sealing_key::{KeyError, KeyPlace};

/// What was seen.
#[derive(Debug)]
pub struct Inspection {
    /// The process that serves it, by its id where that can be read.
    pub holder: Option<Option<u32>>,
    /// Where its key is, or what is wrong with it.
    pub key: Result<PathBuf, KeyError>,
    pub channels: Vec<ChannelStanding>,
}

/// Looks at a database and the key in a file, or beside it.
pub fn inspect(database: &Path, key_file: Option<&Path>) -> Result<Inspection, DatabaseError> {
    // Nothing is said of who serves a file that is no service's.
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
    // A file that an earlier version has written knows of none.
    let channels = Database::look(database, |db| standings(db, None)).unwrap_or_default();
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
