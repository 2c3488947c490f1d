//! Mail: what a mail tab has beside its list and history, and which of its
//! commands mean something else there.
//!
//! A thread of mails is a conversation, so lists, filters, notes, snoozes and
//! the outbox work as everywhere.

pub(crate) mod commands;
pub(crate) mod filing;
pub mod head;
pub mod last_look;
pub(crate) mod markdown;
pub mod menus;
pub(crate) mod menus_view;
pub mod reading;
pub(crate) mod review;
pub(crate) mod review_view;
pub mod triage;
pub(crate) mod triage_view;
pub mod view;
pub(crate) mod writing;
pub(crate) mod writing_view;

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::composer::ComposerMode;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::email::{MailAccount, MailWish};
use model::fetches::Fetch;
use model::ids::{ChannelId, ConversationId};
use model::outbox::content::Mail;

pub use review::doubts;
use triage::Triage;
use writing::Begun;

/// What only a mail tab has.
#[derive(Debug, Default)]
pub struct MailState {
    /// The account, as last read.
    pub account: Option<MailAccount>,
    /// Words seen as folders and as categories.
    pub words: [Vec<String>; 2],
    /// Going through threads one by one.
    triage: Option<Triage>,
    /// A mail that begins once its thread is at hand, and whether with a
    /// canned reply.
    begun: Option<(Begun, bool)>,
    /// Mails that were sent from here, as they leave and as they were written.
    leaving: Vec<(Mail, String)>,
}

impl Tab {
    /// Whether it is a mail account's: conversations are threads of mails.
    pub fn is_mail(&self) -> bool {
        self.platform() == Some(&Platform::Email)
    }

    /// Whether there is no composer below the history: it is there only while
    /// something is written.
    pub fn hides_composer(&self) -> bool {
        self.is_mail() && self.focus != Focus::Composer
    }

    /// Whether a mail is being written, which wants most of the screen.
    pub fn writes_mail(&self) -> bool {
        let writes = self.composer.as_ref().is_some_and(|it| it.mode == ComposerMode::Reply);
        self.is_mail() && self.focus == Focus::Composer && writes
    }
}

pub(crate) fn answer_mail(inbox: &mut Inbox) {
    writing::begin_mail(inbox, Begun::Answer, false);
}

pub(crate) fn answer_mail_canned(inbox: &mut Inbox) {
    writing::begin_mail(inbox, Begun::Answer, true);
}

pub(crate) fn new_mail(inbox: &mut Inbox) {
    writing::begin_mail(inbox, Begun::New, false);
}

/// A mail that left stands in a thread now: whoever still looks at where
/// it was written sees that thread.
pub(crate) fn mailed(
    inbox: &mut Inbox,
    channel: &ChannelId,
    before: &ConversationId,
    thread: &ConversationId,
) {
    inbox.history_changed(channel.clone(), thread);
    let open =
        inbox.desk.tab_of(channel).and_then(|it| it.history.as_ref()).map(|it| it.conversation.clone());
    if before != thread && open.as_ref() == Some(before) {
        let focus = inbox.desk.tab().focus;
        if inbox.desk.tab().channel.id == *channel {
            inbox.desk.visit(channel, thread, focus, &mut inbox.context);
        }
    }
}

impl Desk {
    /// The account of a mail tab was read from the cache.
    pub(crate) fn mailbox_known(
        &mut self,
        channel: &ChannelId,
        account: Option<Box<MailAccount>>,
        words: [Vec<String>; 2],
    ) {
        if let Some(tab) = self.tab_of(channel) {
            tab.mail.words = words;
            if let Some(account) = account {
                tab.mail.account.get_or_insert(*account);
            }
        }
    }

    /// The account of a mail tab was read from the server.
    pub(crate) fn mailbox_told(&mut self, channel: &ChannelId, account: MailAccount) {
        if let Some(tab) = self.tab_of(channel) {
            tab.mail.account = Some(account);
        }
    }

    /// What only mail wants with the list: the words of its menus.
    pub(crate) fn load_mailbox(&mut self, channel: &ChannelId, context: &mut Context) {
        let is_mail = self.tabs.iter().any(|it| it.channel.id == *channel && it.is_mail());
        if is_mail {
            context.push(Effect::Load(Load::Mailbox(channel.clone())));
        }
    }

    pub(crate) fn fetch_mail(&mut self, wish: MailWish, context: &mut Context) {
        let channel = self.tab().channel.id.clone();
        context.push(Effect::Fetch(channel, Fetch::Mail(wish)));
    }
}
