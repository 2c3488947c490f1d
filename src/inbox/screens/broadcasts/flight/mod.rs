//! The flight check: all that should be known before a broadcast leaves, each
//! point with what it means; and the rehearsal on a test key.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use crate::tab::Tab;
use model::account::Environment;
use model::bounds;
use model::ids::RowId;
use model::outbox::Operation;
use model::outbox::content::{Audience, BroadcastContent};
use model::prices;
use model::queries::OutboxOutcome;
use model::time::Moment;
use model::waves::audience::AudienceSource;
use model::waves::{CampaignAudience, NewCampaign, recipient_price};

use super::form::BroadcastForm;

/// How much a point matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckWeight {
    /// Nothing to do.
    Fine,
    Look,
    /// It must not leave so.
    Blocks,
}

/// One point of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    pub label: &'static str,
    pub words: String,
    pub weight: CheckWeight,
}

/// A broadcast that is ready, and what is typed to let it go.
#[derive(Debug, Clone, PartialEq)]
pub struct Flight {
    /// The form, to go back to.
    pub form: BroadcastForm,
    pub new: NewCampaign,
    /// What has been typed of the phrase.
    pub typed: TextLine,
    pub wrong: bool,
}

/// What was rehearsed last, and what became of it.
#[derive(Debug, Default)]
pub(crate) struct Rehearsal {
    what: Option<Operation>,
    row: Option<RowId>,
    fate: Option<OutboxOutcome>,
    at: Moment,
    tab: String,
    pub(crate) stale: bool,
}

/// What the first wave's request says.
fn first_wave(new: &NewCampaign) -> Operation {
    let to = match &new.audience {
        CampaignAudience::Everyone(_) => Audience::Everyone,
        CampaignAudience::Contacts(frozen) => {
            let size = new.audience.wave_sizes(&new.plan).first().copied().unwrap_or(0);
            Audience::Contacts(frozen.ids().iter().take(size).cloned().collect())
        }
    };
    Operation::Broadcast { to, content: new.content.clone() }
}

fn audience(flight: &Flight) -> Point {
    let found = flight.form.found.clone().unwrap_or_default();
    let count = flight.new.audience.count();
    let mut words = match flight.form.query.source {
        AudienceSource::Everyone => format!("EVERYONE: {count} contacts, and whoever is added meanwhile"),
        _ => format!("{count} {}", if count == 1 { "id, frozen" } else { "ids, frozen" }),
    };
    let unread = found.not_read.len();
    for (number, what) in [
        (found.duplicates, "named twice, asked once"),
        (found.without_phone, "without a phone number"),
        (unread, "no contacts, left out"),
    ] {
        if number > 0 {
            words.push_str(&format!(" · {number} {what}"));
        }
    }
    let odd = found.without_phone + unread > 0 || flight.form.query.source == AudienceSource::Everyone;
    Point { label: "audience", words, weight: if odd { CheckWeight::Look } else { CheckWeight::Fine } }
}

fn price(tab: &Tab, flight: &Flight) -> Point {
    let count = i64::try_from(flight.new.audience.count()).unwrap_or(i64::MAX);
    let range = recipient_price(&flight.new.content, tab.templates.charged).times(count);
    let label = "price";
    let Some(account) = &tab.account else {
        return Point {
            label,
            words: format!("{} · the balance is not known", range.describe()),
            weight: CheckWeight::Look,
        };
    };
    if tab.environment() == Some(Environment::Test) {
        return Point {
            label,
            words: "free: a test key reaches nobody".to_owned(),
            weight: CheckWeight::Fine,
        };
    }
    let balance = prices::format_balance(account.credits);
    let (told, weight) = if (range.min as f64) > account.credits {
        let fit = range.min.max(1) / count.max(1);
        let fit = account.credits / (fit.max(1) as f64);
        (format!("TOO LITTLE: enough for {}", fit.floor()), CheckWeight::Blocks)
    } else if (range.max as f64) > account.credits {
        ("may not suffice: what the server does then is not documented".to_owned(), CheckWeight::Look)
    } else {
        ("OK".to_owned(), CheckWeight::Fine)
    };
    Point { label, words: format!("{} · balance {balance} · {told}", range.describe()), weight }
}

fn quality(tab: &Tab, flight: &Flight) -> Option<Point> {
    let account = tab.account.as_ref()?;
    let quality = account.quality_rating.as_ref().map_or_else(|| "not told".to_owned(), ToString::to_string);
    let tier = account.messaging_tier.as_ref().map_or_else(|| "not told".to_owned(), ToString::to_string);
    let limit = daily(&tier);
    let over = limit.is_some_and(|limit| flight.new.audience.count() >= limit);
    let told = match limit {
        Some(limit) if over => format!("{tier}: {limit} a day, this reaches it"),
        Some(limit) => format!("{tier}: {limit} a day"),
        None => tier,
    };
    let poor = !quality.eq_ignore_ascii_case("green") && account.quality_rating.is_some();
    let weight = if over || poor { CheckWeight::Look } else { CheckWeight::Fine };
    Some(Point { label: "quality", words: format!("{quality} · tier {told}"), weight })
}

/// People a day of a tier that says so in its name.
fn daily(tier: &str) -> Option<usize> {
    let number = tier.rsplit('_').next()?;
    let (digits, times) = match number.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1_000),
        None => (number, 1),
    };
    digits.parse::<usize>().ok().map(|entry| entry * times)
}

fn window(flight: &Flight) -> Point {
    let found = flight.form.found.clone().unwrap_or_default();
    let (words, weight) = match (&flight.new.content, found.closed) {
        (BroadcastContent::Template(_), _) => ("template: not needed".to_owned(), CheckWeight::Fine),
        (_, 0) => (format!("{} open", found.open), CheckWeight::Fine),
        (_, closed) => (
            format!("{} open, {closed} closed: will be refused for {closed}; use a template?", found.open),
            CheckWeight::Look,
        ),
    };
    Point { label: "window", words, weight }
}

fn plan(flight: &Flight) -> Point {
    let count = flight.new.audience.count();
    let words = match &flight.new.audience {
        CampaignAudience::Everyone(_) => "all in one wave: the interface cannot stop it".to_owned(),
        CampaignAudience::Contacts(_) => flight.new.plan.describe(count),
    };
    let one = flight.new.audience.wave_sizes(&flight.new.plan).len() == 1
        && count > bounds::MAX_BROADCAST_CONTACTS / 10;
    Point { label: "plan", words, weight: if one { CheckWeight::Look } else { CheckWeight::Fine } }
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
            assert_eq!(daily(tier), limit, "{tier}");
        }
    }
}
