//! Mail rules: actions applied to every thread of an address. A rule is identified by its tab,
//! address and action.

use crate::conversations::ConversationRow;
use crate::ids::ChannelId;
use crate::outbox::content::{ThreadChange, ThreadPlace};
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleAction {
    Archive,
    Read,
    Star,
    Category(String),
    Folder(String),
}

impl RuleAction {
    /// Imperative form for menus.
    pub fn describe(&self) -> String {
        match self {
            Self::Archive => "archive".to_owned(),
            Self::Read => "mark as read".to_owned(),
            Self::Star => "star".to_owned(),
            Self::Category(category) => format!("set the category {category}"),
            Self::Folder(folder) => match folder.as_str() {
                "trash" => "delete".to_owned(),
                "spam" => "mark as spam".to_owned(),
                folder => format!("move to {folder}"),
            },
        }
    }

    /// Past form for history entries.
    pub fn describe_done(&self) -> String {
        match self {
            Self::Archive => "archived".to_owned(),
            Self::Read => "marked as read".to_owned(),
            Self::Star => "starred".to_owned(),
            Self::Category(category) => format!("category {category}"),
            Self::Folder(folder) => match folder.as_str() {
                "trash" => "deleted".to_owned(),
                "spam" => "marked as spam".to_owned(),
                folder => format!("moved to {folder}"),
            },
        }
    }

    #[must_use]
    pub fn add_to(&self, change: ThreadChange) -> ThreadChange {
        match self {
            Self::Archive => {
                ThreadChange { is_read: Some(true), place: Some(ThreadPlace::Archived(true)), ..change }
            }
            Self::Read => ThreadChange { is_read: Some(true), ..change },
            Self::Star => ThreadChange { is_starred: Some(true), ..change },
            Self::Category(category) => ThreadChange { category: Some(category.clone()), ..change },
            Self::Folder(folder) => {
                let is_read = matches!(folder.as_str(), "spam" | "trash").then_some(true).or(change.is_read);
                ThreadChange { is_read, place: Some(ThreadPlace::Folder(folder.clone())), ..change }
            }
        }
    }

    /// Format in the database and in scripts: `archive`, `category:billing`.
    pub fn as_stored(&self) -> String {
        match self {
            Self::Archive => "archive".to_owned(),
            Self::Read => "read".to_owned(),
            Self::Star => "star".to_owned(),
            Self::Category(category) => format!("category:{category}"),
            Self::Folder(folder) => format!("folder:{folder}"),
        }
    }

    pub fn from_stored(text: &str) -> Option<Self> {
        match text {
            "archive" => return Some(Self::Archive),
            "read" => return Some(Self::Read),
            "star" => return Some(Self::Star),
            "delete" | "trash" => return Some(Self::Folder("trash".to_owned())),
            "spam" => return Some(Self::Folder("spam".to_owned())),
            _ => {}
        }
        let (kind, value) = text.split_once(':')?;
        let value = Some(value.trim()).filter(|text| !text.is_empty())?.to_owned();
        match kind {
            "category" => Some(Self::Category(value)),
            "folder" => Some(Self::Folder(value)),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRule {
    /// Sender's real address in lower case.
    pub sender: String,
    pub action: RuleAction,
    pub is_on: bool,
    pub made_at: Timestamp,
    /// Applies to mail newer than this, by the server's clock.
    pub after: Timestamp,
    pub applied_count: u32,
}

impl MailRule {
    pub fn is_for(&self, sender: &str, action: &RuleAction) -> bool {
        self.sender == sender && self.action == *action
    }
}

pub fn rule_address(address: &str) -> String {
    address.trim().to_ascii_lowercase()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesQuery {
    pub channel: ChannelId,
    /// Also returns the open threads of this address, as a preview of the action.
    pub example: Option<(String, RuleAction)>,
    /// Also returns the threads this rule was applied to, for undoing it.
    pub applied: Option<(String, RuleAction)>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct RulesPage {
    /// All rules of the tab, in alphabetical order.
    pub rules: Vec<MailRule>,
    /// Requested threads, each with the reason why a rule would skip it.
    pub threads: Vec<(ConversationRow, Option<SafeText>)>,
    /// Time of the newest known mail; a new rule applies to later mail.
    pub newest: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_kept_said_and_put_together() {
        let all = [
            RuleAction::Archive,
            RuleAction::Read,
            RuleAction::Star,
            RuleAction::Category("billing".to_owned()),
            RuleAction::Folder("trash".to_owned()),
        ];
        for action in &all {
            assert_eq!(RuleAction::from_stored(&action.as_stored()).as_ref(), Some(action));
        }
        assert_eq!(RuleAction::from_stored("spam"), Some(RuleAction::Folder("spam".to_owned())));
        for text in ["", "archived", "category:", "folder: ", "to:x"] {
            assert_eq!(RuleAction::from_stored(text), None, "{text}");
        }
        let words: Vec<String> = all.iter().map(RuleAction::describe).collect();
        assert_eq!(words, ["archive", "mark as read", "star", "set the category billing", "delete"]);
        let both = all[3].add_to(all[2].add_to(ThreadChange::default()));
        assert_eq!(
            (both.is_starred, both.category.as_deref(), both.place),
            (Some(true), Some("billing"), None)
        );
        assert_eq!(rule_address(" News@Shop.example "), "news@shop.example");
    }
}
