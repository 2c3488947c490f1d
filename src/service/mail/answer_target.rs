//! Where an answer to a mail goes.

use serde_json::{Map, Value, json};

/// Key under which a target is kept with the headers of a mail that came in.
/// No header has this name: spaces are not allowed in one.
const KEY: &str = "answers go to";

/// Local parts under which mail servers report. Nobody reads what is sent there.
const MAIL_DAEMONS: [&str; 2] = ["mailer-daemon", "mail-daemon"];

/// True for the address under which a mail server reports.
pub fn is_mail_daemon(address: &str) -> bool {
    let local = address.rsplit_once('@').map_or(address, |(local, _)| local);
    MAIL_DAEMONS.iter().any(|daemon| local.eq_ignore_ascii_case(daemon))
}

/// Target of an answer, as `Reply-To` and `From` tell it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AnswerTarget {
    /// The author in `From`.
    #[default]
    Author,
    /// Other addresses than the author's, at least one.
    Others {
        to: Vec<String>,
        /// Display name of the first.
        name: Option<String>,
    },
    /// No address can be read: a person must give one.
    Nobody {
        /// The header as it stands; empty if there is none.
        shown: String,
    },
}

impl AnswerTarget {
    /// Keeps the target with the headers of its mail. The author is the usual
    /// one and is not written down.
    pub fn keep_in(&self, headers: &mut Map<String, Value>) {
        let kept = match self {
            Self::Author => return,
            Self::Others { to, name } => json!({"to": to, "name": name}),
            Self::Nobody { shown } => json!({"unreadable": shown}),
        };
        headers.insert(KEY.to_owned(), kept);
    }

    /// Reads a target that was kept with the headers of its mail.
    pub fn kept_in(headers: &Map<String, Value>) -> Self {
        let Some(kept) = headers.get(KEY) else { return Self::Author };
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
            target.keep_in(&mut headers);
            assert_eq!(AnswerTarget::kept_in(&headers), target);
        }
    }
}
