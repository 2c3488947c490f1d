//! Whether a command can be done now, and if not, why: a key never does
//! nothing without a word.

use crate::Inbox;
use crate::commands::Command;
use crate::pages::PageKind;
use crate::screens::broadcasts;
use crate::screens::conversations::MOVED_GRACE;
use crate::screens::mail;
use crate::screens::outbox::decisions;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::conversations::{Automation, ConversationRow};
use model::news::Health;
use model::outbox::{Operation, RowState};

/// Why a command is off.
pub type Reason = String;

/// Whether a command can be done now.
///
/// # Errors
/// The reason it cannot, in words for the status line.
pub fn check(inbox: &Inbox, command: Command) -> Result<(), Reason> {
    checked(inbox, command).map_err(|it| inbox.keyed(&it))
}

/// The same, with `{command-name}` for the keys in the reason.
fn checked(inbox: &Inbox, command: Command) -> Result<(), Reason> {
    use Command as C;
    let tab = inbox.tab();
    if let Some(answer) = mail::check(inbox, command) {
        return answer;
    }
    if let Some(answer) = broadcasts::availability::check(inbox, command) {
        return answer;
    }
    match command {
        C::PauseAi
        | C::HandBack
        | C::Close
        | C::CloseAndNext
        | C::Snooze
        | C::Claim
        | C::Unseen
        | C::Tags
            if inbox.acts_on_marks() =>
        {
            Ok(())
        }
        C::Mark | C::MarkRange | C::MarkAll | C::MarkInverted if inbox.list().selected.is_none() => {
            Err(no_conversation(tab))
        }
        C::Snooze | C::Claim | C::Unseen | C::Tags => changeable(inbox, tab).map(drop),
        C::PauseAi | C::HandBack => {
            let row = writable(inbox, tab)?;
            switchable(row, command == C::PauseAi)
        }
        C::Close | C::CloseAndNext => {
            let row = writable(inbox, tab)?;
            let held = inbox.holds_close(&row.channel, &row.conversation.id);
            closable(row).map_err(|why| if held { format!("{why}; {{undo}} keeps it open") } else { why })
        }
        C::Reply | C::Write | C::Canned | C::Template | C::Attach => sendable(inbox, tab, command),
        C::WriteNumber | C::Call => tab_writable(tab).and_then(|()| match tab.is_phone() {
            true => Ok(()),
            false => Err("numbers are written to and called from a phone tab".into()),
        }),
        C::React | C::RemoveReaction => {
            writable(inbox, tab)?;
            reactable(tab, command == C::RemoveReaction)
        }
        C::Decide | C::DecideRow => stopped(inbox),
        C::DecideAll => plannable(inbox),
        C::RowNow | C::RowBack => held(inbox, command == C::RowBack),
        _ => shown(inbox, tab, command),
    }
}

/// The same for what finds and shows, and for what was done.
fn shown(inbox: &Inbox, tab: &Tab, command: Command) -> Result<(), Reason> {
    use Command as C;
    match command {
        C::GoToRow if inbox.page == PageKind::Outbox && inbox.outbox.chosen().is_none() => {
            Err("the outbox is empty".into())
        }
        C::MarkPerson | C::MarkAllPeople | C::MarkNoPeople => people(inbox, tab),
        C::NewPerson | C::EditPerson | C::TagPerson | C::DeletePerson => person(inbox, tab, command),
        C::GoToRow | C::SearchRows if inbox.page == PageKind::People => {
            people(inbox, tab).and_then(|()| match (command, inbox.people.rows.chosen()) {
                (C::GoToRow, None) => Err("no person is chosen".into()),
                _ => Ok(()),
            })
        }
        C::LookUp if inbox.at_hand().is_none() => Err(no_conversation(tab)),
        C::LookUp | C::AskConnection if inbox.context.settings.connections.is_empty() => {
            Err("no connection is there yet; :connection add makes one".into())
        }
        C::NewWebhook => tab_writable(tab),
        C::RemoveWebhook => tab_writable(tab).and_then(|()| match inbox.chosen_webhook() {
            true => Ok(()),
            false => Err("no registered webhook is chosen".into()),
        }),
        C::AllTabs if !matches!(inbox.page, PageKind::Outbox | PageKind::Drafts | PageKind::Broadcasts) => {
            Err("this page is about one tab; {next-tab} goes to the next".into())
        }
        C::GoToRow if inbox.page == PageKind::Drafts && inbox.drafts.chosen().is_none() => {
            Err("there are no drafts".into())
        }
        C::OlderHit | C::NewerHit if tab.history.as_ref().is_none_or(|it| it.find.is_none()) => {
            Err("nothing is looked for; {find-in-history} looks in this conversation".into())
        }
        C::SortByCategory | C::SortByPriority if !tab.is_mail() && !inbox.everywhere => {
            Err("only email threads have one, and this list has none".into())
        }
        C::WriteNote => inbox.at_hand().map(|_| ()).ok_or_else(|| no_conversation(tab)),
        C::KeepBeside | C::SwapBeside if inbox.no_room_for_second().is_some() => {
            inbox.no_room_for_second().map_or(Ok(()), Err)
        }
        C::KeepBeside if inbox.at_hand().is_none() => Err(no_conversation(tab)),
        C::SwapBeside if inbox.second().is_none() => {
            Err("no other conversation is kept; {keep-beside} keeps the one at hand".into())
        }
        C::TakeOffer if inbox.offered().is_none() => Err("nothing is offered now".into()),
        C::Undo if inbox.undoable().is_none() && !inbox.is_queueing() => {
            let more = if inbox.done().next().is_some() { "; {show-done} lists what was done" } else { "" };
            Err(format!("nothing is held that could be taken back{more}"))
        }
        C::Repeat if !inbox.repeatable() => {
            Err("nothing was done to a conversation yet that can be done again".into())
        }
        C::PlayMacro if inbox.is_recording().is_some() => {
            Err("a macro is being recorded; {record-macro} ends it".into())
        }
        C::MarkAgain if inbox.acted_on().is_empty() => Err("nothing was marked before".into()),
        C::ShowUnreadable if tab.unreadable_count() == 0 => {
            Err("all that the server sent to this tab could be read".into())
        }
        C::ShowResults if inbox.batch.is_none() => Err("nothing was done with many yet".into()),
        C::LastPlace if !inbox.has_last_place() => Err("this is the first place since the start".into()),
        C::Card | C::Raw | C::Pipe | C::Elsewhere if inbox.at_hand().is_none() => Err(no_conversation(tab)),
        C::Card if tab.focus == Focus::List && inbox.context.size.0 < crate::layout::SIDE_BY_SIDE => {
            Err("open the conversation first, then {card} shows its card".into())
        }
        _ => Ok(()),
    }
}

/// Whether a tab has people.
fn people(inbox: &Inbox, tab: &Tab) -> Result<(), Reason> {
    if inbox.has_people() {
        return Ok(());
    }
    let label = tab.platform().map_or("this channel", Platform::label);
    Err(format!("no contacts are kept for {label}; a business chat tab has them"))
}

/// Whether a person can be made, changed or deleted.
fn person(inbox: &Inbox, tab: &Tab, command: Command) -> Result<(), Reason> {
    people(inbox, tab)?;
    tab_writable(tab)?;
    let Some(chosen) = inbox.people.rows.chosen() else {
        return if command == Command::NewPerson { Ok(()) } else { Err("no person is chosen".into()) };
    };
    let leaves = inbox
        .row_about(&chosen.phone)
        .is_some_and(|it| matches!(it.operation, Operation::DeleteContact { .. }));
    if command != Command::NewPerson && leaves {
        return Err("this person is being deleted; {undo} keeps it as long as it is held".into());
    }
    Ok(())
}

/// Whether the conversation at hand can be sent what a command begins.
fn sendable(inbox: &Inbox, tab: &Tab, command: Command) -> Result<(), Reason> {
    let row = writable(inbox, tab)?;
    let label = || tab.platform().map_or("this channel", Platform::label);
    match command {
        Command::Template if tab.platform() != Some(&Platform::Whatsapp) => {
            Err(format!("{} has no templates", label()))
        }
        Command::Attach if tab.platform().is_some_and(|it| !it.has_histories()) => {
            Err(format!("{} takes no files here", label()))
        }
        Command::Reply | Command::Write | Command::Canned if row.conversation.address.is_none() => {
            Err("this conversation has no address to answer to".into())
        }
        _ => Ok(()),
    }
}

fn no_conversation(tab: &Tab) -> Reason {
    if tab.is_inbox() {
        "no conversation is selected".into()
    } else {
        format!("{} has no conversations here yet", tab.channel.name)
    }
}

/// The conversation at hand, if it may be changed on the server at all.
pub(crate) fn writable_here(inbox: &Inbox) -> Result<&ConversationRow, Reason> {
    writable(inbox, inbox.tab())
}

/// The conversation at hand, if it may be changed on the server at all.
fn writable<'a>(inbox: &'a Inbox, tab: &Tab) -> Result<&'a ConversationRow, Reason> {
    inbox.at_hand().ok_or_else(|| no_conversation(tab))?;
    tab_writable(tab)?;
    changeable(inbox, tab)
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

/// The conversation at hand, if a key may act on it: not one that has just
/// come under the cursor.
fn changeable<'a>(inbox: &'a Inbox, tab: &Tab) -> Result<&'a ConversationRow, Reason> {
    let row = inbox.at_hand().ok_or_else(|| no_conversation(tab))?;
    let moved = tab.focus == Focus::List
        && !inbox.follows_a_step()
        && inbox.list().moved_at.is_some_and(|at| inbox.context.now.since(at) < MOVED_GRACE);
    if moved {
        return Err("the list has just changed here; look again, then press the key again".into());
    }
    if row.conversation.id.is_stand_in() {
        return Err("this row could not be read, so nothing of it can be changed; {raw} shows it".into());
    }
    Ok(row)
}

/// Whether the AI can be switched in a conversation.
pub(crate) fn switchable(row: &ConversationRow, pause: bool) -> Result<(), Reason> {
    if row.conversation.id.is_stand_in() {
        return Err("this row could not be read".into());
    }
    if row.conversation.automation == Automation::NotApplicable {
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
    if row.conversation.automation == Automation::NotApplicable {
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

fn reactable(tab: &Tab, remove: bool) -> Result<(), Reason> {
    if tab.is_phone() {
        return Err("an SMS takes no reactions".into());
    }
    let history = tab.history.as_ref().ok_or_else(|| no_conversation(tab))?;
    let row = history.selected_message().ok_or("select a message of the customer first")?;
    let present = match &row.reaction_pending {
        Some(pending) => !pending.is_empty(),
        None => row.reaction.is_some(),
    };
    if remove && !present {
        return Err("there is no reaction of yours on this message".into());
    }
    if row.message.unreadable {
        return Err("this message could not be read, so its id is not sure".into());
    }
    Ok(())
}

fn stopped(inbox: &Inbox) -> Result<(), Reason> {
    let Some(row) = inbox.row_at_hand() else {
        return Err(match inbox.page {
            PageKind::Outbox => "the outbox is empty".into(),
            _ => "only a message that was stopped on its way out asks; select one first".into(),
        });
    };
    if inbox.tabs.iter().any(|it| it.channel.id == row.channel && it.channel.read_only) {
        return Err("its tab is read-only: nothing is changed from here".into());
    }
    match row.state {
        RowState::Stopped(..) => Ok(()),
        RowState::Queued if row.can_recall() => Err("it does not ask: it leaves by itself".into()),
        _ => Err("it does not ask: it is tried again by itself".into()),
    }
}

/// Whether there is anything of which one key can send all.
fn plannable(inbox: &Inbox) -> Result<(), Reason> {
    let (go, look) = decisions::plan(&inbox.outbox.rows);
    match (go.len(), look) {
        (0, 0) => Err("nothing here waited for a connection".into()),
        (0, look) => Err(format!("{look} waited, but each needs a look first: {{decide}} decides")),
        _ => Ok(()),
    }
}

/// Whether the row at hand has not left and can be hurried or taken back.
fn held(inbox: &Inbox, back: bool) -> Result<(), Reason> {
    match inbox.row_at_hand() {
        None => Err("the outbox is empty".into()),
        Some(row) if row.is_stopped() => Err("it asks: {decide} decides over it".into()),
        Some(row) if back && row.can_withdraw() => Ok(()),
        Some(row) if !row.can_recall() => {
            Err("bytes of it may have left; it is tried again by itself".into())
        }
        Some(_) => Ok(()),
    }
}
