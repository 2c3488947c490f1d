//! Addresses on the platform: a phone number, a person's platform id, or a group.

use serde_json::{Value, json};

use crate::words::read_text;
use model::bounds;

/// Prefix of a group's id in its address.
const GROUP_PREFIX: &str = "group:";

pub(super) fn phone_address(id: &str) -> String {
    format!("+{}", id.trim_start_matches('+'))
}

pub(super) fn group_address(id: &str) -> String {
    format!("{GROUP_PREFIX}{id}")
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ChatPerson {
    /// In E.164; a person with a user name may hide it.
    pub number: Option<String>,
    /// Platform ids, the one of this business first.
    pub ids: Vec<String>,
    pub name: Option<String>,
    /// Without the leading `@`.
    pub username: Option<String>,
}

impl ChatPerson {
    /// Reads the sender of a message; `contact` completes it.
    pub(super) fn read(message: &Value, contact: &Value) -> Self {
        let text = |value: &Value| {
            value.as_str().map(|text| text.replace('\0', "")).filter(|text| !text.trim().is_empty())
        };
        let named = [&message["from"], &contact["wa_id"]];
        let number = named.iter().find_map(|value| text(value).filter(|id| is_number(id)));
        let own = [&message["from_user_id"], &contact["user_id"], &message["from"], &contact["wa_id"]];
        let parents = [&message["from_parent_user_id"], &contact["parent_user_id"]];
        let mut ids: Vec<String> = Vec::new();
        for id in own.into_iter().chain(parents).filter_map(text).filter(|id| bounds::is_user_id(id)) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let username = text(&contact["profile"]["username"]).or_else(|| text(&contact["username"]));
        Self {
            number: number.map(|id| phone_address(&id)),
            ids,
            name: text(&contact["profile"]["name"]),
            username: username.map(|name| name.trim_start_matches('@').to_owned()),
        }
    }

    /// Returns the address for answers: the number if known, else an id.
    pub(super) fn address(&self) -> Option<&str> {
        self.number.as_deref().or_else(|| self.ids.first().map(String::as_str))
    }

    pub(super) fn other_ids(&self) -> Vec<String> {
        self.ids.iter().filter(|id| Some(id.as_str()) != self.address()).cloned().collect()
    }

    /// Returns the name, or the user name with a leading `@`.
    pub(super) fn display_name(&self) -> Option<String> {
        let username = || self.username.as_ref().map(|name| format!("@{name}"));
        self.name.clone().or_else(username)
    }
}

/// Returns the addresses of the customer whom a message of the business's own app reached, the best first.
pub(super) fn echo_recipients(message: &Value) -> Vec<String> {
    let named =
        ["to", "to_user_id", "to_parent_user_id"].iter().filter_map(|field| read_text(&message[*field]));
    let addresses = named.filter_map(|id| match is_number(&id) {
        true => Some(phone_address(&id)),
        false => Some(id).filter(|id| bounds::is_user_id(id)),
    });
    addresses.fold(Vec::new(), |mut all, address| {
        if !all.contains(&address) {
            all.push(address);
        }
        all
    })
}

/// Returns true if a platform id is a phone number without its plus.
pub(super) fn is_number(id: &str) -> bool {
    let digits = id.trim_start_matches('+');
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

pub(crate) fn set_recipient(body: &mut Value, to: &str) {
    // A group id of unknown form must not pass as a phone number.
    let (kind, field, id) = match to.strip_prefix(GROUP_PREFIX) {
        Some(id) => ("group", "to", id),
        None if bounds::is_user_id(to) => ("individual", "recipient", to),
        None => ("individual", "to", to.trim_start_matches('+')),
    };
    body["recipient_type"] = kind.into();
    body[field] = json!(id);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipient_is_written_as_the_platform_wants_it() {
        let cases = [
            ("+34600111222", json!({"recipient_type": "individual", "to": "34600111222"})),
            ("ES.15025763", json!({"recipient_type": "individual", "recipient": "ES.15025763"})),
            ("group:Y2FwaV9n", json!({"recipient_type": "group", "to": "Y2FwaV9n"})),
        ];
        for (to, wanted) in cases {
            let mut body = json!({});
            set_recipient(&mut body, to);
            assert_eq!(body, wanted, "{to}");
        }
    }

    #[test]
    fn echo_reached_a_number_or_an_id() {
        let cases = [
            (json!({"to": "34600"}), vec!["+34600"]),
            (json!({"to": "34600", "to_user_id": "ES.15"}), vec!["+34600", "ES.15"]),
            (json!({"to_user_id": "ES.15", "to_parent_user_id": "ES.15"}), vec!["ES.15"]),
            (json!({"to": "ES.15"}), vec!["ES.15"]),
            (json!({"to": "group:x", "to_user_id": ""}), vec![]),
            (json!({}), vec![]),
        ];
        for (message, wanted) in cases {
            assert_eq!(echo_recipients(&message), wanted, "{message}");
        }
    }

    #[test]
    fn person_has_a_number_or_an_id() {
        let read = |message: Value, contact: Value| ChatPerson::read(&message, &contact);
        let both = read(json!({"from": "34600", "from_user_id": "ES.15"}), json!({"wa_id": "34600"}));
        assert_eq!((both.address(), both.other_ids()), (Some("+34600"), vec!["ES.15".to_owned()]));
        let hidden = read(json!({"from_user_id": "ES.15"}), json!({"profile": {"username": "@ana"}}));
        assert_eq!((hidden.address(), hidden.display_name().as_deref()), (Some("ES.15"), Some("@ana")));
        assert!(hidden.other_ids().is_empty());
        let moved = read(json!({"from": "ES.15"}), json!({}));
        assert_eq!((moved.number, moved.ids), (None, vec!["ES.15".to_owned()]));
        assert_eq!(read(json!({}), json!({})).address(), None);
    }
}
