//! Private files and folders: created with owner-only modes, written atomically, checked on use.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::num::ParseIntError;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::UNIX_EPOCH;

mod access;
mod watch;

pub use access::{AccessDenial, FileOwner, NeededAccess, find_denial, foreign_owner};
pub use watch::FileWatch;

/// Sets the umask to 077, also for libraries and child processes.
#[cfg(unix)]
pub fn keep_private() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Does nothing: this system has no umask.
#[cfg(not(unix))]
pub fn keep_private() {}

/// Returns options that create files with mode 600; existing files keep their mode.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a file; fails if the path exists, also as a symbolic link.
pub fn create(path: &Path) -> io::Result<File> {
    private().write(true).create_new(true).open(path)
}

/// Opens a file for reading and writing, or creates it. SQLite gives the `-wal` and `-shm`
/// files of a database the same permissions.
pub fn open(path: &Path) -> io::Result<File> {
    private().read(true).write(true).create(true).truncate(false).open(path)
}

/// Opens a file for reading and appending, or creates it.
pub fn append(path: &Path) -> io::Result<File> {
    private().read(true).append(true).create(true).open(path)
}

/// Creates a folder and its missing parents with mode 700; existing folders keep their mode.
pub fn folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Like [`folder`], but fails if other users can write to the folder. Its mode is not changed,
/// because it may be shared on purpose.
pub fn create_own_folder(path: &Path) -> io::Result<()> {
    folder(path)?;
    if is_open_to_others(&fs::metadata(path)?, 0o022) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, SHARED_FOLDER_MESSAGE));
    }
    Ok(())
}

const SHARED_FOLDER_MESSAGE: &str = "others can write in this folder, so it was not used and not changed; choose a folder of \
     your own, or run chmod 700 on it";

/// True if others than the owner have one of these rights.
#[cfg(unix)]
pub fn is_open_to_others(metadata: &fs::Metadata, rights: u32) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & rights != 0
}

/// Always false: this system has no mode bits.
#[cfg(not(unix))]
pub fn is_open_to_others(_: &fs::Metadata, _: u32) -> bool {
    false
}

/// Opens a regular file for reading; fails for a pipe or a device without blocking.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

/// Reads a regular file.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file as UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open_plain(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Device and inode of an open file, to detect that it was deleted, moved or replaced. Later
/// writes to such a file are lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStatus {
    path: PathBuf,
    file: Option<(u64, u64)>,
    /// Path, device and inode of a database's `-wal` file.
    journal: Option<(PathBuf, (u64, u64))>,
}

impl FileStatus {
    /// Reads the file currently at `path`.
    pub fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), file: number(path), journal: None }
    }

    /// Reads the open database at `path` with its `-wal` file. Writes to a deleted `-wal` are lost,
    /// and a process that creates a new one does not see them.
    pub fn of_database(path: &Path) -> Self {
        let mut journal = path.as_os_str().to_owned();
        journal.push("-wal");
        let journal = PathBuf::from(journal);
        let journal = number(&journal).map(|file| (journal, file));
        Self { journal, ..Self::of(path) }
    }

    /// True if the file is still at its path; ignores the `-wal` file.
    pub fn has_file(&self) -> bool {
        self.file.is_none() || number(&self.path) == self.file
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn is_unchanged(&self) -> bool {
        let has_journal = self.journal.as_ref().is_none_or(|(path, file)| number(path) == Some(*file));
        has_journal && self.has_file()
    }
}

/// Inode number and creation time, to distinguish a file from its copies. Unchanged when the
/// file is renamed or written; a value the system does not provide is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    inode: Option<u64>,
    /// Nanoseconds since the Unix epoch.
    born: Option<u128>,
}

impl FileIdentity {
    pub fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let born = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self { inode: inode(&metadata), born: born.map(|since| since.as_nanos()) })
    }

    /// True if both were read from different files.
    pub fn is_another(&self, other: &Self) -> bool {
        fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        differ(self.inode, other.inode) || differ(self.born, other.born)
    }
}

impl fmt::Display for FileIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [inode, born] = [self.inode.map(u128::from), self.born];
        write!(formatter, "{} {}", inode.unwrap_or_default(), born.unwrap_or_default())
    }
}

impl FromStr for FileIdentity {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let (inode, born) = text.split_once(' ').unwrap_or((text, "0"));
        let (inode, born): (u64, u128) = (inode.parse()?, born.parse()?);
        Ok(Self {
            inode: Some(inode).filter(|number| *number > 0),
            born: Some(born).filter(|number| *number > 0),
        })
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems tell none")]
fn inode(metadata: &fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(metadata))
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> Option<u64> {
    None
}

/// Returns device and inode number; `None` if the file cannot be read.
#[cfg(unix)]
fn number(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Returns `None`: this system provides no inode numbers.
#[cfg(not(unix))]
fn number(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Checks that [`PROBE_BYTES`] can be written to a folder, with a temporary file.
pub fn check_folder_writable(folder: &Path) -> io::Result<()> {
    let part = temporary_path(&folder.join("probe"));
    let written = create(&part).and_then(|mut file| {
        file.write_all(&[0; PROBE_BYTES])?;
        file.sync_all()
    });
    match fs::remove_file(&part) {
        Err(cause) if written.is_ok() => Err(cause),
        _ => written,
    }
}

/// Size of the test file, in bytes: a few database pages.
const PROBE_BYTES: usize = 64 * 1024;

/// Returns a unique temporary path beside `path`; another process may write at the same time.
pub fn temporary_path(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", uuid::Uuid::new_v4()));
    PathBuf::from(part)
}

/// Writes or replaces a file atomically, through a temporary file and a rename.
///
/// # Errors
/// Fails if the folder is not writable; an existing file is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = &temporary_path(path);
    let written = create(part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(part, path));
    if done.is_err() {
        // Reports the first error rather than one of the cleanup.
        let _ = fs::remove_file(part);
    }
    done
}

/// Checks that a file can be created at `path`, with a temporary file.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let part = temporary_path(path);
    create(&part)?;
    fs::remove_file(part)
}

/// Like [`write()`], but creates the parent folder first.
pub fn write_with_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), folder)?;
    write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_write_at_once_and_one_of_them_is_there_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            for writer in b'a'..=b'h' {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write(path, &[writer; 5000]).expect("written");
                    }
                });
            }
        });
        let bytes = fs::read(&path).expect("there");
        assert!(bytes.len() == 5000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 1, "nothing is left over");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        }
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_private_and_a_shared_one_is_refused_and_left() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o7777;
        let deep = root.path().join("a/b");
        create_own_folder(&deep).expect("made");
        assert_eq!((mode(&deep), mode(&root.path().join("a"))), (0o700, 0o700));
        for shared in [0o777, 0o770, 0o1777, 0o722] {
            fs::set_permissions(&deep, fs::Permissions::from_mode(shared)).expect("set");
            let refused = create_own_folder(&deep).expect_err("shared");
            assert!(refused.to_string().contains("others can write"), "{refused}");
            assert_eq!(mode(&deep), shared, "it is left as it was");
        }
        fs::set_permissions(&deep, fs::Permissions::from_mode(0o755)).expect("set");
        create_own_folder(&deep).expect("others may look");
        for make in [open, append] {
            let path = deep.join(uuid::Uuid::new_v4().to_string());
            make(&path).expect("made");
            assert_eq!(mode(&path), 0o600);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_deleted_moved_or_replaced_stands_no_more() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("file"), folder.path().join("other"));
        write(&path, b"1").expect("written");
        let standing = FileStatus::of(&path);
        assert!(standing.is_unchanged());
        fs::rename(&path, &other).expect("moved");
        assert!(!standing.is_unchanged(), "moved");
        write(&path, b"1").expect("written");
        assert!(!standing.is_unchanged(), "another file");
        fs::rename(&other, &path).expect("moved back");
        assert!(standing.is_unchanged());
        fs::remove_file(&path).expect("removed");
        assert!(!standing.is_unchanged(), "deleted");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_plain_file_is_refused_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        for path in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            let refused = read_text(path).expect_err("no plain file").to_string();
            assert!(refused.contains("not a regular file"), "{}: {refused}", path.display());
        }
        check_folder_writable(folder.path()).expect("there is room");
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 1, "nothing is left");
        assert!(check_folder_writable(&pipe).is_err());
    }

    #[test]
    fn what_is_there_is_not_made_and_not_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        write(&path, b"kept").expect("written");
        assert_eq!(create(&path).expect_err("there").kind(), io::ErrorKind::AlreadyExists);
        write(&path.join("no folder"), b"lost").expect_err("not a folder");
        write_with_folder(&folder.path().join("a/b/c"), b"kept").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"kept");
    }
}
