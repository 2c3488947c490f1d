//! IMAP connection to a mailbox: logged in, with its folders discovered.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use async_imap::imap_proto::{MailboxDatum, Response, Status};
use async_imap::types::{Mailbox, NameAttribute};
use async_imap::{Client, Session, error::Error as ImapError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use futures_util::TryStreamExt;
use lettre::transport::smtp::authentication::Mechanism;
use rustls::ClientConfig;
use tokio::time::timeout;

use crate::contract::PlatformError;
use crate::mailbox::answer_guard::{self, AnswerSize};
use crate::mailbox::fetched::FetchedMail;
use crate::mailbox::folders::{self, Folder, FolderUse};
use crate::mailbox::login::{BearerLogin, MailLogin, describe_refused_login};
use crate::mailbox::server::{MailServer, MailStream};
use crate::web::is_host_of;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};

pub(super) const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_FOLDERS: usize = 10_000;
pub const INBOX: &str = "INBOX";
/// Domains of providers whose servers store sent mail themselves. Gmail has a capability of its own.
const PROVIDERS_STORING_SENT: [&str; 4] = ["gmail.com", "googlemail.com", "office365.com", "outlook.com"];
/// Words of Microsoft's servers after a login of an account that has no access to the mailbox.
const NO_MAILBOX: &str = "User is authenticated but not connected";

pub struct ImapLink {
    pub session: Session<MailStream>,
    /// True if the server reports new mail by itself (IDLE).
    pub idles: bool,
    /// True if the server moves mails in one step (MOVE).
    pub(super) moves: bool,
    /// True if the server can expunge single mails (UIDPLUS).
    pub(super) removes: bool,
    /// True if the server stores sent mail itself, a moment after it accepted the mail.
    pub(super) stores_sent: bool,
    pub sent: String,
    pub archive: String,
    pub(super) trash: Option<String>,
    pub(super) junk: Option<String>,
    /// All folders, under the server's names.
    pub(super) names: Vec<String>,
    /// Folders found after the login.
    pub(super) listed: Vec<Folder>,
    /// Questions for the structure of a mail in a row whose answer was not understood.
    pub(super) structure_failures: Arc<AtomicU32>,
    /// Number of mails in the selected folder, as reported without being asked.
    pub(super) told_count: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FolderState {
    pub validity: u32,
    pub next: u32,
    /// Number of mails; 0 if the folder was not selected.
    pub count: u32,
}

impl FolderState {
    fn from_mailbox(told: &Mailbox) -> Self {
        Self {
            validity: told.uid_validity.unwrap_or(0),
            next: told.uid_next.unwrap_or(1),
            count: told.exists,
        }
    }

    /// UID validity and next UID, the form used in marks.
    pub fn next_position(self) -> (u32, u32) {
        (self.validity, self.next)
    }
}

impl ImapLink {
    /// Connects and logs in; creates the folders that are missing.
    pub async fn open(
        server: &MailServer,
        login: &MailLogin,
        trust: &Result<Arc<ClientConfig>, String>,
    ) -> Result<Self, PlatformError> {
        let stream = server.connect(trust).await.map_err(|why| PlatformError::transient(why.to_string()))?;
        let proof = login.imap_proof().await?;
        let place = server.describe();
        let greeting = async {
            let mut client = Client::new(stream);
            match client.read_response().await {
                Ok(Some(response)) => match describe_farewell(response.parsed()) {
                    Some(words) => Err(GreetingError::Farewell(words)),
                    None => Ok(client),
                },
                Ok(None) => Err(GreetingError::NotImap("it closed the connection".to_owned())),
                Err(why) => Err(GreetingError::NotImap(describe_io_error(&why))),
            }
        };
        let silent = |why: String| {
            PlatformError::transient(format!(
                "{place} does not answer as an IMAP server ({why}); check the host and the port"
            ))
        };
        let greeted =
            timeout(COMMAND_TIMEOUT, greeting).await.map_err(|_| silent("no greeting".to_owned()))?;
        let client = greeted.map_err(|error| match error {
            GreetingError::Farewell(words) => {
                PlatformError::transient(format!("{place} accepts no connections right now: {words}"))
            }
            GreetingError::NotImap(why) => silent(why),
        })?;
        let logged_in = async {
            match proof.mechanism {
                Mechanism::Xoauth2 => {
                    client.authenticate("XOAUTH2", BearerLogin::new(&server.user, &proof.secret)).await
                }
                _ => client.login(&server.user, proof.secret.expose()).await,
            }
        };
        let session = match timeout(COMMAND_TIMEOUT, logged_in).await {
            Ok(Ok(session)) => session,
            Ok(Err((ImapError::No(text) | ImapError::Bad(text), _))) if is_temporary(&text) => {
                let why = format!("{place} accepts no logins right now: {}", describe_refusal(&text));
                return Err(PlatformError { why, pause: MINUTE });
            }
            Ok(Err((why @ (ImapError::No(_) | ImapError::Bad(_) | ImapError::Validate(_)), _))) => {
                login.discard_token().await;
                let said = describe_imap_error(&why);
                let why = describe_refused_login(&place, login.is_token(), "reading", "IMAP", &said);
                return Err(PlatformError { why, pause: MINUTE });
            }
            Ok(Err((why, _))) => return Err(imap_error(&why)),
            Err(_) => return Err(silent("no answer to the login".to_owned())),
        };
        let mut link = Self {
            session,
            idles: false,
            moves: false,
            removes: false,
            stores_sent: stores_sent_mail(&server.host),
            sent: String::new(),
            archive: String::new(),
            trash: None,
            junk: None,
            names: Vec::new(),
            listed: Vec::new(),
            structure_failures: Arc::default(),
            told_count: None,
        };
        let folders = with_timeout(link.discover_folders()).await;
        folders.map_err(|error| match error.why.contains(NO_MAILBOX) {
            true => PlatformError::needs_person(format!(
                "{place} accepts the login of {user} but opens no mailbox for it ({NO_MAILBOX}). The \
                 account that gives consent must be the mailbox's own, or have access to the mailbox; then \
                 connect the channel again",
                user = server.user
            )),
            false => error,
        })?;
        Ok(link)
    }

    /// Runs a command and passes each line of its answer to `tell`.
    async fn run_command(
        &mut self,
        command: &str,
        mut tell: impl FnMut(&Response<'_>),
    ) -> Result<(), ImapError> {
        let tag = self.session.run_command(command).await?;
        loop {
            let Some(line) = self.session.read_response().await? else {
                return Err(ImapError::ConnectionLost);
            };
            match line.parsed() {
                Response::Done { tag: of, status, outcome } if *of == tag => {
                    let why = || outcome.information.as_deref().unwrap_or("no reason").to_owned();
                    return match status {
                        Status::Ok => Ok(()),
                        Status::No => Err(ImapError::No(why())),
                        _ => Err(ImapError::Bad(why())),
                    };
                }
                Response::Data { status: Status::Bye, .. } => {
                    let words = describe_farewell(line.parsed()).unwrap_or_default();
                    return Err(ImapError::Io(io::Error::other(Farewell(words))));
                }
                Response::MailboxData(MailboxDatum::Exists(count)) => self.told_count = Some(*count),
                told => tell(told),
            }
        }
    }

    async fn discover_folders(&mut self) -> Result<(), ImapError> {
        self.session.get_mut().fail_at_end();
        let can = self.session.capabilities().await?;
        (self.idles, self.moves) = (can.has_str("IDLE"), can.has_str("MOVE"));
        self.removes = can.has_str("UIDPLUS");
        self.stores_sent |= can.has_str("X-GM-EXT-1");
        if can.has_str("ID") {
            // Some servers require an ID before any other command.
            self.session.id([("name", Some("frontdesk"))]).await?;
        }
        self.session.get_mut().expect(AnswerSize::Usual);
        let (mut all, mut delimiter): (Vec<Folder>, Option<String>) = (Vec::new(), None);
        let listing = self.run_command("LIST \"\" \"*\"", |told| {
            let Response::MailboxData(MailboxDatum::List(folder)) = told else { return };
            if let (None, Some(between)) = (&delimiter, &folder.delimiter) {
                delimiter = Some(between.to_string());
            }
            let marks = folder.name_attributes.iter().map(|mark| format!("{mark:?}").to_lowercase());
            let marks: Vec<String> = marks.collect();
            let is_there = !folder.name_attributes.contains(&NameAttribute::NoSelect)
                && !marks.iter().any(|mark| mark.contains("nonexistent"));
            if all.len() < MAX_FOLDERS && is_there {
                all.push(Folder { name: unescape_name(&folder.name), marks });
            }
        });
        listing.await?;
        let sent = folders::find_folder(&all, FolderUse::Sent);
        let archive = folders::find_folder(&all, FolderUse::Archive);
        self.trash = folders::find_folder(&all, FolderUse::Trash);
        self.junk = folders::find_folder(&all, FolderUse::Junk);
        let delimiter = delimiter.unwrap_or_default();
        self.sent = self.ensure_folder(sent, "Sent", &delimiter).await?;
        self.archive = self.ensure_folder(archive, "Archive", &delimiter).await?;
        self.names = all.iter().map(|folder| folder.name.clone()).collect();
        self.listed = all;
        Ok(())
    }

    /// Returns the name of a folder; creates it if it is missing, inside the inbox on servers that
    /// allow it nowhere else.
    async fn ensure_folder(
        &mut self,
        found: Option<String>,
        name: &str,
        delimiter: &str,
    ) -> Result<String, ImapError> {
        if let Some(found) = found {
            return Ok(found);
        }
        for name in [name.to_owned(), format!("{INBOX}{delimiter}{name}")] {
            match self.session.create(&name).await {
                Ok(()) => return Ok(name),
                Err(ImapError::No(_) | ImapError::Bad(_)) => {}
                Err(why) => return Err(why),
            }
        }
        Ok(name.to_owned())
    }

    /// Returns the name of one of the interface's folders, `None` if the mailbox lacks it.
    pub fn folder_name(&self, word: &str) -> Option<String> {
        let named = || {
            let (exact, coded) = (|text: &&String| text.as_str() == word, modified_utf7(word));
            let alike = |text: &&String| text.eq_ignore_ascii_case(&coded);
            self.names.iter().find(exact).or_else(|| self.names.iter().find(alike)).cloned()
        };
        match word {
            "inbox" => Some(INBOX.to_owned()),
            "archive" => Some(self.archive.clone()),
            "sent" => Some(self.sent.clone()),
            "trash" => self.trash.clone(),
            "spam" => self.junk.clone(),
            _ => named(),
        }
    }

    /// [`Self::folder_name`], but creates a missing folder. `None` if the server refuses the name.
    pub async fn ensure_named_folder(&mut self, word: &str) -> Result<Option<String>, ImapError> {
        if let Some(found) = self.folder_name(word) {
            return Ok(Some(found));
        }
        let name = match word {
            "trash" => "Trash".to_owned(),
            "spam" => "Junk".to_owned(),
            word => modified_utf7(word),
        };
        match self.session.create(&name).await {
            Ok(()) => self.names.push(name.clone()),
            Err(ImapError::No(_) | ImapError::Bad(_) | ImapError::Validate(_)) => {
                // Another connection may have created it meanwhile.
                if !self.has_folder(&name).await? {
                    tracing::warn!(
                        folder = %SafeText::line(word),
                        "the mailbox refused to make a folder with this name"
                    );
                    return Ok(None);
                }
                self.names.push(name.clone());
            }
            Err(why) => return Err(why),
        }
        match word {
            "trash" => self.trash = Some(name.clone()),
            "spam" => self.junk = Some(name.clone()),
            _ => {}
        }
        Ok(Some(name))
    }

    /// Returns true if the server has a folder of this name.
    pub async fn has_folder(&mut self, name: &str) -> Result<bool, ImapError> {
        // The name may have letters of a pattern, which matches other folders, too.
        let told = self.session.list(Some(""), Some(name)).await?;
        told.try_fold(false, async |has, folder| {
            Ok(has || unescape_name(folder.name()).eq_ignore_ascii_case(name))
        })
        .await
    }

    pub async fn state_of(&mut self, folder: &str) -> Result<FolderState, ImapError> {
        let told = self.session.status(folder, "(UIDNEXT UIDVALIDITY)").await?;
        Ok(FolderState::from_mailbox(&told))
    }

    /// Selects a folder and returns its state. The state from [`Self::state_of`] may be older than
    /// the UIDs the server uses once the folder is selected.
    pub async fn enter(&mut self, folder: &str) -> Result<FolderState, ImapError> {
        let told = self.session.select(folder).await?;
        let mut state = FolderState::from_mailbox(&told);
        if told.uid_next.is_none() && state.count > 0 {
            state.next = self.next_number(folder).await?;
        }
        Ok(state)
    }

    /// Returns the next UID of the selected folder, for servers that omit it on SELECT.
    async fn next_number(&mut self, folder: &str) -> Result<u32, ImapError> {
        let told = self.state_of(folder).await?;
        let last = self.fetch("*", "(UID)").await?;
        let last = last.iter().filter_map(|mail| mail.uid).max();
        Ok(told.next.max(last.map_or(1, |uid| uid.saturating_add(1))))
    }

    pub async fn fetch(&mut self, uids: &str, what: &str) -> Result<Vec<FetchedMail>, ImapError> {
        self.fetch_by(&format!("UID FETCH {uids} {what}")).await
    }

    /// Fetches items of mails by position, from 1 to the folder's count.
    pub async fn fetch_positions(
        &mut self,
        (first, last): (u32, u32),
        what: &str,
    ) -> Result<Vec<FetchedMail>, ImapError> {
        self.fetch_by(&format!("FETCH {first}:{last} {what}")).await
    }

    async fn fetch_by(&mut self, command: &str) -> Result<Vec<FetchedMail>, ImapError> {
        self.session.get_mut().expect(AnswerSize::Mails);
        let mut all = Vec::new();
        let asked = self.run_command(command, |told| {
            if let Response::Fetch(_, values) = told {
                all.push(FetchedMail::from_attributes(values));
            }
        });
        asked.await?;
        self.session.get_mut().expect(AnswerSize::Usual);
        Ok(all)
    }

    /// Position of the first mail with this UID or a higher one in the selected folder of `count`
    /// mails; `count + 1` if there is none.
    pub async fn position_of(&mut self, uid: u32, count: u32) -> Result<u32, ImapError> {
        let (mut low, mut high) = (1, count.saturating_add(1));
        while low < high {
            let middle = low + (high - low) / 2;
            let told = self.fetch_positions((middle, middle), "(UID)").await?;
            match told.iter().find_map(|mail| mail.uid) {
                Some(found) if found < uid => low = middle + 1,
                // A mail that was removed meanwhile makes the search end lower.
                _ => high = middle,
            }
        }
        Ok(low)
    }

    pub async fn find(&mut self, header_id: &str) -> Result<Vec<u32>, ImapError> {
        if !is_quotable(header_id) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let command = format!("UID SEARCH HEADER Message-ID \"{header_id}\"");
        let asked = self.run_command(&command, |told| {
            if let Response::MailboxData(MailboxDatum::Search(numbers)) = told {
                found.extend_from_slice(numbers);
            }
        });
        asked.await?;
        Ok(found)
    }

    pub async fn flag(&mut self, uids: &[u32], flag: &str, set: bool) -> Result<(), ImapError> {
        if uids.is_empty() {
            return Ok(());
        }
        let query = format!("{}FLAGS.SILENT ({flag})", if set { '+' } else { '-' });
        self.run_command(&format!("UID STORE {} {query}", format_uids(uids)), |_| ()).await
    }

    pub async fn move_to(&mut self, uids: &[u32], folder: &str) -> Result<(), ImapError> {
        if uids.is_empty() {
            return Ok(());
        }
        if self.moves {
            return self.session.uid_mv(format_uids(uids), folder).await;
        }
        self.session.uid_copy(format_uids(uids), folder).await?;
        self.flag(uids, "\\Deleted", true).await?;
        // Without UIDPLUS the mails stay marked: EXPUNGE would remove every marked mail.
        if self.removes {
            self.session.uid_expunge(format_uids(uids)).await?.try_for_each(async |_| Ok(())).await?;
        }
        Ok(())
    }
}

fn stores_sent_mail(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    PROVIDERS_STORING_SENT.iter().any(|provider| is_host_of(&host, provider))
}

/// Encodes a folder name in modified UTF-7 (RFC 3501, section 5.1.3).
pub(super) fn modified_utf7(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut coded: Vec<u8> = Vec::new();
    let end = |coded: &mut Vec<u8>, out: &mut String| {
        if !coded.is_empty() {
            out.push('&');
            out.push_str(&STANDARD_NO_PAD.encode(&*coded).replace('/', ","));
            out.push('-');
            coded.clear();
        }
    };
    for character in name.chars() {
        match character {
            ' '..='~' => {
                end(&mut coded, &mut out);
                out.push(character);
                if character == '&' {
                    out.push('-');
                }
            }
            _ => character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|number| coded.extend(number.to_be_bytes())),
        }
    }
    end(&mut coded, &mut out);
    out
}

/// Decodes a folder name of the server (modified UTF-7) for people; a name that is not encoded correctly stays
/// as it is.
pub(super) fn decode_modified_utf7(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((plain, coded)) = rest.split_once('&') {
        out.push_str(plain);
        let Some((coded, after)) = coded.split_once('-') else { return name.to_owned() };
        if coded.is_empty() {
            out.push('&');
        } else {
            match decode_utf16(coded) {
                Some(text) => out.push_str(&text),
                None => return name.to_owned(),
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn decode_utf16(coded: &str) -> Option<String> {
    let bytes = STANDARD_NO_PAD.decode(coded.replace(',', "/")).ok()?;
    let units: Option<Vec<u16>> =
        bytes.chunks(2).map(|pair| Some(u16::from_be_bytes(pair.try_into().ok()?))).collect();
    String::from_utf16(&units?).ok()
}

/// Removes the backslashes of a quoted name, which the parser leaves in.
fn unescape_name(name: &str) -> String {
    name.replace("\\\"", "\"").replace("\\\\", "\\")
}

fn format_uids(uids: &[u32]) -> String {
    uids.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn is_quotable(text: &str) -> bool {
    !text.is_empty()
        && text.len() < 1000
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
}

/// Limits a command to `COMMAND_TIMEOUT`.
pub async fn with_timeout<T>(asked: impl Future<Output = Result<T, ImapError>>) -> Result<T, PlatformError> {
    with_timeout_of(COMMAND_TIMEOUT, asked).await
}

pub async fn with_timeout_of<T>(
    limit: Duration,
    asked: impl Future<Output = Result<T, ImapError>>,
) -> Result<T, PlatformError> {
    match timeout(limit, asked).await {
        Ok(Ok(told)) => Ok(told),
        Ok(Err(why)) => Err(imap_error(&why)),
        Err(_) => Err(PlatformError::transient("the mailbox did not answer in time")),
    }
}

/// [`with_timeout_of`], but `None` if the server refuses and the connection goes on.
pub async fn with_timeout_unless_refused<T>(
    limit: Duration,
    asked: impl Future<Output = Result<T, ImapError>>,
) -> Result<Option<T>, PlatformError> {
    let asked = async {
        match asked.await {
            Ok(told) => Ok(Some(told)),
            Err(ImapError::No(_) | ImapError::Bad(_)) => Ok(None),
            Err(why) => Err(why),
        }
    };
    with_timeout_of(limit, asked).await
}

fn imap_error(why: &ImapError) -> PlatformError {
    let pause = if matches!(why, ImapError::No(_)) { 10 * SECOND } else { 3 * SECOND };
    PlatformError { why: format!("the mailbox cannot be read now: {}", describe_imap_error(why)), pause }
}

/// End of a connection that the server announced (`BYE`), with its words.
#[derive(Debug, thiserror::Error)]
#[error("the server closed the connection: {0}")]
struct Farewell(String);

/// Reason why a connection ended before the login.
enum GreetingError {
    /// The server's own words (`BYE`).
    Farewell(String),
    NotImap(String),
}

fn describe_farewell(response: &Response<'_>) -> Option<String> {
    let Response::Data { status: Status::Bye, outcome } = response else { return None };
    let words = outcome.information.as_deref().filter(|words| !words.trim().is_empty());
    Some(shorten(words.unwrap_or("it closed the connection")))
}

fn describe_imap_error(why: &ImapError) -> String {
    match why {
        ImapError::No(text) | ImapError::Bad(text) => describe_refusal(text),
        ImapError::Io(error) => describe_io_error(error),
        ImapError::ConnectionLost => "the server closed the connection".to_owned(),
        ImapError::Parse(_) => "the server's answer could not be read".to_owned(),
        other => shorten(&other.to_string()),
    }
}

fn describe_io_error(error: &io::Error) -> String {
    if let Some(bound) = answer_guard::exceeded(error) {
        return format!("the server sent {bound}");
    }
    if let Some(farewell) = error.get_ref().and_then(|inner| inner.downcast_ref::<Farewell>()) {
        return farewell.to_string();
    }
    match error.kind() {
        // The codec reports a line that it cannot parse with the line itself.
        io::ErrorKind::Other | io::ErrorKind::InvalidData => "its answer is not IMAP".to_owned(),
        io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        kind => kind.to_string(),
    }
}

/// Returns the server's words of a refusal. The library wraps them in the debug form
/// `code: …, info: Some("…")`.
fn describe_refusal(text: &str) -> String {
    let quoted = text.split_once("info: Some(\"").and_then(|(_, rest)| rest.rsplit_once("\")"));
    let words = match quoted {
        Some((words, _)) => words.replace("\\\"", "\"").replace("\\\\", "\\"),
        None if text.contains("info: None") => "it refused without a reason".to_owned(),
        None => text.to_owned(),
    };
    shorten(&words)
}

/// True if the refusal says nothing about the login: the server is busy or in maintenance (RFC 5530).
fn is_temporary(text: &str) -> bool {
    ["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG"].iter().any(|code| text.contains(&format!("[{code}]")))
}

fn shorten(text: &str) -> String {
    SafeText::line(text).as_str().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_in_the_servers_words() {
        let cases = [
            (
                r#"code: None, info: Some("[UNAVAILABLE] Try \"later\"")"#,
                r#"[UNAVAILABLE] Try "later""#,
                true,
            ),
            (r#"code: Some(Alert), info: Some("Web login required")"#, "Web login required", false),
            ("code: None, info: None", "it refused without a reason", false),
            ("the folder is closed", "the folder is closed", false),
        ];
        for (text, words, temporary) in cases {
            assert_eq!((describe_refusal(text).as_str(), is_temporary(text)), (words, temporary), "{text}");
        }
        let broken = |kind: io::ErrorKind| describe_imap_error(&ImapError::Io(kind.into()));
        assert_eq!(broken(io::ErrorKind::BrokenPipe), "the server closed the connection");
        let unread = io::Error::other("Error(Error { input: [72, 84, 84, 80] }) during parsing");
        assert_eq!(describe_imap_error(&ImapError::Io(unread)), "its answer is not IMAP");
    }

    #[test]
    fn providers_that_store_sent_mail_are_known_by_their_hosts() {
        for host in ["imap.gmail.com", "outlook.office365.com", "imap-mail.outlook.com", "IMAP.Gmail.com."] {
            assert!(stores_sent_mail(host), "{host}");
        }
        for host in ["notgmail.com", "gmail.com.example", "imap.fastmail.com", "127.0.0.1", ""] {
            assert!(!stores_sent_mail(host), "{host}");
        }
    }

    #[test]
    fn names_of_folders_are_written_as_the_protocol_wants() {
        // The second is the example of the standard.
        let cases = [
            ("Suppliers", "Suppliers"),
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
            ("Verträge & Co", "Vertr&AOQ-ge &- Co"),
        ];
        for (name, written) in cases {
            assert_eq!(modified_utf7(name), written);
            assert_eq!(decode_modified_utf7(written), name);
        }
        for (written, name) in [
            ("&BB4EQgQ,BEAEMAQyBDsENQQ9BD0ESwQ1-", "Отправленные"),
            ("R&AOk-ponses 1200+1201+1202", "Réponses 1200+1201+1202"),
            ("INBOX.c&AO0-mjegyz&AOk-k", "INBOX.címjegyzék"),
        ] {
            assert_eq!(decode_modified_utf7(written), name);
        }
        for broken in ["a &AOQ", "&!-", "&AOQA-", "&2D0-", "R&D", "Schön"] {
            assert_eq!(decode_modified_utf7(broken), broken);
        }
        assert_eq!(unescape_name("Say \\\"hi\\\" C:\\\\x"), "Say \"hi\" C:\\x");
    }
}
