//! Conditions that commands of several screens share. A reason is in words for
//! the status line, in which `{command-name}` stands for that command's key.

use crate::Inbox;
use crate::command::Reason;
use crate::tab::{Focus, Tab};
use model::conversations::ConversationRow;
use model::news::Health;

/// What can always be done, or says itself why not.
pub(crate) fn always(_: &Inbox) -> Result<(), Reason> {
    Ok(())
}

pub(crate) fn no_conversation(tab: &Tab) -> Reason {
    if tab.is_inbox() {
        "no conversation is selected".into()
    } else {
        format!("{} has no conversations here yet", tab.channel.name)
    }
}

pub(crate) fn on_conversation(inbox: &Inbox) -> Result<(), Reason> {
    inbox.desk.current_conversation().map(drop).ok_or_else(|| no_conversation(inbox.desk.tab()))
}

pub(crate) fn on_mail(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().is_mail() {
        true => Ok(()),
        false => Err("only mail has this".into()),
    }
}

/// Whether the current thread can be read, starred, archived; of what is
/// marked, the plan says which.
pub(crate) fn thread_can_be_filed(inbox: &Inbox) -> Result<(), Reason> {
    if inbox.desk.acts_on_marks() {
        return Ok(());
    }
    writable(inbox).map(drop)
}

/// Whether anything of a tab may be changed on the server.
pub(crate) fn tab_writable(tab: &Tab) -> Result<(), Reason> {
    if tab.channel.read_only {
        return Err(format!("{} is read-only: nothing is changed from here", tab.channel.name));
    }
    if let Health::Refused { code, .. } = &tab.health {
        return Err(format!("the key of {} is not taken ({code}); the draft is kept", tab.channel.name));
    }
    if tab.account.is_none() {
        return Err(format!("{} has not answered yet, so its channel is not known", tab.channel.name));
    }
    Ok(())
}

pub(crate) fn on_writable_tab(inbox: &Inbox) -> Result<(), Reason> {
    tab_writable(inbox.desk.tab())
}

/// The current conversation, if it may be changed on the server at all.
pub(crate) fn writable(inbox: &Inbox) -> Result<&ConversationRow, Reason> {
    on_conversation(inbox)?;
    tab_writable(inbox.desk.tab())?;
    changeable(inbox)
}

/// The current conversation, if a key may act on it: not one that has just
/// come under the cursor.
pub(crate) fn changeable(inbox: &Inbox) -> Result<&ConversationRow, Reason> {
    let tab = inbox.desk.tab();
    let row = inbox.desk.current_conversation().ok_or_else(|| no_conversation(tab))?;
    let moved = inbox.desk.list().has_just_moved(inbox.context.moment);
    if moved && tab.focus == Focus::List && !inbox.features.macros.follows_a_step() {
        return Err("the list has just changed here; look again, then press the key again".into());
    }
    if row.conversation.id.is_stand_in() {
        return Err("this row could not be read, so nothing of it can be changed; {raw} shows it".into());
    }
    Ok(row)
}
