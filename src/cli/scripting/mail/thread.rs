//! `mail show`, `reply` and `forward`: one thread of mails.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum, ValueHint};
use serde_json::{Value, json};

use crate::cli::scripting::mail::{files_fingerprint, send_mail};
use crate::cli::scripting::writing::{self, KeyArgument, WriteKey};
use crate::cli::scripting::{Common, ConversationArguments, FoundConversation, Session, channel_selection};
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, UsageError, print};
use crate::shell::mail_files::MailFiles;
use client::downloads::download;
use model::account::Platform;
use model::email::attached::DraftFile;
use model::email::compose::{self, ComposedMail};
use model::email::invitations::{self, InvitationAnswer};
use model::email::{MailFile, MailMessage, files};
use model::ids::ThreadId;
use model::messages::MessageRow;
use model::outbox::content::MailAttachmentSource;
use model::queries::HistoryQuery;
use model::text::SafeText;
use model::time::Timestamp;

const MAX_MAILS: u32 = 1000;

/// The switches of `mail show`.
#[derive(Debug, Args)]
pub struct MailShowArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// Maximum number of mails; the newest are shown.
    #[arg(long, default_value_t = 50, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail reply`.
#[derive(Debug, Args)]
pub struct MailReplyArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// The text; `-` reads it from standard input.
    pub text: String,
    /// Reply to all recipients, not only to the sender.
    #[arg(long)]
    pub all: bool,
    /// Id of the mail to reply to; without it, the newest of the thread.
    #[arg(long, value_name = "ID")]
    pub mail: Option<String>,
    /// Do not quote the mail.
    #[arg(long)]
    pub no_quote: bool,
    /// File to attach: a path, or an address; may be given several times.
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail forward`.
#[derive(Debug, Args)]
pub struct MailForwardArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// Text above the forwarded mail; `-` reads it from standard input.
    #[arg(default_value = "")]
    pub text: String,
    /// Recipient; may be given several times.
    #[arg(long, required = true, value_name = "ADDRESS")]
    pub to: Vec<String>,
    /// Id of the mail to forward; without it, the newest of the thread.
    #[arg(long, value_name = "ID")]
    pub mail: Option<String>,
    /// Leave out its attachments.
    #[arg(long)]
    pub no_files: bool,
    /// File to attach: a path, or an address; may be given several times.
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail save`.
#[derive(Debug, Args)]
pub struct MailSaveArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// Folder for the files; without it, the current one. A name that is taken gets a number.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = ".")]
    pub to: PathBuf,
    /// Name of the file to save; without it, all files of the mail.
    #[arg(long, value_name = "NAME")]
    pub file: Option<String>,
    /// Id of the mail; without it, the newest of the thread.
    #[arg(long, value_name = "ID")]
    pub mail: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

/// Answers to an invitation, as the command line names them.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ResponseArgument {
    Accept,
    Decline,
    Maybe,
}

impl ResponseArgument {
    fn answer(self) -> InvitationAnswer {
        match self {
            Self::Accept => InvitationAnswer::Accepted,
            Self::Decline => InvitationAnswer::Declined,
            Self::Maybe => InvitationAnswer::Tentative,
        }
    }
}

/// The switches of `mail respond`.
#[derive(Debug, Args)]
pub struct MailRespondArguments {
    #[command(flatten)]
    pub wanted: ConversationArguments,
    /// The answer.
    #[arg(value_enum)]
    pub answer: ResponseArgument,
    /// Text above the answer; `-` reads it from standard input.
    #[arg(default_value = "")]
    pub text: String,
    /// Id of the mail with the invitation; without it, the newest invitation of the thread.
    #[arg(long, value_name = "ID")]
    pub mail: Option<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

impl MailRespondArguments {
    fn key(&self, comment: &str) -> WriteKey {
        if !self.key.is_given() {
            return WriteKey::NONE;
        }
        let mut wish = self.wanted.request_parts();
        wish.extend([self.answer.answer().word(), comment, self.mail.as_deref().unwrap_or_default()]);
        WriteKey::of(&self.key, "mail respond", &self.common, &wish)
    }
}

impl MailReplyArguments {
    fn key(&self, body: &str) -> WriteKey {
        if !self.key.is_given() {
            return WriteKey::NONE;
        }
        let files = files_fingerprint(&self.files);
        let mut wish = self.wanted.request_parts();
        let switches = format!("{} {}", self.all, self.no_quote);
        wish.extend([body, &files, self.mail.as_deref().unwrap_or_default(), &switches]);
        WriteKey::of(&self.key, "mail reply", &self.common, &wish)
    }
}

impl MailForwardArguments {
    fn key(&self, body: &str) -> WriteKey {
        if !self.key.is_given() {
            return WriteKey::NONE;
        }
        let (files, to) = (files_fingerprint(&self.files), self.to.join(", "));
        let mut wish = self.wanted.request_parts();
        let switches = self.no_files.to_string();
        wish.extend([body, &to, &files, self.mail.as_deref().unwrap_or_default(), &switches]);
        WriteKey::of(&self.key, "mail forward", &self.common, &wish)
    }
}

/// Reads a thread's newest mails from the server.
fn read(
    session: &Session,
    common: &Common,
    wanted: &ConversationArguments,
    limit: u32,
) -> Result<(FoundConversation, Vec<MessageRow>)> {
    let found = session.find(common.channel.as_deref(), wanted)?;
    if found.platform != Platform::Email {
        let (name, kind) = (&found.channel.spec().name, found.platform.label());
        return Err(UsageError(format!("{name} is {kind}; this needs a thread of a mail channel")).into());
    }
    let conversation = found.row.conversation.id.clone();
    session.read(&found.channel, "could not read mails", async || {
        found.channel.pull_history(&conversation).await
    })?;
    let query = HistoryQuery { channel: found.channel.spec().id.clone(), conversation, limit };
    let mails = session.reader.history(&query)?.messages;
    Ok((found, mails))
}

/// The named mail, or the newest.
fn chosen<'a>(mails: &'a [MessageRow], id: Option<&str>) -> Result<(&'a MessageRow, &'a MailMessage)> {
    let row = match id {
        Some(id) => mails.iter().find(|mail| mail.message.id.as_str() == id),
        None => mails.last(),
    };
    let found = row.and_then(|row| Some((row, row.mail.as_deref()?)));
    found.ok_or_else(|| match id {
        Some(id) => {
            let words = format!("the thread has no mail {id:?}; `frontdesk mail show` lists them");
            CommandRefusal::not_found(words).into()
        }
        None => anyhow!("the server gave no mail of this thread"),
    })
}

pub fn show(session: &Session, arguments: &MailShowArguments) -> Result<()> {
    let (found, mails) = read(session, &arguments.common, &arguments.wanted, arguments.limit)?;
    if arguments.common.json {
        let told: Vec<Value> = mails.iter().map(mail_json).collect();
        let channel = &found.channel.spec().name;
        let thread = print::conversation_json(channel, found.is_test(), &found.row);
        return print::json(&json!({"thread": thread, "mails": told}));
    }
    for (place, row) in mails.iter().enumerate() {
        if place > 0 {
            print::line("")?;
        }
        mail_lines(session, row).iter().try_for_each(|mail_line| print::line(mail_line))?;
    }
    Ok(())
}

fn mail_lines(session: &Session, row: &MessageRow) -> Vec<String> {
    let empty = MailMessage::default();
    let letter = row.mail.as_deref().unwrap_or(&empty);
    let from = match &letter.from_name {
        Some(name) => format!("{name} <{}>", letter.from),
        None => letter.from.to_string(),
    };
    let joined = |entry: &[SafeText]| entry.iter().map(SafeText::as_str).collect::<Vec<_>>().join(", ");
    let text = |text: &Option<SafeText>| text.as_ref().map_or_else(String::new, ToString::to_string);
    let stamp = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.local_timestamp(session.zone()));
    let date = stamp(row.written_at());
    let head = [
        ("From", from),
        ("To", joined(&letter.to)),
        ("Cc", joined(&letter.cc)),
        ("Reached", text(&letter.delivered_to)),
        ("Invitation", invitation_words(letter)),
        ("Reply-To", joined(&letter.reply_to)),
        ("Sender", text(&letter.sender)),
        ("Date", date),
        ("Dated by its sender", stamp(letter.dated_at)),
        ("Subject", text(&letter.subject)),
        ("Id", row.message.id.to_string()),
    ];
    let told = head.into_iter().filter(|pair| !pair.1.is_empty());
    let mut lines: Vec<String> = told.map(|(name, value)| format!("{name}: {value}")).collect();
    lines.extend(letter.files.iter().map(|file| format!("File: {}", file_words(file))));
    lines.push(String::new());
    lines.extend(plain_text_of(row).lines().map(str::to_owned));
    lines
}

/// State of the invitation in a mail.
fn invitation_words(letter: &MailMessage) -> String {
    letter.invitation.as_ref().map_or_else(String::new, |invitation| invitation.describe_state().to_owned())
}

fn file_words(file: &MailFile) -> String {
    let size = file.size.map_or_else(String::new, |number| format!(" ({})", files::format_size(number)));
    format!("{}{size}", files::display_name(file.name.as_str()))
}

/// Plain text of a mail, or its HTML as text.
fn plain_text_of(row: &MessageRow) -> &str {
    let rich = row.mail.as_ref().and_then(|letter| letter.plain.as_ref().or(letter.rich.as_ref()));
    rich.unwrap_or(&row.message.content).as_str()
}

fn mail_json(row: &MessageRow) -> Value {
    let empty = MailMessage::default();
    let letter = row.mail.as_deref().unwrap_or(&empty);
    let all = |entry: &[SafeText]| entry.iter().map(SafeText::as_str).map(Value::from).collect::<Vec<_>>();
    let text = |text: &Option<SafeText>| text.as_ref().map(ToString::to_string);
    let file = |letter_file: &MailFile| {
        json!({"filename": letter_file.name.as_str(), "contentType": text(&letter_file.kind), "size": letter_file.size,
            "url": letter_file.url, "enclosed": letter_file.enclosed})
    };
    json!({
        "id": row.message.id.as_str(),
        "direction": row.message.direction.word(),
        "agent": row.message.agent.as_ref().map(|agent| agent.name.as_str()),
        "from": letter.from.as_str(),
        "fromName": text(&letter.from_name),
        "to": all(&letter.to),
        "cc": all(&letter.cc),
        "replyTo": letter.reply_to.first().map(SafeText::as_str),
        "sender": text(&letter.sender),
        "answersTo": letter.reply_addresses(),
        "subject": text(&letter.subject),
        "messageId": letter.header_id,
        "createdAt": row.message.created_at.map(|at| at.to_string()),
        "sentAt": row.written_at().map(|at| at.to_string()),
        "datedAt": letter.dated_at.map(|at| at.to_string()),
        "deliveredTo": text(&letter.delivered_to),
        "invitation": letter.invitation.as_ref().map(|invitation| json!({
            "summary": invitation.summary.as_str(), "when": text(&invitation.when),
            "endsAt": invitation.ends_at.map(|end| end.to_string()), "organizer": text(&invitation.organizer),
            "guest": text(&invitation.guest), "cancelled": invitation.is_cancelled,
            "response": invitation.response.map(InvitationAnswer::word),
        })),
        "invitationResponse": letter.invitation_response.map(InvitationAnswer::word),
        "status": row.message.delivery.word(),
        "text": plain_text_of(row),
        "attachments": letter.files.iter().map(file).collect::<Vec<_>>(),
        "raw": serde_json::from_str::<Value>(&row.message.raw).unwrap_or(Value::Null),
    })
}

/// Date of a mail for the line above a quotation.
fn quoted_time(session: &Session, row: &MessageRow) -> String {
    let zone = session.zone();
    let stamp = |time: Timestamp| format!("{} {}", time.day_name(zone), time.hour_and_minute(zone));
    row.written_at().map_or_else(String::new, stamp)
}

fn written_files(files: &[String]) -> impl Iterator<Item = DraftFile> {
    files.iter().map(|file| DraftFile::from(file.as_str()))
}

pub fn reply(session: &Session, arguments: &MailReplyArguments) -> Result<(), CliError> {
    let body = channel_selection::text(&arguments.text)?;
    let Some(key) = writing::claim_key(session, &arguments.common, arguments.key(&body))? else {
        return Ok(());
    };
    let (found, mails) = read(session, &arguments.common, &arguments.wanted, MAX_MAILS)?;
    let channel = &found.channel;
    session.read(channel, "could not read the account", async || channel.pull_mailbox().await)?;
    let own = session.mailbox(channel).map(|account| account.own_addresses()).unwrap_or_default();
    let (row, letter) = chosen(&mails, arguments.mail.as_deref())?;
    let subject =
        found.row.thread.as_ref().and_then(|thread| thread.subject.as_ref()).map(ToString::to_string);
    let mut begun =
        compose::reply_to_mail(letter, subject.as_deref(), &own, arguments.all, &quoted_time(session, row));
    if letter.is_missing_author() {
        begun.to = found.row.conversation.address.clone().unwrap_or_default();
    }
    if begun.to.is_empty() {
        let thread = found.row.conversation.id.as_str();
        let how = format!("give one: `frontdesk mail send --thread {thread} --to ADDRESS --subject … TEXT`");
        return Err(CliError::Usage(format!("this mail has no readable reply address: {how}")));
    }
    let quote = begun.quote.clone().filter(|_| !arguments.no_quote);
    let written = ComposedMail { body, quote, files: written_files(&arguments.files).collect(), ..begun };
    let thread = ThreadId::from(found.row.conversation.id.as_str());
    let mail = written.to_mail(Some(thread), &own).map_err(|(_, why)| CliError::Usage(why))?;
    send_mail(session, channel, &arguments.common, mail, &key)
}

pub fn forward(session: &Session, arguments: &MailForwardArguments) -> Result<(), CliError> {
    let body = channel_selection::text(&arguments.text)?;
    let Some(key) = writing::claim_key(session, &arguments.common, arguments.key(&body))? else {
        return Ok(());
    };
    let (found, mails) = read(session, &arguments.common, &arguments.wanted, MAX_MAILS)?;
    let (row, letter) = chosen(&mails, arguments.mail.as_deref())?;
    let subject =
        found.row.thread.as_ref().and_then(|thread| thread.subject.as_ref()).map(ToString::to_string);
    let begun =
        compose::forward_mail(letter, &row.message.id, subject.as_deref(), &quoted_time(session, row));
    let mut files = if arguments.no_files { Vec::new() } else { begun.files.clone() };
    let left = letter.files.len() - begun.files.len();
    if left > 0 && !arguments.no_files {
        let why = format!("{left} of {} attachments have no contents on the server", letter.files.len());
        return Err(CliError::Usage(format!(
            "{why}: use `--no-files` to forward the mail without attachments"
        )));
    }
    files.extend(written_files(&arguments.files));
    let written = ComposedMail { to: arguments.to.join(", "), body, files, ..begun };
    let thread = ThreadId::from(found.row.conversation.id.as_str());
    let mail = written.to_mail(Some(thread), &[]).map_err(|(_, why)| CliError::Usage(why))?;
    send_mail(session, &found.channel, &arguments.common, mail, &key)
}

/// Saves the files of a mail.
pub fn save(session: &Session, arguments: &MailSaveArguments) -> Result<()> {
    let (found, mails) = read(session, &arguments.common, &arguments.wanted, MAX_MAILS)?;
    let (row, letter) = chosen(&mails, arguments.mail.as_deref())?;
    let is_wanted = |name: &str| arguments.file.as_deref().is_none_or(|wanted| wanted == name);
    let wanted: Vec<(usize, &MailFile)> =
        letter.files.iter().enumerate().filter(|(_, file)| is_wanted(file.name.as_str())).collect();
    if let (Some(name), true) = (&arguments.file, wanted.is_empty()) {
        let words = format!("the mail has no file {name:?}; `frontdesk mail show` lists them");
        return Err(CommandRefusal::not_found(words).into());
    }
    let folder = MailFiles::with_folder(arguments.to.clone());
    let mut saved = Vec::new();
    for (place, file) in wanted {
        let path = save_file(session, &found, (row, place, file), &folder)?;
        if !arguments.common.json {
            print::line(&path)?;
        }
        saved.push(json!({"name": file.name.as_str(), "path": path}));
    }
    if arguments.common.json { print::json(&json!({"files": saved})) } else { Ok(()) }
}

/// Saves a file of a mail; returns its path.
fn save_file(
    session: &Session,
    found: &FoundConversation,
    (row, place, file): (&MessageRow, usize, &MailFile),
    folder: &MailFiles,
) -> Result<String> {
    let name = files::sanitize_name(file.name.as_str());
    if file.enclosed {
        let source = MailAttachmentSource::Enclosed(u64::try_from(place).unwrap_or(u64::MAX));
        return folder.save(&name, &row.message.raw, &source).map_err(|why| anyhow!(why));
    }
    let Some(url) = &file.url else {
        return Err(CommandRefusal::refused(format!("the server gives no link to {name}")).into());
    };
    let (mut written, path) = folder.create(&name).map_err(|why| anyhow!(why))?;
    let downloading = download(url, Some(&found.channel.spec().base_url), &mut written);
    if let Err(error) = session.runtime.block_on(downloading) {
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::info!(path = %path.display(), %error, "an incomplete file could not be removed");
        }
        return Err(CommandRefusal::refused(format!("could not save {name}: {error}")).into());
    }
    Ok(path.display().to_string())
}

/// Answers the invitation of a thread.
pub fn respond(session: &Session, arguments: &MailRespondArguments) -> Result<(), CliError> {
    let comment = match arguments.text.as_str() {
        "" => String::new(),
        text => channel_selection::text(text)?,
    };
    let Some(key) = writing::claim_key(session, &arguments.common, arguments.key(&comment))? else {
        return Ok(());
    };
    let (found, mails) = read(session, &arguments.common, &arguments.wanted, MAX_MAILS)?;
    let letter = match arguments.mail.as_deref() {
        Some(id) => chosen(&mails, Some(id))?.1,
        None => {
            let letters = mails.iter().rev().filter_map(|row| row.mail.as_deref());
            let invitation = letters.into_iter().find(|letter| letter.invitation.is_some());
            invitation.ok_or_else(|| CliError::Usage("this thread has no invitation".to_owned()))?
        }
    };
    let thread = ThreadId::from(found.row.conversation.id.as_str());
    let mail = invitations::answer_invitation(letter, thread, arguments.answer.answer(), &comment);
    let mail = mail.map_err(CliError::Usage)?;
    if letter.invitation.as_ref().is_some_and(|invitation| invitation.is_over(session.now())) {
        print::warn("the event is over; the answer is sent anyway");
    }
    send_mail(session, &found.channel, &arguments.common, mail, &key)
}
