//! Takes in the account of a mail tab and what became of mails sent from here.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::screens::mail::writing::{MailBeginning, update as writing};
use model::email::{MailAccount, MailQuery};
use model::fetches::Fetch;
use model::ids::{ChannelId, ConversationId};

pub(crate) fn answer_mail(inbox: &mut Inbox) {
    writing::begin_mail(inbox, MailBeginning::Answer, false);
}

pub(crate) fn answer_mail_canned(inbox: &mut Inbox) {
    writing::begin_mail(inbox, MailBeginning::Answer, true);
}

pub(crate) fn new_mail(inbox: &mut Inbox) {
    inbox.desk.tab_mut().mail.begun_to = None;
    writing::begin_mail(inbox, MailBeginning::New, false);
}

/// Begins a new mail to an address.
pub(crate) fn new_mail_to(inbox: &mut Inbox, address: String) {
    inbox.desk.tab_mut().mail.begun_to = Some(address);
    writing::begin_mail(inbox, MailBeginning::New, false);
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
    let open = inbox
        .desk
        .tab_of(channel)
        .and_then(|tab| tab.history.as_ref())
        .map(|history| history.conversation.clone());
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
        let is_mail = self.tabs.iter().any(|tab| tab.channel.id == *channel && tab.is_mail());
        if is_mail {
            context.push(Effect::Load(Load::Mailbox(channel.clone())));
        }
    }

    pub(crate) fn fetch_mail(&mut self, wish: MailQuery, context: &mut Context) {
        let channel = self.tab().channel.id.clone();
        context.push(SyncOrder::Fetch(channel, Fetch::Mail(wish)));
    }
}
