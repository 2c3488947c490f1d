//! Scope of a key and rate limit category of a call. Paths are relative to the base URL.

use axum::http::Method;

use crate::auth::Caller;
use crate::errors::ApiError;
use crate::limits::Category;
use api::errors::ErrorCode;
use platforms::Channel;

fn resource(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or("")
}

/// Returns the channel kinds whose keys may use a resource; `None` for an unknown resource, which the router
/// answers with 404.
fn channels(resource: &str) -> Option<&'static [Channel]> {
    use Channel::{Email, Telegram, Voip, Whatsapp};
    match resource {
        "account" | "triggers" | "media" => Some(&[Whatsapp, Telegram, Email, Voip]),
        "messages" | "conversations" | "contacts" | "broadcast" | "templates" => Some(&[Whatsapp]),
        "webhooks" => Some(&[Whatsapp, Telegram]),
        "telegram" => Some(&[Telegram]),
        "email" => Some(&[Email]),
        "voip" => Some(&[Voip]),
        _ => None,
    }
}

/// Checks that a key may use a path.
///
/// # Errors
/// `FORBIDDEN` if the resource belongs to other channels.
pub fn check(caller: &Caller, path: &str) -> Result<(), ApiError> {
    let resource = resource(path);
    match channels(resource) {
        Some(allowed) if !allowed.contains(&caller.channel) => Err(ApiError::new(
            ErrorCode::Forbidden,
            format!("a {} key may not use /{resource}", caller.channel.word()),
        )),
        _ => Ok(()),
    }
}

/// Returns the category that a call counts against. Writes without a category of their own (automation,
/// reactions, media, mail) count as sending.
pub fn category(method: &Method, path: &str) -> Category {
    if matches!(*method, Method::GET | Method::HEAD) {
        return Category::Read;
    }
    let mut segments = path.trim_matches('/').split('/');
    match (segments.next(), segments.next()) {
        (Some("broadcast"), _) => Category::Broadcast,
        (Some("contacts"), None) => Category::ContactsWrite,
        (Some("webhooks"), _) | (Some("email"), Some("webhooks")) => Category::Webhooks,
        _ => Category::Send,
    }
}

/// Returns the category of a signed-in person's call below `/desk/v1`.
pub fn desk_category(method: &Method) -> Category {
    if matches!(*method, Method::GET | Method::HEAD) { Category::Read } else { Category::Team }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::account::Environment;

    #[test]
    fn each_channel_has_its_own_resources() {
        use Channel::{Email, Telegram, Voip, Whatsapp};
        let cases: [(&str, &[Channel]); 13] = [
            ("/account", &[Whatsapp, Telegram, Email, Voip]),
            ("/messages/send", &[Whatsapp]),
            ("/messages", &[Whatsapp]),
            ("/conversations/c_1/close", &[Whatsapp]),
            ("/contacts", &[Whatsapp]),
            ("/broadcast", &[Whatsapp]),
            ("/templates", &[Whatsapp]),
            ("/media", &[Whatsapp, Telegram, Email, Voip]),
            ("/webhooks", &[Whatsapp, Telegram]),
            ("/telegram/send", &[Telegram]),
            ("/email/webhooks", &[Email]),
            ("/voip/sms", &[Voip]),
            ("/triggers/new-message", &[Whatsapp, Telegram, Email, Voip]),
        ];
        for (path, allowed) in cases {
            for channel in Channel::ALL {
                let caller = Caller {
                    key: "k".into(),
                    workspace: "w".into(),
                    channel_id: "c".into(),
                    channel,
                    environment: Environment::Live,
                    revision: None,
                    person: None,
                    suspended: false,
                };
                assert_eq!(check(&caller, path).is_ok(), allowed.contains(&channel), "{path} {channel:?}");
                assert!(check(&caller, "/nowhere").is_ok());
            }
        }
    }

    #[test]
    fn each_call_counts_once() {
        let cases = [
            ("GET", "/broadcast/b", Category::Read),
            ("GET", "/webhooks", Category::Read),
            ("POST", "/messages/send", Category::Send),
            ("POST", "/conversations/c/close", Category::Send),
            ("PATCH", "/conversations/c", Category::Send),
            ("POST", "/messages/m/react", Category::Send),
            ("POST", "/media", Category::Send),
            ("DELETE", "/contacts/c", Category::Send),
            ("POST", "/contacts", Category::ContactsWrite),
            ("POST", "/broadcast", Category::Broadcast),
            ("POST", "/webhooks", Category::Webhooks),
            ("DELETE", "/email/webhooks/w", Category::Webhooks),
            ("POST", "/email/send", Category::Send),
        ];
        for (method, path, expected) in cases {
            let method: Method = method.parse().expect("a method");
            assert_eq!(category(&method, path), expected, "{method} {path}");
        }
    }
}
