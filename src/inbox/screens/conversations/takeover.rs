//! Whether a conversation can be taken over from the AI, handed back or closed.

use crate::command::Reason;
use crate::tab::Tab;
use model::conversations::{Automation, ConversationRow};

/// Whether the AI can be switched in a conversation.
pub(crate) fn switchable(row: &ConversationRow, pause: bool) -> Result<(), Reason> {
    if row.conversation.id.is_stand_in() {
        return Err("this row could not be read".into());
    }
    if !row.conversation.has_automation_switch() {
        return Err("this channel's AI cannot be paused through the interface".into());
    }
    match (row.automation_pending, row.conversation.automation) {
        (Some(false), _) if pause => Err("the AI is already being paused".into()),
        (Some(true), _) if !pause => Err("the AI is already being handed the conversation".into()),
        (None, Automation::Off) if pause => {
            Err("the AI is already paused here; {hand-back} hands back".into())
        }
        (None, Automation::On) if !pause => Err("the AI already answers here; {pause-ai} pauses it".into()),
        _ => Ok(()),
    }
}

/// Whether a conversation can be closed.
pub(crate) fn closable(row: &ConversationRow) -> Result<(), Reason> {
    if row.conversation.id.is_stand_in() {
        return Err("this row could not be read".into());
    }
    if !row.conversation.can_be_closed() {
        return Err("this channel's conversations cannot be closed through the interface".into());
    }
    if row.close_pending {
        return Err("already closing".into());
    }
    if Tab::is_closed(row) {
        return Err("already closed".into());
    }
    Ok(())
}
