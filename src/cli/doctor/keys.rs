//! Checks of the channel keys: presence, permissions and clock difference.

use crate::cli::channel::check::{self, CheckError, KeyCheck};
use crate::cli::doctor::CheckResult;
use crate::config::keys::keyring;
use crate::config::{ChannelConfig, KeySource};
use client::ReadError;
use model::account::Environment;
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
            CheckResult::ok("keyring", format!("none ({why}); channel add keeps keys in 0600 files"))
        }
        Err(failure) => {
            CheckResult::warn("keyring", failure.to_string(), "channel add keeps keys in 0600 files")
        }
    }
}

fn key(channel: &ChannelConfig) -> Vec<CheckResult> {
    let name = channel.name.as_str();
    let secret = match channel.fetch_key() {
        Ok(secret) => secret,
        Err(error) => {
            let advice = match &channel.key {
                KeySource::Environment(_) => "set it where frontdesk is started",
                // The error of an existing file already has its remedy.
                KeySource::File(path) if path.is_file() => "",
                KeySource::Command(_) | KeySource::File(_) => "correct it in the configuration",
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
    findings
}

fn account(channel: &ChannelConfig, hint: &str, checked: &KeyCheck) -> CheckResult {
    let read_only = if channel.read_only { ", read-only" } else { "" };
    let seen = format!("{}{read_only}; key {hint}, {}", checked.describe_account(), channel.key.describe());
    let account = &checked.probe.account;
    let name = channel.name.as_str();
    if account.is_unconnected() {
        return CheckResult::warn(name, seen, "connect it in the dashboard: nothing is sent from it");
    }
    if account.environment == Environment::Live && account.credits <= 0.0 {
        return CheckResult::warn(name, seen, "buy credits: nothing is sent without");
    }
    CheckResult::ok(name, seen)
}

fn check_scope(name: &str, checked: &KeyCheck) -> Vec<CheckResult> {
    let lines = checked.describe_scope();
    let failing =
        checked.scope.iter().any(|(_, read)| matches!(read, Err(error) if !error.is_inaccessible()));
    let seen = lines.join("; ");
    vec![if failing {
        CheckResult::warn(name, seen, "try again later; if it stays, tell who runs the service")
    } else {
        CheckResult::ok(name, seen)
    }]
}

fn budget(name: &str, checked: &KeyCheck) -> CheckResult {
    let seen = format!("{}, answered in {} ms", checked.describe_budget(), checked.latency / 1000);
    match checked.probe.rate {
        Some(rate) if rate.remaining < rate.limit / 10 => {
            CheckResult::warn(name, seen, "something else uses this key too; it shares the budget")
        }
        _ => CheckResult::ok(name, seen),
    }
}

fn clock(name: &str, checked: &KeyCheck) -> CheckResult {
    match checked.clock_skew {
        None => CheckResult::ok(name, "the server does not tell its time"),
        Some(skew) if skew.abs() > MAX_CLOCK_SKEW => {
            let way = if skew > 0 { "ahead of" } else { "behind" };
            let seen = format!("the server's clock is {} s {way} this one", skew.abs() / SECOND);
            CheckResult::warn(name, seen, "set this machine's clock; countdowns are off by as much")
        }
        Some(_) => CheckResult::ok(name, "clocks agree"),
    }
}
