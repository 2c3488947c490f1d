//! Mail: the account behind a mail key, threads, and their messages.
//!
//! A thread is stored as a conversation, with a row, history, notes and drafts. [`Thread`] and
//! [`MailMessage`] hold the fields that only mail has.

pub mod addresses;
pub mod attached;
pub mod compose;
pub mod fields;
pub mod files;
pub mod invitations;
pub mod quotes;
pub mod quoting;
pub mod rules;

use serde::{Deserialize, Deserializer, Serialize};

use crate::email::invitations::{Invitation, InvitationAnswer};
use crate::email::rules::RuleAction;
use crate::ids::ConversationId;
use crate::text::{SafeText, kept_block};
use crate::time::{MINUTE, Timestamp};

/// Prefix of the local id of a mail without a thread.
pub const NEW_MAIL_PREFIX: &str = "new-mail:";

/// Microseconds since the last synchronization after which mail counts as late.
const MAX_SYNC_AGE: i64 = 15 * MINUTE;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MailAccount {
    pub address: SafeText,
    #[serde(rename = "name")]
    pub display_name: Option<SafeText>,
    pub provider: Option<SafeText>,
    /// Only `active` is interpreted; other words are shown unchanged.
    #[serde(rename = "status")]
    pub sync_status: Option<SafeText>,
    #[serde(rename = "syncedAt")]
    pub last_sync_at: Option<Timestamp>,
    /// True if the AI answers mail automatically; applies to the whole account.
    #[serde(rename = "autoReply")]
    pub ai_auto_reply: Option<bool>,
    /// Other addresses of the mailbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<SafeText>,
}

impl MailAccount {
    /// Addresses of the mailbox, the main one first.
    pub fn own_addresses(&self) -> Vec<String> {
        std::iter::once(&self.address).chain(&self.aliases).map(ToString::to_string).collect()
    }

    /// Returns the reason mail may be late, `None` if it is on time.
    pub fn describe_delay(&self, now: Timestamp) -> Option<String> {
        let status = self.sync_status.as_ref().map_or("active", SafeText::as_str);
        if !status.eq_ignore_ascii_case("active") {
            return Some(format!("the account is {status}: mail may be late"));
        }
        let old = self.last_sync_at.filter(|last_sync| now.since(*last_sync) > MAX_SYNC_AGE);
        old.map(|_| "mail may be late".to_owned())
    }
}

/// Fields of a conversation that only a mail thread has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thread {
    pub subject: Option<SafeText>,
    pub is_read: Option<bool>,
    pub is_starred: Option<bool>,
    /// Word of the server.
    pub category: Option<SafeText>,
    /// Word of the server.
    pub priority: Option<SafeText>,
    /// Lists omit it; single reads may include it.
    pub folder: Option<SafeText>,
    /// Fields whose change holds on this desk only because the server ignored it.
    pub only_here: Vec<ThreadField>,
    /// Last action of a rule on the thread.
    pub by_rule: Option<RuleAction>,
}

impl Thread {
    pub fn is_archived(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| is_archive(folder.as_str()))
    }

    /// Fills the fields missing here from an earlier reading.
    #[must_use]
    pub fn with_missing_from(self, before: Self) -> Self {
        Self {
            subject: self.subject.or(before.subject),
            is_read: self.is_read.or(before.is_read),
            is_starred: self.is_starred.or(before.is_starred),
            category: self.category.or(before.category),
            priority: self.priority.or(before.priority),
            folder: self.folder.or(before.folder),
            only_here: self.only_here,
            by_rule: self.by_rule,
        }
    }
}

pub fn is_archive(folder: &str) -> bool {
    matches!(folder.to_ascii_lowercase().as_str(), "archive" | "archived" | "all" | "done" | "trash" | "spam")
}

/// Returns the sort position of a priority, 0 for the most urgent; unknown words are last.
pub fn priority_rank(priority: &str) -> i64 {
    match priority.to_ascii_lowercase().as_str() {
        "urgent" | "critical" | "highest" => 0,
        "high" | "important" => 1,
        "normal" | "medium" => 2,
        "low" | "lowest" => 3,
        _ => 4,
    }
}

/// Filter of the list of threads. The interface documents no values, so they come from threads seen
/// so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadFilter {
    pub folder: Option<String>,
    pub category: Option<String>,
    pub is_read: Option<bool>,
}

impl ThreadFilter {
    /// Extracts the parts of a filter line that the server supports.
    pub fn from_filter_line(line: &str) -> Self {
        let value = |field: &str| {
            let start = line.split_whitespace().find(|word| word.starts_with(field))?;
            let rest = &line[line.find(start)? + field.len()..];
            let word = match rest.strip_prefix('"') {
                Some(rest) => rest.split('"').next()?,
                None => rest.split(char::is_whitespace).next()?,
            };
            (!word.is_empty()).then(|| word.to_owned())
        };
        Self {
            folder: value("folder:"),
            category: value("category:"),
            is_read: line.split_whitespace().any(|word| word == "is:unread").then_some(false),
        }
    }
}

/// Data of mail that a person wants refreshed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailQuery {
    /// The newest threads that match a filter.
    Threads(ThreadFilter),
    Thread(ConversationId),
    /// Correspondents whose name or address contains this text.
    Correspondents(String),
}

crate::words! {
    /// A changeable field of a thread. The interface documents no names for them, so each change is
    /// verified by reading the thread again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ThreadField {
        Read = "read",
        Star = "star",
        /// Archive or folder.
        Place = "place",
        Category = "category",
        Priority = "priority",
    }
}

impl ThreadField {
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Read => "isRead",
            Self::Star => "isStarred",
            Self::Place => "archived",
            Self::Category => "category",
            Self::Priority => "priority",
        }
    }
}

/// Fields of a message that only mail has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MailMessage {
    pub from: SafeText,
    pub from_name: Option<SafeText>,
    pub to: Vec<SafeText>,
    pub cc: Vec<SafeText>,
    /// Address in the `Sender` header, if it differs from the author's.
    pub sender: Option<SafeText>,
    /// Addresses answers go to, if they differ from the author; unparsed if unreadable.
    #[serde(deserialize_with = "one_or_many")]
    pub reply_to: Vec<SafeText>,
    /// True if the server found no readable address to answer to.
    pub is_unanswerable: bool,
    pub subject: Option<SafeText>,
    /// `Message-ID` header.
    pub header_id: Option<String>,
    /// Time of sending as stated by the sender, if the server reports it apart from the arrival.
    pub sent_at: Option<Timestamp>,
    /// Implausible date stated by the sender.
    pub dated_at: Option<Timestamp>,
    #[serde(deserialize_with = "kept_block")]
    pub plain: Option<SafeText>,
    /// HTML part, converted to text.
    #[serde(deserialize_with = "kept_block")]
    pub rich: Option<SafeText>,
    /// Link targets, in the order of their numbers in the text.
    pub links: Vec<SafeText>,
    pub files: Vec<MailFile>,
    /// Address of the mailbox that the mail reached, if it is not the account's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_to: Option<SafeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invitation: Option<Invitation>,
    /// Set if the mail answers an invitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invitation_response: Option<InvitationAnswer>,
}

/// Reads the formats of earlier versions (one text or nothing) as a list.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SafeText>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum StoredReplyTo {
        Many(Vec<SafeText>),
        One(SafeText),
        None(()),
    }
    Ok(match StoredReplyTo::deserialize(deserializer)? {
        StoredReplyTo::Many(all) => all,
        StoredReplyTo::One(one) => vec![one],
        StoredReplyTo::None(()) => Vec::new(),
    })
}

impl MailMessage {
    /// Returns the addresses an answer goes to; empty if a person must supply one.
    pub fn reply_addresses(&self) -> Vec<&str> {
        let named = if self.reply_to.is_empty() { std::slice::from_ref(&self.from) } else { &self.reply_to };
        let readable = named.iter().map(SafeText::as_str).filter(|address| addresses::is_address(address));
        if self.is_unanswerable { Vec::new() } else { readable.collect() }
    }

    /// True if the mail names nobody to answer; the answer then goes to the thread's contact.
    pub fn is_missing_author(&self) -> bool {
        self.from.is_empty() && self.reply_to.is_empty() && !self.is_unanswerable
    }

    /// Describes the destination of answers if it differs from the author.
    pub fn describe_reply_address(&self) -> Option<String> {
        let all = self.reply_addresses();
        match all.as_slice() {
            [] if self.is_unanswerable || !self.from.is_empty() => {
                Some("This mail has no readable reply address".to_owned())
            }
            [] => None,
            [one] if one.eq_ignore_ascii_case(self.from.as_str()) => None,
            _ => Some(format!("Replies go to: {}", all.join(", "))),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MailFile {
    /// File name as claimed by the sender.
    pub name: SafeText,
    /// Media type as claimed by the sender.
    pub kind: Option<SafeText>,
    /// In bytes.
    pub size: Option<u64>,
    /// Download URL, if the server reports one.
    pub url: Option<String>,
    /// True if the bytes came with the mail.
    pub enclosed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Correspondent {
    pub email: SafeText,
    pub name: Option<SafeText>,
    /// Time of the newest mail in either direction.
    pub last_at: Option<Timestamp>,
    pub count: Option<u64>,
    /// Phone number of the same person on business chat.
    pub phone: Option<SafeText>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_line_says_what_the_server_looks_for() {
        let asked = |line| {
            let filter = ThreadFilter::from_filter_line(line);
            (filter.folder, filter.category, filter.is_read)
        };
        let word = |text: &str| Some(text.to_owned());
        assert_eq!(asked("folder:spam is:unread"), (word("spam"), None, Some(false)));
        let quoted = "status:any folder:\"Deleted Items\" category:\"x";
        assert_eq!(asked(quoted), (word("Deleted Items"), word("x"), None));
        assert_eq!(asked("folder: from:ana folder"), (None, None, None));
    }

    #[test]
    fn an_answer_goes_to_addresses_that_can_be_read() {
        let line = |address: &str| SafeText::line(address);
        let mail = |from: &str, reply_to: &[&str], is_unanswerable| MailMessage {
            from: line(from),
            reply_to: reply_to.iter().map(|address| line(address)).collect(),
            is_unanswerable,
            ..MailMessage::default()
        };
        let none = Some("This mail has no readable reply address");
        let cases = [
            (mail("ann@a.example", &[], false), vec!["ann@a.example"], None),
            (mail("ann@a.example", &["Ann@A.example"], false), vec!["Ann@A.example"], None),
            (
                mail("www@f.example", &["ann@a.example"], false),
                vec!["ann@a.example"],
                Some("Replies go to: ann@a.example"),
            ),
            (mail("www@f.example", &["ann @a.example"], true), vec![], none),
            (mail("www@f.example", &["list@l.example"], true), vec![], none),
            (mail("Ann Berg", &[], false), vec![], none),
            (mail("", &[], false), vec![], None),
        ];
        for (mail, addresses, note) in cases {
            assert_eq!(
                (mail.reply_addresses(), mail.describe_reply_address().as_deref()),
                (addresses, note),
                "{mail:?}"
            );
        }
        for (kept, all) in [
            ("null", vec![]),
            ("\"a@x.example\"", vec!["a@x.example"]),
            ("[\"a@x.example\"]", vec!["a@x.example"]),
        ] {
            let read: MailMessage = serde_json::from_str(&format!("{{\"replyTo\":{kept}}}")).expect(kept);
            assert_eq!(read.reply_to.iter().map(SafeText::as_str).collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn mail_may_be_late() {
        let now = Timestamp::from_micros(100 * MINUTE);
        let account = |status: Option<&str>, minutes: Option<i64>| MailAccount {
            sync_status: status.map(SafeText::line),
            last_sync_at: minutes.map(|minute| now.plus(-minute * MINUTE)),
            ..MailAccount::default()
        };
        let cases = [
            (account(Some("active"), Some(1)), None),
            (account(Some("ACTIVE"), None), None),
            (account(None, None), None),
            (account(Some("active"), Some(16)), Some("mail may be late")),
            (account(Some("paused"), Some(1)), Some("the account is paused: mail may be late")),
        ];
        for (account, late) in cases {
            assert_eq!(account.describe_delay(now).as_deref(), late, "{account:?}");
        }
    }
}
