//! Cost of model requests in tokens and money, and daily limits of both.

use crate::ids::ChannelId;
use crate::text::is_digits;

/// Units of cost in one unit of currency: 1e-12, so that a price per million tokens divides into
/// single tokens.
const COST_UNITS: u128 = 1_000_000_000_000;
const MAX_PRICE_DECIMALS: usize = 6;
const TOKENS_PER_PRICE: u128 = 1_000_000;
/// Tokens of a request besides its text: roles, markers, templates.
const OVERHEAD_TOKENS: u64 = 200;

/// An amount in units of 1e-12, in the currency of the configured prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ModelCost(pub u64);

impl ModelCost {
    /// Parses `2`, `2.5` or `0.150`.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        if !is_digits(whole) || !is_digits(part) || part.len() > MAX_PRICE_DECIMALS {
            return None;
        }
        let micros: u128 = format!("{whole}{part:0<MAX_PRICE_DECIMALS$}").parse().ok()?;
        u64::try_from(micros * (COST_UNITS / 1_000_000)).ok().map(Self)
    }

    /// Cost of tokens at this price per million, rounded up.
    pub fn cost_of_tokens(self, tokens: u64) -> Self {
        Self::from_units((u128::from(self.0) * u128::from(tokens)).div_ceil(TOKENS_PER_PRICE))
    }

    /// Cost of seconds at this price per minute, rounded up.
    pub fn cost_of_seconds(self, seconds: u64) -> Self {
        Self::from_units((u128::from(self.0) * u128::from(seconds)).div_ceil(60))
    }

    fn from_units(parts: u128) -> Self {
        Self(u64::try_from(parts).unwrap_or(u64::MAX))
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Formats with all decimal places: `2.500000000000`.
    pub fn to_decimal(self) -> String {
        let units = u128::from(self.0);
        format!("{}.{:012}", units / COST_UNITS, units % COST_UNITS)
    }

    /// Formats with two decimal places, rounded up: `2.51`.
    pub fn to_price(self) -> String {
        let cents = u128::from(self.0).div_ceil(COST_UNITS / 100);
        format!("{}.{:02}", cents / 100, cents % 100)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelPrices {
    pub input: ModelCost,
    pub output: ModelCost,
    /// Price of a minute of audio.
    pub minute: ModelCost,
}

/// Daily limits; `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCaps {
    /// All tabs together.
    pub tokens: u64,
    /// All tabs together.
    pub cost: Option<ModelCost>,
    /// Each tab.
    pub tab_tokens: Option<u64>,
    /// Each tab.
    pub tab_cost: Option<ModelCost>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelUsage {
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub cost: ModelCost,
}

impl ModelUsage {
    pub fn from_tokens(prices: &ModelPrices, tokens_in: u64, tokens_out: u64) -> Self {
        let cost = prices.input.cost_of_tokens(tokens_in).plus(prices.output.cost_of_tokens(tokens_out));
        Self { tokens_in, tokens_out, cost }
    }

    /// Upper bound for a request of `bytes` bytes: a token has at least one byte, and the answer at
    /// most `answer` tokens.
    pub fn upper_bound(prices: &ModelPrices, bytes: usize, answer: u64) -> Self {
        let told = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_add(OVERHEAD_TOKENS);
        Self::from_tokens(prices, told, answer)
    }

    pub fn total_tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            cost: self.cost.plus(other.cost),
        }
    }
}

/// Checks one pair of limits. `of` and `setting` name them in the error.
fn check_cap(
    (tokens, cost): (Option<u64>, Option<ModelCost>),
    (of, setting): (&str, &str),
    before: &ModelUsage,
    question: &ModelUsage,
) -> Result<(), String> {
    let after = before.plus(question);
    match (tokens, cost) {
        (Some(most), _) if after.total_tokens() > most => {
            let left = most.saturating_sub(before.total_tokens());
            Err(format!(
                "this would exceed the limit of {most} tokens for {of}, of which {left} are left; \
                 {setting}_tokens in [assist] changes it"
            ))
        }
        (_, Some(most)) if after.cost > most => {
            let (spent, most) = (before.cost.to_price(), most.to_price());
            Err(format!(
                "this would exceed the limit of {most} for {of}, of which {spent} are spent; \
                 {setting}_cost in [assist] changes it"
            ))
        }
        _ => Ok(()),
    }
}

impl ModelCaps {
    pub fn for_day(tokens: u64, cost: Option<ModelCost>) -> Self {
        Self { tokens, cost, tab_tokens: None, tab_cost: None }
    }

    /// Checks a request of at most `question` against the limits, given the usage of the day and of
    /// its tab.
    ///
    /// # Errors
    /// Describes the limit that would be exceeded.
    pub fn check(&self, day: &ModelUsage, tab: &ModelUsage, question: &ModelUsage) -> Result<(), String> {
        check_cap((Some(self.tokens), self.cost), ("today", "day"), day, question)?;
        check_cap((self.tab_tokens, self.tab_cost), ("this tab for today", "tab"), tab, question)
    }

    /// Used percentage of the day's token or cost limit, whichever is higher.
    pub fn used_percent(&self, day: &ModelUsage) -> u8 {
        let of = |used: u64, most: u64| (u128::from(used) * 100).checked_div(u128::from(most)).unwrap_or(100);
        let tokens = of(day.total_tokens(), self.tokens);
        let cost = self.cost.map_or(0, |most| of(day.cost.0, most.0));
        u8::try_from(tokens.max(cost)).unwrap_or(u8::MAX)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelUsageRow {
    /// Local date as days since 1970-01-01.
    pub day: i64,
    pub channel: ChannelId,
    pub asked: u64,
    pub usage: ModelUsage,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(text: &str) -> ModelCost {
        ModelCost::parse(text).expect(text)
    }

    #[test]
    fn amounts_are_read_and_written_to_the_cent() {
        for (text, words) in
            [("2", "2.00"), ("2.5", "2.50"), ("0.15", "0.15"), ("0.000001", "0.01"), ("0", "0.00")]
        {
            assert_eq!(cost(text).to_price(), words, "{text}");
        }
        for wrong in ["", ".", "1.", ".5", "-1", "1e3", "1,5", "0.0000001", "99999999999999999999"] {
            assert_eq!(ModelCost::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn tokens_and_seconds_cost_what_they_do_and_never_less() {
        let cases =
            [("2.5", 1_000_000, "2.50"), ("2.5", 1, "0.01"), ("2.5", 4_000, "0.01"), ("2.5", 4_001, "0.02")];
        for (price, tokens, words) in cases {
            assert_eq!(cost(price).cost_of_tokens(tokens).to_price(), words, "{tokens} at {price}");
        }
        assert_eq!(cost("2.5").cost_of_tokens(1).0, 2_500_000);
        assert_eq!(cost("0.006").cost_of_seconds(90).to_price(), "0.01");
        assert_eq!(cost("1000000").cost_of_tokens(u64::MAX), ModelCost(u64::MAX), "bounded");
    }

    #[test]
    fn a_day_allows_what_fits_to_the_last_part() {
        let prices = ModelPrices { input: cost("1"), output: cost("2"), ..ModelPrices::default() };
        let caps = ModelCaps::for_day(1_000, Some(cost("0.001")));
        let none = ModelUsage::default();
        let used = |tokens_in, tokens_out| ModelUsage::from_tokens(&prices, tokens_in, tokens_out);
        assert_eq!(caps.check(&used(0, 0), &none, &used(200, 400)), Ok(()), "a tenth of a cent exactly");
        let why = caps.check(&used(1, 0), &none, &used(200, 400)).expect_err("a millionth too much");
        assert!(why.contains("day_cost"), "{why}");
        let why = caps.check(&used(900, 0), &none, &used(101, 0)).expect_err("a token too much");
        assert!(why.contains("1000 tokens") && why.contains("100 are left"), "{why}");
        let caps = ModelCaps { tab_tokens: Some(500), tab_cost: Some(cost("0.0008")), ..caps };
        assert_eq!(caps.check(&used(100, 0), &used(400, 0), &used(100, 0)), Ok(()), "the tab's last");
        let why = caps.check(&used(100, 0), &used(401, 0), &used(100, 0)).expect_err("of the tab");
        assert!(why.contains("500 tokens for this tab for today") && why.contains("tab_tokens"), "{why}");
        let why = caps.check(&used(100, 0), &used(0, 350), &used(101, 0)).expect_err("of the tab");
        assert!(why.contains("tab_cost"), "{why}");
        assert_eq!((caps.used_percent(&used(100, 0)), caps.used_percent(&used(0, 500))), (10, 100));
        assert_eq!(ModelUsage::upper_bound(&prices, 1_000, 500).total_tokens(), 1_700);
    }
}
