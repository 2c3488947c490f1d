//! Mail: the account behind a mail key, threads, and the letters in them.
//!
//! A thread is a conversation here: it has its row, history, notes and drafts
//! like one of a chat. What only mail has stands beside it in [`Thread`] and
//! [`MailMessage`]. Interface: Resources, Email account, Email thread, Email
//! contact.

pub mod addresses;
pub mod attached;
pub mod compose;
pub mod fields;
pub mod files;
pub mod quotes;
pub mod quoting;
pub mod rules;

use serde::{Deserialize, Deserializer, Serialize};

use crate::email::rules::RuleAction;
use crate::ids::ConversationId;
use crate::text::{SafeText, kept_block};
use crate::time::{MINUTE, Timestamp};

/// What begins the name of a mail that has no thread yet.
pub const NEW_MAIL_PREFIX: &str = "new-mail:";

/// After so long without a synchronisation mail may be late.
const MAX_SYNC_AGE: i64 = 15 * MINUTE;

/// The account behind a mail key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MailAccount {
    /// Where mail to it goes.
    pub address: SafeText,
    /// What mails from it are signed with.
    #[serde(rename = "name")]
    pub display_name: Option<SafeText>,
    pub provider: Option<SafeText>,
    /// `active` is known; any other word is shown as it came.
    #[serde(rename = "status")]
    pub sync_status: Option<SafeText>,
    /// When it last looked for mail.
    #[serde(rename = "syncedAt")]
    pub last_sync_at: Option<Timestamp>,
    /// Whether the AI answers mail by itself; of the whole account.
    #[serde(rename = "autoReply")]
    pub ai_auto_reply: Option<bool>,
    /// Mails from before the mailbox was connected that are filed, and whether
    /// these are all; where the server files any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<(u64, bool)>,
}

impl MailAccount {
    /// Why mail may be late, if it may.
    pub fn describe_delay(&self, now: Timestamp) -> Option<String> {
        let status = self.sync_status.as_ref().map_or("active", SafeText::as_str);
        if !status.eq_ignore_ascii_case("active") {
            return Some(format!("the account is {status}: mail may be late"));
        }
        let old = self.last_sync_at.filter(|last_sync| now.since(*last_sync) > MAX_SYNC_AGE);
        old.map(|_| "mail may be late".to_owned())
    }
}

/// What only a thread of mails has, beside its conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thread {
    pub subject: Option<SafeText>,
    /// Whether the server counts it as read.
    pub is_read: Option<bool>,
    /// Whether it has a star.
    pub is_starred: Option<bool>,
    /// What it is about, in the server's word.
    pub category: Option<SafeText>,
    /// How urgent it is, in the server's word.
    pub priority: Option<SafeText>,
    /// Where it lies; lists do not tell, single reads may.
    pub folder: Option<SafeText>,
    /// What of it holds only on this desk, because the server ignored it.
    pub only_here: Vec<ThreadField>,
    /// What a rule did to it last.
    pub by_rule: Option<RuleAction>,
}

impl Thread {
    /// Whether it was put away.
    pub fn is_archived(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| is_archive(folder.as_str()))
    }

    /// This reading, with what it does not tell from the one before.
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

/// Whether a folder's word means that what lies in it is done with.
pub fn is_archive(folder: &str) -> bool {
    matches!(folder.to_ascii_lowercase().as_str(), "archive" | "archived" | "all" | "done" | "trash" | "spam")
}

/// The place of a priority in a list, the most urgent first; a word nobody
/// knows comes after all others.
pub fn priority_rank(priority: &str) -> i64 {
    match priority.to_ascii_lowercase().as_str() {
        "urgent" | "critical" | "highest" => 0,
        "high" | "important" => 1,
        "normal" | "medium" => 2,
        "low" | "lowest" => 3,
        _ => 4,
    }
}

/// Which threads the server is asked for; the interface shows no values, so
/// they are those that were seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadFilter {
    /// Only in this folder.
    pub folder: Option<String>,
    /// Only of this category.
    pub category: Option<String>,
    /// Only read or unread ones.
    pub is_read: Option<bool>,
}

impl ThreadFilter {
    /// What of a filter line the server can look for.
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

/// What a person wants to know of mail now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailQuery {
    /// The newest threads of a filter.
    Threads(ThreadFilter),
    Thread(ConversationId),
    /// Correspondents in whose name or address this stands.
    Correspondents(String),
}

crate::words! {
    /// A part of a thread that can be changed. The interface shows no names for
    /// them, so what becomes of a change is looked at.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ThreadField {
        /// Read or unread.
        Read = "read",
        /// With a star or without.
        Star = "star",
        /// Put away or not, or in which folder.
        Place = "place",
        Category = "category",
        /// How urgent it is.
        Priority = "priority",
    }
}

impl ThreadField {
    /// The field's name on the wire, as this desk writes it.
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

/// One mail of a thread, beside its message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MailMessage {
    pub from: SafeText,
    pub from_name: Option<SafeText>,
    pub to: Vec<SafeText>,
    pub cc: Vec<SafeText>,
    /// The address in `Sender`, where it is not the author's.
    pub sender: Option<SafeText>,
    /// Where answers go, where that is not the author; as it stands where it
    /// cannot be read.
    #[serde(deserialize_with = "one_or_many")]
    pub reply_to: Vec<SafeText>,
    /// True if the server can read no address to answer to.
    pub is_unanswerable: bool,
    pub subject: Option<SafeText>,
    /// Its `Message-ID`.
    pub header_id: Option<String>,
    /// Time of sending as its sender says, where the server tells it beside the
    /// arrival.
    pub sent_at: Option<Timestamp>,
    /// Date of its sender, if it cannot be true.
    pub dated_at: Option<Timestamp>,
    /// Its plain text, if it has one.
    #[serde(deserialize_with = "kept_block")]
    pub plain: Option<SafeText>,
    /// Its HTML as text, if it has any.
    #[serde(deserialize_with = "kept_block")]
    pub rich: Option<SafeText>,
    /// Where its links lead, as they are numbered in the text.
    pub links: Vec<SafeText>,
    pub files: Vec<MailFile>,
}

/// Reads a list that was kept as one text or nothing by earlier versions.
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
    /// The addresses an answer goes to; none where a person must give one.
    pub fn reply_addresses(&self) -> Vec<&str> {
        let named = if self.reply_to.is_empty() { std::slice::from_ref(&self.from) } else { &self.reply_to };
        let readable = named.iter().map(SafeText::as_str).filter(|address| addresses::is_address(address));
        if self.is_unanswerable { Vec::new() } else { readable.collect() }
    }

    /// True if the server tells nothing of who is answered, so that the contact
    /// of the thread is.
    pub fn is_missing_author(&self) -> bool {
        self.from.is_empty() && self.reply_to.is_empty() && !self.is_unanswerable
    }

    /// Where an answer goes, in words, where that is not the author.
    pub fn describe_reply_address(&self) -> Option<String> {
        let all = self.reply_addresses();
        match all.as_slice() {
            [] if self.is_unanswerable || !self.from.is_empty() => {
                Some("No address to answer to can be read from this mail".to_owned())
            }
            [] => None,
            [one] if one.eq_ignore_ascii_case(self.from.as_str()) => None,
            _ => Some(format!("Answers go to: {}", all.join(", "))),
        }
    }
}

/// A file attached to a mail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MailFile {
    /// What it claims to be called.
    pub name: SafeText,
    /// Its media type, as claimed.
    pub kind: Option<SafeText>,
    /// Its bytes, where they are known.
    pub size: Option<u64>,
    /// Where its bytes are, where the server tells.
    pub url: Option<String>,
    /// Whether its bytes came with the mail.
    pub enclosed: bool,
}

/// Somebody mails were exchanged with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Correspondent {
    pub email: SafeText,
    pub name: Option<SafeText>,
    /// When the newest mail came or went.
    pub last_at: Option<Timestamp>,
    pub count: Option<u64>,
    /// The number of the same person on business chat.
    pub phone: Option<SafeText>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_line_says_what_the_server_looks_for() {
        let asked = |line| {
            let it = ThreadFilter::from_filter_line(line);
            (it.folder, it.category, it.is_read)
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
        let none = Some("No address to answer to can be read from this mail");
        let cases = [
            (mail("ann@a.example", &[], false), vec!["ann@a.example"], None),
            (mail("ann@a.example", &["Ann@A.example"], false), vec!["Ann@A.example"], None),
            (
                mail("www@f.example", &["ann@a.example"], false),
                vec!["ann@a.example"],
                Some("Answers go to: ann@a.example"),
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
