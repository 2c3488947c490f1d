//! `frontdesk channel test`: account, permissions and remaining rate limit of each key.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use crate::cli::channel::{ConfigFile, TestArguments};
use crate::cli::unfinished::{self, ChannelErrors};
use crate::cli::{desk, print};
use crate::config::keys::check_key_form;
use crate::shell::clock::SystemClock;
use api::account::DeskServiceBody;
use api::webhooks::WebhookBody;
use client::checkup::{ProbeResult, RESOURCES, ReadAccess};
use client::{Client, ClientError, ReadError};
use model::account::Platform;
use model::secret::Secret;
use model::text::SafeText;
use model::time::{Clock, Moment, SECOND};

pub struct KeyCheck {
    /// Account with the headers of its answer.
    pub probe: ProbeResult,
    pub scope: ReadAccess,
    /// Time until the account's answer, in microseconds.
    pub latency: i64,
    /// Server clock minus local clock, in microseconds.
    pub clock_skew: Option<i64>,
}

#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The account could not be read.
    #[error("could not read the account: {}", describe_read_error(.error, .key_advice))]
    Read {
        error: ReadError,
        /// Advice for a key that is refused.
        key_advice: String,
    },
    /// The text is no channel key; it was not sent.
    #[error("{0}")]
    NotAKey(String),
    /// The address or the key is invalid.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Local failure.
    #[error("{0:#}")]
    Here(#[from] anyhow::Error),
}

impl CheckError {
    /// True if another key might work.
    pub fn is_about_the_key(&self) -> bool {
        matches!(
            self,
            Self::Read { error: ReadError::Refused { .. }, .. }
                | Self::NotAKey(_)
                | Self::Client(ClientError::BadKey)
        )
    }

    /// True if another address might work: no usable answer came from this one.
    pub fn is_about_the_address(&self) -> bool {
        matches!(self, Self::Read { .. }) && !self.is_about_the_key()
    }
}

/// Reads account and permissions of a key. Rate limits are waited for within `patience` microseconds;
/// `key_advice` says how to replace a refused key.
pub fn check(base_url: &str, key: &Secret, patience: i64, key_advice: &str) -> Result<KeyCheck, CheckError> {
    check_key_form(key).map_err(CheckError::NotAKey)?;
    let clock = SystemClock;
    let until = clock.moment().plus(patience);
    let client = Client::new(base_url, key, Arc::new(clock))?.for_person();
    desk::runtime()?.block_on(async {
        let greeted = retry_until(until, async || {
            let asked = clock.now();
            client.probe_account().await.map(|greet| (greet, asked, clock.now()))
        });
        let (greeting, asked, answered) =
            greeted.await.map_err(|error| CheckError::Read { error, key_advice: key_advice.to_owned() })?;
        // The Date header has whole seconds, so adding half a second is right on average.
        let skew =
            greeting.server_time.map(|at| at.plus(500_000).since(asked.plus(answered.since(asked) / 2)));
        let mut scope = ReadAccess::new();
        for (name, path) in RESOURCES {
            scope.push((*name, retry_until(until, async || client.may_read(path).await).await));
        }
        Ok(KeyCheck { probe: greeting, scope, latency: answered.since(asked), clock_skew: skew })
    })
}

/// Reads the service's extensions for desks; `None` if it has none. Rate limits are waited for within
/// `patience` microseconds.
pub fn check_desk_service(base_url: &str, key: &Secret, patience: i64) -> Result<Option<DeskServiceBody>> {
    let until = SystemClock.moment().plus(patience);
    let client = Client::new(base_url, key, Arc::new(SystemClock))?.for_person();
    let read = desk::runtime()?.block_on(retry_until(until, async || client.desk_service().await));
    read.map_err(|error| anyhow!("could not ask for the extensions for desks: {error}"))
}

/// Reads the webhooks of a key. Rate limits are waited for within `patience` microseconds.
pub fn read_webhooks(
    base_url: &str,
    key: &Secret,
    platform: &Platform,
    patience: i64,
) -> Result<Vec<WebhookBody>> {
    let until = SystemClock.moment().plus(patience);
    let client = Client::new(base_url, key, Arc::new(SystemClock))?.for_person();
    let read = desk::runtime()?.block_on(retry_until(until, async || client.webhooks(platform).await));
    Ok(read.map_err(|error| anyhow!("could not read the webhooks: {error}"))?.items)
}

/// Repeats a request after a rate limit that ends in time. A long wait is reported at a terminal.
async fn retry_until<T>(
    until: Moment,
    question: impl AsyncFn() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    loop {
        let wait = match question().await {
            Err(ReadError::Limited(wait) | ReadError::Paced(wait))
                if SystemClock.moment().plus(wait) <= until =>
            {
                wait.max(1)
            }
            answer => return answer,
        };
        if wait > 2 * SECOND && std::io::stderr().is_terminal() {
            // A failing standard error is no reason to stop.
            let _ = print::print_progress(&format!("waiting {} s for the rate limit", wait / SECOND + 1));
        }
        tokio::time::sleep(Duration::from_micros(wait.unsigned_abs())).await;
    }
}

fn describe_read_error(error: &ReadError, key_advice: &str) -> String {
    match error {
        ReadError::Refused { code, why } => {
            format!("the server refuses this key: {why} ({code}); {key_advice}")
        }
        ReadError::Limited(wait) => {
            format!("the server asks to wait {} s; try again after that", wait / SECOND + 1)
        }
        ReadError::Paced(wait) => {
            format!("this key's rate limit is used up; try again in {} s", wait / SECOND + 1)
        }
        other => other.to_string(),
    }
}

impl KeyCheck {
    pub fn describe_account(&self) -> String {
        let account = &self.probe.account;
        // Only the account of a WhatsApp key names a number, and so its connection.
        let number = account.number.as_ref().map_or_else(String::new, |number| format!(", {number}"));
        let connected = if account.is_unconnected() { ", not connected" } else { "" };
        let workspace = account
            .workspace_name
            .as_ref()
            .map_or_else(String::new, |workspace_name| format!(" of {workspace_name}"));
        format!(
            "{}{workspace}, {}{number}{connected}, {}",
            account.platform.label(),
            account.environment.label(),
            print::count(account.credits, "credit")
        )
    }

    /// Readable, forbidden and unanswered resources.
    pub fn describe_scope(&self) -> Vec<String> {
        let named = |wanted: fn(&Result<(), ReadError>) -> bool| {
            let names = self.scope.iter().filter(|(_, read)| wanted(read)).map(|(name, _)| *name);
            names.collect::<Vec<_>>().join(", ")
        };
        let mut lines = vec![format!("may read: {}", named(Result::is_ok))];
        let denied = named(|result| matches!(result, Err(ReadError::Forbidden(_))));
        if !denied.is_empty() {
            lines.push(format!("not allowed for this key: {denied}"));
        }
        let missing =
            named(|result| matches!(result, Err(ReadError::NotFound(_) | ReadError::NoSuchPath(_))));
        if !missing.is_empty() {
            lines.push(format!("not on this server: {missing}"));
        }
        for (name, read) in &self.scope {
            if let Err(error) = read
                && !error.is_inaccessible()
            {
                lines.push(format!("{name}: {error}"));
            }
        }
        lines
    }

    /// Remaining rate limit as reported by the server.
    pub fn describe_budget(&self) -> String {
        match self.probe.rate {
            Some(rate) => format!("{} of {} reads a minute left", rate.remaining, rate.limit),
            None => "the server does not report its rate limit".to_owned(),
        }
    }

    pub fn json(&self) -> Value {
        let account = &self.probe.account;
        let scope: serde_json::Map<String, Value> = self
            .scope
            .iter()
            .map(|(name, read)| {
                let word = match read {
                    Ok(()) => "yes".to_owned(),
                    Err(error) if error.is_inaccessible() => "no".to_owned(),
                    Err(error) => error.to_string(),
                };
                ((*name).to_owned(), Value::from(word))
            })
            .collect();
        json!({
            "platform": account.platform.word(),
            "environment": account.environment.word(),
            "number": account.number.as_ref().map(SafeText::as_str),
            "workspace": account.workspace_name.as_ref().map(SafeText::as_str),
            "credits": account.credits,
            "scope": scope,
            "rateLimit": self.probe.rate.map(|rate| rate.limit),
            "rateRemaining": self.probe.rate.map(|rate| rate.remaining),
            "latencyMs": self.latency / 1000,
            "clockSkewMs": self.clock_skew.map(|skew| skew / 1000),
        })
    }
}

pub fn run(arguments: &TestArguments) -> Result<()> {
    let file = ConfigFile::read()?;
    let channels = match &arguments.name {
        Some(name) => vec![file.named(name)?],
        None => file.config.channels.iter().collect(),
    };
    let mut items = Vec::new();
    let mut failed = Vec::new();
    for channel in channels {
        let checked = channel.fetch_key().map_err(anyhow::Error::from).and_then(|key| {
            let checked = check(&channel.base_url, &key, arguments.timeout, &channel.key_advice())?;
            Ok((key.hint(), checked))
        });
        match checked {
            Ok((hint, checked)) if arguments.json => {
                let mut item = checked.json();
                item["channel"] = channel.name.clone().into();
                item["key"] = hint.into();
                item["ok"] = true.into();
                items.push(item);
            }
            Ok((hint, checked)) => {
                print::line(&format!("{}: {}", channel.name, checked.describe_account()))?;
                for line in checked.describe_scope() {
                    print::line(&format!("  {line}"))?;
                }
                print::line(&format!(
                    "  {}; answered in {} ms; key {hint}",
                    checked.describe_budget(),
                    checked.latency / 1000
                ))?;
            }
            Err(error) => {
                items
                    .push(json!({"channel": channel.name, "ok": false, "error": unfinished::detail(&error)}));
                failed.push(error.context(channel.name.clone()));
            }
        }
    }
    if arguments.json {
        print::json(&Value::Array(items))?;
    }
    match failed.len() {
        0 => Ok(()),
        1 => failed.pop().map_or(Ok(()), Err),
        _ => Err(ChannelErrors(failed).into()),
    }
}
