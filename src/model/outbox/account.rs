//! The account a row of the outbox is written for.
//!
//! A tab is a name in the configuration; the business behind it is decided by
//! its key, which can be replaced: another variable, another command, two tabs
//! that swap their names, another server. So each row keeps the account that
//! this desk showed when it was queued, and is compared with the account of
//! the key before each attempt. A row of another account never leaves by
//! itself: it asks a person, who sends it from here as a new message or drops
//! it.
//!
//! Accounts are told apart by what `GET /account` says (workspace, assistant,
//! environment) and by the server that says it. One that takes the
//! very same key is the same server, wherever it is found: a service on this
//! machine may get another port.

use serde::{Deserialize, Serialize};

use crate::account::Environment;
use crate::text::SafeText;

/// An account as far as a row depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendingAccount {
    /// Host and port of the server that told it.
    pub server: String,
    /// Print of the key that it was told to.
    #[serde(default)]
    pub key_print: String,
    pub workspace: String,
    /// Empty where the server does not tell it.
    pub assistant: String,
    /// `live` or `test`.
    pub environment: String,
    /// The workspace's name; not compared.
    pub name: Option<String>,
}

impl SendingAccount {
    /// True if both are the same account, whatever they are called.
    pub fn is_same(&self, other: &Self) -> bool {
        self.is_same_business(other) && self.environment == other.environment
    }

    /// True if both reach the same customers, be it with a live or a test key.
    pub fn is_same_business(&self, other: &Self) -> bool {
        let same_server =
            self.server == other.server || (!self.key_print.is_empty() && self.key_print == other.key_print);
        same_server && (&self.workspace, &self.assistant) == (&other.workspace, &other.assistant)
    }

    /// Returns the account in words, with what tells it apart from `other`.
    fn describe(&self, other: Option<&Self>) -> String {
        let name = self.name.clone().filter(|name| !name.is_empty());
        let mut words = name.unwrap_or_else(|| format!("workspace {}", self.workspace));
        let Some(other) = other.filter(|other| self.has_same_name(other)) else { return words };
        if self.environment != other.environment {
            let label = Environment::from_word(&self.environment).map(Environment::label);
            words.push_str(&format!(" ({})", label.unwrap_or(&self.environment)));
        } else if self.workspace != other.workspace {
            words.push_str(&format!(" (workspace {})", self.workspace));
        } else if self.assistant != other.assistant {
            words.push_str(&format!(" (assistant {})", self.assistant));
        } else if self.server != other.server {
            words.push_str(&format!(" (at {})", self.server));
        }
        words
    }

    fn has_same_name(&self, other: &Self) -> bool {
        let name = |account: &Self| account.name.clone().filter(|name| !name.is_empty());
        name(self) == name(other)
    }
}

/// Returns what is said where the conversations of another business were put away.
pub fn describe_removed_account(before: &SendingAccount, now: &SendingAccount) -> SafeText {
    let (before, now) = (before.describe(Some(now)), now.describe(Some(before)));
    SafeText::line(&format!("this tab now belongs to {now}; the conversations of {before} were put away"))
}

/// Returns why a row that was never tried does not leave with the key of `now`.
pub fn describe_other_account(written_for: Option<&SendingAccount>, now: &SendingAccount) -> SafeText {
    let here = now.describe(written_for);
    SafeText::line(&match written_for {
        Some(account) => {
            format!("written for {}; this tab now belongs to {here}", account.describe(Some(now)))
        }
        None => {
            format!("it is not known for which business this was written; this tab now belongs to {here}")
        }
    })
}

/// Returns why a row that may have been sent is not asked about with the key of `now`.
pub fn describe_other_account_attempt(
    written_for: Option<&SendingAccount>,
    now: &SendingAccount,
) -> SafeText {
    let here = now.describe(written_for);
    SafeText::line(&match written_for {
        Some(account) => {
            format!("it was first sent from {}; this tab now belongs to {here}", account.describe(Some(now)))
        }
        None => format!("it was first sent with another channel key; this tab now belongs to {here}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harbor() -> SendingAccount {
        SendingAccount {
            server: "api.example.com".into(),
            key_print: "p1".into(),
            workspace: "w1".into(),
            assistant: "a1".into(),
            environment: "live".into(),
            name: Some("Harbor Garage".into()),
        }
    }

    #[test]
    fn accounts_differ_by_everything_but_their_name() {
        let renamed = SendingAccount { name: Some("Harbour Garage".into()), ..harbor() };
        assert!(harbor().is_same(&renamed));
        let moved = SendingAccount { server: "127.0.0.1:9".into(), ..harbor() };
        assert!(harbor().is_same(&moved), "it takes the same key");
        let rotated = SendingAccount { key_print: "p2".into(), ..harbor() };
        assert!(harbor().is_same(&rotated), "another key of the same account");
        let others = [
            SendingAccount { server: "api.example.org".into(), key_print: "p2".into(), ..harbor() },
            SendingAccount { workspace: "w2".into(), ..harbor() },
            SendingAccount { assistant: "a2".into(), ..harbor() },
            SendingAccount { environment: "test".into(), ..harbor() },
        ];
        for other in others {
            assert!(!harbor().is_same(&other), "{other:?}");
            let words = describe_other_account(Some(&harbor()), &other);
            let (written, now) = words.as_str().split_once("; this tab now belongs to ").expect("both");
            assert_ne!(written, format!("written for {now}"), "{words}");
        }
    }

    #[test]
    fn the_question_names_both_businesses() {
        let shop = SendingAccount { workspace: "w2".into(), name: Some("Other Shop".into()), ..harbor() };
        let cases = [
            (Some(harbor()), "written for Harbor Garage; this tab now belongs to Other Shop"),
            (None, "it is not known for which business this was written; this tab now belongs to Other Shop"),
        ];
        for (written, words) in cases {
            assert_eq!(describe_other_account(written.as_ref(), &shop).as_str(), words);
        }
        let test = SendingAccount { environment: "test".into(), ..harbor() };
        assert_eq!(
            describe_other_account(Some(&test), &harbor()).as_str(),
            "written for Harbor Garage (TEST); this tab now belongs to Harbor Garage (LIVE)"
        );
    }
}
