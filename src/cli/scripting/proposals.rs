//! `proposals`: lists, sends and drops proposals made over `frontdesk mcp`. A sent proposal is replaced by
//! outbox rows in one transaction; if the server refuses them, it waits again.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::scripting::change;
use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey};
use crate::cli::scripting::{Common, ConversationArguments, Files, FoundConversation, Session};
use crate::cli::unfinished::{self, CommandRefusal};
use crate::cli::{CliError, UsageError, print};
use model::account::Platform;
use model::contacts::ContactChange;
use model::conversations::Automation;
use model::local::{LocalChange, Tag, TagLocation};
use model::outbox::Operation;
use model::proposals::{DeskProposal, ProposalEntry, ProposalVerdict, ProposedChange};
use model::queries::DeskQuery;
use model::snooze::Snooze;
use model::text::SafeText;
use model::time::MINUTE;
use model::{replies, secret};

/// Maximum proposals listed; no more may wait.
const MAX_LISTED_PROPOSALS: u32 = 500;

/// The commands about proposals.
#[derive(Debug, Subcommand)]
pub enum ProposalsAction {
    /// List open proposals, oldest first.
    List(ProposalListArguments),
    /// Carry out a proposal: send the reply, pause, hand back, close, snooze or tag.
    Send(ProposalSendArguments),
    /// Drop a proposal.
    Drop(ProposalDropArguments),
}

/// The switches of `proposals list`.
#[derive(Debug, Args)]
pub struct ProposalListArguments {
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `proposals send`.
#[derive(Debug, Args)]
pub struct ProposalSendArguments {
    /// Id of the proposal, as shown by `proposals list`.
    pub proposal: String,
    /// Send this text instead of the proposed one.
    #[arg(long)]
    pub text: Option<String>,
    /// Pause the AI before sending.
    #[arg(long, conflicts_with = "beside_ai")]
    pub pause: bool,
    /// Send even if the AI may answer too.
    #[arg(long)]
    pub beside_ai: bool,
    /// Carry it out even if someone has written since it was proposed.
    #[arg(long)]
    pub anyway: bool,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `proposals drop`.
#[derive(Debug, Args)]
pub struct ProposalDropArguments {
    /// Id of the proposal, as shown by `proposals list`.
    pub proposal: String,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(files: Files, action: &ProposalsAction) -> Result<(), CliError> {
    match action {
        ProposalsAction::List(arguments) => Ok(list(&files, &arguments.common)?),
        ProposalsAction::Send(arguments) => send(files, arguments),
        ProposalsAction::Drop(arguments) => Ok(drop_proposal(&files, arguments)?),
    }
}

fn list_waiting(files: &Files, common: &Common) -> Result<Vec<ProposalEntry>> {
    let channel = files.channel(common.channel.as_deref())?;
    Ok(files.store.reader()?.proposals(&DeskQuery { channel, limit: MAX_LISTED_PROPOSALS })?.0)
}

fn find(files: &Files, common: &Common, id: &str) -> Result<ProposalEntry> {
    let mut entries = list_waiting(files, common)?.into_iter();
    entries.find(|entry| entry.proposal.id.as_str() == id).ok_or_else(|| not_found(id).into())
}

fn not_found(id: &str) -> CommandRefusal {
    CommandRefusal::not_found(format!(
        "there is no open proposal {id}; `frontdesk proposals list` shows them"
    ))
}

fn list(files: &Files, common: &Common) -> Result<()> {
    let entries = list_waiting(files, common)?;
    if common.json {
        return print::json(&Value::Array(entries.iter().map(|entry| entry_json(files, entry)).collect()));
    }
    print::empty(entries.is_empty(), "proposals");
    entries.iter().try_for_each(|entry| {
        let proposal = &entry.proposal;
        let stale = if entry.is_stale() { "someone wrote since" } else { "-" };
        print::line(&print::columns(&[
            proposal.id.as_str(),
            &files.name_of(&proposal.channel),
            entry.title.as_str(),
            proposal.change.word(),
            proposal.proposer.as_str(),
            stale,
            proposal.change.summary().as_str(),
        ]))
    })
}

fn entry_json(files: &Files, entry: &ProposalEntry) -> Value {
    let proposal = &entry.proposal;
    let (mut text, mut minutes, mut tag) = (None, None, None);
    match &proposal.change {
        ProposedChange::Reply { text: proposed } => text = Some(proposed.as_str()),
        ProposedChange::Snooze { minutes: proposed } => minutes = Some(*proposed),
        ProposedChange::Tag { word } => tag = Some(word.as_str()),
        ProposedChange::Pause | ProposedChange::HandBack | ProposedChange::Close => {}
    }
    json!({
        "id": proposal.id.as_str(),
        "channel": files.name_of(&proposal.channel),
        "conversation": proposal.conversation.as_str(),
        "to": entry.title.as_str(),
        "proposer": proposal.proposer.as_str(),
        "reason": proposal.reason.as_str(),
        "change": proposal.change.word(),
        "text": text,
        "minutes": minutes,
        "tag": tag,
        "proposedAt": proposal.at.to_string(),
        "wroteSince": entry.is_stale(),
    })
}

fn drop_proposal(files: &Files, arguments: &ProposalDropArguments) -> Result<()> {
    let common = &arguments.common;
    let DeskProposal { id, .. } = find(files, common, &arguments.proposal)?.proposal;
    let dropped = files.store.settle_proposal(&id, ProposalVerdict::Dropped, files.now())?;
    let Some(dropped) = dropped else { return Err(not_found(id.as_str()).into()) };
    let name = files.name_of(&dropped.channel);
    if common.json {
        return print::json(&json!({"ok": true, "done": "dropped", "channel": name, "proposal": id.as_str(),
            "conversation": dropped.conversation.as_str(), "change": dropped.change.word()}));
    }
    print::line(&format!("dropped: {} {id} on {name}", dropped.change.word()))
}

fn send(files: Files, arguments: &ProposalSendArguments) -> Result<(), CliError> {
    let common = &arguments.common;
    let session = Session::open(files, common.channel.as_deref(), common.timeout)?;
    let wish = [arguments.proposal.as_str(), arguments.text.as_deref().unwrap_or_default()];
    let key = WriteKey::of(&arguments.key, "proposals send", common, &wish);
    let Some(key) = writing::claim_key(&session, common, key)? else { return Ok(()) };
    let entry = find(&session.files, common, &arguments.proposal)?;
    if entry.is_stale() && !arguments.anyway {
        let conversation = &entry.proposal.conversation;
        return Err(CliError::Usage(format!(
            "someone has written since the proposal: see `frontdesk show {conversation}`, or add --anyway to \
             carry it out"
        )));
    }
    let name = session.files.name_of(&entry.proposal.channel);
    let wanted =
        ConversationArguments { conversation: format!("id:{}", entry.proposal.conversation), name: false };
    let found = session.find(Some(&name), &wanted)?;
    let change = match (&entry.proposal.change, &arguments.text) {
        (ProposedChange::Reply { .. }, Some(text)) => ProposedChange::Reply { text: text.clone() },
        (_, Some(_)) => return Err(CliError::Usage("--text works only with a proposed reply".to_owned())),
        (change, None) => change.clone(),
    };
    if let Some(keep) = local_change(&session, &found, &change) {
        return Ok(store_local_change(&session, common, (&entry.proposal, &found), keep)?);
    }
    let operations = operations(arguments, &found, change)?;
    let answer = Answer::new(describe_done(&entry.proposal.change), found.address())
        .with_field("proposal", entry.proposal.id.as_str())
        .with_field("conversation", found.row.conversation.id.as_str())
        .with_field("change", entry.proposal.change.word())
        .with_hidden_created_field("messageId");
    let mut rows = change::rows(&session, &found, operations)?;
    if let Some(last) = rows.last_mut().filter(|row| row.operation.may_cross()) {
        // A newer message stops it.
        last.seen = entry.known_position();
    }
    let sent = writing::accept(&session, &found.channel, &entry.proposal.id, rows, (&answer, &key));
    match sent {
        Ok(outcome) => Ok(writing::print_outcome(&session, &found.channel, common, &answer, &outcome)?),
        Err(error) => {
            if unfinished::is_certainly_not_done(&error) {
                session.store().restore_proposal(entry.proposal).map_err(anyhow::Error::from)?;
            }
            Err(error.into())
        }
    }
}

/// Past tense of the change.
fn describe_done(change: &ProposedChange) -> &'static str {
    match change {
        ProposedChange::Reply { .. } => "sent",
        ProposedChange::Pause => "paused",
        ProposedChange::HandBack => "handed back",
        ProposedChange::Close => "closed",
        ProposedChange::Snooze { .. } => "snoozed",
        ProposedChange::Tag { .. } => "tagged",
    }
}

/// Server operations of a proposal.
fn operations(
    arguments: &ProposalSendArguments,
    found: &FoundConversation,
    change: ProposedChange,
) -> Result<Vec<Operation>, CliError> {
    let conversation = &found.row.conversation;
    let text = match change {
        ProposedChange::Reply { text } => text,
        ProposedChange::Pause => return Ok(vec![Operation::SetAutomation { enabled: false }]),
        ProposedChange::HandBack => return Ok(vec![Operation::SetAutomation { enabled: true }]),
        ProposedChange::Close => return Ok(vec![Operation::Close]),
        ProposedChange::Tag { word } => return Ok(vec![tag_contact(found.address(), word)]),
        // Stored locally.
        ProposedChange::Snooze { .. } => return Ok(Vec::new()),
    };
    if let Some(why) = text_problem(&text) {
        return Err(CliError::Usage(format!("nothing was sent: {why}; give another text with --text")));
    }
    let to = conversation.address.clone();
    let to = to.ok_or_else(|| UsageError(format!("{} has no address to send to", conversation.id)));
    let to = to.map_err(anyhow::Error::from)?;
    match found.platform {
        Platform::Email => {
            let id = &conversation.id;
            let words =
                format!("a mail is not sent from a proposal: send it with `frontdesk mail reply {id} TEXT`");
            return Err(CliError::Usage(words));
        }
        Platform::Voip => return Ok(vec![Operation::SendSms { to, body: text, via: None }]),
        _ => {}
    }
    let ai_may_answer = matches!(conversation.automation, Automation::On | Automation::Unknown);
    if ai_may_answer && !arguments.pause && !arguments.beside_ai {
        return Err(CliError::Usage(change::AI_MAY_ANSWER_NOTICE.to_owned()));
    }
    let pause = arguments.pause && conversation.automation != Automation::Off;
    let pause = pause.then_some(Operation::SetAutomation { enabled: false });
    Ok(pause.into_iter().chain([Operation::SendText { to, text, reply_to: None }]).collect())
}

/// Reason a text may not be sent as it is.
fn text_problem(text: &str) -> Option<String> {
    let field = replies::unfilled_fields(text).into_iter().next();
    let open = field.map(|range| format!("{} is still to be filled in", &text[range]));
    open.or_else(|| secret::key_hint_in(text).map(|key| format!("{key} in it is a channel key")))
}

fn tag_contact(phone: &str, word: String) -> Operation {
    Operation::ChangeContact(Box::new(ContactChange {
        phone: phone.to_owned(),
        name: None,
        email: None,
        add: vec![word],
        remove: Vec::new(),
        set: Vec::new(),
        unset: Vec::new(),
    }))
}

/// Change that is only stored locally; `None` for a server operation.
fn local_change(
    session: &Session,
    found: &FoundConversation,
    change: &ProposedChange,
) -> Option<LocalChange> {
    let row = &found.row;
    let id = row.conversation.id.clone();
    match change {
        ProposedChange::Snooze { minutes } => {
            let until = session.now().plus(i64::from(*minutes) * MINUTE);
            let snooze = Snooze::new(Some(until), false, row.last_inbound_at, session.now());
            Some(LocalChange::Snooze(vec![(id, Some(snooze))]))
        }
        ProposedChange::Tag { word } if !found.platform.has_contacts() => {
            let mut tags = row.local.tags.clone();
            tags.push(Tag { word: SafeText::line(word), location: TagLocation::Local });
            Some(LocalChange::Tags(vec![(id, tags)]))
        }
        _ => None,
    }
}

fn store_local_change(
    session: &Session,
    common: &Common,
    (proposal, found): (&DeskProposal, &FoundConversation),
    keep: LocalChange,
) -> Result<()> {
    session.store().change_local(&proposal.channel, keep)?;
    session.store().settle_proposal(&proposal.id, ProposalVerdict::Accepted, session.now())?;
    let (done, name) = (describe_done(&proposal.change), &found.channel.spec().name);
    if common.json {
        return print::json(&json!({"ok": true, "done": done, "channel": name, "test": found.is_test(),
            "proposal": proposal.id.as_str(), "conversation": proposal.conversation.as_str(),
            "change": proposal.change.word()}));
    }
    print::line(&print::columns(&[format!(
        "{done}: {} on {}",
        found.address(),
        session.label(&found.channel)
    )]))
}
