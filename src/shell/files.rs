//! Attachments: file facts, path completion, and contents when sent.
//!
//! A file that changed since it was selected is not sent.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use model::attachments::{self, FileFacts};
use model::bounds;
use model::files;

/// Maximum directory entries examined for completion.
const MAX_FOLDER_ENTRIES: usize = 10_000;

pub fn inspect_file(typed: &str) -> Result<FileFacts, String> {
    let path = expand_path(typed);
    let mut file = open(&path)?;
    let size = file.metadata().map_err(|error| open_error(&path, &error))?.len();
    let mut head = Vec::with_capacity(files::SNIFFED_BYTES);
    let most = u64::try_from(files::SNIFFED_BYTES).unwrap_or(u64::MAX);
    file.by_ref().take(most).read_to_end(&mut head).map_err(|error| open_error(&path, &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mime_type = files::mime_type(&head, &name).to_owned();
    Ok(FileFacts { path: path.to_string_lossy().into_owned(), name, mime_type, size })
}

/// Contents of a selected file, which must still have its size.
pub fn read(path: &str, size: u64) -> Result<Vec<u8>, String> {
    let path = expand_path(path);
    let mut bytes = Vec::new();
    open(&path)?
        .take(bounds::MAX_UPLOAD_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| open_error(&path, &error))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) == size {
        Ok(bytes)
    } else {
        Err(format!("{} has changed since it was attached; attach it again", path.display()))
    }
}

/// Completes a path as far as it is unambiguous.
pub fn complete_path(typed: &str) -> Option<String> {
    let (folder, start) = typed.rsplit_once('/').map_or(("", typed), |(folder, start)| (folder, start));
    let shown = if typed.contains('/') { format!("{folder}/") } else { String::new() };
    let place = if shown.is_empty() { PathBuf::from(".") } else { expand_path(&shown) };
    let mut names = Vec::new();
    for entry in fs::read_dir(place).ok()?.take(MAX_FOLDER_ENTRIES) {
        let entry = entry.ok()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(start) && (name.starts_with('.') == start.starts_with('.')) {
            names.push((name, entry.path().is_dir()));
        }
    }
    let (first, is_folder) = names.first()?.clone();
    let mut common = names.iter().fold(first, |common, (name, _)| {
        let same = common.chars().zip(name.chars()).take_while(|(one, other)| one == other);
        same.map(|(character, _)| character).collect()
    });
    if names.len() == 1 && is_folder {
        common.push('/');
    }
    let longer = format!("{shown}{common}");
    (longer.len() > typed.len()).then_some(longer)
}

fn open(path: &Path) -> Result<File, String> {
    let facts = fs::metadata(path).map_err(|error| open_error(path, &error))?;
    if !facts.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    File::open(path).map_err(|error| open_error(path, &error))
}

fn open_error(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {}", path.display()),
        std::io::ErrorKind::PermissionDenied => {
            format!("{} cannot be read: permission denied", path.display())
        }
        _ => format!("{}: {error}", path.display()),
    }
}

/// Resolves a typed or dropped path, including `~`.
fn expand_path(typed: &str) -> PathBuf {
    let typed = attachments::parse_pasted_path(typed).unwrap_or_else(|| typed.to_owned());
    match (typed.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_bytes_say() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("photo of it.dat");
        fs::write(&path, b"\xFF\xD8\xFF\xE0....").expect("written");
        let typed = format!("'{}'", path.display());
        let facts = inspect_file(&typed).expect("a file");
        assert_eq!((facts.mime_type.as_str(), facts.size), ("image/jpeg", 8));
        assert_eq!(facts.name, "photo of it.dat");
        assert_eq!(read(&facts.path, 8).map(|bytes| bytes.len()), Ok(8));
        fs::write(&path, b"another").expect("written");
        assert!(read(&facts.path, 8).is_err_and(|error| error.contains("has changed")));
        fs::remove_file(&path).expect("removed");
        assert!(read(&facts.path, 8).is_err_and(|error| error.contains("there is no file")));
        assert!(
            inspect_file(&folder.path().display().to_string())
                .is_err_and(|error| error.ends_with("is not a file"))
        );
    }

    #[test]
    fn a_path_goes_on_where_there_is_one_way() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| format!("{}/{name}", folder.path().display());
        for name in ["photo-1.jpg", "photo-2.jpg", "list.csv", ".hidden"] {
            fs::write(at(name), b"x").expect("written");
        }
        fs::create_dir(at("bills")).expect("made");
        let cases = [
            ("ph", Some("photo-")),
            ("photo-", None),
            ("l", Some("list.csv")),
            ("b", Some("bills/")),
            ("", None),
            (".h", Some(".hidden")),
            ("x", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(complete_path(&at(typed)), expected.map(at), "{typed}");
        }
    }
}
