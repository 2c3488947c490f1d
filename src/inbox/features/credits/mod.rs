//! The balance, what was spent from here and what waits for credits: a list,
//! a warning before it is empty, and one question once it is not any more.

pub(crate) mod model_lines;
pub(crate) mod update;

use crate::components::list::ListLine;
use model::account::{Account, Environment};
use model::ids::ChannelId;
use model::model_costs::ModelUsageRow;
use model::prices::{self};
use model::queries::OutboxEntry;
use model::spending::Spent;
use model::text::SafeText;

/// So many days of what is usual are left: the balance is low.
const LOW_DAYS: f64 = 2.0;
/// Days the list shows.
const DAYS: i64 = 7;

/// What is known of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Credits {
    /// What was spent from here, by tab.
    pub(crate) spent: Vec<(ChannelId, Vec<Spent>)>,
    /// What questions to the model took, by day and tab.
    pub(crate) model: Vec<ModelUsageRow>,
    /// What waits for credits.
    unpaid: Vec<OutboxEntry>,
    /// Whether the list on screen may be old.
    pub(crate) stale: bool,
}

/// The course of a balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balance {
    /// It pays.
    Fine,
    /// It lasts for less than two days as usual.
    Low,
    /// It does not even pay for a text.
    Empty,
}

impl Credits {
    /// Takes in the rows that wait for credits.
    pub(crate) fn unpaid(&mut self, entries: Vec<OutboxEntry>) {
        self.unpaid = entries;
    }
}

/// Whether two accounts draw on one balance.
pub(crate) fn is_same(one: &Account, other: &Account) -> bool {
    let live = |account: &Account| account.environment == Environment::Live;
    one.workspace_id == other.workspace_id && live(one) == live(other)
}

/// `lasts 12 days, at 3.5 a day from here`.
pub(crate) fn lasts(credits: f64, burn: f64) -> String {
    let days = (credits / burn).min(999.0);
    let days = if days < 1.5 { "a day".to_owned() } else { format!("{days:.0} days") };
    format!("lasts {days}, at {} a day from here", prices::format_balance(burn))
}

/// `1 credit`, `2.5 credits`.
pub(crate) fn credits(amount: f64) -> String {
    prices::format_credits(amount)
}

fn line(name: &str, words: &str, right: String) -> ListLine {
    ListLine {
        name: SafeText::line(name),
        words: SafeText::line(words),
        right,
        loud: false,
        dim: false,
        goes_to: None,
    }
}
