//! The credit table of the interface, once, for both sides.
//!
//! Interface: Limits, Credit costs. The document states two prices for a
//! template: the table's 2, and 3 in its text. The service charges the table's;
//! a person is told both.

/// One text message on business chat or bot-chat.
pub const TEXT: i64 = 1;
/// Media of any type from a link the caller hosts.
pub const MEDIA_OWN_LINK: i64 = 1;
/// Image, photo, document or audio from an uploaded URL.
pub const MEDIA_UPLOADED: i64 = 2;
/// Video from an uploaded URL.
pub const VIDEO_UPLOADED: i64 = 5;
/// One template message.
pub const TEMPLATE: i64 = 2;
/// One template message, as the interface's text says.
pub const TEMPLATE_IN_TEXT: i64 = 3;
/// One email, with or without attachments.
pub const EMAIL: i64 = 1;
/// One SMS. The interface's table does not name it; priced as a text.
pub const SMS: i64 = 1;
/// One started minute of a voice call. The interface shows no rate; this is
/// the service's choice.
pub const VOICE_MINUTE: i64 = 5;

/// What something costs as far as is known: between two amounts, which are
/// mostly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// At least.
    pub least: i64,
    /// At most.
    pub most: i64,
}

impl Price {
    /// Costs nothing.
    pub const FREE: Self = Self::exactly(0);

    pub const fn exactly(credits: i64) -> Self {
        Self { least: credits, most: credits }
    }

    /// Costs this for each of several.
    #[must_use]
    pub const fn times(self, count: i64) -> Self {
        Self { least: self.least * count, most: self.most * count }
    }

    /// Costs both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { least: self.least + other.least, most: self.most + other.most }
    }

    /// As a person reads it: `1 credit`, `2–3 credits`.
    pub fn words(self) -> String {
        match (self.least, self.most) {
            (1, 1) => "1 credit".to_owned(),
            (least, most) if least == most => format!("{least} credits"),
            (least, most) => format!("{least}–{most} credits"),
        }
    }
}

/// `1 credit`, `2.5 credits`.
pub fn credit_words(amount: f64) -> String {
    let word = credits(amount);
    if word == "1" { "1 credit".to_owned() } else { format!("{word} credits") }
}

/// `1 person`, `3 people`.
pub fn people_words(count: usize) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

/// A balance as people read it.
pub fn credits(balance: f64) -> String {
    let text = format!("{balance:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_in_words() {
        let template = Price { least: TEMPLATE, most: TEMPLATE_IN_TEXT };
        let cases = [
            (Price::FREE, "0 credits"),
            (Price::exactly(TEXT), "1 credit"),
            (Price::exactly(TEXT).times(2), "2 credits"),
            (template, "2–3 credits"),
            (template.and(Price::exactly(TEXT)), "3–4 credits"),
        ];
        for (price, words) in cases {
            assert_eq!(price.words(), words);
        }
    }
}
