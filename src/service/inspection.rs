//! Read-only inspection of a service's database for `doctor`: the serving process, the key and the channels.
//! Safe while the database is served.

use std::path::{Path, PathBuf};

use crate::carriers::dashboard::{ChannelStatus, list_all_channel_statuses};
use crate::database::webhooks::{self, WebhookRow};
use crate::database::{Database, DatabaseError};
use crate::sealing_key::{KeyError, SealingKeyLocation};

#[derive(Debug)]
pub struct Inspection {
    /// Serving process, if any; its id where it can be read.
    pub lock_owner: Option<Option<u32>>,
    /// Path of the key that fits the database, or the problem with it.
    pub key: Result<PathBuf, KeyError>,
    pub channels: Vec<ChannelStatus>,
    pub failing_webhooks: Vec<WebhookRow>,
}

/// Inspects a database and its key, which is in `key_file` or beside the database.
pub fn inspect(database: &Path, key_file: Option<&Path>) -> Result<Inspection, DatabaseError> {
    // Fails first for a file that is no service database.
    Database::read_while_served(database, |_| Ok(()))?;
    let holder = match Database::check_free(database) {
        Ok(()) => None,
        Err(DatabaseError::InUse(process)) => Some(process),
        Err(other) => return Err(other),
    };
    let key = match SealingKeyLocation::of(&database.to_owned().into(), key_file) {
        Ok(place) => find_key(&place, database)?,
        Err(wrong) => Err(wrong),
    };
    // A database of an earlier version may lack the tables.
    let channels = Database::read_while_served(database, list_all_channel_statuses).unwrap_or_default();
    let failing_webhooks = Database::read_while_served(database, webhooks::failing).unwrap_or_default();
    Ok(Inspection { lock_owner: holder, key, channels, failing_webhooks })
}

fn find_key(place: &SealingKeyLocation, database: &Path) -> Result<Result<PathBuf, KeyError>, DatabaseError> {
    let path = || place.path().to_owned();
    Ok(match place.read() {
        Err(wrong) => Err(wrong),
        Ok(None) => Err(KeyError::Missing(path())),
        Ok(Some(key)) => {
            let another = Database::read_while_served(database, move |db| key.is_another(db))?;
            if another { Err(KeyError::Other(path())) } else { Ok(path()) }
        }
    })
}
