//! Received mail: its text, its topic and the recipient of its answer.

pub mod answer_target;
pub mod calendar;
pub mod plain;
pub mod topics;

use serde_json::{Map, Value};

use crate::contract::OutboundFile;
use crate::mail::answer_target::AnswerTarget;
use crate::mailbox::MailDirection;
use api::carriers::{CalendarEvent, PendingFile};
use api::email::AttachmentBody;
use model::bounds;
use model::time::Timestamp;

#[derive(Debug, Clone, Default)]
pub struct InboundMail {
    /// Author's address; the whole `From` header if it contains none.
    pub from: String,
    pub name: Option<String>,
    pub answers_go_to: AnswerTarget,
    /// Address in `Sender`, if it is not the author's.
    pub sent_by: Option<String>,
    /// May be empty.
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    /// Mail it answers: a service id or a `Message-ID`.
    pub in_reply_to: Option<String>,
    pub attachments: Vec<AttachmentBody>,
    /// Own `Message-ID`; `None` lets the service create one.
    pub header_id: Option<String>,
    /// Ids of the mails before it, oldest first.
    pub references: Vec<String>,
    /// Recipients; empty for the account itself.
    pub to: Vec<String>,
    pub copies: Vec<String>,
    /// Headers that mark automatic mail.
    pub headers: Map<String, Value>,
    /// True for automatic mail, which the assistant does not answer.
    pub is_automatic: bool,
    /// True for a server's report about a mail of this service, which is then the mail it answers.
    pub is_report: bool,
    /// Unchecked `Date` header.
    pub claimed_at: Option<Timestamp>,
    /// Arrival time by the mailbox's server; `None` without a mailbox.
    pub arrived_at: Option<Timestamp>,
    /// Address of the mailbox that the mail reached, if it is not the main one.
    pub delivered_to: Option<String>,
    /// Invitation, cancellation or answer in it.
    pub event: Option<CalendarEvent>,
}

impl InboundMail {
    pub fn readable_text(&self) -> String {
        readable_text(self.text.as_deref(), self.html.as_deref())
    }

    /// Returns the customer's address, to which an answer goes; the header as received if no address can be
    /// parsed.
    pub fn customer(&self) -> &str {
        match &self.answers_go_to {
            AnswerTarget::Author => &self.from,
            AnswerTarget::Others { to, .. } => to.first().map_or("", String::as_str),
            AnswerTarget::Nobody { shown } => shown,
        }
    }

    pub fn customer_name(&self) -> Option<&str> {
        match &self.answers_go_to {
            AnswerTarget::Author => self.name.as_deref(),
            AnswerTarget::Others { name, .. } => name.as_deref(),
            AnswerTarget::Nobody { .. } => None,
        }
    }

    /// Returns true if the customer's address is valid.
    pub fn is_answerable(&self) -> bool {
        !matches!(self.answers_go_to, AnswerTarget::Nobody { .. }) && bounds::is_email(self.customer())
    }
}

/// Returns the text of a mail, else the text of its HTML.
pub fn readable_text(text: Option<&str>, html: Option<&str>) -> String {
    match (text, html) {
        (Some(text), _) => text.to_owned(),
        (None, Some(html)) => plain::html_to_text(html),
        (None, None) => String::new(),
    }
}

/// Mail read from a mailbox.
#[derive(Debug, Clone, Default)]
pub struct ArrivedMail {
    pub mail: InboundMail,
    pub files: Vec<OutboundFile>,
    /// Attachments that stay in the mailbox until somebody opens them.
    pub left: Vec<PendingFile>,
    pub direction: MailDirection,
    /// UIDVALIDITY and UID in the inbox; `None` for a mail with an unreliable `Message-ID`.
    pub number: Option<(u32, u32)>,
    /// Report about a mail sent by this service.
    pub bounce: Option<BounceReport>,
    /// State in the mailbox before it was connected; `None` for new mail.
    pub earlier: Option<EarlierArrival>,
}

/// Report of a mail server about a mail it had accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BounceReport {
    /// `Message-ID` of the reported mail.
    pub header_id: String,
    /// False for mail that is delayed or was delivered.
    pub has_failed: bool,
    pub why: String,
}

/// State of a mail in the mailbox before that was connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierArrival {
    pub at: Timestamp,
    pub is_read: bool,
    pub is_starred: bool,
}
