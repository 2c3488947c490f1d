//! What sending costs, and whether the balance pays for it: said before
//! anything is sent.
//!
//! A test key pays nothing.

use crate::tab::Tab;
use model::account::{Environment, Platform};
use model::counting::{self, TextLength};
use model::prices::{self, Price};

impl Tab {
    /// A text measured as this tab's channel counts it.
    pub fn count(&self, text: &str) -> TextLength {
        TextLength::measure(self.platform(), self.markup(), text)
    }

    /// The messages a text leaves as: one, or several if it is too long.
    pub fn messages_of(&self, text: &str) -> Vec<String> {
        // What has markup would lose it where it is cut.
        if self.count(text).is_over() && self.markup().is_none() {
            counting::split_text(text, |entry| !self.count(entry).is_over())
        } else {
            vec![text.to_owned()]
        }
    }

    /// Whether a text's price is told anywhere: of an SMS it is not.
    pub fn has_price(&self) -> bool {
        self.is_simulated() || self.platform() != Some(&Platform::Voip)
    }

    /// What a text costs; nothing where that is not known.
    pub fn text_price(&self, messages: usize) -> Price {
        let one = if self.has_price() { prices::TEXT_CREDITS } else { 0 };
        Price::exactly(one).times(i64::try_from(messages).unwrap_or(i64::MAX))
    }

    /// Whether nothing is really sent or paid.
    pub fn is_simulated(&self) -> bool {
        self.environment() == Some(Environment::Test)
    }

    /// The price and what is left after it, as they stand on the send key.
    pub fn price_words(&self, price: Price) -> String {
        if self.is_simulated() {
            return "simulated, 0 credits".to_owned();
        }
        match &self.account {
            Some(account) if !self.has_price() => {
                format!("price unknown, {} left", prices::format_balance(account.credits))
            }
            None if !self.has_price() => "price unknown".to_owned(),
            Some(account) if self.cannot_pay(price).is_none() => {
                let left = |cost: i64| prices::format_balance((account.credits - whole(cost)).max(0.0));
                let (least, most) = (left(price.min), left(price.max));
                let range = if least == most { least } else { format!("{most} to {least}") };
                format!("{}, {range} left", price.describe())
            }
            _ => price.describe(),
        }
    }

    /// Why the balance does not pay for it; `None` when it does or is not
    /// known.
    pub fn cannot_pay(&self, price: Price) -> Option<String> {
        let account = self.account.as_ref().filter(|_| !self.is_simulated())?;
        let missing = account.credits < whole(price.min);
        let range = price.describe();
        missing.then(|| format!("balance {}, this needs {range}", prices::format_balance(account.credits)))
    }
}

/// Prices are small whole numbers.
fn whole(credits: i64) -> f64 {
    f64::from(i32::try_from(credits).unwrap_or(i32::MAX))
}
