//! `mail`: sent, marked and filed, with whom mails were exchanged, and the
//! account behind the key. Threads are read, answered and passed on in `thread`.

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCandidates;
use serde_json::{Value, json};

use crate::cli::scripting::deck::ReadArguments;
use crate::cli::scripting::{Common, Session, single};
use crate::cli::{CliError, completing, print};
use crate::shell::mail_files;
use client::Enclosed;
use model::account::Platform;
use model::email::MailWish;
use model::email::compose::WrittenMail;
use model::fetches::Fetch;
use model::ids::{MessageId, ThreadId};
use model::outbox::Operation;
use model::outbox::content::{Mail, ThreadChange, ThreadPlace};
use model::text::SafeText;
use sync::ChannelSync;

mod rules;
mod thread;

/// Correspondents told at most.
const CORRESPONDENTS: u32 = 1000;

/// The commands about mail.
#[derive(Debug, Subcommand)]
pub enum MailAction {
    /// Send a mail: a new one, or an answer in a thread.
    Send(MailSendArguments),
    /// Show the mails of a thread with their heads and files.
    Show(thread::MailShowArguments),
    /// Answer the newest mail of a thread, or another of its mails.
    Reply(thread::MailReplyArguments),
    /// Pass a mail on with its files.
    Forward(thread::MailForwardArguments),
    /// Mark, file or rate a thread; what the server ignored is said.
    Change(MailChangeArguments),
    /// Move threads into a folder.
    Move(MailMoveArguments),
    /// Mark threads as spam.
    Spam(MailAwayArguments),
    /// Move threads to the trash.
    Delete(MailAwayArguments),
    /// What is always done with mail of an address.
    #[command(subcommand)]
    Rules(rules::MailRulesAction),
    /// With whom mails were exchanged.
    Contacts(MailContactsArguments),
    /// The account behind the key: address, provider, when it last looked.
    Account(ReadArguments),
}

/// The switches of `mail send`.
#[derive(Debug, Args)]
pub struct MailSendArguments {
    /// The text; `-` reads it from standard input.
    pub text: String,
    /// To whom; may be given more than once.
    #[arg(long, required = true, value_name = "ADDRESS")]
    pub to: Vec<String>,
    /// Who gets a copy.
    #[arg(long, value_name = "ADDRESS")]
    pub cc: Vec<String>,
    /// Who gets a copy nobody sees.
    #[arg(long, value_name = "ADDRESS")]
    pub bcc: Vec<String>,
    /// What it is about.
    #[arg(long)]
    pub subject: String,
    /// A file that goes with it, or the address of one.
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,
    /// The thread it answers in.
    #[arg(long, value_name = "ID", add = ArgValueCandidates::new(completing::threads))]
    pub thread: Option<String>,
    /// The Message-ID of the mail it answers.
    #[arg(long, value_name = "ID", requires = "thread")]
    pub in_reply_to: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail change`.
#[derive(Debug, Args)]
pub struct MailChangeArguments {
    /// The thread's id.
    #[arg(add = ArgValueCandidates::new(completing::threads))]
    pub thread: String,
    /// Mark as read, or not.
    #[arg(long, value_name = "true|false")]
    pub read: Option<bool>,
    /// Give it a star, or take it.
    #[arg(long, value_name = "true|false")]
    pub star: Option<bool>,
    /// Put it into the archive, or back.
    #[arg(long, value_name = "true|false", conflicts_with = "folder")]
    pub archived: Option<bool>,
    /// Put it into this folder.
    #[arg(long, value_name = "NAME")]
    pub folder: Option<String>,
    /// What it is about.
    #[arg(long, value_name = "WORD")]
    pub category: Option<String>,
    /// How urgent it is.
    #[arg(long, value_name = "WORD")]
    pub priority: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail move`.
#[derive(Debug, Args)]
pub struct MailMoveArguments {
    /// The threads' ids.
    #[arg(required = true, value_name = "THREAD", add = ArgValueCandidates::new(completing::threads))]
    pub threads: Vec<String>,
    /// Into which folder.
    #[arg(long, value_name = "NAME")]
    pub to: String,
    /// What all have.
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail spam` and `mail delete`.
#[derive(Debug, Args)]
pub struct MailAwayArguments {
    /// The threads' ids.
    #[arg(required = true, value_name = "THREAD", add = ArgValueCandidates::new(completing::threads))]
    pub threads: Vec<String>,
    /// Take it back: into the inbox.
    #[arg(long)]
    pub undo: bool,
    /// What all have.
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail contacts`.
#[derive(Debug, Args)]
pub struct MailContactsArguments {
    /// Only those in whose name or address this stands.
    #[arg(long, value_name = "WORDS", default_value = "")]
    pub search: String,
    #[command(flatten)]
    pub common: Common,
}

impl MailAction {
    /// What all of them have.
    pub fn common(&self) -> &Common {
        match self {
            Self::Send(it) => &it.common,
            Self::Show(it) => &it.common,
            Self::Reply(it) => &it.common,
            Self::Forward(it) => &it.common,
            Self::Change(it) => &it.common,
            Self::Move(it) => &it.common,
            Self::Spam(it) | Self::Delete(it) => &it.common,
            Self::Rules(it) => it.common(),
            Self::Contacts(it) => &it.common,
            Self::Account(it) => &it.common,
        }
    }
}

/// `frontdesk mail`
pub fn run(session: &Session, action: &MailAction) -> Result<(), CliError> {
    match action {
        MailAction::Send(arguments) => send(session, arguments),
        MailAction::Show(arguments) => Ok(thread::show(session, arguments)?),
        MailAction::Reply(arguments) => thread::reply(session, arguments),
        MailAction::Forward(arguments) => thread::forward(session, arguments),
        MailAction::Change(arguments) => change(session, arguments),
        MailAction::Move(it) => move_to(session, &it.common, &it.threads, &it.to, "moved"),
        MailAction::Spam(it) => {
            let (folder, done) = if it.undo { ("inbox", "no spam") } else { ("spam", "marked as spam") };
            move_to(session, &it.common, &it.threads, folder, done)
        }
        MailAction::Delete(it) => {
            let (folder, done) = if it.undo { ("inbox", "back in the inbox") } else { ("trash", "deleted") };
            move_to(session, &it.common, &it.threads, folder, done)
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
    let written = WrittenMail {
        to: arguments.to.join(", "),
        cc: arguments.cc.join(", "),
        bcc: arguments.bcc.join(", "),
        subject: arguments.subject.clone(),
        answers: arguments.in_reply_to.clone(),
        files: arguments.files.iter().map(|it| it.as_str().into()).collect(),
        body: single::text(&arguments.text)?,
        ..WrittenMail::default()
    };
    let thread = arguments.thread.as_deref().map(ThreadId::from);
    let mail = written.mail(thread, &[]).map_err(|(_, why)| CliError::Usage(why))?;
    let channel = single::channel(session, &arguments.common, "mail", is_mail)?;
    leave(session, &channel, &arguments.common, mail)
}

/// Sends a mail with its files, and says so.
fn leave(session: &Session, channel: &ChannelSync, common: &Common, mail: Mail) -> Result<(), CliError> {
    let first = mail.to.first().cloned().unwrap_or_default();
    let id = &channel.spec().id;
    let received = |mail: &MessageId| session.store().raw_letter(id, mail).ok().flatten();
    let (operation, files) =
        mail_files::enclose(&Operation::SendMail(Box::new(mail)), received).map_err(|why| anyhow!(why))?;
    let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let enclosed = Enclosed { files: &files, ..Enclosed::default() };
    let made = single::carry_out(session, channel, operation, enclosed)?;
    let made = made.map(|it| ("messageId", it));
    Ok(single::said(session, channel, common, "sent", ("to", &first), made)?)
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
            "say what changes: --read, --star, --archived, --folder, --category or --priority".to_owned(),
        ));
    }
    let channel = single::channel(session, &arguments.common, "mail", is_mail)?;
    let thread = ThreadId::from(arguments.thread.as_str());
    let operation = Operation::ChangeThread { thread, change };
    let made = single::carry_out(session, &channel, operation, Enclosed::default())?;
    let about = ("thread", arguments.thread.as_str());
    Ok(single::said(session, &channel, &arguments.common, "changed", about, made.map(|it| ("made", it)))?)
}

/// Moves threads one after the other; stops at the first that is not confirmed.
fn move_to(
    session: &Session,
    common: &Common,
    threads: &[String],
    folder: &str,
    done: &str,
) -> Result<(), CliError> {
    let channel = single::channel(session, common, "mail", is_mail)?;
    for thread in threads {
        let is_read = matches!(folder, "spam" | "trash").then_some(true);
        let place = Some(ThreadPlace::Folder(folder.to_owned()));
        let change = ThreadChange { is_read, place, ..ThreadChange::default() };
        let operation = Operation::ChangeThread { thread: ThreadId::from(thread.as_str()), change };
        single::carry_out(session, &channel, operation, Enclosed::default())?;
        if !common.json {
            single::said(session, &channel, common, done, ("thread", thread), None)?;
        }
    }
    if !common.json {
        return Ok(());
    }
    let (name, test) = (&channel.spec().name, session.is_test(&channel));
    let told = json!({"ok": true, "done": done, "channel": name, "test": test, "threads": threads, "folder": folder});
    Ok(print::json(&told)?)
}

fn contacts(session: &Session, arguments: &MailContactsArguments) -> Result<()> {
    let channel = single::channel(session, &arguments.common, "mail", is_mail)?;
    let fetch = Fetch::Mail(MailWish::Correspondents(arguments.search.clone()));
    session.read(&channel, "reading correspondents", async || channel.fetch(&fetch).await)?;
    let id = &channel.spec().id;
    let mut items = Vec::new();
    for it in session.reader.correspondents(id, &arguments.search, CORRESPONDENTS)? {
        let text = |it: &Option<SafeText>| it.as_ref().map(ToString::to_string);
        if arguments.common.json {
            items.push(json!({"email": it.email.as_str(), "name": text(&it.name), "messages": it.count,
                "lastAt": it.last_at.map(|at| at.to_string()), "phone": text(&it.phone)}));
        } else {
            let none = || "-".to_owned();
            let count = it.count.map_or_else(none, |it| it.to_string());
            let (name, phone) = (text(&it.name).unwrap_or_else(none), text(&it.phone).unwrap_or_else(none));
            print::line(&print::columns(&[it.email.as_str(), &name, &count, &phone]))?;
        }
    }
    if arguments.common.json { print::json(&Value::Array(items)) } else { Ok(()) }
}

fn account(session: &Session, arguments: &ReadArguments) -> Result<()> {
    let channel = single::channel(session, &arguments.common, "mail", is_mail)?;
    session.read(&channel, "reading the account", async || channel.pull_mailbox().await)?;
    let Some(account) = session.mailbox(&channel) else {
        bail!("{}: the account was not told", channel.spec().name);
    };
    let text = |it: &Option<SafeText>| it.as_ref().map(ToString::to_string);
    let last = account.last_sync_at.map(|at| at.to_string());
    if arguments.common.json {
        let told = json!({"channel": channel.spec().name, "address": account.address.as_str(),
            "displayName": text(&account.display_name), "provider": text(&account.provider),
            "syncStatus": text(&account.sync_status), "lastSyncAt": last, "aiAutoReply": account.ai_auto_reply});
        return print::json(&told);
    }
    let none = || "-".to_owned();
    let status = text(&account.sync_status).unwrap_or_else(none);
    let provider = text(&account.provider).context("the provider").unwrap_or_else(|_| none());
    print::line(&print::columns(&[account.address.as_str(), &provider, &status, &last.unwrap_or_else(none)]))
}
