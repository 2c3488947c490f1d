//! Addresses of a mailbox: which one a mail reached, and which one an answer is sent from.

use serde_json::{Map, Value};

use crate::database::emails::EmailRow;
use platforms::Platform;
use platforms::mail::InboundMail;

/// Key of the address that a mail reached among its headers. No header can have this name, since it
/// contains a space.
const DELIVERY_KEY: &str = "delivered to";

/// Stores the address that a mail reached among its headers, if it is not the main one.
pub fn write_delivery(mail: &InboundMail, headers: &mut Map<String, Value>) {
    if let Some(address) = &mail.delivered_to {
        headers.insert(DELIVERY_KEY.to_owned(), Value::String(address.clone()));
    }
}

/// Reads the address that a mail reached, `None` for the main one.
pub fn read_delivery(headers: &Map<String, Value>) -> Option<&str> {
    headers.get(DELIVERY_KEY)?.as_str()
}

/// Returns the address that a mail is sent from: the first of these from which the login may send, else
/// the main one.
pub fn choose_sender(platform: &dyn Platform, wanted: &[Option<String>], main: &str) -> String {
    let allowed = wanted.iter().flatten().find(|address| platform.may_send_as(address));
    allowed.cloned().unwrap_or_else(|| main.to_owned())
}

/// Returns the address of the mailbox in a mail: the one it reached, or was sent from.
pub fn address_in(mail: &EmailRow) -> Option<String> {
    if mail.direction == "outbound" {
        return Some(mail.sender.clone());
    }
    let headers: Map<String, Value> = serde_json::from_str(&mail.headers).unwrap_or_default();
    read_delivery(&headers).map(str::to_owned)
}
