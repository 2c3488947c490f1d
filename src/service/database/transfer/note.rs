//! Marker of a database that takes part in a move and must not be served.

use crate::database::place::DatabaseLocation;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, meta};

pub const META_NAME: &str = "move";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferMarker {
    /// Everything was moved to another place.
    Moved { id: String, place: String },
    /// A move into this database is incomplete.
    Arriving {
        /// Id of the move; empty before anything was copied.
        id: String,
        place: String,
    },
}

impl TransferMarker {
    pub fn refusal(self) -> DatabaseError {
        match self {
            Self::Moved { place, .. } => DatabaseError::Moved(place),
            Self::Arriving { place, .. } => DatabaseError::Arriving(place),
        }
    }

    fn text(&self) -> String {
        let (word, id, place) = match self {
            Self::Moved { id, place } => ("moved", id, place),
            Self::Arriving { id, place } => ("arriving", id, place),
        };
        format!("{word} {id} {place}")
    }

    fn parse(text: &str) -> Option<Self> {
        let (word, rest) = text.split_once(' ')?;
        let (id, place) = rest.split_once(' ')?;
        let (id, place) = (id.to_owned(), place.to_owned());
        match word {
            "moved" => Some(Self::Moved { id, place }),
            "arriving" => Some(Self::Arriving { id, place }),
            _ => None,
        }
    }
}

/// Describes a location in a marker: an absolute path, or a URL without password.
pub fn describe_location(place: &DatabaseLocation) -> String {
    let DatabaseLocation::File(path) = place else { return place.to_string() };
    std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string()
}

pub fn refuse_moved(db: &dyn DbSession) -> Result<(), DatabaseError> {
    read(db)?.map_or(Ok(()), |note| Err(note.refusal()))
}

pub fn read(db: &dyn DbSession) -> Result<Option<TransferMarker>, DatabaseError> {
    meta::get::<Vec<u8>>(db, META_NAME)?.map(|entry| parse_bytes(&entry)).transpose()
}

/// Parses the stored form of a marker.
pub fn parse_bytes(bytes: &[u8]) -> Result<TransferMarker, DatabaseError> {
    let note = std::str::from_utf8(bytes).ok().and_then(TransferMarker::parse);
    note.ok_or_else(|| DatabaseError::Moved("a place this version cannot name".to_owned()))
}

pub fn write(db: &dyn DbSession, note: &TransferMarker) -> Result<(), DatabaseError> {
    meta::set(db, META_NAME, &note.text().as_bytes())
}

pub fn remove(db: &dyn DbSession) -> Result<(), DatabaseError> {
    db.change_later("DELETE FROM meta WHERE name = ?1", crate::database::rows::bound![META_NAME])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let (id, place) = ("1f".to_owned(), "/var/lib/a folder/service.db".to_owned());
        let moved = TransferMarker::Moved { id: id.clone(), place: place.clone() };
        let arriving = TransferMarker::Arriving { id: String::new(), place };
        for note in [moved, arriving] {
            assert_eq!(TransferMarker::parse(&note.text()), Some(note));
        }
        assert_eq!(TransferMarker::parse("gone"), None);
    }
}
