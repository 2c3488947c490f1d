//! The account a row of the outbox is written for.
//!
//! A tab is a name in the configuration; its key decides which business it belongs to, and the key
//! can be replaced. So each row stores the account shown when it was queued, and the account is
//! compared with that of the key before each attempt. A row of another account needs a decision: a
//! person sends it from here as a new message or drops it.
//!
//! Accounts are compared by the answer of `GET /account` (workspace, assistant, environment) and by
//! server. Servers that accept the same key count as the same server, because a local service may
//! change its port.

use serde::{Deserialize, Serialize};

use crate::account::{Account, Environment, Platform};
use crate::text::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendingAccount {
    /// Host and port.
    pub server: String,
    /// Fingerprint of the key.
    #[serde(default)]
    pub key_print: String,
    pub workspace: String,
    /// Empty if the server does not report it.
    pub assistant: String,
    /// `live` or `test`.
    pub environment: String,
    /// Word of [`Platform`]; `None` in rows of earlier versions. Not compared: it follows from the
    /// assistant.
    #[serde(default)]
    pub platform: Option<String>,
    /// Display name of the workspace; not compared.
    pub name: Option<String>,
}

impl SendingAccount {
    pub fn is_same(&self, other: &Self) -> bool {
        self.is_same_business(other) && self.environment == other.environment
    }

    /// True if both reach the same customers, with a live or a test key.
    pub fn is_same_business(&self, other: &Self) -> bool {
        let same_server =
            self.server == other.server || (!self.key_print.is_empty() && self.key_print == other.key_print);
        same_server && (&self.workspace, &self.assistant) == (&other.workspace, &other.assistant)
    }

    /// Returns this platform if `other` is known to have a different one.
    fn differing_platform(&self, other: &Self) -> Option<Platform> {
        let (own, others) = self.platform.as_deref().zip(other.platform.as_deref())?;
        (own != others).then(|| Platform::from_word(own))
    }

    /// Describes the account, with the detail that distinguishes it from `other`.
    fn describe(&self, other: Option<&Self>) -> String {
        let name = self.name.clone().filter(|name| !name.is_empty());
        let mut words = name.unwrap_or_else(|| format!("workspace {}", self.workspace));
        if let Some(platform) = other.and_then(|other| self.differing_platform(other)) {
            words.push_str(&format!(" ({})", platform.label()));
            return words;
        }
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

/// Difference between a tab's account and the account of its new key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyChange {
    /// Another kind of channel; its conversations belong in another tab.
    Platform,
    LiveToTest,
    TestToLive,
    /// Another workspace or assistant of the same kind.
    Business,
}

/// Compares the account of a tab with the account of its key; `None` if they are the same. The text
/// names both.
pub fn describe_key_change(before: &SendingAccount, now: &Account) -> Option<(KeyChange, String)> {
    let known = before.platform.as_deref().map(Platform::from_word);
    if let Some(known) = known.filter(|known| *known != now.platform) {
        let words = format!("this tab was {}; its key is for {}", known.label(), now.platform.label());
        return Some((KeyChange::Platform, words));
    }
    match (Environment::from_word(&before.environment), now.environment) {
        (Some(Environment::Live), Environment::Test) => {
            let words = "this tab was LIVE; its key is a test key (TEST): nothing reaches a customer";
            return Some((KeyChange::LiveToTest, words.to_owned()));
        }
        (Some(Environment::Test), Environment::Live) => {
            let words = "this tab was TEST; its key is a live key (LIVE): what you send reaches customers";
            return Some((KeyChange::TestToLive, words.to_owned()));
        }
        (Some(Environment::Live), Environment::Live)
        | (Some(Environment::Test), Environment::Test)
        | (None, _) => {}
    }
    (before.workspace != now.workspace_id).then(|| {
        let name = |name: Option<&str>, id: &str| {
            name.filter(|name| !name.is_empty()).map_or_else(|| format!("workspace {id}"), str::to_owned)
        };
        let was = name(before.name.as_deref(), &before.workspace);
        let is = name(now.workspace_name.as_ref().map(SafeText::as_str), &now.workspace_id);
        (KeyChange::Business, format!("this tab belonged to {was}; its key belongs to {is}"))
    })
}

/// Message after the conversations of another business were removed from the tab.
pub fn describe_removed_account(before: &SendingAccount, now: &SendingAccount) -> SafeText {
    let (before, now) = (before.describe(Some(now)), now.describe(Some(before)));
    SafeText::line(&format!("this tab now belongs to {now}; the conversations of {before} were put away"))
}

/// Reason why an unsent row is not sent with the key of `now`.
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

/// Reason why a row of unknown outcome is not retried with the key of `now`.
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
            platform: Some("WHATSAPP".into()),
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

    fn account(platform: Platform, environment: Environment, workspace: &str) -> Account {
        Account {
            id: "a1".into(),
            workspace_id: workspace.into(),
            workspace_name: Some(SafeText::line("Other Shop")),
            assistant_name: None,
            platform,
            environment,
            number: None,
            credits: 1.0,
            messaging_tier: None,
            quality_rating: None,
            takes_buttons: false,
            takes_voice: false,
            takes_stickers: false,
            takes_contacts: false,
            takes_link_preview: false,
        }
    }

    #[test]
    fn key_of_another_kind_environment_or_business_is_described() {
        use Environment::{Live, Test};
        let test = SendingAccount { environment: "test".into(), ..harbor() };
        let old = SendingAccount { platform: None, ..harbor() };
        let cases = [
            (harbor(), account(Platform::Whatsapp, Live, "w1"), None),
            (old, account(Platform::Telegram, Live, "w1"), None),
            (
                harbor(),
                account(Platform::Telegram, Live, "w1"),
                Some((KeyChange::Platform, "this tab was business chat; its key is for bot-chat")),
            ),
            (
                harbor(),
                account(Platform::Whatsapp, Test, "w1"),
                Some((
                    KeyChange::LiveToTest,
                    "this tab was LIVE; its key is a test key (TEST): nothing reaches a customer",
                )),
            ),
            (
                test,
                account(Platform::Whatsapp, Live, "w1"),
                Some((
                    KeyChange::TestToLive,
                    "this tab was TEST; its key is a live key (LIVE): what you send reaches customers",
                )),
            ),
            (
                harbor(),
                account(Platform::Whatsapp, Live, "w2"),
                Some((
                    KeyChange::Business,
                    "this tab belonged to Harbor Garage; its key belongs to Other Shop",
                )),
            ),
        ];
        for (before, now, expected) in cases {
            let expected = expected.map(|(change, words)| (change, words.to_owned()));
            assert_eq!(describe_key_change(&before, &now), expected);
        }
    }

    #[test]
    fn removed_account_names_the_kind_that_changed() {
        let bot = SendingAccount { assistant: "a2".into(), platform: Some("TELEGRAM".into()), ..harbor() };
        assert_eq!(
            describe_removed_account(&harbor(), &bot).as_str(),
            "this tab now belongs to Harbor Garage (bot-chat); the conversations of Harbor Garage (business \
             chat) were put away"
        );
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
