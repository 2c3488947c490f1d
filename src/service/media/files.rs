//! Folder of uploaded files beside the database, one file per row, named by its id. Calls block on the disk.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Place of the bytes of uploaded files.
#[derive(Debug, Clone)]
pub enum MediaStore {
    Folder(MediaFiles),
    /// In the database, for services on several machines.
    Database,
}

#[derive(Debug, Clone)]
pub struct MediaFiles {
    folder: PathBuf,
}

impl MediaFiles {
    /// Opens the folder beside a database; creates it with mode 0700 if absent.
    pub fn beside_database(database: &Path) -> io::Result<Self> {
        let mut folder = database.as_os_str().to_owned();
        folder.push(".media");
        let folder = PathBuf::from(folder);
        disk::folder(&folder)?;
        Ok(Self { folder })
    }

    /// Writes a new file durably. Fails if it exists.
    pub fn store(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = disk::create(&self.path(name)?)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| self.sync());
        if written.is_err() {
            self.remove(name);
        }
        written
    }

    pub fn open(&self, name: &str) -> io::Result<File> {
        File::open(self.path(name)?)
    }

    /// Removes a file; a failure is only logged.
    pub fn remove(&self, name: &str) {
        let removed = self.path(name).and_then(fs::remove_file);
        if let Err(cause) = removed {
            tracing::warn!(%cause, "an uploaded file that is no longer needed could not be removed");
        }
    }

    /// Removes the files that `known` does not list.
    pub fn remove_orphans(&self, known: &HashSet<String>) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            if let Some(name) = name.to_str().filter(|str| !known.contains(*str)) {
                self.remove(name);
            }
        }
        Ok(())
    }

    /// Returns a file's path; refuses names that are not ids, so that no name leads out of the folder.
    fn path(&self, name: &str) -> io::Result<PathBuf> {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if plain { Ok(self.folder.join(name)) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Makes new directory entries durable.
    fn sync(&self) -> io::Result<()> {
        if cfg!(unix) { File::open(&self.folder)?.sync_all() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn files_are_private_kept_and_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = MediaFiles::beside_database(&folder.path().join("service.db")).expect("made");
        for (name, bytes) in [("med_1", "one"), ("med_2", "two")] {
            files.store(name, bytes.as_bytes()).expect("stored");
        }
        assert!(files.store("med_1", b"other").is_err(), "nothing is written over");
        files.remove_orphans(&HashSet::from(["med_1".to_owned()])).expect("swept");
        assert!(files.open("med_2").is_err());
        let mut text = String::new();
        files.open("med_1").expect("kept").read_to_string(&mut text).expect("read");
        assert_eq!(text, "one");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
            let media = folder.path().join("service.db.media");
            assert_eq!((mode(media.join("med_1")), mode(media)), (0o600, 0o700));
        }
        for name in ["", "..", "../service.db", "a/b", "a.b", "é"] {
            assert!(files.open(name).is_err() && files.store(name, b"").is_err(), "{name}");
        }
    }
}
