//! `frontdesk join`: exchanges a sign-in token for a session and one tab for each channel.
//!
//! 1. Address, configuration, earlier membership and the server are checked before the token is used.
//! 2. The server accepts the token once. If its answer is lost, the token may be used up, and the command says so.
//! 3. The membership is written first, then the session and the keys, then the tabs. If one of these fails, the
//!    session is ended again and everything is removed.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use serde_json::json;

use crate::cli::channel::ConfigFile;
use crate::cli::folders::DeskFolders;
use crate::cli::team::{JoinArguments, about_url};
use crate::cli::unfinished::{CommandRefusal, OutcomeUnknown, RemainingState, Unfinished};
use crate::cli::{CliError, asking, desk, print};
use crate::config::ChannelConfig;
use crate::config::edit::{self, ChannelTable};
use crate::config::keys::{KeyLocation, session};
use crate::config::membership::{self, Membership};
use crate::shell::children;
use crate::shell::clock::SystemClock;
use api::team::SignedIn;
use client::{Client, ClientError, ReadError, RequestFailure, WriteOutcome};
use model::secret::Secret;
use model::text::SafeText;

const TOKEN_VARIABLE: &str = "FRONTDESK_JOIN_TOKEN";
/// Maximum number of channels that a service may name.
const MAX_CHANNELS: usize = 64;
const MAX_TAB_CHARS: usize = 60;
const NO_TEAM: &str = "the server has no teams. Claims and notes are kept on this desk only; add its channels with \
                       `frontdesk channel add`";

pub fn run(arguments: &JoinArguments) -> Result<(), CliError> {
    let base_url = base_url(&arguments.url);
    client::check_usable(&base_url).map_err(|why| about_url(&why))?;
    let file = ConfigFile::read()?;
    if let Some(joined) = membership::read(&file.folder()).map_err(|why| anyhow!(why))? {
        let words = format!(
            "this desk has joined {} as {} already; run `frontdesk leave` first",
            joined.base_url, joined.person
        );
        return Err(anyhow::Error::from(CommandRefusal::refused(words)).into());
    }
    let token = read_token()?;
    let device = arguments.device.clone().unwrap_or_else(device_name);
    let signed_in = exchange(&base_url, &token, &device)?;
    let kept = keep(&file, &base_url, &signed_in);
    match kept {
        Ok(membership) => {
            // An inbox or engine does the same later.
            if let Err(error) = begin_sharing(&membership) {
                tracing::warn!(%error, "changes are shared once the inbox or the engine has run");
            }
            Ok(print_joined(arguments, &membership, &signed_in)?)
        }
        Err(error) => {
            withdraw(&file, &base_url, &signed_in);
            Err(error.context("nothing was added, and the token is used up; ask for another one").into())
        }
    }
}

/// Lets changes of scripts be shared before an inbox or an engine has run.
fn begin_sharing(membership: &Membership) -> anyhow::Result<()> {
    let file = ConfigFile::read()?;
    let of_team = file.config.channels.iter().filter(|channel| membership.channels.contains(&channel.name));
    let channels: Vec<_> = of_team.map(ChannelConfig::id).collect();
    Ok(DeskFolders::find()?.open(String::new())?.set_team(&channels)?)
}

/// Address with the version with which the addresses of channels end.
fn base_url(url: &str) -> String {
    let url = url.trim().trim_end_matches('/');
    if url.ends_with("/v1") { url.to_owned() } else { format!("{url}/v1") }
}

fn read_token() -> Result<Secret, CliError> {
    children::withhold([TOKEN_VARIABLE]);
    let text = match std::env::var(TOKEN_VARIABLE) {
        Ok(text) => text,
        Err(_) => asking::ask_secret("Sign-in token", TOKEN_VARIABLE)?,
    };
    let token = Secret::new(&text);
    if token.expose().is_empty() {
        return Err(CliError::Usage("the sign-in token is empty; nothing was changed".to_owned()));
    }
    Ok(token)
}

fn device_name() -> String {
    let from_file = || std::fs::read_to_string("/etc/hostname").ok();
    let name = std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")).ok().or_else(from_file);
    let name = SafeText::line(name.unwrap_or_default().trim()).to_string();
    if name.is_empty() { "desk".to_owned() } else { name.chars().take(100).collect() }
}

/// Order of the tabs, as on a desk without a team; channels of later versions come last.
const TAB_ORDER: [&str; 4] = ["whatsapp", "telegram", "email", "voip"];

fn sort_channels(signed_in: &mut SignedIn) {
    let place = |word: &str| TAB_ORDER.iter().position(|known| *known == word).unwrap_or(TAB_ORDER.len());
    signed_in.channels.sort_by_key(|channel| place(&channel.channel));
}

fn exchange(base_url: &str, token: &Secret, device: &str) -> Result<SignedIn, CliError> {
    let runtime = desk::runtime()?;
    let checking = client::team::check_teams(base_url, token, Arc::new(SystemClock));
    if let Err(error) = runtime.block_on(checking).map_err(about_token)? {
        return Err(describe_unusable(base_url, &error).into());
    }
    let signing = client::team::sign_in(base_url, token, device, Arc::new(SystemClock));
    let outcome = runtime.block_on(signing).map_err(about_token)?;
    let status = outcome.refusal().map(|refusal| refusal.status);
    let failed = match outcome {
        WriteOutcome::Done(mut signed_in) => {
            sort_channels(&mut signed_in);
            return Ok(signed_in);
        }
        WriteOutcome::Unknown(ref unclear) if matches!(unclear.status, Some(404 | 405)) => {
            no_service(base_url)
        }
        _ if matches!(status, Some(404 | 405)) => CommandRefusal::refused(NO_TEAM).into(),
        WriteOutcome::Unknown(unclear) if unclear.refusal.is_none() && !unclear.is_redirect() => {
            let words = format!(
                "could not join {base_url}: {}; the token may be used up: if it is refused now, ask for another one",
                unclear.why
            );
            anyhow::Error::from(OutcomeUnknown(words))
        }
        other => unfinished_join(base_url, RequestFailure::of_write(&other)),
    };
    Err(failed.into())
}

/// Error of a server that cannot be joined.
fn describe_unusable(base_url: &str, error: &ReadError) -> anyhow::Error {
    match error {
        ReadError::NoSuchPath(_) => no_service(base_url),
        error if error.is_inaccessible() => CommandRefusal::refused(NO_TEAM).into(),
        error => unfinished_join(base_url, RequestFailure::of_read(error)),
    }
}

fn no_service(base_url: &str) -> anyhow::Error {
    CommandRefusal::not_found(format!("no service answers at {base_url}; check the address")).into()
}

fn about_token(why: ClientError) -> CliError {
    match why {
        ClientError::BadKey => {
            CliError::Usage("the sign-in token contains invalid characters; copy it again".to_owned())
        }
        other => about_url(&other),
    }
}

fn unfinished_join(base_url: &str, failure: Option<RequestFailure>) -> anyhow::Error {
    let Some(failure) = failure else { return anyhow!("could not join the team at {base_url}") };
    let (channel, what) = (base_url.to_owned(), "could not join the team".to_owned());
    Unfinished { failure: failure.of_sign_in(), remaining: RemainingState::Nothing, channel, what }.into()
}

/// Names of the tabs: the channels' names, without those that are taken.
fn tab_names(file: &ConfigFile, signed_in: &SignedIn) -> Vec<String> {
    let mut taken = taken_names(file);
    let channels = signed_in.channels.iter().take(MAX_CHANNELS);
    channels.map(|channel| free_name(&mut taken, &channel.name)).collect()
}

/// Names of the tabs in lower case.
pub(super) fn taken_names(file: &ConfigFile) -> HashSet<String> {
    file.config.channels.iter().map(|channel| channel.name.to_lowercase()).collect()
}

/// Name of the tab of a channel whose tab has no number.
fn tab_name(channel: &str) -> String {
    let shown = SafeText::line(channel);
    let name: String = shown.as_str().trim().chars().take(MAX_TAB_CHARS).collect();
    if name.is_empty() { "channel".to_owned() } else { name }
}

/// Returns a free name for the tab of a channel, and takes it.
pub(super) fn free_name(taken: &mut HashSet<String>, channel: &str) -> String {
    let name = tab_name(channel);
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let free =
        std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(&name.to_lowercase()));
    let free = free.unwrap_or(name);
    taken.insert(free.to_lowercase());
    free
}

/// Returns true if a tab has the name of a channel, with or without a number.
pub(super) fn is_tab_of(tab: &str, channel: &str) -> bool {
    let rest = tab.strip_prefix(&tab_name(channel));
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix(' ').is_some_and(|number| number.parse::<u32>().is_ok())
    })
}

fn keep(file: &ConfigFile, base_url: &str, signed_in: &SignedIn) -> anyhow::Result<Membership> {
    let folder = file.folder();
    let membership = Membership {
        base_url: base_url.to_owned(),
        person: SafeText::line(&signed_in.person.name).to_string(),
        channels: tab_names(file, signed_in),
    };
    membership::write(&folder, &membership).map_err(|why| anyhow!(why))?;
    session::store(&folder, base_url, &Secret::new(&signed_in.session)).map_err(|why| anyhow!(why))?;
    let mut text = file.text()?;
    for (name, channel) in membership.channels.iter().zip(&signed_in.channels) {
        let place = KeyLocation { folder: &folder, channel: name, base_url };
        place.store(&Secret::new(&channel.key)).map_err(|why| anyhow!(why))?;
        let table = ChannelTable { name, base_url, key_env: None, read_only: false };
        text = edit::with_channel(&text, &table).map_err(|why| anyhow!("{}: {why}", file.path.display()))?;
    }
    edit::write(&file.path, &text).with_context(|| format!("could not write {}", file.path.display()))?;
    Ok(membership)
}

/// Ends the session and removes what was kept, after a failure to keep it all. Failures are logged only: the
/// first one is reported.
fn withdraw(file: &ConfigFile, base_url: &str, signed_in: &SignedIn) {
    let folder = file.folder();
    let signing_out = || -> anyhow::Result<()> {
        let client = Client::new(base_url, &Secret::new(&signed_in.session), Arc::new(SystemClock))?;
        desk::runtime()?.block_on(client.sign_out());
        Ok(())
    };
    if let Err(error) = signing_out() {
        tracing::warn!(%error, "the session could not be ended");
    }
    let keys = tab_names(file, signed_in);
    let keys = keys.iter().map(|name| KeyLocation { folder: &folder, channel: name, base_url }.forget());
    let removed = keys.chain([session::forget(&folder)]).map(|removed| removed.map(drop));
    for why in removed.chain([membership::remove(&folder)]).filter_map(Result::err) {
        tracing::warn!(why, "what was kept could not be removed");
    }
}

fn print_joined(
    arguments: &JoinArguments,
    membership: &Membership,
    signed_in: &SignedIn,
) -> anyhow::Result<()> {
    let role = SafeText::line(&signed_in.person.role);
    if arguments.json {
        let person = json!({"name": membership.person, "role": role.as_str()});
        let item = json!({"ok": true, "service": membership.base_url, "person": person,
            "channels": membership.channels});
        return print::json(&item);
    }
    print::line(&format!("joined {} as {} ({role})", membership.base_url, membership.person))?;
    if membership.channels.is_empty() {
        print::line("  no channel is connected on the service yet; each gets its tab once it is")?;
    } else {
        print::line(&format!("  tabs: {}", membership.channels.join(", ")))?;
    }
    print::line("open the inbox with `frontdesk`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_is_known_by_its_channel() {
        for (tab, channel, is_of) in [
            ("Email", "Email", true),
            ("Email 2", "Email", true),
            ("Email sales", "Email", false),
            ("Emails", "Email", false),
            ("Sales", "Email", false),
        ] {
            assert_eq!(is_tab_of(tab, channel), is_of, "{tab} {channel}");
        }
    }

    #[test]
    fn address_ends_in_the_version() {
        for url in
            ["https://a.example", " https://a.example/ ", "https://a.example/v1", "https://a.example/v1/"]
        {
            assert_eq!(base_url(url), "https://a.example/v1", "{url}");
        }
    }
}
