//! Folder of canned replies: one Markdown file each, read again after a change.
//!
//! A file may start with TOML between two lines of `+++`.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use inbox::screens::composer::canned::CannedReplies;
use model::email::quoting::QuoteStyle;
use model::replies::{CannedReply, MAX_SHARED_NAME_CHARS, MAX_SHARED_REPLY_CHARS, ReplyOrigin, SharedReply};
use model::{bounds, text};

const MAX_FILES: usize = 1_000;
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Path, modification time and size of a file when it was read.
type FileStamp = (PathBuf, Option<SystemTime>, u64);

#[derive(Debug)]
pub struct ReplyFolder {
    path: PathBuf,
    stamps: Option<Vec<FileStamp>>,
    canned: CannedReplies,
}

impl ReplyFolder {
    /// The folder is read on first use.
    pub fn new(path: PathBuf) -> Self {
        let canned = CannedReplies { folder: path.display().to_string(), ..CannedReplies::default() };
        Self { path, stamps: None, canned }
    }

    pub fn read(&mut self) -> CannedReplies {
        match prints(&self.path) {
            Ok(prints) if self.stamps.as_ref() != Some(&prints) => {
                self.canned = read_all(&self.path, &prints);
                self.stamps = Some(prints);
            }
            Ok(_) => (),
            Err(error) => {
                self.stamps = None;
                self.canned.replies = Some(Vec::new());
                let missing = error.kind() == io::ErrorKind::NotFound;
                self.canned.problems = if missing { Vec::new() } else { vec![error.to_string()] };
            }
        }
        self.canned.clone()
    }
}

impl ReplyFolder {
    /// Returns the text of a reply's file, to be shared.
    ///
    /// # Errors
    /// As text: there is no such file, or the team's service takes no such reply.
    pub fn read_for_sharing(&mut self, name: &str) -> Result<String, String> {
        let canned = self.read();
        // Only a name that was listed: it leads nowhere else.
        if !canned.replies.iter().flatten().any(|reply| reply.name == name) {
            return Err(format!("{} has no {name}.md", canned.folder));
        }
        let text = read_file(&self.path.join(format!("{name}.md")))?;
        let (length, name_length) = (bounds::count_chars(&text), bounds::count_chars(name));
        if length > MAX_SHARED_REPLY_CHARS {
            return Err(format!(
                "{name}.md has {length} characters; a shared reply has at most {MAX_SHARED_REPLY_CHARS}"
            ));
        }
        if name_length > MAX_SHARED_NAME_CHARS || name.trim() != name || !text::is_plain(name) {
            return Err(format!(
                "the name of a shared reply must have 1 to {MAX_SHARED_NAME_CHARS} visible characters and must not begin or end with a space"
            ));
        }
        Ok(text)
    }
}

fn prints(folder: &Path) -> io::Result<Vec<FileStamp>> {
    let mut prints = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let facts = fs::metadata(&path)?;
            prints.push((path, facts.modified().ok(), facts.len()));
        }
    }
    prints.sort();
    prints.truncate(MAX_FILES);
    Ok(prints)
}

fn read_all(folder: &Path, prints: &[FileStamp]) -> CannedReplies {
    let mut replies = Vec::new();
    let mut problems = Vec::new();
    for (path, _, _) in prints {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match read_file(path).and_then(|text| parse(&name, &text)) {
            Ok(reply) => replies.push(reply),
            Err(why) => problems.push(format!("{name}.md: {why}")),
        }
    }
    CannedReplies { folder: folder.display().to_string(), replies: Some(replies), problems }
}

fn read_file(path: &Path) -> Result<String, String> {
    let file = disk::open_plain(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("larger than {} KB", MAX_FILE_BYTES / 1024));
    }
    Ok(text)
}

fn parse(name: &str, text: &str) -> Result<CannedReply, String> {
    let text = text.replace("\r\n", "\n");
    let (front, body) = match text.strip_prefix("+++\n") {
        Some(rest) => rest.split_once("\n+++\n").ok_or("the second line of +++ is missing")?,
        None => ("", text.as_str()),
    };
    let table: toml::Table = front.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let mut reply = CannedReply { name: name.to_owned(), ..CannedReply::default() };
    for (key, value) in &table {
        let words = || value.as_str().map(str::to_owned).ok_or(format!("{key} must be a text in quotes"));
        match key.as_str() {
            "title" => reply.title = words()?,
            "channel" => reply.channel = Some(words()?),
            "subject" => reply.subject = Some(text::clean_pasted(words()?.trim()).replace('\n', " ")),
            "quote" => {
                let known = QuoteStyle::ALL.map(QuoteStyle::word).join(", ");
                let style = QuoteStyle::from_word(&words()?);
                reply.quote = Some(style.ok_or(format!("quote must be one of {known}"))?);
            }
            "keywords" => {
                let list = value.as_array().ok_or("keywords must be a list of texts")?;
                reply.keywords = list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect();
            }
            _ => return Err(format!("{key} is not known; use title, keywords, channel, subject or quote")),
        }
    }
    reply.body = text::clean_pasted(body.trim());
    if reply.body.is_empty() { Err("it has no text".to_owned()) } else { Ok(reply) }
}

/// Adds the replies of the team. A local reply of the same name stays.
pub fn add_shared(canned: &mut CannedReplies, shared: Vec<SharedReply>) {
    let replies = canned.replies.get_or_insert_default();
    for SharedReply { name, text, author } in shared {
        let folded = name.to_lowercase();
        if let Some(local) = replies.iter_mut().find(|known| known.name.to_lowercase() == folded) {
            if local.origin == ReplyOrigin::Local {
                local.origin = ReplyOrigin::LocalInsteadOfShared;
            }
            continue;
        }
        let whole = || CannedReply {
            name: name.clone(),
            body: text::clean_pasted(text.trim()),
            ..CannedReply::default()
        };
        // A header that this version cannot read is a part of the text.
        let reply = parse(&name, &text).unwrap_or_else(|_| whole());
        replies.push(CannedReply { origin: ReplyOrigin::Shared(author), ..reply });
    }
}

/// Sample replies of the demo.
const SAMPLE_REPLIES: [(&str, &str); 5] = [
    ("refund.md", include_str!("../../assets/demo/replies/refund.md")),
    ("hours.md", include_str!("../../assets/demo/replies/hours.md")),
    ("ready.md", include_str!("../../assets/demo/replies/ready.md")),
    ("order.md", include_str!("../../assets/demo/replies/order.md")),
    ("taglia.md", include_str!("../../assets/demo/replies/taglia.md")),
];

/// Writes the sample replies if the folder does not exist.
pub fn write_samples(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    disk::folder(folder)?;
    SAMPLE_REPLIES.iter().try_for_each(|(name, text)| disk::write(&folder.join(name), text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::SafeText;

    #[test]
    fn files_are_replies() {
        let whole =
            "+++\ntitle = \"Money back\"\nkeywords = [\"charge\"]\nchannel = \"Harbor chat\"\n+++\nHi!\n";
        let reply = parse("refund", whole).expect("a reply");
        assert_eq!((reply.title.as_str(), reply.body.as_str()), ("Money back", "Hi!"));
        assert_eq!(
            (reply.keywords, reply.channel),
            (vec!["charge".to_owned()], Some("Harbor chat".to_owned()))
        );
        assert_eq!(
            parse("plain", "just\r\ntext\n").map(|canned_reply| canned_reply.body),
            Ok("just\ntext".to_owned())
        );
        let cases = [
            ("+++\ntitle = 1\n+++\nx", "title must be a text in quotes"),
            ("+++\ntitel = \"x\"\n+++\nx", "titel is not known"),
            ("+++\nquote = \"top\"\n+++\nx", "quote must be one of below, above, between, none"),
            ("+++\ntitle", "the second line of +++"),
            ("\n", "it has no text"),
        ];
        for (text, why) in cases {
            let told = parse("x", text).expect_err(text);
            assert!(told.contains(why), "{told}");
        }
    }

    #[test]
    fn local_reply_wins_over_the_shared_one_of_its_name() {
        let local =
            CannedReply { name: "Hours".to_owned(), body: "Mine".to_owned(), ..CannedReply::default() };
        let mut canned = CannedReplies { replies: Some(vec![local]), ..CannedReplies::default() };
        let shared = |name: &str, text: &str| SharedReply {
            name: name.to_owned(),
            text: text.to_owned(),
            author: SafeText::line("Ana"),
        };
        let header = "+++\ntitle = \"Money back\"\n+++\nHi!";
        add_shared(
            &mut canned,
            vec![shared("hours", "Theirs"), shared("refund", header), shared("odd", "+++\nx = 1")],
        );
        let replies = canned.replies.expect("replies");
        let of = |name: &str| replies.iter().find(|reply| reply.name == name).expect("a reply");
        assert_eq!(replies.len(), 3);
        assert_eq!(
            (of("Hours").body.as_str(), &of("Hours").origin),
            ("Mine", &ReplyOrigin::LocalInsteadOfShared)
        );
        assert_eq!((of("refund").title.as_str(), of("refund").body.as_str()), ("Money back", "Hi!"));
        assert_eq!(of("refund").origin, ReplyOrigin::Shared(SafeText::line("Ana")));
        assert_eq!(of("odd").body, "+++\nx = 1");
    }

    #[test]
    fn only_a_listed_file_that_the_service_takes_is_shared() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("hours.md"), "Open.").expect("written");
        fs::write(folder.path().join("long.md"), "é".repeat(MAX_SHARED_REPLY_CHARS + 1)).expect("written");
        let mut replies = ReplyFolder::new(folder.path().to_owned());
        assert_eq!(replies.read_for_sharing("hours").as_deref(), Ok("Open."));
        assert!(replies.read_for_sharing("long").expect_err("too long").contains("at most 4096"));
        for name in ["", "nothing", "../hours", "hours.md"] {
            assert!(replies.read_for_sharing(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_changed_folder_is_read_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies");
        let mut replies = ReplyFolder::new(path.clone());
        assert_eq!(replies.read().replies, Some(Vec::new()), "a folder that is not there has no replies");
        write_samples(&path).expect("samples");
        let read = replies.read();
        assert_eq!((read.replies.map(|reply| reply.len()), read.problems.len()), (Some(5), 0));
        fs::write(path.join("broken.md"), "+++\n").expect("written");
        fs::write(path.join("hours.md"), "Open all day.").expect("written");
        let read = replies.read();
        assert_eq!(read.problems, ["broken.md: the second line of +++ is missing"]);
        assert!(read.replies.expect("replies").iter().any(|reply| reply.body == "Open all day."));
    }
}
