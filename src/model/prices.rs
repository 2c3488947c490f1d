//! Prices in credits, for client and service. The interface states two prices for a template: 2 in
//! its table and 3 in its text. The service charges 2; users are shown both.

/// Business chat and bot-chat.
pub const TEXT_CREDITS: i64 = 1;
/// Media of any type from an external link.
pub const LINKED_MEDIA_CREDITS: i64 = 1;
/// Image, photo, document or audio.
pub const UPLOADED_MEDIA_CREDITS: i64 = 2;
pub const UPLOADED_VIDEO_CREDITS: i64 = 5;
/// Price in the interface's table.
pub const TEMPLATE_CREDITS: i64 = 2;
/// Price in the interface's text.
pub const MAX_TEMPLATE_CREDITS: i64 = 3;
/// With or without attachments.
pub const EMAIL_CREDITS: i64 = 1;
/// Not in the interface's table; priced as a text.
pub const SMS_CREDITS: i64 = 1;
/// Per started minute. The interface states no rate; chosen by the service.
pub const VOICE_MINUTE_CREDITS: i64 = 5;

/// A price range; both ends are equal if the price is known exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub min: i64,
    pub max: i64,
}

impl Price {
    pub const FREE: Self = Self::exactly(0);

    pub const fn exactly(credits: i64) -> Self {
        Self { min: credits, max: credits }
    }

    #[must_use]
    pub const fn times(self, count: i64) -> Self {
        Self { min: self.min * count, max: self.max * count }
    }

    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { min: self.min + other.min, max: self.max + other.max }
    }

    /// `1 credit`, `2–3 credits`.
    pub fn describe(self) -> String {
        match (self.min, self.max) {
            (1, 1) => "1 credit".to_owned(),
            (least, most) if least == most => format!("{least} credits"),
            (least, most) => format!("{least}–{most} credits"),
        }
    }
}

/// `1 credit`, `2.5 credits`.
pub fn format_credits(amount: f64) -> String {
    let word = format_balance(amount);
    if word == "1" { "1 credit".to_owned() } else { format!("{word} credits") }
}

pub fn format_people(count: usize) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

pub fn format_balance(balance: f64) -> String {
    let text = format!("{balance:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_in_words() {
        let template = Price { min: TEMPLATE_CREDITS, max: MAX_TEMPLATE_CREDITS };
        let cases = [
            (Price::FREE, "0 credits"),
            (Price::exactly(TEXT_CREDITS), "1 credit"),
            (Price::exactly(TEXT_CREDITS).times(2), "2 credits"),
            (template, "2–3 credits"),
            (template.plus(Price::exactly(TEXT_CREDITS)), "3–4 credits"),
        ];
        for (price, words) in cases {
            assert_eq!(price.describe(), words);
        }
    }
}
