//! Balance, spending and unpaid rows: a list, a warning, and a question after a top-up.

pub(crate) mod model_lines;
pub(crate) mod update;

use crate::components::list::ListLine;
use model::account::{Account, Environment};
use model::ids::ChannelId;
use model::model_costs::ModelUsageRow;
use model::prices::{self};
use model::queries::OutboxEntry;
use model::spending::Spent;

/// Days of usual spending that count as a low balance.
const LOW_BALANCE_DAYS: f64 = 2.0;
const SHOWN_DAYS: i64 = 7;

#[derive(Debug, Clone, Default)]
pub(crate) struct Credits {
    /// Spending from this desk, by tab.
    pub(crate) spent: Vec<(ChannelId, Vec<Spent>)>,
    /// Tokens used by the model, by day and tab.
    pub(crate) model_usage: Vec<ModelUsageRow>,
    unpaid: Vec<OutboxEntry>,
    /// True if the list on screen may be outdated.
    pub(crate) stale: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BalanceLevel {
    Fine,
    /// Less than two days of usual spending.
    Low,
    /// Not enough for a text.
    Empty,
}

impl Credits {
    pub(crate) fn store_unpaid(&mut self, entries: Vec<OutboxEntry>) {
        self.unpaid = entries;
    }
}

/// True if two accounts share a balance.
pub(crate) fn shares_balance(one: &Account, other: &Account) -> bool {
    let live = |account: &Account| account.environment == Environment::Live;
    one.workspace_id == other.workspace_id && live(one) == live(other)
}

/// `lasts 12 days, at 3.5 a day from here`.
pub(crate) fn describe_remaining_days(credits: f64, burn: f64) -> String {
    let days = (credits / burn).min(999.0);
    let days = if days < 1.5 { "a day".to_owned() } else { format!("{days:.0} days") };
    format!("lasts {days} at {} a day", prices::format_balance(burn))
}

/// `1 credit`, `2.5 credits`.
pub(crate) fn format_credits(amount: f64) -> String {
    prices::format_credits(amount)
}

fn credit_line(name: &str, words: &str, right: String) -> ListLine {
    ListLine { trailing: right, ..ListLine::new(name, words) }
}
