//! Charts of spending by day, tab and kind of action, and a forecast.

use crate::context::Context;
use crate::desk::Desk;
use crate::features::credits::Credits;
use std::collections::BTreeMap;

use crate::features::credits;
use crate::screens::account::text_card;
use crate::screens::cards::{ChartBar, PageCard};
use model::account::Account;
use model::spending::Spent;
use model::text::SafeText;
use model::time::{DAY, day_name};

const CHART_DAYS: i64 = 7;
/// Maximum number of bars per chart.
const MAX_BARS: usize = 12;
/// Longest forecast with a date, in days.
const MAX_FORECAST_DAYS: f64 = 365.0;

impl Credits {
    pub(crate) fn spending_cards(&self, account: &Account, desk: &Desk, context: &Context) -> Vec<PageCard> {
        let today = context.now.day_number(&context.settings.zone);
        let spent: Vec<(String, &Spent)> = self
            .workspace_spending(account, desk)
            .into_iter()
            .flat_map(|(tab, all)| all.iter().map(|spent| (tab.channel.name.clone(), spent)))
            .filter(|(_, spent)| (0..CHART_DAYS).contains(&(today - spent.day)))
            .collect();
        // Not `sum()`: it yields -0.0 for no items.
        let total = spent.iter().fold(0.0, |sum, (_, spent)| sum + spent.credits);
        let week = |kind: &str| text_card(kind, &credits::format_credits(total), "spent in a week");
        let mut by_day = week("by day");
        for day in (today - CHART_DAYS + 1..=today).rev() {
            let of_day = spent.iter().filter(|(_, spent)| spent.day == day).map(|(_, spent)| *spent);
            let name = if day == today { "today".to_owned() } else { day_name(day) };
            by_day.bars.push(spending_bar(&name, of_day));
        }
        let mut by_tab = week("by tab");
        by_tab.bars = group_bars(spent.iter().map(|(tab, spent)| (tab.as_str(), *spent)));
        let mut by_action = week("by action");
        by_action.bars = group_bars(spent.iter().map(|(_, spent)| (spent.action.as_str(), *spent)));
        let mut cards = vec![by_day, by_tab, by_action];
        for card in &mut cards {
            if spent.is_empty() {
                card.bars.clear();
                card.push_line("nothing", "was spent from here in the last seven days");
            }
        }
        cards
    }

    /// Date at which the balance will be used up at the current rate of spending from here.
    pub(crate) fn forecast(&self, account: &Account, desk: &Desk, context: &Context) -> Option<String> {
        let burn = self.daily_spending(account, desk, context)?;
        let days = account.credits / burn;
        let lasts = credits::describe_remaining_days(account.credits, burn);
        if !(0.0..MAX_FORECAST_DAYS).contains(&days) {
            return Some(lasts);
        }
        let whole = (1..365).take_while(|number| f64::from(*number) <= days).count();
        let ahead = i64::try_from(whole).unwrap_or(0) * DAY;
        let empty = context.now.plus(ahead);
        Some(format!("{lasts}; empty about {}", empty.day_name(&context.settings.zone)))
    }
}

fn group_bars<'a>(spent: impl Iterator<Item = (&'a str, &'a Spent)>) -> Vec<ChartBar> {
    let mut groups: BTreeMap<&str, Vec<&Spent>> = BTreeMap::new();
    for (name, spending) in spent {
        groups.entry(name).or_default().push(spending);
    }
    let mut bars: Vec<ChartBar> =
        groups.into_iter().map(|(name, all)| spending_bar(name, all.into_iter())).collect();
    bars.sort_by(|one, other| other.value.total_cmp(&one.value));
    bars.truncate(MAX_BARS);
    bars
}

fn spending_bar<'a>(label: &str, spent: impl Iterator<Item = &'a Spent>) -> ChartBar {
    let (mut value, mut count) = (0.0, 0u32);
    for spending in spent {
        value += spending.credits;
        count = count.saturating_add(spending.count);
    }
    let times = match count {
        0 => "nothing".to_owned(),
        1 => format!("{} for 1", credits::format_credits(value)),
        _ => format!("{} for {count}", credits::format_credits(value)),
    };
    ChartBar { label: SafeText::line(label), value, caption: times }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_summed_and_the_largest_comes_first() {
        let spent =
            |action: &str, credits: f64, count| Spent { day: 1, action: action.to_owned(), credits, count };
        let all = [spent("message", 2.0, 2), spent("file", 5.0, 1), spent("message", 1.0, 1)];
        let bars = group_bars(all.iter().map(|spent| (spent.action.as_str(), spent)));
        let told: Vec<(String, f64, &str)> =
            bars.iter().map(|bar| (bar.label.to_string(), bar.value, bar.caption.as_str())).collect();
        assert_eq!(
            told,
            [("file".to_owned(), 5.0, "5 credits for 1"), ("message".to_owned(), 3.0, "3 credits for 3")]
        );
        assert_eq!(spending_bar("today", [].into_iter()).caption, "nothing");
    }
}
