//! Attachments: file facts, path completion, and contents when sent.
//!
//! A file that changed since it was selected is not sent.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use model::attachments::{self, FileFacts, ReplyAttachment};
use model::bounds;
use model::files;
use model::links;
use model::stickers::WebpFacts;

/// Maximum directory entries examined for completion.
const MAX_FOLDER_ENTRIES: usize = 10_000;

/// Finds the files and links of a typed or dropped list; a path that exists as a whole is no list.
///
/// # Errors
/// If one of them cannot be sent or read, or a pattern fits nothing.
pub fn find_attachments(typed: &str, with_patterns: bool) -> Result<Vec<ReplyAttachment>, String> {
    let whole = match inspect_file(typed) {
        Ok(facts) => return Ok(vec![ReplyAttachment::file(facts)]),
        Err(why) => why,
    };
    let words = attachments::split_paths(typed).unwrap_or_default();
    if words.len() < 2 && !(with_patterns && words.iter().any(|word| is_pattern(word))) {
        return Err(whole);
    }
    let mut found = Vec::new();
    for word in words {
        let more = if links::host_of(&word).is_some() {
            match attachments::link_rejection_reason(&word) {
                Some(why) => return Err(format!("{word}: {why}")),
                None => vec![ReplyAttachment::link(&word)],
            }
        } else {
            let inspected = if with_patterns {
                inspect_pattern(&word)
            } else {
                inspect(&expand_home(&word)).map(|facts| vec![facts])
            };
            // An unquoted path with spaces, while it is typed.
            let inspected = inspected.map_err(|why| if found.is_empty() { whole.clone() } else { why });
            inspected?.into_iter().map(ReplyAttachment::file).collect()
        };
        found = attachments::merge(found, more);
        if found.len() > bounds::MAX_ATTACHMENTS {
            return Err(format!("more than {} files", bounds::MAX_ATTACHMENTS));
        }
    }
    Ok(found)
}

/// Reads the facts about the file of a path, or about the files that fit a pattern, in the order of their
/// names.
///
/// # Errors
/// If there is none, or too many.
pub fn inspect_pattern(path: &str) -> Result<Vec<FileFacts>, String> {
    let one = match inspect(&expand_home(path)) {
        Err(_) if is_pattern(path) => find_matches(path)?,
        one => return one.map(|facts| vec![facts]),
    };
    one.iter().map(|path| inspect(path)).collect()
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// Returns the plain files that fit a pattern. Hidden ones fit only a pattern that begins with a dot.
fn find_matches(pattern: &str) -> Result<Vec<PathBuf>, String> {
    let whole = expand_home(pattern);
    let mut places = vec![PathBuf::new()];
    for part in whole.components() {
        let name = part.as_os_str().to_string_lossy();
        if !is_pattern(&name) {
            places.iter_mut().for_each(|place| place.push(part));
            continue;
        }
        let mut found = Vec::new();
        for place in places {
            let folder = if place.as_os_str().is_empty() { Path::new(".") } else { &place };
            let entries = fs::read_dir(folder).into_iter().flatten().take(MAX_FOLDER_ENTRIES);
            let names =
                entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
            let fits = |entry: &String| {
                entry.starts_with('.') == name.starts_with('.') && attachments::matches_pattern(&name, entry)
            };
            found.extend(names.filter(fits).map(|entry| place.join(entry)));
            if found.len() > MAX_FOLDER_ENTRIES {
                return Err(format!("{pattern} fits more than {MAX_FOLDER_ENTRIES} files"));
            }
        }
        places = found;
    }
    places.retain(|place| place.is_file());
    places.sort();
    match places.len() {
        0 => Err(format!("no file fits {pattern}")),
        count if count > bounds::MAX_ATTACHMENTS => {
            Err(format!("{pattern} fits {count} files; at most {} are taken", bounds::MAX_ATTACHMENTS))
        }
        _ => Ok(places),
    }
}

/// Reads the facts about a file.
pub fn inspect_file(typed: &str) -> Result<FileFacts, String> {
    inspect(&expand_path(typed))
}

fn inspect(path: &Path) -> Result<FileFacts, String> {
    let mut file = open(path)?;
    let size = file.metadata().map_err(|error| open_error(path, &error))?.len();
    let mut head = Vec::with_capacity(files::SNIFFED_BYTES);
    let most = u64::try_from(files::SNIFFED_BYTES).unwrap_or(u64::MAX);
    file.by_ref().take(most).read_to_end(&mut head).map_err(|error| open_error(path, &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mime_type = files::mime_type(&head, &name).to_owned();
    let webp = WebpFacts::read(&head);
    Ok(FileFacts { path: path.to_string_lossy().into_owned(), name, mime_type, size, webp })
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

/// Completes a typed path, or the last of a list, as far as it is unambiguous.
pub fn complete_last_path(typed: &str) -> Option<String> {
    let whole = complete_path(typed);
    let Some((others, last)) = typed.rsplit_once(' ').filter(|(_, last)| !last.is_empty() && whole.is_none())
    else {
        return whole;
    };
    let is_plain = !last.contains(['\'', '"', '\\']) && !others.ends_with('\\');
    let longer = is_plain.then(|| complete_path(last)).flatten()?;
    Some(format!("{others} {}", longer.replace(' ', "\\ ")))
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
    expand_home(&attachments::parse_pasted_path(typed).unwrap_or_else(|| typed.to_owned()))
}

fn expand_home(typed: &str) -> PathBuf {
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
    fn lists_and_patterns_name_several_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| format!("{}/{name}", folder.path().display());
        for name in ["b.png", "a.png", "my photo.png", ".hidden.png", "list.csv"] {
            fs::write(at(name), name).expect("written");
        }
        fs::create_dir(at("folder.png")).expect("made");
        let names = |typed: &str| {
            let found = find_attachments(typed, true)?;
            Ok::<_, String>(found.iter().map(|found| found.name().to_owned()).collect::<Vec<_>>())
        };
        let found = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&at("*.png")), found(&["a.png", "b.png", "my photo.png"]));
        assert_eq!(names(&at("my photo.png")), found(&["my photo.png"]), "a whole path is no list");
        let list =
            format!("{} '{}' https://shop.example/c.pdf {}", at("list.csv"), at("my photo.png"), at("?.png"));
        assert_eq!(names(&list), found(&["list.csv", "my photo.png", "c.pdf", "a.png", "b.png"]));
        assert_eq!(names(&format!("{0} {0}", at("a.png"))), found(&["a.png"]), "a file is found once");
        assert!(
            names(&format!("{} {}", at("a.png"), at("none.png"))).is_err_and(|why| why.contains("none.png"))
        );
        assert!(names(&at("*.pdf")).is_err());
        assert!(find_attachments(&at("*.png"), false).is_err(), "pasted text is no pattern");
        let escaped = format!("{} {}", at("a.png"), at("my"));
        assert_eq!(complete_last_path(&escaped), Some(format!("{} {}", at("a.png"), at("my\\ photo.png"))));
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
