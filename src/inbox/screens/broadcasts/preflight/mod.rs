//! Review of a broadcast before it is sent: one line per point, with its severity.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use crate::tab::Tab;
use model::account::Environment;
use model::bounds;
use model::outbox::content::BroadcastContent;
use model::prices;
use model::waves::audience::AudienceSource;
use model::waves::{NewCampaign, recipient_price};

use super::form::BroadcastForm;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckSeverity {
    Passed,
    Warning,
    /// The broadcast cannot be sent.
    Blocking,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckItem {
    pub label: &'static str,
    pub text: String,
    pub severity: CheckSeverity,
}

/// A broadcast ready to send, and the confirmation being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// Form to return to.
    pub form: BroadcastForm,
    pub campaign: NewCampaign,
    /// Typed part of the confirmation phrase.
    pub typed: TextLine,
    pub is_mistyped: bool,
}

fn check_audience(flight: &Preflight) -> CheckItem {
    let found = flight.form.audience.clone().unwrap_or_default();
    let count = flight.campaign.audience.count();
    let mut words = match flight.form.query.source {
        AudienceSource::Everyone => format!("EVERYONE: {count} contacts, and any added before sending"),
        _ => format!("{count} {}", if count == 1 { "contact" } else { "contacts" }),
    };
    let unread = found.not_read.len();
    for (number, what) in [
        (found.duplicates, "named twice, sent once"),
        (found.without_phone, "without a phone number"),
        (unread, "not in the contacts, left out"),
        (found.no_marketing, "opted out of marketing"),
    ] {
        if number > 0 {
            words.push_str(&format!(" · {number} {what}"));
        }
    }
    let odd = found.without_phone + unread + found.no_marketing > 0
        || flight.form.query.source == AudienceSource::Everyone;
    CheckItem {
        label: "audience",
        text: words,
        severity: if odd { CheckSeverity::Warning } else { CheckSeverity::Passed },
    }
}

fn check_price(tab: &Tab, flight: &Preflight) -> CheckItem {
    let count = i64::try_from(flight.campaign.audience.count()).unwrap_or(i64::MAX);
    let range = recipient_price(&flight.campaign.content, tab.templates.charged).times(count);
    let label = "price";
    let Some(account) = &tab.account else {
        return CheckItem {
            label,
            text: format!("{} · the balance is not known", range.describe()),
            severity: CheckSeverity::Warning,
        };
    };
    if tab.environment() == Some(Environment::Test) {
        return CheckItem {
            label,
            text: "free: a TEST key sends nothing".to_owned(),
            severity: CheckSeverity::Passed,
        };
    }
    let balance = prices::format_balance(account.credits);
    let (told, weight) = if (range.min as f64) > account.credits {
        let fit = range.min.max(1) / count.max(1);
        let fit = account.credits / (fit.max(1) as f64);
        (format!("NOT ENOUGH: enough for {}", fit.floor()), CheckSeverity::Blocking)
    } else if (range.max as f64) > account.credits {
        ("may not be enough".to_owned(), CheckSeverity::Warning)
    } else {
        ("OK".to_owned(), CheckSeverity::Passed)
    };
    CheckItem {
        label, text: format!("{} · balance {balance} · {told}", range.describe()), severity: weight
    }
}

fn check_quality(tab: &Tab, flight: &Preflight) -> Option<CheckItem> {
    let account = tab.account.as_ref()?;
    let quality = account.quality_rating.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string);
    let tier = account.messaging_tier.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string);
    let limit = daily_limit(&tier);
    let over = limit.is_some_and(|limit| flight.campaign.audience.count() >= limit);
    let told = match limit {
        Some(limit) if over => format!("{tier}: {limit} a day, this reaches it"),
        Some(limit) => format!("{tier}: {limit} a day"),
        None => tier,
    };
    let poor = !quality.eq_ignore_ascii_case("green") && account.quality_rating.is_some();
    let weight = if over || poor { CheckSeverity::Warning } else { CheckSeverity::Passed };
    Some(CheckItem { label: "quality", text: format!("{quality} · tier {told}"), severity: weight })
}

/// Maximum people a day by the name of a tier, `None` if it has no number.
fn daily_limit(tier: &str) -> Option<usize> {
    let number = tier.rsplit('_').next()?;
    let (digits, times) = match number.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1_000),
        None => (number, 1),
    };
    digits.parse::<usize>().ok().map(|entry| entry * times)
}

fn check_window(flight: &Preflight) -> CheckItem {
    let found = flight.form.audience.clone().unwrap_or_default();
    let (words, weight) = match (&flight.campaign.content, found.closed) {
        (BroadcastContent::Template(_), _) => ("not needed for a template".to_owned(), CheckSeverity::Passed),
        (_, 0) => (format!("{} open", found.open), CheckSeverity::Passed),
        (_, closed) => (
            format!("{} open, {closed} closed: only templates are accepted there", found.open),
            CheckSeverity::Warning,
        ),
    };
    CheckItem { label: "window", text: words, severity: weight }
}

fn check_plan(flight: &Preflight) -> CheckItem {
    let count = flight.campaign.audience.count();
    let words = flight.campaign.audience.describe_plan(&flight.campaign.plan);
    let one = flight.campaign.audience.wave_sizes(&flight.campaign.plan).len() == 1
        && count > bounds::MAX_BROADCAST_CONTACTS / 10;
    CheckItem {
        label: "plan",
        text: words,
        severity: if one { CheckSeverity::Warning } else { CheckSeverity::Passed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_that_name_their_limit() {
        let cases = [
            ("TIER_1K", Some(1_000)),
            ("TIER_250", Some(250)),
            ("TIER_100K", Some(100_000)),
            ("UNLIMITED", None),
        ];
        for (tier, limit) in cases {
            assert_eq!(daily_limit(tier), limit, "{tier}");
        }
    }
}
