//! The credit table of the interface, once, for both sides.
//!
//! Interface: Limits, Credit costs. The document states two prices for a
//! template: the table's 2, and 3 in its text. The service charges the table's;
//! a person is told both.

/// One text message on business chat or bot-chat.
pub const TEXT_CREDITS: i64 = 1;
/// Media of any type from a link the caller hosts.
pub const LINKED_MEDIA_CREDITS: i64 = 1;
/// Image, photo, document or audio from an uploaded URL.
pub const UPLOADED_MEDIA_CREDITS: i64 = 2;
/// Video from an uploaded URL.
pub const UPLOADED_VIDEO_CREDITS: i64 = 5;
/// One template message.
pub const TEMPLATE_CREDITS: i64 = 2;
/// One template message, as the interface's text says.
pub const MAX_TEMPLATE_CREDITS: i64 = 3;
/// One email, with or without attachments.
pub const EMAIL_CREDITS: i64 = 1;
/// One SMS. The interface's table does not name it; priced as a text.
pub const SMS_CREDITS: i64 = 1;
/// One started minute of a voice call. The interface shows no rate; this is
/// the service's choice.
pub const VOICE_MINUTE_CREDITS: i64 = 5;

/// What something costs as far as is known: between two amounts, which are
/// mostly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// At least.
    pub min: i64,
    /// At most.
    pub max: i64,
}

impl Price {
    /// Costs nothing.
    pub const FREE: Self = Self::exactly(0);

    pub const fn exactly(credits: i64) -> Self {
        Self { min: credits, max: credits }
    }

    /// Costs this for each of several.
    #[must_use]
    pub const fn times(self, count: i64) -> Self {
        Self { min: self.min * count, max: self.max * count }
    }

    /// Costs both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { min: self.min + other.min, max: self.max + other.max }
    }

    /// As a person reads it: `1 credit`, `2–3 credits`.
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

/// `1 person`, `3 people`.
pub fn format_people(count: usize) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

/// A balance as people read it.
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
