//! Price of sending and whether the balance covers it, shown before anything is sent. A test key
//! costs nothing.

use crate::tab::Tab;
use model::account::{Environment, Platform};
use model::counting::{self, TextLength};
use model::prices::{self, Price};

impl Tab {
    pub fn measure_text(&self, text: &str) -> TextLength {
        TextLength::measure(self.platform(), self.markup(), text)
    }

    pub fn split_messages(&self, text: &str) -> Vec<String> {
        // Markup would break where the text is cut.
        if self.measure_text(text).is_over() && self.markup().is_none() {
            counting::split_text(text, |entry| !self.measure_text(entry).is_over())
        } else {
            vec![text.to_owned()]
        }
    }

    /// False for channels whose texts have no known price (SMS).
    pub fn has_price(&self) -> bool {
        self.is_simulated() || self.platform() != Some(&Platform::Voip)
    }

    /// Price of a text sent as `messages` messages; 0 if unknown.
    pub fn text_price(&self, messages: usize) -> Price {
        let one = if self.has_price() { prices::TEXT_CREDITS } else { 0 };
        Price::exactly(one).times(i64::try_from(messages).unwrap_or(i64::MAX))
    }

    /// True with a test key: nothing is sent or charged.
    pub fn is_simulated(&self) -> bool {
        self.environment() == Some(Environment::Test)
    }

    /// The price and the balance after it.
    pub fn describe_price(&self, price: Price) -> String {
        if self.is_simulated() {
            return "simulated, 0 credits".to_owned();
        }
        match &self.account {
            Some(account) if !self.has_price() => {
                format!("price unknown, {} left", prices::format_balance(account.credits))
            }
            None if !self.has_price() => "price unknown".to_owned(),
            Some(account) if self.payment_error(price).is_none() => {
                let left = |cost: i64| prices::format_balance((account.credits - to_f64(cost)).max(0.0));
                let (least, most) = (left(price.min), left(price.max));
                let range = if least == most { least } else { format!("{most} to {least}") };
                format!("{}, {range} left", price.describe())
            }
            _ => price.describe(),
        }
    }

    /// Returns the reason if the balance does not cover the price; `None` if it does or is unknown.
    pub fn payment_error(&self, price: Price) -> Option<String> {
        let account = self.account.as_ref().filter(|_| !self.is_simulated())?;
        let missing = account.credits < to_f64(price.min);
        let range = price.describe();
        missing.then(|| format!("balance {}, this needs {range}", prices::format_balance(account.credits)))
    }
}

fn to_f64(credits: i64) -> f64 {
    f64::from(i32::try_from(credits).unwrap_or(i32::MAX))
}
