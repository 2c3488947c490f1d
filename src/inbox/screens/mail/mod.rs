//! Mail: state and commands that only mail tabs have. A mail thread is a conversation, so lists,
//! filters, notes, snoozes and the outbox work as elsewhere.

pub(crate) mod commands;
pub mod compose_header;
pub(crate) mod filing;
pub(crate) mod header_view;
pub(crate) mod invitations;
pub(crate) mod markdown;
pub mod menus;
pub(crate) mod menus_view;
pub mod reading;
pub(crate) mod review;
pub mod review_layout;
pub(crate) mod review_view;
pub(crate) mod rules;
pub(crate) mod saving;
pub mod thread_filing;
pub mod triage;
pub(crate) mod triage_view;
pub(crate) mod update;
pub mod view;
pub(crate) mod writing;
pub(crate) mod writing_view;

use crate::screens::mail::rules::RuleDraft;
use crate::screens::mail::triage::Triage;
use crate::screens::mail::writing::BegunMail;
use model::email::MailAccount;
use model::outbox::content::Mail;

#[derive(Debug, Default)]
pub struct MailState {
    pub account: Option<MailAccount>,
    /// Folders and categories in use.
    pub folders_and_categories: [Vec<String>; 2],
    rule_draft: Option<RuleDraft>,
    triage: Option<Triage>,
    pub(crate) pending_mail: Option<BegunMail>,
    /// Recipient of a new mail that has not begun yet.
    pending_recipient: Option<String>,
    /// Mails sent from here, as sent and as written.
    sent_mails: Vec<(Mail, String)>,
}
