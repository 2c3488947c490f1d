//! `frontdesk channel add`: asks for missing values, checks the key, stores it and writes the configuration.

use anyhow::{Context, Result, anyhow};
use serde_json::json;

use crate::cli::asking::{MAX_RETRIES, ask_secret, prompt_error};
use crate::cli::channel::check::{self, KeyCheck};
use crate::cli::channel::{AddArguments, ConfigFile};
use crate::cli::{CliError, folders, print};
use crate::config::KeySource;
use crate::config::edit::{self, ChannelTable};
use crate::config::keys::{self, KeyLocation, KeyStorage};
use crate::shell::prompt;
use model::outbox::account::describe_key_change;
use model::secret::Secret;
use store::inspect;

const ADDRESS_PROMPT: &str = "Address of the service (https://…/v1)";

struct NewChannel {
    name: String,
    base_url: String,
}

pub fn run(arguments: &AddArguments) -> Result<(), CliError> {
    let file = ConfigFile::read()?;
    // Also checks the address, before a secret is entered.
    let mut wanted = resolve_channel(&file, arguments)?;
    let (key, checked) = read_checked_key(arguments, &mut wanted)?;
    if !arguments.yes {
        confirm_key_change(&file, &wanted, &checked)?;
    }
    let kept = match &arguments.key_env {
        Some(_) => None,
        None => Some(place(&file, &wanted).store(&key).map_err(|error| anyhow!(error))?),
    };
    let entry = ChannelTable {
        name: &wanted.name,
        base_url: &wanted.base_url,
        key_env: arguments.key_env.as_deref(),
        read_only: arguments.read_only,
    };
    let path = &file.path;
    let text =
        edit::with_channel(&file.text()?, &entry).map_err(|why| anyhow!("{}: {why}", path.display()))?;
    edit::write(path, &text).with_context(|| format!("could not write {}", path.display()))?;
    Ok(print_added(arguments, &file, &wanted, &key, &checked, kept.as_ref())?)
}

/// Asks before a tab gets a key of another account. Without a terminal, this is an error.
fn confirm_key_change(file: &ConfigFile, wanted: &NewChannel, checked: &KeyCheck) -> Result<(), CliError> {
    let Some(channel) = file.channel(&wanted.name) else { return Ok(()) };
    let before = inspect::confirmed_account(&folders::data()?, &channel.id()).ok().flatten();
    let change = before.and_then(|before| describe_key_change(&before, &checked.probe.account));
    let Some((_, words)) = change else { return Ok(()) };
    let refused = || {
        let name = &wanted.name;
        CliError::Usage(format!(
            "{name}: {words}; nothing was changed. Add another tab with --name, or use this key with --yes"
        ))
    };
    if !prompt::can_ask() {
        return Err(refused());
    }
    prompt::print_wrapped(&format!("{words}. Another tab needs another --name.")).map_err(prompt_error)?;
    let answer = prompt::ask_line("Use this key for the tab all the same? y/n").map_err(prompt_error)?;
    if answer.eq_ignore_ascii_case("y") { Ok(()) } else { Err(refused()) }
}

fn place<'a>(file: &'a ConfigFile, wanted: &'a NewChannel) -> KeyLocation<'a> {
    let folder = file.path.parent().unwrap_or(std::path::Path::new(""));
    KeyLocation { folder, channel: &wanted.name, base_url: &wanted.base_url }
}

/// Name and base URL: given, asked for, or from the file.
fn resolve_channel(file: &ConfigFile, arguments: &AddArguments) -> Result<NewChannel, CliError> {
    let name = resolve_value(arguments.name.as_deref(), "Name of the tab", "--name", |_, _| Ok(()))?;
    let known = file.channel(&name);
    if let Some(channel) = known
        && matches!(channel.key, KeySource::Command(_) | KeySource::File(_))
    {
        return Err(CliError::Usage(format!(
            "channel {:?} takes its key from {}; remove that line from {} first",
            channel.name,
            channel.key.describe(),
            file.path.display()
        )));
    }
    let base_url = match (&arguments.base_url, known) {
        (None, Some(channel)) => {
            let base_url = channel.base_url.clone();
            client::check_usable(&base_url).map_err(|why| CliError::Usage(why.to_string()))?;
            base_url
        }
        (given_url, _) => {
            resolve_value(given_url.as_deref(), ADDRESS_PROMPT, "--base-url", |url, called| {
                client::check_usable(url).map_err(|why| why.to_string().replacen("base_url", called, 1))
            })?
        }
    };
    // A channel keeps the spelling of its name, so that its drafts stay with it.
    let name = known.map_or(name, |channel_config| channel_config.name.clone());
    Ok(NewChannel { name, base_url })
}

/// Value of a switch, or an answer. An invalid answer is asked for again; `check` gets the value's name for
/// its error.
fn resolve_value(
    value: Option<&str>,
    question: &str,
    switch: &str,
    check: impl Fn(&str, &str) -> Result<(), String>,
) -> Result<String, CliError> {
    let checked = |value: String, called: &str| match value.as_str() {
        "" => Err(format!("{called} must not be empty")),
        _ => check(&value, called).map(|()| value),
    };
    if let Some(value) = value {
        return checked(value.trim().to_owned(), switch).map_err(CliError::Usage);
    }
    if !prompt::can_ask() {
        return Err(CliError::Usage(format!("no terminal to ask for a value: give {switch}")));
    }
    let called = question.split(" (").next().unwrap_or(question);
    loop {
        match checked(prompt::ask_line(question).map_err(prompt_error)?, called) {
            Ok(value) => return Ok(value),
            Err(why) => prompt::print_wrapped(&format!("{why}.")).map_err(prompt_error)?,
        }
    }
}

fn read_key(arguments: &AddArguments) -> Result<Secret, CliError> {
    let text = match &arguments.key_env {
        Some(variable) => std::env::var(variable)
            .map_err(|_| CliError::Usage(format!("the environment variable {variable} is not set")))?,
        None => ask_secret("Channel key", "--key-env")?,
    };
    let key = Secret::new(&text);
    if key.expose().is_empty() {
        return Err(CliError::Usage("the key is empty; nothing was added".to_owned()));
    }
    Ok(key)
}

/// Reads and checks the key. After a refusal a person at a terminal can enter another; name and address are
/// kept. An address that cannot be reached can be entered again; name and key are kept.
fn read_checked_key(
    arguments: &AddArguments,
    wanted: &mut NewChannel,
) -> Result<(Secret, KeyCheck), CliError> {
    let mut more = if arguments.key_env.is_none() && prompt::can_ask() { MAX_RETRIES } else { 0 };
    // An address given as a switch is not questioned.
    let asks_address = arguments.base_url.is_none();
    let key_advice = match &arguments.key_env {
        Some(variable) => {
            let replacement = KeySource::Environment(variable.clone()).describe_replacement(&wanted.name);
            format!("{replacement}; {}", keys::KEY_CREATION_ADVICE)
        }
        None => keys::KEY_CREATION_ADVICE.to_owned(),
    };
    let mut key = read_key(arguments)?;
    loop {
        match check::check(&wanted.base_url, &key, arguments.timeout, &key_advice) {
            Ok(checked) => return Ok((key, checked)),
            Err(error) if more > 0 && error.is_about_the_key() => {
                more -= 1;
                let kept =
                    format!("{error}. Enter another key; name and address of {} are kept.", wanted.name);
                prompt::print_wrapped(&kept).map_err(prompt_error)?;
                key = read_key(arguments)?;
            }
            Err(error) if more > 0 && asks_address && error.is_about_the_address() => {
                more -= 1;
                let kept = format!(
                    "{error}. Enter the address again; Enter alone tries {} once more, Esc leaves.",
                    wanted.base_url
                );
                prompt::print_wrapped(&kept).map_err(prompt_error)?;
                wanted.base_url = ask_address_again(&wanted.base_url)?;
            }
            Err(error) => {
                let error = anyhow::Error::new(error).context(format!("{}: nothing was added", wanted.name));
                return Err(error.into());
            }
        }
    }
}

/// Asks for another address; Enter alone keeps `current`.
fn ask_address_again(current: &str) -> Result<String, CliError> {
    loop {
        let answer =
            prompt::ask_line(&format!("Address of the service [{current}]")).map_err(prompt_error)?;
        if answer.is_empty() {
            return Ok(current.to_owned());
        }
        match client::check_usable(&answer) {
            Ok(()) => return Ok(answer),
            Err(why) => {
                let why = why.to_string().replacen("base_url", "Address of the service", 1);
                prompt::print_wrapped(&format!("{why}.")).map_err(prompt_error)?;
            }
        }
    }
}

fn print_added(
    arguments: &AddArguments,
    file: &ConfigFile,
    wanted: &NewChannel,
    key: &Secret,
    checked: &KeyCheck,
    kept: Option<&KeyStorage>,
) -> Result<()> {
    let (place, why) = match (kept, &arguments.key_env) {
        (Some(KeyStorage::Keyring), _) => ("the keyring".to_owned(), None),
        (Some(KeyStorage::File(path, why)), _) => (path.display().to_string(), Some(why.as_str())),
        (None, variable) => (format!("the environment variable {}", variable.as_deref().unwrap_or("")), None),
    };
    if arguments.json {
        let mut item = checked.json();
        item["channel"] = wanted.name.clone().into();
        item["key"] = key.hint().into();
        item["keptIn"] = json!(place);
        item["config"] = file.path.display().to_string().into();
        return print::json(&item);
    }
    print::line(&format!("{}: {}", wanted.name, checked.describe_account()))?;
    for line in checked.describe_scope() {
        print::line(&format!("  {line}"))?;
    }
    let because = why.map_or_else(String::new, |entry| format!(" ({entry})"));
    print::line(&format!("  {}; key {} in {place}{because}", checked.describe_budget(), key.hint()))?;
    print::line(&format!(
        "channel {:?} is in {}; open the inbox with `frontdesk`",
        wanted.name,
        file.path.display()
    ))
}
