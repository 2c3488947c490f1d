//! Checks of the channel keys: presence, permissions and clock difference.

use crate::cli::channel::check::{self, CheckError, KeyCheck};
use crate::cli::doctor::CheckResult;
use crate::cli::folders::DeskFolders;
use crate::config::keys::keyring;
use crate::config::{ChannelConfig, KeySource};
use api::account::{DeskServiceBody, TEAM_FEATURE};
use model::account::Environment;
use model::outbox::account::{KeyChange, describe_key_change};
use model::text::SafeText;
use model::time::{SECOND, format_precise_span};
use store::inspect;

/// Time limit for a rate limit, in microseconds; one says nothing about the key.
const MAX_RATE_WAIT: i64 = 3 * SECOND;
/// Clock difference that is reported, in microseconds.
const MAX_CLOCK_SKEW: i64 = 30 * SECOND;

pub fn check_keys(folders: Option<&DeskFolders>, channels: &[ChannelConfig]) -> Vec<CheckResult> {
    let mut findings = vec![check_keyring()];
    for channel in channels {
        findings.extend(key(folders, channel));
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
            CheckResult::warn("keyring", "it is locked", keyring::UNLOCK_ADVICE)
        }
        Err(failure @ keyring::KeyringError::Failed(_)) => CheckResult::warn(
            "keyring",
            failure.to_string(),
            "`channel add` stores keys in private files instead",
        ),
    }
}

fn key(folders: Option<&DeskFolders>, channel: &ChannelConfig) -> Vec<CheckResult> {
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
            return vec![CheckResult::fail(name, error.to_string(), advice)];
        }
    };
    let checked = match check::check(&channel.base_url, &secret, MAX_RATE_WAIT, &channel.key_advice()) {
        Ok(checked) => checked,
        Err(error) => {
            return vec![CheckResult::fail(name, error.to_string(), failure_advice(channel, &error))];
        }
    };
    let mut findings = vec![account(channel, &secret.hint(), &checked)];
    findings.extend(key_change(folders, channel, &checked));
    findings.extend(check_scope(name, &checked));
    findings.push(budget(name, &checked));
    findings.push(clock(name, &checked));
    findings.push(match check::check_desk_service(&channel.base_url, &secret, MAX_RATE_WAIT) {
        Ok(service) => CheckResult::ok(name, describe_extensions(service.as_ref())),
        Err(error) => CheckResult::warn(name, format!("{error:#}"), "try again later"),
    });
    findings
}

/// True if an error text ends with what to do: problem and remedy are separated by a semicolon.
fn has_remedy(text: &str) -> bool {
    text.contains("; ")
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
        KeyChange::Platform => {
            CheckResult::fail(name, seen, "use another tab: frontdesk channel add --name NAME")
        }
        KeyChange::LiveToTest => CheckResult::fail(name, seen, format!("to answer customers, {replace}")),
        KeyChange::Business => {
            let advice = "use another tab: frontdesk channel add --name NAME; if the tab is to change, open the \
                          inbox";
            CheckResult::fail(name, seen, advice)
        }
        KeyChange::TestToLive => CheckResult::warn(name, seen, "if it is meant, open the inbox"),
    })
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
            name,
            seen,
            "connect it in the dashboard, or on your own service with `frontdesk admin channel connect`: until then \
             nothing is sent from it",
        );
    }
    if account.environment == Environment::Live && account.credits <= 0.0 {
        return CheckResult::warn(name, seen, "buy credits: nothing is sent without them");
    }
    CheckResult::ok(name, seen)
}

fn check_scope(name: &str, checked: &KeyCheck) -> Vec<CheckResult> {
    let lines = checked.describe_scope();
    let failing =
        checked.scope.iter().any(|(_, read)| matches!(read, Err(error) if !error.is_inaccessible()));
    let seen = lines.join("; ");
    vec![if failing {
        CheckResult::warn(name, seen, "try again later; if it remains, contact the operator of the service")
    } else {
        CheckResult::ok(name, seen)
    }]
}

fn budget(name: &str, checked: &KeyCheck) -> CheckResult {
    let seen = format!("{}, answered in {} ms", checked.describe_budget(), checked.latency / 1000);
    match checked.probe.rate {
        Some(rate) if rate.remaining < rate.limit / 10 => {
            CheckResult::warn(name, seen, "another program uses this key and shares its rate limit")
        }
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
            CheckResult::warn(name, format!("the server's clock is {span} {way} this one"), advice)
        }
        Some(_) => CheckResult::ok(name, "clocks agree"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
