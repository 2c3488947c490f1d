//! Changes by commands: queued, awaited, reported. Each command that changes something on a server takes
//! `--idempotency-key` and answers with the same fields.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::cli::print;
use crate::cli::scripting::confirming::{RefusedRow, wait_until_confirmed};
use crate::cli::scripting::{Common, Session, waves};
use crate::cli::unfinished::CommandRefusal;
use client::{Attachments, prepare_with};
use model::ids::{CampaignId, IdempotencyKey, ProposalId, RowId};
use model::outbox::Operation;
use model::text::SafeText;
use model::waves::NewCampaign;
use store::outbox::NewRow;
use store::receipts::StoredReceipt;
use store::script_keys::{KeyUse, KeyedChange, ScriptKey};
use sync::ChannelSync;

/// Maximum characters of a key. Servers accept 255; parts of a command add a suffix.
const MAX_KEY_CHARS: usize = 200;
/// Maximum bytes of a file included in its fingerprint.
const MAX_FINGERPRINTED_BYTES: u64 = 64 * 1024 * 1024;

/// The switch of all that changes something on a server.
#[derive(Debug, Clone, Args)]
pub struct KeyArgument {
    /// Idempotency key of this change: the same command run again with the same key does nothing,
    /// and reports how the first run ended.
    #[arg(long, value_name = "KEY", value_parser = idempotency_key)]
    pub idempotency_key: Option<String>,
}

impl KeyArgument {
    /// True if the change is named, so that its whole content must match.
    pub fn is_given(&self) -> bool {
        self.idempotency_key.is_some()
    }
}

fn idempotency_key(text: &str) -> Result<String, String> {
    let is_fit =
        (1..=MAX_KEY_CHARS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_fit {
        Ok(text.to_owned())
    } else {
        Err(format!("give 1 to {MAX_KEY_CHARS} visible ASCII characters"))
    }
}

/// Name of a change: the key of the command, or of a part of it.
#[derive(Debug, Clone)]
pub struct WriteKey(Option<NamedChange>);

#[derive(Debug, Clone)]
struct NamedChange {
    key: String,
    /// Fingerprint of the command and its arguments.
    fingerprint: String,
}

impl WriteKey {
    /// No key: the change is made each time.
    pub const NONE: Self = Self(None);

    /// Key of a command. `wish` holds all its arguments: commands with the same key must not differ in it.
    pub fn of(argument: &KeyArgument, command: &str, common: &Common, wish: &[&str]) -> Self {
        let print =
            || fingerprint_of([command, common.channel.as_deref().unwrap_or_default()].iter().chain(wish));
        Self(argument.idempotency_key.clone().map(|key| NamedChange { key, fingerprint: print() }))
    }

    /// Key of one of several changes by a command.
    #[must_use]
    pub fn part(&self, part: &str) -> Self {
        Self(self.0.as_ref().map(|named| NamedChange {
            key: format!("{}.{}", named.key, &fingerprint_of([part].iter())[..16]),
            fingerprint: named.fingerprint.clone(),
        }))
    }

    fn to_script_key(&self, answer: &Answer) -> Result<Option<ScriptKey>> {
        let Some(NamedChange { key, fingerprint: wish }) = &self.0 else { return Ok(None) };
        let answer = serde_json::to_string(answer).context("could not store the command")?;
        Ok(Some(ScriptKey { key: IdempotencyKey::new(key.as_str()), fingerprint: wish.clone(), answer }))
    }
}

fn fingerprint_of<'a>(parts: impl Iterator<Item = &'a &'a str>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_be_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fingerprint of a file: its path and, for a plain file, its content.
pub fn file_fingerprint(path: &str) -> String {
    let mut bytes = Vec::new();
    let read = disk::open_plain(Path::new(path))
        .and_then(|file| file.take(MAX_FINGERPRINTED_BYTES).read_to_end(&mut bytes));
    // An unreadable file is reported later.
    drop(read);
    let print: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{path} {print}")
}

/// Answer to a completed change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// Past participle, such as `sent`.
    done: String,
    /// Subject of the change, by field name.
    about: Map<String, Value>,
    /// Field of the created id, such as `messageId`.
    made: Option<String>,
    /// True if the created id is printed for people, too.
    shows_made: bool,
    /// Subject of the change, for people.
    words: String,
}

impl Answer {
    pub fn new(done: &str, words: &str) -> Self {
        Self {
            done: done.to_owned(),
            about: Map::new(),
            made: None,
            shows_made: false,
            words: words.to_owned(),
        }
    }

    /// Adds a field to the subject.
    #[must_use]
    pub fn with_field(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.about.insert(field.to_owned(), value.into());
        self
    }

    /// One line for people.
    pub fn describe(&self, channel: impl std::fmt::Display) -> String {
        format!("{}: {} on {channel}", self.done, self.words)
    }

    /// Adds what was done, and to what, to a JSON object.
    pub fn add_fields(&self, told: &mut Value) {
        if let Value::Object(fields) = told {
            fields.insert("done".to_owned(), json!(self.done));
            fields.extend(self.about.clone());
        }
    }

    /// Sets the field of the created id, which is printed for people, too.
    #[must_use]
    pub fn with_created_field(self, field: &str) -> Self {
        Self { made: Some(field.to_owned()), shows_made: true, ..self }
    }

    /// Sets the field of the created id, for programs only.
    #[must_use]
    pub fn with_hidden_created_field(self, field: &str) -> Self {
        Self { made: Some(field.to_owned()), ..self }
    }
}

/// Confirmed change.
#[derive(Debug)]
pub struct Outcome {
    pub row: RowId,
    /// Created id or address.
    pub created_id: Option<String>,
    receipt: StoredReceipt,
    /// True if an earlier command with the same key made the change.
    is_repeated: bool,
}

impl Outcome {
    /// JSON of one of several messages of a command.
    pub fn as_message(&self) -> Value {
        json!({
            "row": self.row.as_str(),
            "messageId": self.created_id,
            "status": self.receipt.status,
            "creditsUsed": self.receipt.credits_used,
        })
    }
}

/// Checks for an earlier change with the same key. Returns `None` if there was one: its result was printed,
/// and the command is done.
///
/// # Errors
/// When it failed, or the key was used for another change.
pub fn claim_key(session: &Session, common: &Common, key: WriteKey) -> Result<Option<WriteKey>> {
    let Some(script_key) = key.to_script_key(&Answer::new("", ""))? else { return Ok(Some(key)) };
    match session.store().key_use(&script_key)? {
        KeyUse::New => Ok(Some(key)),
        used => {
            let known = known_change(&script_key, used)?;
            follow(session, common, &known)?;
            Ok(None)
        }
    }
}

fn known_change(key: &ScriptKey, used: KeyUse) -> Result<KeyedChange> {
    let named = key.key.as_str();
    match used {
        KeyUse::Used(known) => Ok(known),
        KeyUse::GivenUp(row) => Err(CommandRefusal::abandoned(named, &row).into()),
        KeyUse::New | KeyUse::Other => Err(CommandRefusal::key_conflict(named).into()),
    }
}

/// Waits for an earlier change and prints its result.
fn follow(session: &Session, common: &Common, known: &KeyedChange) -> Result<()> {
    let channel = session.channel_by_id(&known.channel)?;
    let campaign = CampaignId::from(known.row.as_str());
    if session.store().campaign(&campaign)?.is_some() {
        return waves::follow(session, &channel, &campaign, common.json);
    }
    wait_until_confirmed(session, &channel, std::slice::from_ref(&known.row), RefusedRow::GivenUp)?;
    let answer: Answer = serde_json::from_str(&known.answer).context("could not read the earlier command")?;
    let outcome = Outcome { is_repeated: true, ..outcome(session, &known.row)? };
    print_outcome(session, &channel, common, &answer, &outcome)
}

fn outcome(session: &Session, row: &RowId) -> Result<Outcome> {
    let made = session.store().created_id(row)?;
    let receipt = session.store().receipt(row)?;
    Ok(Outcome { row: row.clone(), created_id: made, receipt, is_repeated: false })
}

/// Queues a change and waits until the server has confirmed it.
///
/// # Errors
/// When it is not confirmed, or the channel is read-only.
pub fn run_operation(
    session: &Session,
    channel: &ChannelSync,
    operation: Operation,
    enclosed: Attachments<'_>,
    (answer, key): (&Answer, &WriteKey),
) -> Result<Outcome> {
    refuse_read_only(channel)?;
    let platform = session.platform(channel)?;
    let lane = operation.lane(None).context("could not tell which conversation it is for")?;
    let request = prepare_with(&platform, &lane, &operation, enclosed)?;
    let row = NewRow::without_delay(channel.spec().id.clone(), lane, operation, request);
    run_rows(session, channel, vec![row], (answer, key))
}

/// Queues rows in order, of which the last is the change, and waits until all are confirmed.
///
/// # Errors
/// When one of them is not confirmed.
pub fn run_rows(
    session: &Session,
    channel: &ChannelSync,
    rows: Vec<NewRow>,
    (answer, key): (&Answer, &WriteKey),
) -> Result<Outcome> {
    let queued = match key.to_script_key(answer)? {
        None => session.store().enqueue_many(rows, false, session.now())?,
        Some(script_key) => match session.store().enqueue_with_key(rows, &script_key, session.now())? {
            Ok(queued) => queued,
            // Another command with this key was faster.
            Err(used) => {
                let known = known_change(&script_key, used)?;
                wait_until_confirmed(
                    session,
                    channel,
                    std::slice::from_ref(&known.row),
                    RefusedRow::GivenUp,
                )?;
                return Ok(Outcome { is_repeated: true, ..outcome(session, &known.row)? });
            }
        },
    };
    let rows: Vec<RowId> = queued.into_iter().map(|row| row.id).collect();
    wait_until_confirmed(session, channel, &rows, RefusedRow::GivenUp)?;
    outcome(session, rows.last().context("nothing was queued")?)
}

/// Replaces a proposal by its rows in one transaction and waits until all are confirmed.
///
/// # Errors
/// When one of the rows is not confirmed, or the proposal is gone.
pub fn accept(
    session: &Session,
    channel: &ChannelSync,
    proposal: &ProposalId,
    rows: Vec<NewRow>,
    (answer, key): (&Answer, &WriteKey),
) -> Result<Outcome> {
    let script_key = key.to_script_key(answer)?;
    let queued = session.store().accept_with_key(proposal, rows, script_key.as_ref(), session.now())?;
    let Some(queued) = queued else {
        let words = format!("the proposal {proposal} is no longer open: someone has decided on it");
        return Err(CommandRefusal::not_found(words).into());
    };
    let rows: Vec<RowId> = queued.into_iter().map(|row| row.id).collect();
    wait_until_confirmed(session, channel, &rows, RefusedRow::GivenUp)?;
    outcome(session, rows.last().context("nothing was queued")?)
}

/// Starts a broadcast in waves, or returns the one started with this key.
///
/// # Errors
/// When the key was used for another change.
pub fn begin_campaign(
    session: &Session,
    new: NewCampaign,
    quality: Option<SafeText>,
    key: &WriteKey,
) -> Result<CampaignId> {
    let Some(script_key) = key.to_script_key(&Answer::new("", ""))? else {
        return session
            .store()
            .start_campaign(new, quality, session.now())
            .context("could not start the broadcast");
    };
    match session.store().start_campaign_with_key(new, quality, &script_key, session.now())? {
        Ok(begun) => Ok(begun),
        Err(used) => Ok(CampaignId::from(known_change(&script_key, used)?.row.as_str())),
    }
}

/// # Errors
/// When the channel is read-only.
pub fn refuse_read_only(channel: &ChannelSync) -> Result<()> {
    let spec = channel.spec();
    if spec.read_only { Err(CommandRefusal::read_only(&spec.name).into()) } else { Ok(()) }
}

pub fn print_outcome(
    session: &Session,
    channel: &ChannelSync,
    common: &Common,
    answer: &Answer,
    outcome: &Outcome,
) -> Result<()> {
    if common.json {
        return print::json(&as_json(session, channel, answer, outcome));
    }
    let made = outcome.created_id.as_ref().filter(|_| answer.shows_made);
    let made = made.map(|made| format!(" ({made})")).unwrap_or_default();
    print::line(&print::columns(&[format!(
        "{}: {} on {}{made}",
        answer.done,
        answer.words,
        session.label(channel)
    )]))
}

pub fn as_json(session: &Session, channel: &ChannelSync, answer: &Answer, outcome: &Outcome) -> Value {
    let mut told = json!({
        "ok": true,
        "done": answer.done,
        "channel": channel.spec().name,
        "test": session.is_test(channel),
        "row": outcome.row.as_str(),
        "status": outcome.receipt.status,
        "creditsUsed": outcome.receipt.credits_used,
        "creditsRemaining": outcome.receipt.credits_remaining,
        "repeated": outcome.is_repeated,
    });
    if let Value::Object(fields) = &mut told {
        fields.extend(answer.about.clone());
        fields.extend(answer.made.iter().map(|field| (field.clone(), json!(outcome.created_id))));
    }
    told
}
