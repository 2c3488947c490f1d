//! Contact cards that are sent: somebody's name and number. Pure.

use serde::{Deserialize, Serialize};

use crate::account::Platform;
use crate::bounds;

/// Maximum length of a name and of a company, in characters. Bot-chat limits the whole card to 2048 bytes.
pub const MAX_CARD_NAME_CHARS: usize = 100;

/// Example of a line that [`ContactToSend::parse`] reads.
pub const CARD_EXAMPLE: &str = "\"Ana Ruiz +34600111222\"";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactToSend {
    pub name: String,
    /// E.164.
    pub phone: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
}

impl ContactToSend {
    /// Reads a line with a name and then a number with its country code.
    ///
    /// # Errors
    /// If one of them is missing, too long or malformed.
    pub fn parse(line: &str, company: Option<&str>) -> Result<Self, String> {
        let (name, phone) = match line.rfind('+') {
            Some(at) => line.split_at(at),
            None => return Err(format!("a contact has a name and a number such as {CARD_EXAMPLE}")),
        };
        let company = company.map(str::trim).filter(|company| !company.is_empty());
        if let Some(why) = name_error(name).or_else(|| company.and_then(length_error)) {
            return Err(why);
        }
        let company = company.map(str::to_owned);
        let phone = parse_phone(phone).map_err(|why| format!("the number {why}"))?;
        Ok(Self { name: name.trim().to_owned(), phone, company })
    }

    /// Describes the card in one line, as the history does for received ones.
    pub fn describe(&self) -> String {
        let parts = [Some(&self.name), self.company.as_ref(), Some(&self.phone)];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
    }
}

/// Returns the reason why no card can be sent on a channel whose service does not offer it.
pub fn missing_reason(platform: Option<&Platform>) -> String {
    match platform {
        Some(Platform::Email) => "email has no contact cards: attach a .vcf file".to_owned(),
        Some(Platform::Whatsapp | Platform::Telegram) | None => {
            "this service sends no contact cards".to_owned()
        }
        Some(other) => format!("{} has no contact cards", other.label()),
    }
}

/// Returns the reason why a name cannot be on a card.
pub fn name_error(name: &str) -> Option<String> {
    if name.trim().is_empty() { Some("the name is required".to_owned()) } else { length_error(name.trim()) }
}

/// Returns the reason why a name or company is too long.
pub fn length_error(text: &str) -> Option<String> {
    let length = bounds::count_chars(text);
    (length > MAX_CARD_NAME_CHARS)
        .then(|| format!("at most {MAX_CARD_NAME_CHARS} characters, this has {length}"))
}

/// Reads a number with its country code, without the marks between its digits.
///
/// # Errors
/// If it is not such a number.
pub fn parse_phone(text: &str) -> Result<String, String> {
    let is_mark = |character: char| character.is_whitespace() || "-./()".contains(character);
    let phone: String = text.chars().filter(|character| !is_mark(*character)).collect();
    match bounds::is_e164(&phone) {
        true => Ok(phone),
        false => Err("needs its country code, such as +34600111222".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused_with_a_reason() {
        let card = |line: &str| ContactToSend::parse(line, None).map(|card| card.describe());
        assert_eq!(card("Ana Ruiz +34600111222"), Ok("Ana Ruiz · +34600111222".to_owned()));
        assert_eq!(card(" Bo +49 (170) 123-45.67 "), Ok("Bo · +491701234567".to_owned()));
        let at_work = ContactToSend::parse("Ana +34600111222", Some(" Harbor Bells "));
        assert_eq!(at_work.map(|card| card.describe()), Ok("Ana · Harbor Bells · +34600111222".to_owned()));
        let no_company = ContactToSend::parse("Ana +34600111222", Some(" "));
        assert_eq!(no_company.map(|card| card.company), Ok(None));
        let long = "a".repeat(MAX_CARD_NAME_CHARS + 1);
        let too_long = format!("{long} +34600111222");
        for (line, why) in [
            ("Ana", "a name and a number"),
            ("+34600111222", "the name is required"),
            ("Ana 0600111222", "a name and a number"),
            ("Ana +34", "country code"),
            ("Ana +34600x111222", "country code"),
            (too_long.as_str(), "at most 100 characters, this has 101"),
        ] {
            assert!(card(line).is_err_and(|told| told.contains(why)), "{line}");
        }
        assert!(ContactToSend::parse("Ana +34600111222", Some(&long)).is_err());
    }
}
