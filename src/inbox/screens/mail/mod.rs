//! Mail: what a mail tab has beside its list and history, and which of its
//! commands mean something else there.
//!
//! A thread of mails is a conversation, so lists, filters, notes, snoozes and
//! the outbox work as everywhere.

pub(crate) mod commands;
pub(crate) mod filing;
pub mod head;
pub(crate) mod header_view;
pub mod last_look;
pub(crate) mod markdown;
pub mod menus;
pub(crate) mod menus_view;
pub mod reading;
pub(crate) mod review;
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
use crate::screens::mail::writing::MailBeginning;
use model::email::MailAccount;
use model::outbox::content::Mail;

/// What only a mail tab has.
#[derive(Debug, Default)]
pub struct MailState {
    /// The account, as last read.
    pub account: Option<MailAccount>,
    /// Words seen as folders and as categories.
    pub words: [Vec<String>; 2],
    /// A rule that is being made.
    rule: Option<RuleDraft>,
    /// Going through threads one by one.
    triage: Option<Triage>,
    /// A mail that begins once its thread is loaded, and whether with a
    /// canned reply.
    pub(crate) begun: Option<(MailBeginning, bool)>,
    /// To whom a new mail goes that begins.
    begun_to: Option<String>,
    /// Mails that were sent from here, as they leave and as they were written.
    leaving: Vec<(Mail, String)>,
}
