//! Conditions shared by commands of several screens. A reason is text for the status line, in which
//! `{command-name}` is replaced by that command's key.

use crate::Inbox;
use crate::command::Reason;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::tab::{Focus, Tab};
use model::conversations::{Automation, ConversationRow};
use model::news::Health;

/// For commands that are always available, or say themselves why they are not.
pub(crate) fn always(_: &Inbox) -> Result<(), Reason> {
    Ok(())
}

pub(crate) fn no_conversation_reason(tab: &Tab) -> Reason {
    if tab.has_finished_triage() {
        "all threads decided; Esc back to the list".into()
    } else if tab.is_inbox() {
        "no conversation is selected".into()
    } else {
        format!("{} has no conversations here yet", tab.channel.name)
    }
}

pub(crate) fn on_conversation(inbox: &Inbox) -> Result<(), Reason> {
    inbox.desk.current_conversation().map(drop).ok_or_else(|| no_conversation_reason(inbox.desk.tab()))
}

pub(crate) fn on_mail(inbox: &Inbox) -> Result<(), Reason> {
    match inbox.desk.tab().is_mail() {
        true => Ok(()),
        false => Err("mail only".into()),
    }
}

/// Checks that the current thread can be filed. With marks, the bulk action decides per thread.
pub(crate) fn thread_can_be_filed(inbox: &Inbox) -> Result<(), Reason> {
    if bulk_actions::acts_on_marks(&inbox.desk) {
        return Ok(());
    }
    writable_conversation(inbox).map(drop)
}

/// Checks that the tab allows writes: not read-only, key accepted, account read.
pub(crate) fn check_tab_writable(tab: &Tab) -> Result<(), Reason> {
    if tab.channel.read_only {
        return Err(format!("{} is read-only: nothing can be changed here", tab.channel.name));
    }
    if let Health::Refused { code, .. } = &tab.health {
        return Err(format!("{} refused the key ({code}); the draft is kept", tab.channel.name));
    }
    if tab.account.is_none() {
        return Err(format!("{} has not answered yet; try again in a moment", tab.channel.name));
    }
    Ok(())
}

pub(crate) fn on_writable_tab(inbox: &Inbox) -> Result<(), Reason> {
    check_tab_writable(inbox.desk.tab())
}

/// The current conversation, if the server allows changes.
pub(crate) fn writable_conversation(inbox: &Inbox) -> Result<&ConversationRow, Reason> {
    on_conversation(inbox)?;
    check_tab_writable(inbox.desk.tab())?;
    changeable_conversation(inbox)
}

/// The current conversation, unless it has just moved under the cursor.
pub(crate) fn changeable_conversation(inbox: &Inbox) -> Result<&ConversationRow, Reason> {
    let tab = inbox.desk.tab();
    let row = inbox.desk.current_conversation().ok_or_else(|| no_conversation_reason(tab))?;
    let moved = inbox.desk.list().has_just_moved(inbox.context.input_moment());
    if moved && tab.focus == Focus::List && !inbox.features.macros.has_played_step() {
        return Err("the list has just changed; check it, then press the key again".into());
    }
    if row.conversation.id.is_stand_in() {
        return Err("this conversation could not be read and cannot be changed; {raw} shows it".into());
    }
    Ok(row)
}

pub(crate) fn check_switchable(row: &ConversationRow, pause: bool) -> Result<(), Reason> {
    if row.conversation.id.is_stand_in() {
        return Err("this conversation could not be read".into());
    }
    if !row.conversation.has_automation_switch() {
        return Err("the AI cannot be paused on this channel".into());
    }
    match (row.automation_pending, row.conversation.automation) {
        (Some(false), _) if pause => Err("already pausing the AI".into()),
        (Some(true), _) if !pause => Err("already handing back to the AI".into()),
        (None, Automation::Off) if pause => Err("the AI is already off; {hand-back} hand back".into()),
        (None, Automation::On) if !pause => Err("the AI is already on; {pause-ai} pause AI".into()),
        _ => Ok(()),
    }
}
