//! Newest generation of the outbox, kept outside both files.
//!
//! The file `outbox.GENERATION.mark` is in the log folder, or beside the outbox if one folder holds
//! everything. It contains the id of the outbox and the mark file's own identity on the disk. It is
//! renamed when the generation grows. So
//!
//! - an older outbox meets a newer mark if the folder of the mark was not restored, or older files
//!   were copied over it;
//! - a mark whose file identity differs from its content is a copy, and so is the outbox with it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use disk::FileIdentity;

const MAX_MARK_BYTES: u64 = 200;
/// Attempts to find a mark that other processes rename.
const MAX_FIND_ATTEMPTS: usize = 5;

#[derive(Debug, Clone)]
pub(crate) struct MarkFile {
    folder: PathBuf,
}

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

    pub(crate) fn newest(&self, id: &str) -> Option<FoundMark> {
        let found = self.all().into_iter().filter(|(of, _)| of == id).map(|(_, mark)| mark);
        // Prefers an original mark to a copy of the same generation.
        found.max_by_key(|mark| (mark.generation, !mark.is_copy))
    }

    /// Stores a generation unless a newer one is stored.
    pub(crate) fn store(&self, id: &str, generation: i64) -> io::Result<()> {
        let path = self.folder.join(format!("outbox.{generation}.mark"));
        for _ in 0..MAX_FIND_ATTEMPTS {
            match self.newest(id) {
                Some(mark) if !mark.is_copy && mark.generation >= generation => return Ok(()),
                Some(mark) if !mark.is_copy => match fs::rename(&mark.path, &path) {
                    // Another process renamed it first.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    renamed => return renamed,
                },
                _ => return self.write_mark(id, &path),
            }
        }
        Ok(())
    }

    /// Writes a mark and removes all others.
    fn write_mark(&self, id: &str, path: &Path) -> io::Result<()> {
        disk::folder(&self.folder)?;
        let part = disk::temporary_path(path);
        let mut file = disk::create(&part)?;
        let written = FileIdentity::of(&file)
            .and_then(|identity| writeln!(file, "{id} {identity}"))
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&part, path));
        if written.is_err() {
            drop(fs::remove_file(&part));
        }
        for (_, other) in self.all().into_iter().filter(|(_, other)| other.path != path) {
            drop(fs::remove_file(other.path));
        }
        written
    }

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
    file.take(MAX_MARK_BYTES).read_to_string(&mut text).ok()?;
    let (id, identity) = text.trim_end().split_once(' ')?;
    Some((id.to_owned(), identity.parse().ok()?))
}
