//! Finds the folder or file that keeps this user out of a path, and whose it is.

use std::fmt;
use std::path::{Path, PathBuf};

/// Purpose for which a path is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeededAccess {
    Read,
    /// Writing to the path, or creating it in the nearest folder that exists.
    Write,
}

/// Path that this user may not use, with its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessDenial {
    pub path: PathBuf,
    pub owner: FileOwner,
    /// Id of this user.
    user: u32,
    /// True for a file where a folder is needed.
    is_file: bool,
    /// True if it can be given to this user: it is the path itself, or lies in a folder of this user. A folder of the
    /// system above the path cannot.
    can_be_given: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOwner {
    pub uid: u32,
    /// Login name, if the system knows one.
    name: Option<String>,
}

impl fmt::Display for FileOwner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(formatter, "{name} (uid {})", self.uid),
            None => write!(formatter, "uid {}", self.uid),
        }
    }
}

impl fmt::Display for AccessDenial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if self.is_file {
            return write!(formatter, "{path} is a file, not a folder");
        }
        if !self.is_foreign() {
            return write!(formatter, "{path} is yours, but its permissions do not let you use it");
        }
        write!(formatter, "{path} belongs to {}, you are uid {}", self.owner, self.user)
    }
}

impl AccessDenial {
    /// True if the path belongs to another user.
    pub fn is_foreign(&self) -> bool {
        self.owner.uid != self.user
    }

    /// Command that opens the path to this user.
    pub fn remedy(&self) -> String {
        let path = self.path.display();
        if self.is_file {
            return format!("move {path} away");
        }
        if !self.is_foreign() {
            let rights = if self.path.is_dir() { "u+rwx" } else { "u+rw" };
            return format!("run: chmod {rights} {path}");
        }
        if !self.can_be_given {
            return "ask its owner for access".to_owned();
        }
        format!("run: sudo chown -R {} {path}", self.user)
    }
}

/// Returns what keeps this user from `path`; `None` if nothing does. A missing path is judged by the
/// nearest folder that exists.
#[cfg(unix)]
pub fn find_denial(path: &Path, needed: NeededAccess) -> Option<AccessDenial> {
    use rustix::fs::Access;
    let mut above: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
    above.reverse();
    let mut last = None;
    for part in above {
        let Ok(metadata) = part.metadata() else { break };
        let is_target = part == path;
        if !is_target && !metadata.is_dir() {
            return Some(denial((part, &metadata), path, true));
        }
        if metadata.is_dir() && !may(part, Access::EXEC_OK) {
            return Some(denial((part, &metadata), path, false));
        }
        last = Some((part, metadata));
    }
    let (part, metadata) = last?;
    let is_missing = part != path;
    let wanted = match needed {
        NeededAccess::Read if is_missing => return None,
        NeededAccess::Read => Access::READ_OK,
        NeededAccess::Write => Access::READ_OK | Access::WRITE_OK,
    };
    (!may(part, wanted)).then(|| denial((part, &metadata), path, false))
}

/// Returns `None`: only Unix systems are supported.
#[cfg(not(unix))]
pub fn find_denial(_: &Path, _: NeededAccess) -> Option<AccessDenial> {
    None
}

/// Returns the owner of a path and the id of this user, if they differ.
#[cfg(unix)]
pub fn foreign_owner(path: &Path) -> Option<FileOwner> {
    use std::os::unix::fs::MetadataExt;
    let uid = path.metadata().ok()?.uid();
    (uid != rustix::process::geteuid().as_raw()).then(|| owner(uid))
}

/// Returns `None`: only Unix systems are supported.
#[cfg(not(unix))]
pub fn foreign_owner(_: &Path) -> Option<FileOwner> {
    None
}

#[cfg(unix)]
fn may(path: &Path, wanted: rustix::fs::Access) -> bool {
    use rustix::fs::{AtFlags, CWD, accessat};
    use rustix::io::Errno;
    let refused = accessat(CWD, path, wanted, AtFlags::EACCESS).err();
    // Any other error is found by the use itself.
    !matches!(refused, Some(Errno::ACCESS | Errno::PERM))
}

/// Describes the part of `path` that keeps this user out.
#[cfg(unix)]
fn denial((part, metadata): (&Path, &std::fs::Metadata), path: &Path, is_file: bool) -> AccessDenial {
    use std::os::unix::fs::MetadataExt;
    let is_in_own = || part.parent().is_some_and(|parent| foreign_owner(parent).is_none());
    AccessDenial {
        path: part.to_owned(),
        owner: owner(metadata.uid()),
        user: rustix::process::geteuid().as_raw(),
        is_file,
        can_be_given: part == path || is_in_own(),
    }
}

#[cfg(unix)]
fn owner(uid: u32) -> FileOwner {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    FileOwner { uid, name: find_name(&users, uid) }
}

/// Returns the name of a user in the text of `/etc/passwd`.
#[cfg(unix)]
fn find_name(users: &str, uid: u32) -> Option<String> {
    let wanted = uid.to_string();
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == wanted).then(|| name.to_owned())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_user_is_read_from_the_table() {
        let users = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000::/home/ann:/bin/sh\n";
        let cases = [(0, Some("root")), (1000, Some("ann")), (7, None)];
        for (uid, name) in cases {
            assert_eq!(find_name(users, uid).as_deref(), name);
        }
    }

    #[test]
    fn file_in_the_place_of_a_folder_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("data");
        std::fs::write(&file, "").expect("written");
        let found = find_denial(&file.join("deep/deeper"), NeededAccess::Write).expect("a denial");
        assert_eq!(found.to_string(), format!("{} is a file, not a folder", file.display()));
        assert_eq!(find_denial(&folder.path().join("a/b"), NeededAccess::Write), None);
        assert_eq!(find_denial(&file, NeededAccess::Read), None);
    }

    #[test]
    fn denial_names_both_users_and_the_command() {
        let name = Some("root".to_owned());
        let denial = |uid: u32| AccessDenial {
            path: PathBuf::from("/srv/desk"),
            owner: FileOwner { uid, name: name.clone() },
            user: 12345,
            is_file: false,
            can_be_given: uid != 1,
        };
        assert_eq!(denial(0).to_string(), "/srv/desk belongs to root (uid 0), you are uid 12345");
        assert_eq!(denial(0).remedy(), "run: sudo chown -R 12345 /srv/desk");
        assert_eq!(denial(1).remedy(), "ask its owner for access");
        assert!(denial(12345).remedy().starts_with("run: chmod u+r"), "{}", denial(12345).remedy());
    }
}
