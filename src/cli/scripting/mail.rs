//! `mail`: sends mail, changes and moves threads, lists correspondents and shows the account. `thread` reads,
//! answers and forwards threads.

use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand, ValueHint};
use clap_complete::engine::ArgValueCandidates;
use serde_json::{Value, json};

use crate::cli::scripting::listings::ReadArguments;
use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey, file_fingerprint};
use crate::cli::scripting::{Common, Session, channel_selection};
use crate::cli::{CliError, completing, print};
use crate::shell::mail_files;
use client::Attachments;
use model::account::Platform;
use model::email::MailQuery;
use model::email::compose::ComposedMail;
use model::fetches::Fetch;
use model::ids::{MessageId, ThreadId};
use model::outbox::Operation;
use model::outbox::content::{Mail, ThreadChange, ThreadPlace};
use model::text::SafeText;
use sync::ChannelSync;

mod rules;
mod thread;

const MAX_CORRESPONDENTS: u32 = 1000;

/// The commands about mail.
#[derive(Debug, Subcommand)]
pub enum MailAction {
    /// Send a new mail, or a reply in a thread.
    Send(MailSendArguments),
    /// Show the mails of a thread with their headers and attachments.
    Show(thread::MailShowArguments),
    /// Reply to the newest mail of a thread, or to another of its mails.
    Reply(thread::MailReplyArguments),
    /// Forward a mail with its attachments.
    Forward(thread::MailForwardArguments),
    /// Save the files of a mail; large ones are fetched from the mailbox first.
    Save(thread::MailSaveArguments),
    /// Answer the invitation in a thread: accept, decline or maybe.
    Respond(thread::MailRespondArguments),
    /// Change a thread: read, star, archive, folder, category, priority; reports what the server
    /// ignored.
    Change(MailChangeArguments),
    /// Move threads into a folder.
    Move(MailMoveArguments),
    /// Mark threads as spam.
    Spam(MailAwayArguments),
    /// Move threads to the trash.
    Delete(MailAwayArguments),
    /// Manage rules for the mail of an address: list, add, switch, remove.
    #[command(subcommand)]
    Rules(rules::MailRulesAction),
    /// List the people with whom mail was exchanged.
    Contacts(MailContactsArguments),
    /// Show the account behind the key: address, provider, last sync.
    Account(ReadArguments),
}

/// The switches of `mail send`.
#[derive(Debug, Args)]
pub struct MailSendArguments {
    /// The text; `-` reads it from standard input.
    pub text: String,
    /// Recipient; may be given several times.
    #[arg(long, required = true, value_name = "ADDRESS")]
    pub to: Vec<String>,
    /// Recipient of a copy; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub cc: Vec<String>,
    /// Recipient of a blind copy; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub bcc: Vec<String>,
    /// Subject.
    #[arg(long)]
    pub subject: String,
    /// File to attach: a path, or an address; may be given several times.
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Id of the thread to reply in.
    #[arg(long, value_name = "ID", add = ArgValueCandidates::new(completing::threads))]
    pub thread: Option<String>,
    /// Message-ID of the mail that is answered.
    #[arg(long, value_name = "ID", requires = "thread")]
    pub in_reply_to: Option<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail change`.
#[derive(Debug, Args)]
pub struct MailChangeArguments {
    /// The thread's id.
    #[arg(add = ArgValueCandidates::new(completing::threads))]
    pub thread: String,
    /// Mark as read or unread.
    #[arg(long, value_name = "true|false")]
    pub read: Option<bool>,
    /// Add or remove the star.
    #[arg(long, value_name = "true|false")]
    pub star: Option<bool>,
    /// Archive the thread, or move it back.
    #[arg(long, value_name = "true|false", conflicts_with = "folder")]
    pub archived: Option<bool>,
    /// Move the thread to this folder.
    #[arg(long, value_name = "NAME")]
    pub folder: Option<String>,
    /// Category.
    #[arg(long, value_name = "WORD")]
    pub category: Option<String>,
    /// Priority.
    #[arg(long, value_name = "WORD")]
    pub priority: Option<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail move`.
#[derive(Debug, Args)]
pub struct MailMoveArguments {
    /// The threads' ids.
    #[arg(required = true, value_name = "THREAD", add = ArgValueCandidates::new(completing::threads))]
    pub threads: Vec<String>,
    /// Folder to move to.
    #[arg(long, value_name = "NAME")]
    pub to: String,
    #[command(flatten)]
    pub key: KeyArgument,
    /// Common options.
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail spam` and `mail delete`.
#[derive(Debug, Args)]
pub struct MailAwayArguments {
    /// The threads' ids.
    #[arg(required = true, value_name = "THREAD", add = ArgValueCandidates::new(completing::threads))]
    pub threads: Vec<String>,
    /// Undo: move back to the inbox.
    #[arg(long)]
    pub undo: bool,
    #[command(flatten)]
    pub key: KeyArgument,
    /// Common options.
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail contacts`.
#[derive(Debug, Args)]
pub struct MailContactsArguments {
    /// Only people whose name or address contains this.
    #[arg(long, value_name = "WORDS", default_value = "")]
    pub search: String,
    #[command(flatten)]
    pub common: Common,
}

impl MailAction {
    pub fn common(&self) -> &Common {
        match self {
            Self::Send(arguments) => &arguments.common,
            Self::Show(arguments) => &arguments.common,
            Self::Reply(arguments) => &arguments.common,
            Self::Forward(arguments) => &arguments.common,
            Self::Save(arguments) => &arguments.common,
            Self::Respond(arguments) => &arguments.common,
            Self::Change(arguments) => &arguments.common,
            Self::Move(arguments) => &arguments.common,
            Self::Spam(arguments) | Self::Delete(arguments) => &arguments.common,
            Self::Rules(action) => action.common(),
            Self::Contacts(arguments) => &arguments.common,
            Self::Account(arguments) => &arguments.common,
        }
    }
}

pub fn run(session: &Session, action: &MailAction) -> Result<(), CliError> {
    match action {
        MailAction::Send(arguments) => send(session, arguments),
        MailAction::Show(arguments) => Ok(thread::show(session, arguments)?),
        MailAction::Reply(arguments) => thread::reply(session, arguments),
        MailAction::Forward(arguments) => thread::forward(session, arguments),
        MailAction::Save(arguments) => Ok(thread::save(session, arguments)?),
        MailAction::Respond(arguments) => thread::respond(session, arguments),
        MailAction::Change(arguments) => change(session, arguments),
        MailAction::Move(moved) => {
            move_threads(session, (&moved.common, &moved.key), &moved.threads, (&moved.to, "moved"))
        }
        MailAction::Spam(away) => {
            let folder = if away.undo { ("inbox", "no spam") } else { ("spam", "marked as spam") };
            move_threads(session, (&away.common, &away.key), &away.threads, folder)
        }
        MailAction::Delete(away) => {
            let folder = if away.undo { ("inbox", "back in the inbox") } else { ("trash", "deleted") };
            move_threads(session, (&away.common, &away.key), &away.threads, folder)
        }
        MailAction::Rules(action) => Ok(rules::run(session, action)?),
        MailAction::Contacts(arguments) => Ok(contacts(session, arguments)?),
        MailAction::Account(arguments) => Ok(account(session, arguments)?),
    }
}

fn is_mail(platform: &Platform) -> bool {
    *platform == Platform::Email
}

fn send(session: &Session, arguments: &MailSendArguments) -> Result<(), CliError> {
    let body = channel_selection::text(&arguments.text)?;
    let Some(key) = writing::claim_key(session, &arguments.common, arguments.key(&body))? else {
        return Ok(());
    };
    let written = ComposedMail {
        to: arguments.to.join(", "),
        cc: arguments.cc.join(", "),
        bcc: arguments.bcc.join(", "),
        subject: arguments.subject.clone(),
        in_reply_to: arguments.in_reply_to.clone(),
        files: arguments.files.iter().map(|file| file.as_str().into()).collect(),
        body,
        ..ComposedMail::default()
    };
    let thread = arguments.thread.as_deref().map(ThreadId::from);
    let mail = written.to_mail(thread, &[]).map_err(|(_, why)| CliError::Usage(why))?;
    let channel = channel_selection::resolve_channel(session, &arguments.common, "mail", is_mail)?;
    send_mail(session, &channel, &arguments.common, mail, &key)
}

impl MailSendArguments {
    fn key(&self, body: &str) -> WriteKey {
        if !self.key.is_given() {
            return WriteKey::NONE;
        }
        let lists = [&self.to, &self.cc, &self.bcc].map(|list| list.join(", "));
        let files = files_fingerprint(&self.files);
        let others = [&self.thread, &self.in_reply_to].map(|part| part.as_deref().unwrap_or_default());
        let mut wish = vec![body, &self.subject, &files];
        wish.extend(lists.iter().map(String::as_str).chain(others));
        WriteKey::of(&self.key, "mail send", &self.common, &wish)
    }
}

/// Files as part of the idempotency fingerprint.
fn files_fingerprint(files: &[String]) -> String {
    files.iter().map(|file| file_fingerprint(file)).collect::<Vec<_>>().join("\n")
}

/// Sends a mail with its files and prints the result.
fn send_mail(
    session: &Session,
    channel: &ChannelSync,
    common: &Common,
    mail: Mail,
    key: &WriteKey,
) -> Result<(), CliError> {
    let first = mail.to.first().cloned().unwrap_or_default();
    let id = &channel.spec().id;
    let received = |mail: &MessageId| session.store().raw_mail(id, mail).ok().flatten();
    let (operation, files) = mail_files::read_attachments(&Operation::SendMail(Box::new(mail)), received)
        .map_err(|why| anyhow!(why))?;
    let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let enclosed = Attachments { files: &files, ..Attachments::default() };
    let answer = Answer::new("sent", &first).with_field("to", first.as_str()).with_created_field("messageId");
    let outcome = writing::run_operation(session, channel, operation, enclosed, (&answer, key))?;
    Ok(writing::print_outcome(session, channel, common, &answer, &outcome)?)
}

fn change(session: &Session, arguments: &MailChangeArguments) -> Result<(), CliError> {
    let folder = arguments.folder.clone().map(ThreadPlace::Folder);
    let change = ThreadChange {
        is_read: arguments.read,
        is_starred: arguments.star,
        place: folder.or_else(|| arguments.archived.map(ThreadPlace::Archived)),
        category: arguments.category.clone(),
        priority: arguments.priority.clone(),
        unasked: false,
    };
    if change == ThreadChange::default() {
        return Err(CliError::Usage(
            "nothing to change; give --read, --star, --archived, --folder, --category or --priority"
                .to_owned(),
        ));
    }
    let common = &arguments.common;
    let key =
        WriteKey::of(&arguments.key, "mail change", common, &[&arguments.thread, &format!("{change:?}")]);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let channel = channel_selection::resolve_channel(session, common, "mail", is_mail)?;
    let operation = Operation::ChangeThread { thread: ThreadId::from(arguments.thread.as_str()), change };
    let answer = Answer::new("changed", &arguments.thread).with_field("thread", arguments.thread.as_str());
    let outcome =
        writing::run_operation(session, &channel, operation, Attachments::default(), (&answer, &key))?;
    Ok(writing::print_outcome(session, &channel, common, &answer, &outcome)?)
}

/// Moves threads one by one and stops at the first unconfirmed one. Each has its own idempotency key: moved
/// threads are not moved again.
fn move_threads(
    session: &Session,
    (common, key): (&Common, &KeyArgument),
    threads: &[String],
    (folder, done): (&str, &str),
) -> Result<(), CliError> {
    let channel = channel_selection::resolve_channel(session, common, "mail", is_mail)?;
    let named = WriteKey::of(key, "mail move", common, &[&threads.join(" "), folder]);
    let mut told = Vec::new();
    let moved = threads.iter().try_for_each(|thread| {
        let is_read = matches!(folder, "spam" | "trash").then_some(true);
        let place = Some(ThreadPlace::Folder(folder.to_owned()));
        let change = ThreadChange { is_read, place, ..ThreadChange::default() };
        let operation = Operation::ChangeThread { thread: ThreadId::from(thread.as_str()), change };
        let answer =
            Answer::new(done, thread).with_field("thread", thread.as_str()).with_field("folder", folder);
        let key = if threads.len() == 1 { named.clone() } else { named.part(thread) };
        let outcome =
            writing::run_operation(session, &channel, operation, Attachments::default(), (&answer, &key))?;
        if common.json {
            told.push(writing::as_json(session, &channel, &answer, &outcome));
            return Ok(());
        }
        writing::print_outcome(session, &channel, common, &answer, &outcome)
    });
    Ok(print::list(common.json, told, moved)?)
}

fn contacts(session: &Session, arguments: &MailContactsArguments) -> Result<()> {
    let channel = channel_selection::resolve_channel(session, &arguments.common, "mail", is_mail)?;
    let fetch = Fetch::Mail(MailQuery::Correspondents(arguments.search.clone()));
    session.read(&channel, "could not read correspondents", async || channel.fetch(&fetch).await)?;
    let id = &channel.spec().id;
    let mut items = Vec::new();
    for correspondent in session.reader.correspondents(id, &arguments.search, MAX_CORRESPONDENTS)? {
        let text = |text: &Option<SafeText>| text.as_ref().map(ToString::to_string);
        if arguments.common.json {
            items.push(json!({"email": correspondent.email.as_str(), "name": text(&correspondent.name), "messages": correspondent.count,
                "lastAt": correspondent.last_at.map(|at| at.to_string()), "phone": text(&correspondent.phone)}));
        } else {
            let none = || "-".to_owned();
            let count = correspondent.count.map_or_else(none, |count| count.to_string());
            let (name, phone) = (
                text(&correspondent.name).unwrap_or_else(none),
                text(&correspondent.phone).unwrap_or_else(none),
            );
            print::line(&print::columns(&[correspondent.email.as_str(), &name, &count, &phone]))?;
        }
    }
    if arguments.common.json { print::json(&Value::Array(items)) } else { Ok(()) }
}

/// Prints the account of each mail channel.
fn account(session: &Session, arguments: &ReadArguments) -> Result<()> {
    let common = &arguments.common;
    let channels = channel_selection::resolve_channels(session, common, "mail", is_mail)?;
    let mut items = Vec::new();
    let gathered = session.for_each_channel(channels, |channel| {
        let name = &channel.spec().name;
        session.read(channel, "could not read the account", async || channel.pull_mailbox().await)?;
        let account =
            session.mailbox(channel).with_context(|| format!("{name}: the server gave no account"))?;
        let text = |text: &Option<SafeText>| text.as_ref().map(ToString::to_string);
        let last = account.last_sync_at.map(|at| at.to_string());
        if common.json {
            items.push(json!({"channel": name, "address": account.address.as_str(),
                "displayName": text(&account.display_name), "provider": text(&account.provider),
                "syncStatus": text(&account.sync_status), "lastSyncAt": last,
                "aiAutoReply": account.ai_auto_reply}));
            return Ok(());
        }
        let none = || "-".to_owned();
        let status = text(&account.sync_status).unwrap_or_else(none);
        let provider = text(&account.provider).unwrap_or_else(none);
        let last = last.unwrap_or_else(none);
        print::line(&print::columns(&[account.address.as_str(), &provider, &status, &last]))
    });
    print::list(common.json, items, gathered)
}
