//! Files only their owner can read: new ones, and ones written whole or not
//! at all.
//!
//! Knows nothing of what is in them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes a file that is not there yet; a link of its name counts as there.
///
/// # Errors
/// When there is something of that name, or the folder takes no file.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Where a file is written before it takes its name: a name of its own, as
/// another process may be writing too.
fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", uuid::Uuid::new_v4()));
    PathBuf::from(part)
}

/// Writes a file whole or not at all, over what may be there.
///
/// # Errors
/// When its folder takes no file; what was there is as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = &part_of(path);
    let written = create(part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(part, path));
    if done.is_err() {
        // The first error tells more than one about the leftover.
        let _ = fs::remove_file(part);
    }
    done
}

/// Looks whether a file can be written here later; leaves nothing.
///
/// # Errors
/// When its folder takes no file, or a folder is in its place.
pub fn can_write(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let part = part_of(path);
    create(&part)?;
    fs::remove_file(part)
}

/// As [`write`], with the folder made that it goes into.
///
/// # Errors
/// When the folder can neither be made nor take a file.
pub fn write_with_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
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
        assert!(bytes.len() == 5000 && bytes.iter().all(|it| *it == bytes[0]));
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 1, "nothing is left over");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        }
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
