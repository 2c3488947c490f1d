//! Credits spent from this desk by day and action, as reported in answers; and prices of
//! operations.

use crate::outbox::Operation;
use crate::outbox::content::ChatContent;
use crate::prices::{self, Price};

const HISTORY_LIMIT_DAYS: i64 = 30;

#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// Local day as in [`crate::time::Timestamp::day_number`].
    pub day: i64,
    pub action: String,
    pub credits: f64,
    pub count: u32,
}

pub fn action_name(operation: &Operation) -> &'static str {
    match operation {
        Operation::SendContent { content: ChatContent::Template(_), .. } => "template",
        Operation::SendContent { content: ChatContent::Media(_), .. } | Operation::SendFile(_) => "file",
        Operation::SendText { .. } | Operation::SendContent { .. } => "message",
        other => other.word(),
    }
}

/// Price of an operation; `None` if unknown.
pub fn price(operation: &Operation, template: Price) -> Option<Price> {
    Some(match operation {
        Operation::SendContent { content: ChatContent::Template(_), .. } => template,
        Operation::SendContent { content: ChatContent::Media(media), .. } if media.uploaded => {
            crate::attachments::upload_price(media.kind)
        }
        Operation::SendContent { content: ChatContent::Media(_), .. } => {
            Price::exactly(prices::LINKED_MEDIA_CREDITS)
        }
        Operation::SendFile(file) => crate::attachments::upload_price(file.kind),
        Operation::SendText { .. } | Operation::SendContent { .. } => Price::exactly(prices::TEXT_CREDITS),
        Operation::SendMail(_) => Price::exactly(prices::EMAIL_CREDITS),
        _ => return None,
    })
}

/// Adds the cost of an action and drops entries older than 30 days.
pub fn record_spending(all: &mut Vec<Spent>, day: i64, action: &str, credits: f64) {
    all.retain(|spent| day - spent.day < HISTORY_LIMIT_DAYS);
    match all.iter_mut().find(|spent| spent.day == day && spent.action == action) {
        Some(known) => {
            known.credits += credits;
            known.count = known.count.saturating_add(1);
        }
        None => all.push(Spent { day, action: action.to_owned(), credits, count: 1 }),
    }
}

/// Parses the format of [`to_lines`]; ignores malformed lines.
pub fn parse_lines(text: &str) -> Vec<Spent> {
    let line = |text: &str| {
        let mut words = text.split(' ');
        let (day, action, credits, count) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let credits = credits.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)?;
        Some(Spent { day: day.parse().ok()?, action: action.to_owned(), credits, count: count.parse().ok()? })
    };
    text.lines().filter_map(line).collect()
}

pub fn to_lines(all: &[Spent]) -> String {
    let line = |spent: &Spent| format!("{} {} {} {}\n", spent.day, spent.action, spent.credits, spent.count);
    all.iter().map(line).collect()
}

/// Average credits a day over the last seven days, counted from the first entry; `None` before the
/// first full day.
pub fn daily_spending(all: &[Spent], today: i64) -> Option<f64> {
    let week: Vec<&Spent> = all.iter().filter(|spent| (1..=7).contains(&(today - spent.day))).collect();
    let first = week.iter().map(|spent| spent.day).min()?;
    let days = i32::try_from(today - first).ok()?;
    let sum: f64 = week.iter().map(|spent| spent.credits).sum();
    Some(sum / f64::from(days)).filter(|value| *value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_is_kept_as_lines() {
        let mut all = Vec::new();
        for (day, action, credits) in
            [(1, "message", 1.0), (1, "message", 1.0), (1, "file", 2.5), (2, "file", 5.0)]
        {
            record_spending(&mut all, day, action, credits);
        }
        assert_eq!(to_lines(&all), "1 message 2 2\n1 file 2.5 1\n2 file 5 1\n");
        assert_eq!(parse_lines(&to_lines(&all)), all);
        record_spending(&mut all, 31, "call", 5.0);
        assert_eq!(to_lines(&all), "2 file 5 1\n31 call 5 1\n");
    }

    #[test]
    fn what_is_no_ledger_is_left_out() {
        for text in
            ["", "x", "1 message", "1 message -1 1", "1 message NaN 1", "1 message 1 x", "x message 1 1"]
        {
            assert_eq!(parse_lines(text), [], "{text:?}");
        }
    }

    #[test]
    fn the_burn_counts_whole_days_of_a_week() {
        let burnt = |days: &[(i64, f64)]| {
            let mut all = Vec::new();
            days.iter().for_each(|(day, credits)| record_spending(&mut all, *day, "message", *credits));
            daily_spending(&all, 10)
        };
        assert_eq!(burnt(&[]), None);
        assert_eq!(burnt(&[(10, 9.0)]), None, "today is not over");
        assert_eq!(burnt(&[(9, 8.0), (10, 9.0)]), Some(8.0));
        assert_eq!(burnt(&[(6, 8.0)]), Some(2.0));
        assert_eq!(burnt(&[(2, 70.0)]), None);
    }
}
