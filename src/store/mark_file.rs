//! The newest state of the outbox, outside both files.
//!
//! A file `outbox.GENERATION.mark` in the folder of the logs, or beside the
//! outbox where one folder holds everything. It holds the id of the outbox and
//! its own identity on the disk. It is renamed when the generation grows, so
//!
//! - an older outbox stands beside a newer mark: in a folder that was not brought
//!   back, or in one that older files were copied over;
//! - a mark that is not the file it names itself is a copy, and so is the outbox
//!   that came with it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use disk::FileIdentity;

/// A mark is shorter, in bytes.
const LIMIT: u64 = 200;
/// Tries to find the mark that another process renames.
const TRIES: usize = 5;

/// The mark of one outbox.
#[derive(Debug, Clone)]
pub(crate) struct MarkFile {
    folder: PathBuf,
}

/// A mark that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundMark {
    path: PathBuf,
    pub(crate) generation: i64,
    /// True if it is a copy of the file that was written.
    pub(crate) is_copy: bool,
}

impl MarkFile {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Returns the newest mark of an outbox.
    pub(crate) fn newest(&self, id: &str) -> Option<FoundMark> {
        let found = self.all().into_iter().filter(|(of, _)| of == id).map(|(_, mark)| mark);
        // Of two, the one that was written here was not brought back.
        found.max_by_key(|mark| (mark.generation, !mark.is_copy))
    }

    /// Keeps a generation, unless a newer one is kept.
    pub(crate) fn keep(&self, id: &str, generation: i64) -> io::Result<()> {
        let path = self.folder.join(format!("outbox.{generation}.mark"));
        for _ in 0..TRIES {
            match self.newest(id) {
                Some(mark) if !mark.is_copy && mark.generation >= generation => return Ok(()),
                Some(mark) if !mark.is_copy => match fs::rename(&mark.path, &path) {
                    // Another process was faster.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    renamed => return renamed,
                },
                _ => return self.make(id, &path),
            }
        }
        Ok(())
    }

    /// Makes a mark in place of all others.
    fn make(&self, id: &str, path: &Path) -> io::Result<()> {
        disk::folder(&self.folder)?;
        let part = disk::temporary_path(path);
        let mut file = disk::create(&part)?;
        let written = FileIdentity::of(&file)
            .and_then(|identity| writeln!(file, "{id} {identity}"))
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&part, path));
        if written.is_err() {
            // The first error tells more than one about the leftover.
            drop(fs::remove_file(&part));
        }
        for (_, other) in self.all().into_iter().filter(|(_, other)| other.path != path) {
            drop(fs::remove_file(other.path));
        }
        written
    }

    /// Reads all marks with the ids of their outboxes.
    fn all(&self) -> Vec<(String, FoundMark)> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        entries.flatten().filter_map(|entry| read(entry.path())).collect()
    }
}

fn read(path: PathBuf) -> Option<(String, FoundMark)> {
    let name = path.file_name()?.to_str()?;
    let generation = name.strip_prefix("outbox.")?.strip_suffix(".mark")?.parse().ok()?;
    let file = disk::open_plain(&path).ok()?;
    let (id, written) = parse(&file)?;
    let is_copy = FileIdentity::of(&file).ok()?.is_another(&written);
    Some((id, FoundMark { path, generation, is_copy }))
}

fn parse(file: &File) -> Option<(String, FileIdentity)> {
    let mut text = String::new();
    file.take(LIMIT).read_to_string(&mut text).ok()?;
    let (id, identity) = text.trim_end().split_once(' ')?;
    Some((id.to_owned(), identity.parse().ok()?))
}
