//! Files of mail: saved attachments and mails shown in the browser. Files are created new, readable by their
//! owner only; links are not followed.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::shell::{children, mail_page, opening};
use client::{attachment_bytes, html_of};
use model::email::files::number_name;
use model::ids::MessageId;
use model::outbox::Operation;
use model::outbox::content::MailAttachmentSource;

/// Maximum bytes of a mail attachment.
const MAX_FILE_BYTES: u64 = 18_000_000;
/// Maximum number of mails kept for the browser.
const MAX_PAGES: usize = 20;
const MAX_NAME_TRIES: u32 = 200;

/// Destination of mail files.
#[derive(Debug, Default)]
pub struct MailFiles {
    /// Folder for saved files; the person's downloads if `None`.
    folder: Option<PathBuf>,
    /// Files shown in the browser, removed when the process ends.
    pages: Vec<PathBuf>,
}

impl MailFiles {
    pub fn with_folder(folder: PathBuf) -> Self {
        Self { folder: Some(folder), pages: Vec::new() }
    }

    /// Saves an attachment. Returns its path.
    pub fn save(&self, name: &str, raw: &str, source: &MailAttachmentSource) -> Result<String, String> {
        let MailAttachmentSource::Enclosed(place) = source else {
            return Err("the file is not in the mail; its link is opened instead".to_owned());
        };
        let place = usize::try_from(*place).unwrap_or(usize::MAX);
        let bytes = attachment_bytes(raw, place).ok_or("the file cannot be read: invalid base64")?;
        self.save_bytes(name, &bytes)
    }

    /// Creates an empty file under a name, for what is downloaded. Returns its path, too.
    pub fn create(&self, name: &str) -> Result<(File, PathBuf), String> {
        let folder = self.folder();
        disk::folder(&folder).map_err(|error| format!("could not create {}: {error}", folder.display()))?;
        new_file(&folder, name).map_err(|error| format!("could not save {name}: {error}"))
    }

    /// Saves bytes under a name. Returns the path.
    pub fn save_bytes(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let (mut file, path) = self.create(name)?;
        file.write_all(bytes)
            .map_err(|error| format!("could not write all of {}: {error}", path.display()))?;
        Ok(path.display().to_string())
    }

    fn folder(&self) -> PathBuf {
        self.folder.clone().or_else(downloads_folder).unwrap_or_else(std::env::temp_dir)
    }

    /// Opens a mail's sanitised HTML in the browser.
    pub fn show(&mut self, raw: &str) -> Result<(), String> {
        let page = self.page(raw)?;
        opening::open_file(&page)
    }

    /// Writes the page for the browser; the oldest of too many is removed.
    fn page(&mut self, raw: &str) -> Result<PathBuf, String> {
        let html = html_of(raw).ok_or("this mail has no HTML; its text is on screen")?;
        let name = format!("frontdesk-mail-{:016x}.html", rand::random::<u64>());
        let (mut file, path) = new_file(&std::env::temp_dir(), &name)
            .map_err(|error| format!("could not create a file for it: {error}"))?;
        if self.pages.len() >= MAX_PAGES {
            remove(&self.pages.remove(0));
        }
        self.pages.push(path.clone());
        file.write_all(mail_page::page(&html).as_bytes())
            .map_err(|error| format!("could not write the mail: {error}"))?;
        Ok(path)
    }
}

/// Download folder, or the home folder if there is none.
fn downloads_folder() -> Option<PathBuf> {
    let dirs = directories::UserDirs::new()?;
    let usual = Some(dirs.home_dir().join("Downloads")).filter(|path| path.is_dir());
    let downloads = dirs.download_dir().map(Path::to_path_buf).or(usual);
    Some(downloads.unwrap_or_else(|| dirs.home_dir().to_path_buf()))
}

impl Drop for MailFiles {
    fn drop(&mut self) {
        self.pages.iter().for_each(|page| remove(page));
    }
}

fn remove(page: &Path) {
    if let Err(error) = std::fs::remove_file(page) {
        tracing::info!(page = %page.display(), %error, "the page of a mail could not be removed");
    }
}

/// Absolute path and size of a file.
pub fn size(path: &str) -> Result<(String, u64), String> {
    let whole = std::fs::canonicalize(expand_home(path)).map_err(|error| error.to_string())?;
    let facts = std::fs::metadata(&whole).map_err(|error| error.to_string())?;
    if !facts.is_file() {
        return Err("not a file".to_owned());
    }
    if facts.len() > MAX_FILE_BYTES {
        return Err(format!("larger than {} MB", MAX_FILE_BYTES / 1_000_000));
    }
    Ok((whole.display().to_string(), facts.len()))
}

/// Expands `~` to the home folder.
fn expand_home(path: &str) -> PathBuf {
    let home = directories::UserDirs::new().map(|user_dirs| user_dirs.home_dir().to_path_buf());
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Reads the attachments of a mail. Returns the operation with their sizes, and their bytes. `received` loads
/// a received mail to be forwarded.
pub fn read_attachments(
    operation: &Operation,
    received: impl Fn(&MessageId) -> Option<String>,
) -> Result<(Operation, Vec<Vec<u8>>), String> {
    let Operation::SendMail(mail) = operation else { return Ok((operation.clone(), Vec::new())) };
    let (mut mail, mut files) = (mail.clone(), Vec::new());
    for attachment in &mut mail.attachments {
        let bytes = match &attachment.source {
            MailAttachmentSource::File(path) => {
                size(path).map_err(|error| format!("{path}: {error}"))?;
                std::fs::read(path).map_err(|error| format!("{path}: {error}"))?
            }
            MailAttachmentSource::Received(message, place) => {
                let gone = || {
                    let name = &attachment.filename;
                    format!("{name}: the mail it came with is not on this desk; open that mail, then send")
                };
                let place = usize::try_from(*place).unwrap_or(usize::MAX);
                received(message).and_then(|raw| attachment_bytes(&raw, place)).ok_or_else(gone)?
            }
            MailAttachmentSource::Link(_) | MailAttachmentSource::Enclosed(_) => continue,
        };
        attachment.source = MailAttachmentSource::Enclosed(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        files.push(bytes);
    }
    Ok((Operation::SendMail(mail), files))
}

/// Creates a new file under a free name; an existing link counts as taken.
fn new_file(folder: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    for number in 1..=MAX_NAME_TRIES {
        let name = if number == 1 { name.to_owned() } else { number_name(name, number) };
        let path = folder.join(name);
        match disk::create(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many files with this name exist"))
}

/// Starts a program with a file, without waiting for it.
pub(super) fn start(program: &str, file: &Path) -> io::Result<std::process::Child> {
    children::command(program)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::outbox::content::{Mail, MailAttachment};

    #[test]
    fn files_are_saved_beside_what_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = MailFiles::with_folder(folder.path().to_owned());
        let raw = r#"{"attachments":[{"filename":"a.txt","content":"aGk="},{"filename":"b","content":"?"}]}"#;
        let save = || files.save("a.txt", raw, &MailAttachmentSource::Enclosed(0)).expect("saved");
        let (first, second) = (save(), save());
        assert!(first.ends_with("a.txt") && second.ends_with("a-2.txt"), "{first} {second}");
        assert_eq!(std::fs::read(&first).expect("read"), b"hi");
        assert!(files.save("b", raw, &MailAttachmentSource::Enclosed(1)).is_err());
        assert!(files.save("c", raw, &MailAttachmentSource::Enclosed(9)).is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&first).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            let secret = folder.path().join("secret");
            std::fs::write(&secret, "kept").expect("written");
            std::os::unix::fs::symlink(&secret, folder.path().join("link.txt")).expect("a link");
            let saved = files.save("link.txt", raw, &MailAttachmentSource::Enclosed(0)).expect("saved");
            assert!(saved.ends_with("link-2.txt"), "{saved}");
            assert_eq!(std::fs::read_to_string(&secret).expect("there"), "kept");
        }
    }

    #[test]
    fn what_is_passed_on_is_enclosed() {
        let source = |message: &str, place| MailAttachmentSource::Received(MessageId::from(message), place);
        let mail = |source| {
            let (filename, content_type) = ("a.txt".to_owned(), "text/plain".to_owned());
            let attachments = vec![MailAttachment { filename, content_type, source }];
            Operation::SendMail(Box::new(Mail { attachments, ..Mail::default() }))
        };
        let raw = r#"{"attachments":[{"filename":"x"},{"filename":"a.txt","content":"aGk="}]}"#;
        let received = |id: &MessageId| (id.as_str() == "m1").then(|| raw.to_owned());
        let (enclosed, files) = read_attachments(&mail(source("m1", 1)), received).expect("enclosed");
        assert_eq!((enclosed, files), (mail(MailAttachmentSource::Enclosed(2)), vec![b"hi".to_vec()]));
        for gone in [source("m1", 0), source("m1", 7), source("m2", 1)] {
            let why = read_attachments(&mail(gone), received).expect_err("no bytes");
            assert!(why.contains("a.txt: the mail it came with is not on this desk"), "{why}");
        }
    }

    #[test]
    fn a_mail_in_the_browser_runs_and_fetches_nothing() {
        let mut files = MailFiles::default();
        let raw = r#"{"html":"<p>Hi<script>alert(1)</script>"}"#;
        let pages: Vec<PathBuf> = (0..=MAX_PAGES).map(|_| files.page(raw).expect("written")).collect();
        let page = std::fs::read_to_string(&pages[MAX_PAGES]).expect("there");
        assert!(page.contains("default-src 'none'") && page.contains("<p>Hi</p>"), "{page}");
        assert!(!pages[0].exists(), "the oldest goes");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&pages[MAX_PAGES]).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(files);
        assert!(pages.iter().all(|page| !page.exists()), "nothing stays behind");
        assert!(MailFiles::default().page("{}").is_err());
    }
}
