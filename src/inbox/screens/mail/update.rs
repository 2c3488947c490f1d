use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::screens::mail::writing::{MailStart, update as writing};
use model::email::{MailAccount, MailQuery};
use model::fetches::Fetch;
use model::ids::{ChannelId, ConversationId};

pub(crate) fn answer_mail(inbox: &mut Inbox) {
    writing::start_mail(inbox, MailStart::Reply, false);
}

pub(crate) fn answer_mail_canned(inbox: &mut Inbox) {
    writing::start_mail(inbox, MailStart::Reply, true);
}

pub(crate) fn new_mail(inbox: &mut Inbox) {
    inbox.desk.tab_mut().mail.pending_recipient = None;
    writing::start_mail(inbox, MailStart::New, false);
}

pub(crate) fn new_mail_to(inbox: &mut Inbox, address: String) {
    inbox.desk.tab_mut().mail.pending_recipient = Some(address);
    writing::start_mail(inbox, MailStart::New, false);
}

/// Shows the thread of a sent mail to a user who is still where it was written.
pub(crate) fn show_sent_thread(
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
            inbox.desk.open_conversation(channel, thread, focus, &mut inbox.context);
        }
    }
}

/// Takes the account from the cache; a known one wins.
pub(crate) fn receive_cached_account(
    desk: &mut Desk,
    channel: &ChannelId,
    account: Option<Box<MailAccount>>,
    words: [Vec<String>; 2],
) {
    if let Some(tab) = desk.tab_of(channel) {
        tab.mail.folders_and_categories = words;
        if let Some(account) = account {
            tab.mail.account.get_or_insert(*account);
        }
    }
}

pub(crate) fn receive_account(desk: &mut Desk, channel: &ChannelId, account: MailAccount) {
    if let Some(tab) = desk.tab_of(channel) {
        tab.mail.account = Some(account);
    }
}

pub(crate) fn load_mailbox(desk: &mut Desk, channel: &ChannelId, context: &mut Context) {
    let is_mail = desk.tabs.iter().any(|tab| tab.channel.id == *channel && tab.is_mail());
    if is_mail {
        context.push(Effect::Load(Load::Mailbox(channel.clone())));
    }
}

pub(crate) fn fetch_mail(desk: &mut Desk, wish: MailQuery, context: &mut Context) {
    let channel = desk.tab().channel.id.clone();
    context.push(SyncOrder::Fetch(channel, Fetch::Mail(wish)));
}
