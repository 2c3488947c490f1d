//! Checks of the channel keys: presence, permissions and clock difference.

use crate::cli::channel::check::{self, CheckError, KeyCheck};
use crate::cli::doctor::CheckResult;
use crate::cli::doctor::problem::Problem;
use crate::cli::folders::DeskFolders;
use crate::config::keys::keyring;
use crate::config::{ChannelConfig, KeySource, ReceiverConfig};
use api::account::{DeskServiceBody, TEAM_FEATURE};
use api::webhooks::WebhookBody;
use client::ReadError;
use model::account::{Environment, Platform};
use model::outbox::account::{KeyChange, describe_key_change};
use model::text::SafeText;
use model::time::{SECOND, format_precise_span};
use store::inspect;

/// Time limit for a rate limit, in microseconds; one says nothing about the key.
const MAX_RATE_WAIT: i64 = 3 * SECOND;
/// Clock difference that is reported, in microseconds.
const MAX_CLOCK_SKEW: i64 = 30 * SECOND;

pub fn check_keys(
    folders: Option<&DeskFolders>,
    channels: &[ChannelConfig],
    receiver: Option<&ReceiverConfig>,
) -> Vec<CheckResult> {
    let mut findings = vec![check_keyring()];
    for channel in channels {
        findings.extend(key(folders, channel, receiver));
    }
    findings
}

fn check_keyring() -> CheckResult {
    match keyring::probe() {
        Ok(()) => CheckResult::ok("keyring", "answers"),
        // Files serve as well: nothing to do.
        Err(keyring::KeyringError::Absent(why)) => {
            CheckResult::ok("keyring", format!("none ({why}); `channel add` stores keys in private files"))
        }
        Err(keyring::KeyringError::Locked) => {
            CheckResult::warn(Problem::Keyring, "keyring", "it is locked", keyring::UNLOCK_ADVICE)
        }
        Err(failure @ keyring::KeyringError::Failed(_)) => CheckResult::warn(
            Problem::Keyring,
            "keyring",
            failure.to_string(),
            "`channel add` stores keys in private files instead",
        ),
    }
}

fn key(
    folders: Option<&DeskFolders>,
    channel: &ChannelConfig,
    receiver: Option<&ReceiverConfig>,
) -> Vec<CheckResult> {
    let name = channel.name.as_str();
    let secret = match channel.find_key() {
        Ok(secret) => secret,
        Err(error) => {
            let advice = match &channel.key {
                _ if error.has_remedy => "",
                KeySource::Environment(_) => "set it in the environment in which frontdesk starts",
                KeySource::Command(_) | KeySource::File(_) => "correct it in config.toml",
                KeySource::Kept(_) => "",
            };
            return vec![CheckResult::fail(Problem::MissingKey, name, error.to_string(), advice)];
        }
    };
    let checked = match check::check(&channel.base_url, &secret, MAX_RATE_WAIT, &channel.key_advice()) {
        Ok(checked) => checked,
        Err(error) => {
            return vec![CheckResult::fail(
                failure_problem(&error),
                name,
                error.to_string(),
                failure_advice(channel, &error),
            )];
        }
    };
    let mut findings = vec![account(channel, &secret.hint(), &checked)];
    findings.extend(key_change(folders, channel, &checked));
    findings.push(check_scope(channel, &checked));
    findings.push(budget(name, &checked));
    findings.push(clock(name, &checked));
    match check::check_desk_service(&channel.base_url, &secret, MAX_RATE_WAIT) {
        Ok(service) => {
            findings.extend(service.as_ref().and_then(|service| check_writes(channel, service)));
            findings.push(check_extensions(name, service.as_ref()));
        }
        Err(error) => {
            let seen = format!("{error:#}");
            findings.push(CheckResult::warn(Problem::ServerFailure, name, seen, "try again later"));
        }
    }
    if let Some(receiver) = receiver {
        let platform = &checked.probe.account.platform;
        // Not every key may have webhooks; the scope says so.
        let webhooks = check::read_webhooks(&channel.base_url, &secret, platform, MAX_RATE_WAIT);
        let own = webhooks.unwrap_or_default().into_iter();
        let own = own.filter(|webhook| webhook.url.starts_with(&receiver.public_url));
        findings.extend(own.filter_map(|webhook| undelivered(name, &webhook)));
    }
    findings
}

/// True if an error text ends with what to do: problem and remedy are separated by a semicolon.
fn has_remedy(text: &str) -> bool {
    text.contains("; ")
}

/// Finding for a webhook of this desk that the service cannot deliver.
fn undelivered(name: &str, webhook: &WebhookBody) -> Option<CheckResult> {
    let since = webhook.failing_since.as_deref();
    let what = match (webhook.is_active, since) {
        (true, None) => return None,
        (true, Some(_)) => "the service could not deliver to",
        (false, _) => "the service delivers nothing more to",
    };
    let since = since.map_or_else(String::new, |at| format!(" since {at}"));
    let seen = SafeText::line(&format!("{what} {}{since}", webhook.url));
    let advice =
        "check that public_url leads to this machine from where the service runs; until then the inbox polls";
    Some(CheckResult::warn(Problem::Webhook, name, seen.as_str(), advice))
}

fn failure_problem(error: &CheckError) -> Problem {
    match error {
        CheckError::NotAKey(_) => Problem::MissingKey,
        CheckError::Client(_) if error.is_about_the_key() => Problem::MissingKey,
        CheckError::Client(_) | CheckError::Here(_) => Problem::Connection,
        CheckError::Read { error, .. } => match error {
            ReadError::Refused { .. } => Problem::RefusedKey,
            ReadError::Forbidden(_) => Problem::Scope,
            ReadError::Limited(_) | ReadError::Paced(_) => Problem::RateLimit,
            error if error.is_server_failure() => Problem::ServerFailure,
            _ => Problem::Connection,
        },
    }
}

/// Advice for a failed check, unless its text already has one.
fn failure_advice(channel: &ChannelConfig, error: &CheckError) -> String {
    match error {
        CheckError::Client(_) | CheckError::NotAKey(_) | CheckError::Here(_) => String::new(),
        CheckError::Read { .. } if has_remedy(&error.to_string()) => String::new(),
        CheckError::Read { error, .. } if error.is_server_failure() => {
            "the server is there but fails; try again later, or look at its log".to_owned()
        }
        CheckError::Read { .. } => format!("check base_url {} and the network", channel.base_url),
    }
}

/// Finding for a key of another account than the one this desk last saw in the tab.
fn key_change(
    folders: Option<&DeskFolders>,
    channel: &ChannelConfig,
    checked: &KeyCheck,
) -> Option<CheckResult> {
    let before = inspect::confirmed_account(&folders?.data, &channel.id()).ok().flatten()?;
    let (change, seen) = describe_key_change(&before, &checked.probe.account)?;
    let name = channel.name.as_str();
    let replace = channel.key.describe_replacement(&channel.name);
    Some(match change {
        KeyChange::Platform => CheckResult::fail(
            Problem::OtherAccount,
            name,
            seen,
            "use another tab: frontdesk channel add --name NAME",
        ),
        KeyChange::LiveToTest => {
            CheckResult::fail(Problem::OtherAccount, name, seen, format!("to answer customers, {replace}"))
        }
        KeyChange::Business => {
            let advice = "use another tab: frontdesk channel add --name NAME; if the tab is to change, open the \
                          inbox";
            CheckResult::fail(Problem::OtherAccount, name, seen, advice)
        }
        KeyChange::TestToLive => {
            CheckResult::warn(Problem::OtherAccount, name, seen, "if it is meant, open the inbox")
        }
    })
}

/// Finding about the service's extensions and its version.
fn check_extensions(name: &str, service: Option<&DeskServiceBody>) -> CheckResult {
    let seen = describe_extensions(service);
    let own = env!("CARGO_PKG_VERSION");
    match service {
        Some(service) if is_older(&service.version, own) => {
            let seen = format!("{seen}; this program is {own}");
            CheckResult::warn(Problem::OldServer, name, seen, "update the service first, then the desks")
        }
        Some(_) => CheckResult::ok(name, seen),
        // Another server of the interface; frontdesk has always had extensions.
        None => CheckResult { problem: Some(Problem::OldServer), ..CheckResult::ok(name, seen) },
    }
}

/// True if both are versions of three numbers and the first is lower.
fn is_older(version: &str, than: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<u32>> {
        let core = text.split(['-', '+']).next()?;
        let numbers: Option<Vec<u32>> = core.split('.').map(|part| part.parse().ok()).collect();
        numbers.filter(|numbers| numbers.len() == 3)
    };
    matches!((numbers(version), numbers(than)), (Some(version), Some(than)) if version < than)
}

/// Describes what the service offers to desks beside the interface.
fn describe_extensions(service: Option<&DeskServiceBody>) -> String {
    const ALONE: &str = "claims and notes are kept on this desk only";
    let Some(service) = service else { return format!("a service without extensions for desks; {ALONE}") };
    let features = SafeText::line(&service.features.join(", "));
    let team = if service.features.iter().any(|name| name == TEAM_FEATURE) {
        "claims and notes are shared by the team"
    } else {
        ALONE
    };
    format!("frontdesk {} with {features}; {team}", SafeText::line(&service.version))
}

fn account(channel: &ChannelConfig, hint: &str, checked: &KeyCheck) -> CheckResult {
    let read_only = if channel.read_only { ", read-only" } else { "" };
    let seen = format!("{}{read_only}; key {hint}, {}", checked.describe_account(), channel.key.describe());
    let account = &checked.probe.account;
    let name = channel.name.as_str();
    if account.is_unconnected() {
        return CheckResult::warn(
            Problem::Account,
            name,
            seen,
            "connect it in the dashboard, or on your own service with `frontdesk admin channel connect`: until then \
             nothing is sent from it",
        );
    }
    if account.environment == Environment::Live && account.credits <= 0.0 {
        return CheckResult::warn(Problem::Account, name, seen, "buy credits: nothing is sent without them");
    }
    CheckResult::ok(name, seen)
}

/// Resource that a tab of the platform cannot do without, as [`client::checkup::RESOURCES`] names it.
fn needed_resource(platform: &Platform) -> Option<&'static str> {
    match platform {
        Platform::Whatsapp => Some("conversations"),
        Platform::Telegram => Some("bot-chat"),
        Platform::Email => Some("email"),
        Platform::Voip => Some("voice and SMS"),
        Platform::Web | Platform::Other(_) => None,
    }
}

fn check_scope(channel: &ChannelConfig, checked: &KeyCheck) -> CheckResult {
    let name = channel.name.as_str();
    let seen = checked.describe_scope().join("; ");
    let needed = needed_resource(&checked.probe.account.platform);
    let is_needed = |resource: &str| needed == Some(resource);
    let lacks_needed = checked
        .scope
        .iter()
        .any(|(resource, read)| is_needed(resource) && matches!(read, Err(ReadError::Forbidden(_))));
    if lacks_needed {
        let advice = format!("give the key this permission, or {}", channel.key_advice());
        return CheckResult::fail(Problem::Scope, name, seen, advice);
    }
    let failing =
        checked.scope.iter().any(|(_, read)| matches!(read, Err(error) if !error.is_inaccessible()));
    if failing {
        let advice = "try again later; if it remains, contact the operator of the service";
        return CheckResult::warn(Problem::ServerFailure, name, seen, advice);
    }
    CheckResult::ok(name, seen)
}

/// Finding for a key that may only read, unless the tab is set to that.
fn check_writes(channel: &ChannelConfig, service: &DeskServiceBody) -> Option<CheckResult> {
    let why = service.writes_refused.as_deref().filter(|_| !channel.read_only)?;
    let seen = format!("this key may only read: {}", SafeText::line(why));
    Some(CheckResult::warn(Problem::Scope, &channel.name, seen, ""))
}

fn budget(name: &str, checked: &KeyCheck) -> CheckResult {
    let seen = format!("{}, answered in {} ms", checked.describe_budget(), checked.latency / 1000);
    match checked.probe.rate {
        Some(rate) if rate.remaining < rate.limit / 10 => CheckResult::warn(
            Problem::RateLimit,
            name,
            seen,
            "another program uses this key and shares its rate limit",
        ),
        _ => CheckResult::ok(name, seen),
    }
}

fn clock(name: &str, checked: &KeyCheck) -> CheckResult {
    match checked.clock_skew {
        None => CheckResult::ok(name, "the server does not report its time"),
        Some(skew) if skew.abs() > MAX_CLOCK_SKEW => {
            let way = if skew > 0 { "ahead of" } else { "behind" };
            let span = format_precise_span(skew.abs());
            let advice = "set the clock of this machine, or tell the operator if it is the server's that is wrong; \
                          countdowns are wrong by this much";
            CheckResult::warn(
                Problem::Clock,
                name,
                format!("the server's clock is {span} {way} this one"),
                advice,
            )
        }
        Some(_) => CheckResult::ok(name, "clocks agree"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::account::WorkspaceBody;

    #[test]
    fn the_team_extension_is_told_from_its_absence() {
        let service = |json: &str| serde_json::from_str::<DeskServiceBody>(json).expect("read");
        let alone = "claims and notes are kept on this desk only";
        let text = describe_extensions(None);
        assert_eq!(text, format!("a service without extensions for desks; {alone}"));
        let text =
            describe_extensions(Some(&service(r#"{"version": "1.2", "features": ["automation", 7]}"#)));
        assert_eq!(text, format!("frontdesk 1.2 with automation; {alone}"));
        let text =
            describe_extensions(Some(&service(r#"{"version": "1.3", "features": ["team"], "more": {}}"#)));
        assert_eq!(text, "frontdesk 1.3 with team; claims and notes are shared by the team");
    }

    #[test]
    fn older_service_is_named_with_both_versions() {
        let service = |version: &str| DeskServiceBody {
            version: version.to_owned(),
            workspace: WorkspaceBody::default(),
            features: vec!["automation".to_owned()],
            writes_refused: None,
        };
        let line = |version: &str| check_extensions("Shop", Some(&service(version))).line();
        let old = line("0.0.9");
        assert!(old.starts_with("warn") && old.contains("frontdesk 0.0.9 with automation"), "{old}");
        assert!(old.ends_with(": update the service first, then the desks"), "{old}");
        for version in [env!("CARGO_PKG_VERSION"), "99.0.0", "", "next", "1.2"] {
            assert!(line(version).starts_with("ok "), "{version}: {}", line(version));
        }
        for (version, than, older) in
            [("0.9.9", "0.10.0", true), ("1.0.0", "0.10.0", false), ("1.0.0-rc.1", "1.0.1", true)]
        {
            assert_eq!(is_older(version, than), older, "{version} {than}");
        }
    }
}
