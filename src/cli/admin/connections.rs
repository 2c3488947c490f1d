//! `admin connection`: Data Connections of the service, for its assistant. They are stored only after a
//! successful live call.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::admin::read_file;
use crate::cli::{UsageError, print};
use crate::shell::clock::{self, SystemClock};
use crate::shell::prompt;
use ::connections::{EndpointResponse, FinishedCall};
use model::account::Platform;
use model::connections::{CallLine, CallResult, Connection, ConnectionEndpoint, ContactFacts, DisplayValue};
use model::secret::Secret;
use model::text::SafeText;
use model::time::Clock;
use service::admin::{Admin, AdminError};
use service::connections::dashboard::TestCall;
use wire::connections;

/// Maximum lines shown of an answer.
const MAX_SHOWN_LINES: usize = 40;

/// What can be done with connections.
#[derive(Debug, Subcommand)]
pub enum ConnectionAction {
    /// Add the connection a file describes, or replace the one of its name,
    /// after a live test call. Its credential is asked for, or read from
    /// standard input.
    Add {
        /// A file with one [[connection]]; the book shows one.
        file: PathBuf,
        #[command(flatten)]
        trial: TrialArguments,
    },
    /// Call a connection as the assistant does, and show the answer.
    Test {
        /// Its name.
        name: String,
        #[command(flatten)]
        trial: TrialArguments,
    },
    /// List the connections, never their credentials.
    List,
    /// The last calls: when, what, for whom, how it went.
    Log {
        /// So many at most.
        #[arg(long, default_value_t = 50, value_name = "NUMBER")]
        limit: u32,
    },
    /// Remove a connection with its credential.
    Remove {
        /// Its name.
        name: String,
    },
}

/// What a test call is given.
#[derive(Debug, Args)]
pub struct TrialArguments {
    /// Which endpoint; without it, the first.
    #[arg(long, value_name = "NAME")]
    endpoint: Option<String>,
    /// The number of a contact of business chat, voice or SMS.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["email", "chat_id"])]
    phone: Option<String>,
    /// The address of a contact of the mail channel.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "chat_id")]
    email: Option<String>,
    /// The chat id of a contact of the bot channel.
    #[arg(long, value_name = "ID")]
    chat_id: Option<String>,
    /// What an endpoint asks for, as name=value; may be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    answers: Vec<String>,
}

impl TrialArguments {
    fn trial(self) -> Result<TestCall> {
        let pair = |text: String| match text.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(UsageError(format!("--set {text:?}: write it as name=value"))),
        };
        let given = [
            (Platform::Whatsapp, "--phone", "a number such as +34600111222", self.phone),
            (Platform::Email, "--email", "a mail address", self.email),
            (Platform::Telegram, "--chat-id", "the id of a private chat", self.chat_id),
        ];
        let mut facts = ContactFacts::default();
        for (platform, switch, wanted, it) in given {
            let Some(address) = it else { continue };
            facts = ContactFacts::from_address(&platform, &address);
            if facts == ContactFacts::default() {
                return Err(UsageError(format!("{switch} {address:?}: give {wanted}")).into());
            }
        }
        Ok(TestCall {
            endpoint: self.endpoint,
            facts,
            answers: self.answers.into_iter().map(pair).collect::<Result<_, UsageError>>()?,
        })
    }
}

pub async fn run(admin: &Admin, action: ConnectionAction, json: bool) -> Result<()> {
    match action {
        ConnectionAction::Add { file, trial } => add(admin, &file, &trial.trial()?, json).await,
        ConnectionAction::Test { name, trial } => {
            let (connection, secret) = admin.connection(&name).await.context("reading the connection")?;
            try_connection(admin, &connection, secret.as_ref(), &trial.trial()?, json).await
        }
        ConnectionAction::List => list(admin, json).await,
        ConnectionAction::Log { limit } => {
            let calls = admin.connection_calls(limit).await.context("reading the log")?;
            if json {
                return print::json(&Value::Array(calls.iter().map(call_json).collect()));
            }
            calls.iter().try_for_each(|call| print::line(&call_words(call)))
        }
        ConnectionAction::Remove { name } => {
            admin.remove_connection(&name).await.context("removing the connection")?;
            if json {
                return print::json(&json!({"name": name, "removed": true}));
            }
            print::line(&format!("{name}\tremoved, with its credential"))
        }
    }
}

async fn add(admin: &Admin, file: &Path, trial: &TestCall, json: bool) -> Result<()> {
    let text = read_file(file)?;
    let (mut read, wrong) = connections::read(&text);
    if let Some(why) = wrong.first() {
        return Err(AdminError::Refused(format!("{}: {why}", file.display())).into());
    }
    let (Some(connection), true) = (read.pop(), read.is_empty()) else {
        let why = format!("{}: it must describe exactly one [[connection]]", file.display());
        return Err(AdminError::Refused(why).into());
    };
    let secret = match connection.auth.needs_secret() {
        false => None,
        true => {
            let question = format!("{} of {}", connection.auth.secret_name(), connection.name);
            let typed = prompt::ask_secret(&question).context("reading the credential; nothing was added")?;
            Some(Secret::new(&typed))
        }
    };
    try_connection(admin, &connection, secret.as_ref(), trial, json).await.context("nothing was added")?;
    let name = connection.name.clone();
    admin.put_connection(connection, secret.as_ref(), SystemClock.now()).await.context("keeping it")?;
    if json {
        Ok(())
    } else {
        print::line(&format!("{name} is kept; `admin connection test {name}` asks it again"))
    }
}

/// Makes a test call and prints its answer.
async fn try_connection(
    admin: &Admin,
    connection: &Connection,
    secret: Option<&Secret>,
    trial: &TestCall,
    json: bool,
) -> Result<()> {
    let tried = admin.try_connection(connection, secret, trial, Arc::new(SystemClock)).await;
    let (FinishedCall { line, answer }, endpoint) = tried.context("testing the connection")?;
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => bail!("{} / {} did not answer as it should: {why}", line.connection, line.endpoint),
    };
    if json {
        let mut item = call_json(&line);
        item["answer"] = answer.body;
        return print::json(&item);
    }
    print::line(&call_words(&line))?;
    show(&answer, &endpoint)
}

/// Prints the answer mapped to its fields, or as received without a mapping.
fn show(answer: &EndpointResponse, endpoint: &ConnectionEndpoint) -> Result<()> {
    if endpoint.fields.is_empty() {
        let text = serde_json::to_string_pretty(&answer.body).unwrap_or_default();
        for line in text.lines().take(MAX_SHOWN_LINES) {
            print::line(&format!("  {}", SafeText::line(line)))?;
        }
        return Ok(());
    }
    let mapped = answer.mapped(endpoint, &clock::zone());
    for it in &mapped.fields {
        match &it.value {
            DisplayValue::Line(text) => print::line(&format!("  {}\t{text}", it.label))?,
            DisplayValue::Table(heads, rows, more) => {
                let joined =
                    |cells: &[SafeText]| cells.iter().map(SafeText::as_str).collect::<Vec<_>>().join("\t");
                print::line(&format!("  {}\t{}", it.label, joined(heads)))?;
                rows.iter().try_for_each(|row| print::line(&format!("  \t{}", joined(row))))?;
                if *more > 0 {
                    print::line(&format!("  \t{more} more"))?;
                }
            }
        }
    }
    if mapped.fields.is_empty() {
        print::line("  none of the mapped fields is in the answer")?;
    }
    Ok(())
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let all = admin.connections().await.context("listing the connections")?;
    if json {
        let item = |(connection, has_credential): &(Connection, bool)| {
            let mut item: Value =
                serde_json::from_str(&connections::to_json(connection)).unwrap_or(Value::Null);
            item["hasCredential"] = json!(has_credential);
            item
        };
        return print::json(&Value::Array(all.iter().map(item).collect()));
    }
    for (it, has_credential) in &all {
        let credential = match (it.auth.needs_secret(), has_credential) {
            (false, _) => "no credential needed",
            (true, true) => "credential kept",
            (true, false) => "CREDENTIAL MISSING",
        };
        let endpoints: Vec<&str> = it.endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
        let (auth, limit) = (it.auth.word(), it.per_minute);
        print::line(&format!(
            "{}\t{}\t{auth}\t{credential}\t{limit}/min\t{}",
            it.name,
            it.base_url,
            endpoints.join(", ")
        ))?;
    }
    Ok(())
}

fn call_words(it: &CallLine) -> String {
    let result = match &it.result {
        CallResult::Status(status) => status.to_string(),
        CallResult::Failed(why) => why.to_string(),
    };
    let CallLine { at, connection, endpoint, contact, millis, bytes, .. } = it;
    format!("{at}\t{connection}\t{endpoint}\t{contact}\t{result}\t{millis} ms\t{bytes} bytes")
}

fn call_json(it: &CallLine) -> Value {
    let (status, failure) = match &it.result {
        CallResult::Status(status) => (json!(status), Value::Null),
        CallResult::Failed(why) => (Value::Null, json!(why.as_str())),
    };
    json!({
        "at": it.at.to_string(), "connection": it.connection, "endpoint": it.endpoint,
        "contact": it.contact, "status": status, "failure": failure, "ms": it.millis, "bytes": it.bytes,
    })
}
