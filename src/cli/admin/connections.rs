//! `admin connection`: Data Connections of the service, for its assistant. They are stored only after a
//! successful live call.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::admin::read_file;
use crate::cli::connection::contact::{self, ContactArguments};
use crate::cli::connection::print_call;
use crate::cli::print;
use crate::shell::clock::SystemClock;
use crate::shell::prompt;
use api::connections;
use model::connections::Connection;
use model::secret::Secret;
use model::time::Clock;
use net::connections::FinishedCall;
use service::admin::{Admin, AdminError};
use service::connections::dashboard::TestCall;

/// What can be done with connections.
#[derive(Debug, Subcommand)]
pub enum ConnectionAction {
    /// Add the connection that a file describes, or replace the one with its name, after a live
    /// test call. The credential is asked for, or read from standard input.
    #[command(alias = "create")]
    Add {
        /// File with one `[[connection]]` table; the book shows an example.
        file: PathBuf,
        #[command(flatten)]
        trial: TrialArguments,
    },
    /// Call a connection as the assistant does, and show the answer.
    Test {
        /// Name of the connection.
        name: String,
        #[command(flatten)]
        trial: TrialArguments,
    },
    /// List the connections, without their credentials.
    List,
    /// List the last calls: time, endpoint, customer, result.
    Log {
        /// Maximum number of calls.
        #[arg(long, default_value_t = 50, value_name = "NUMBER")]
        limit: u32,
    },
    /// Remove a connection with its credential.
    #[command(alias = "delete")]
    Remove {
        /// Name of the connection.
        name: String,
    },
}

/// What a test call is given.
#[derive(Debug, Args)]
pub struct TrialArguments {
    /// Endpoint to call; without it, the first.
    #[arg(long, value_name = "NAME")]
    endpoint: Option<String>,
    #[command(flatten)]
    contact: ContactArguments,
    /// Value that the endpoint needs, as name=value; may be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    answers: Vec<String>,
}

impl TrialArguments {
    fn trial(self) -> Result<TestCall> {
        Ok(TestCall {
            endpoint: self.endpoint,
            facts: self.contact.facts()?,
            answers: contact::pairs("--set", &self.answers)?,
        })
    }
}

pub async fn run(admin: &Admin, action: ConnectionAction, json: bool) -> Result<()> {
    match action {
        ConnectionAction::Add { file, trial } => add(admin, &file, &trial.trial()?, json).await,
        ConnectionAction::Test { name, trial } => {
            let (connection, secret) =
                admin.connection(&name).await.context("could not read the connection")?;
            try_connection(admin, &connection, secret.as_ref(), &trial.trial()?, json).await
        }
        ConnectionAction::List => list(admin, json).await,
        ConnectionAction::Log { limit } => {
            let calls = admin.connection_calls(limit).await.context("could not read the log")?;
            if json {
                return print::json(&Value::Array(calls.iter().map(print_call::call_json).collect()));
            }
            print::empty(calls.is_empty(), "calls");
            calls.iter().try_for_each(|call| print::line(&print_call::call_line(call)))
        }
        ConnectionAction::Remove { name } => {
            admin
                .remove_connection(&name, SystemClock.now())
                .await
                .context("could not remove the connection")?;
            if json {
                return print::json(&json!({"name": name, "removed": true}));
            }
            print::line(&format!("{name}\tremoved with its credential"))
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
        let why = format!("{}: the file must contain exactly one [[connection]] table", file.display());
        return Err(AdminError::Refused(why).into());
    };
    let secret = match connection.auth.needs_secret() {
        false => None,
        true => {
            let question = format!("{} of {}", connection.auth.secret_name(), connection.name);
            let typed =
                prompt::ask_secret(&question).context("nothing was added: could not read the credential")?;
            Some(Secret::new(&typed))
        }
    };
    try_connection(admin, &connection, secret.as_ref(), trial, json).await.context("nothing was added")?;
    let name = connection.name.clone();
    admin
        .put_connection(connection, secret.as_ref(), SystemClock.now())
        .await
        .context("could not store the connection")?;
    if json {
        Ok(())
    } else {
        print::line(&format!("{name} is stored; `admin connection test {name}` tests it again"))
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
    let (FinishedCall { line, answer }, endpoint) = tried.context("could not test the connection")?;
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => bail!("test call of {} / {} failed: {why}", line.connection, line.endpoint),
    };
    if json {
        let mut item = print_call::call_json(&line);
        item["answer"] = answer.body;
        return print::json(&item);
    }
    print::line(&print_call::call_line(&line))?;
    print_call::print_answer(&answer, &endpoint)
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let all = admin.connections().await.context("could not list the connections")?;
    if json {
        let item = |(connection, has_credential): &(Connection, bool)| {
            print_call::connection_json(connection, *has_credential)
        };
        return print::json(&Value::Array(all.iter().map(item).collect()));
    }
    print::empty(all.is_empty(), "connections");
    all.iter().try_for_each(|(connection, has_credential)| {
        print::line(&print_call::connection_line(connection, *has_credential))
    })
}
