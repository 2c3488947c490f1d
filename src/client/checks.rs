//! Checks user input against the API's size limits before a request is sent.

use crate::prepare::PrepareError;
use api::content::ContactContent;
use api::mail_addresses::ascii_address;
use model::bounds;
use model::contact_cards::{ContactToSend, MAX_CARD_NAME_CHARS};

/// Requires text that is not blank.
pub(crate) fn check_required(what: &'static str, text: &str, most: usize) -> Result<(), PrepareError> {
    if text.trim().is_empty() {
        return Err(PrepareError::Empty(what));
    }
    check_length(what, text, most)
}

/// Limits a text that may be empty.
pub(crate) fn check_length(what: &'static str, text: &str, most: usize) -> Result<(), PrepareError> {
    let length = bounds::count_chars(text);
    if length > most { Err(PrepareError::TooLong { what, length, most }) } else { Ok(()) }
}

/// Limits a text in UTF-16 units, as Telegram counts.
pub(crate) fn check_utf16_length(what: &'static str, text: &str, most: usize) -> Result<(), PrepareError> {
    let length = bounds::utf16_length(text);
    if length > most { Err(PrepareError::TooLong { what, length, most }) } else { Ok(()) }
}

pub(crate) fn check_count(what: &'static str, count: usize, most: usize) -> Result<(), PrepareError> {
    if count > most { Err(PrepareError::TooMany { what, count, most }) } else { Ok(()) }
}

/// Requires a phone number, or the server's id for a group or a user without a number.
pub(crate) fn chat_address(text: &str) -> Result<(), PrepareError> {
    if bounds::is_chat_address(text) { Ok(()) } else { phone(text) }
}

/// Requires a phone number in E.164 form.
pub(crate) fn phone(text: &str) -> Result<(), PrepareError> {
    match text {
        "" => Err(PrepareError::NoAddress),
        text if bounds::is_e164(text) => Ok(()),
        text => Err(PrepareError::NotAPhone(text.to_owned())),
    }
}

/// Checks a contact card and returns it as it is sent.
pub(crate) fn contact(card: &ContactToSend) -> Result<ContactContent, PrepareError> {
    check_required("the name", &card.name, MAX_CARD_NAME_CHARS)?;
    check_length("the company", card.company.as_deref().unwrap_or(""), MAX_CARD_NAME_CHARS)?;
    phone(&card.phone)?;
    Ok(ContactContent::from(card))
}

/// Checks a mail address and returns it with its domain in ASCII.
pub(crate) fn mail_address(text: &str) -> Result<String, PrepareError> {
    ascii_address(text).ok_or_else(|| PrepareError::NotAMailAddress(text.to_owned()))
}

pub(crate) fn mail_addresses(all: &[String]) -> Result<Vec<String>, PrepareError> {
    all.iter().map(|address| mail_address(address)).collect()
}

/// Requires an `https` or `http` URL. A local service hands out `http` URLs, so the server
/// decides whether it accepts them.
pub(crate) fn link(text: &str) -> Result<(), PrepareError> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = text
        .chars()
        .all(|character| character.is_ascii_graphic() || !character.is_ascii() && !character.is_control());
    match rest {
        Some(rest) if !rest.is_empty() && plain => Ok(()),
        _ => Err(PrepareError::NotALink(text.to_owned())),
    }
}
