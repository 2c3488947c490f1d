//! Recipient of an answer to a mail, taken from `Reply-To` and `From`.

use serde_json::{Map, Value, json};

/// Key under which a target is stored among the headers of a received mail. No header can have this name,
/// since it contains spaces.
const TARGET_KEY: &str = "answers go to";

/// Local parts from which mail servers send reports; nobody reads mail to them.
const MAIL_DAEMONS: [&str; 2] = ["mailer-daemon", "mail-daemon"];

/// Returns true for an address from which mail servers send reports.
pub fn is_mail_daemon(address: &str) -> bool {
    let local = address.rsplit_once('@').map_or(address, |(local, _)| local);
    MAIL_DAEMONS.iter().any(|daemon| local.eq_ignore_ascii_case(daemon))
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AnswerTarget {
    /// Author in `From`.
    #[default]
    Author,
    /// Other addresses than the author's; at least one.
    Others {
        to: Vec<String>,
        /// Display name of the first address.
        name: Option<String>,
    },
    /// No address could be parsed; a person has to enter one.
    Nobody {
        /// Header as received; empty if there is none.
        shown: String,
    },
}

impl AnswerTarget {
    /// Stores the target among a mail's headers. The default is omitted.
    pub fn write_to(&self, headers: &mut Map<String, Value>) {
        let kept = match self {
            Self::Author => return,
            Self::Others { to, name } => json!({"to": to, "name": name}),
            Self::Nobody { shown } => json!({"unreadable": shown}),
        };
        headers.insert(TARGET_KEY.to_owned(), kept);
    }

    pub fn read_from(headers: &Map<String, Value>) -> Self {
        let Some(kept) = headers.get(TARGET_KEY) else { return Self::Author };
        if let Some(shown) = kept["unreadable"].as_str() {
            return Self::Nobody { shown: shown.to_owned() };
        }
        let to = kept["to"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Self::Others { to: to.collect(), name: kept["name"].as_str().map(str::to_owned) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_kept_with_the_headers() {
        let targets = [
            AnswerTarget::Author,
            AnswerTarget::Others { to: vec!["a@x.example".to_owned()], name: Some("A".to_owned()) },
            AnswerTarget::Nobody { shown: "Doe".to_owned() },
        ];
        for target in targets {
            let mut headers = Map::new();
            target.write_to(&mut headers);
            assert_eq!(AnswerTarget::read_from(&headers), target);
        }
    }
}
