//! Checks of the channel keys: presence, permissions and clock difference.

use crate::cli::channel::check::{self, CheckError, KeyCheck};
use crate::cli::doctor::CheckResult;
use crate::config::keys::keyring;
use crate::config::{ChannelConfig, KeySource};
use api::account::{DeskServiceBody, TEAM_FEATURE};
use client::ReadError;
use model::account::Environment;
use model::text::SafeText;
use model::time::SECOND;

/// Time limit for a rate limit, in microseconds; one says nothing about the key.
const MAX_RATE_WAIT: i64 = 3 * SECOND;
/// Clock difference that is reported, in microseconds.
const MAX_CLOCK_SKEW: i64 = 30 * SECOND;

pub fn check_keys(channels: &[ChannelConfig]) -> Vec<CheckResult> {
    let mut findings = vec![check_keyring()];
    for channel in channels {
        findings.extend(key(channel));
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
        Err(failure) => CheckResult::warn(
            "keyring",
            failure.to_string(),
            "`channel add` stores keys in private files instead",
        ),
    }
}

fn key(channel: &ChannelConfig) -> Vec<CheckResult> {
    let name = channel.name.as_str();
    let secret = match channel.fetch_key() {
        Ok(secret) => secret,
        Err(error) => {
            let advice = match &channel.key {
                KeySource::Environment(_) => "set it in the environment in which frontdesk starts",
                // The error of an existing file already has its remedy.
                KeySource::File(path) if path.is_file() => "",
                KeySource::Command(_) | KeySource::File(_) => "correct it in config.toml",
                KeySource::Kept(_) => "",
            };
            return vec![CheckResult::fail(name, error.problem, advice)];
        }
    };
    let checked = match check::check(&channel.base_url, &secret, MAX_RATE_WAIT) {
        Ok(checked) => checked,
        Err(error) => {
            let advice = match &error {
                // These errors already have their remedy.
                CheckError::Client(_)
                | CheckError::Read(ReadError::Refused { .. } | ReadError::Limited(_)) => String::new(),
                _ => format!("check base_url {} and the network", channel.base_url),
            };
            return vec![CheckResult::fail(name, error.to_string(), advice)];
        }
    };
    let mut findings = vec![account(channel, &secret.hint(), &checked)];
    findings.extend(check_scope(name, &checked));
    findings.push(budget(name, &checked));
    findings.push(clock(name, &checked));
    findings.push(match check::check_desk_service(&channel.base_url, &secret, MAX_RATE_WAIT) {
        Ok(service) => CheckResult::ok(name, describe_extensions(service.as_ref())),
        Err(error) => CheckResult::warn(name, format!("{error:#}"), "try again later"),
    });
    findings
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
            "connect the number in the dashboard: until then nothing is sent from it",
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
            let seen = format!("the server's clock is {} s {way} this one", skew.abs() / SECOND);
            CheckResult::warn(name, seen, "set the clock of this machine; countdowns are wrong by this much")
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
