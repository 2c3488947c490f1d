//! Sending and other changes on the server. Every change goes through the outbox.

use crate::changes::Changes;
use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, SyncOrder};
use crate::features::team;
use crate::features::undo::update as undo;
use crate::features::undo_send::EarlyDecision;
use crate::notice::StatusNotice;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::attachments;
use crate::screens::composer::canned::update as canned;
use crate::screens::composer::reply_conflict::ReplyConflictPrompt;
use crate::screens::composer::send_questions;
use crate::screens::mail::review;
use crate::settings::{PauseOnReply, Settings};
use crate::tab::Tab;
use crate::{HeldRow, Inbox};
use model::account::Platform;
use model::contact_cards;
use model::conversations::ServiceWindow;
use model::ids::{ChannelId, ConversationId, RowId};
use model::local::{Assignment, LocalChange};
use model::outbox::{Operation, OutboxRow};
use model::text::SafeText;

pub(crate) fn new_intent(desk: &Desk, operation: Operation, hold: i64) -> Option<Intent> {
    let tab = desk.tab();
    Some(Intent {
        channel: tab.channel.id.clone(),
        platform: tab.platform()?.clone(),
        conversation: desk.current_conversation()?.conversation.id.clone(),
        operation,
        hold,
        seen: None,
        planned_at: None,
    })
}

pub(crate) fn enqueue(desk: &mut Desk, operation: Operation, hold: i64, context: &mut Context) {
    if let Some(intent) = new_intent(desk, operation, hold) {
        context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    }
}

pub(crate) fn switch_ai(desk: &mut Desk, enabled: bool, context: &mut Context) {
    enqueue(desk, Operation::SetAutomation { enabled }, 0, context);
    if enabled {
        context.show_notice("handing back: the AI answers the next message");
    }
}

/// Sends the composer's content, unless the AI or a colleague answered since it was begun.
pub(crate) fn send_unless_conflict(desk: &mut Desk, context: &mut Context) {
    let crossed = desk.newer_messages();
    if !crossed.is_empty() {
        let text =
            desk.tab().composer.as_ref().map(|composer| SafeText::line(&composer.text())).unwrap_or_default();
        return context.open(ReplyConflictPrompt { newer_messages: crossed, text });
    }
    if !desk.is_forwarding() && team::ask_about_sending_colleague(desk, context) {
        return;
    }
    send_confirmed(desk, context);
}

/// Sends the composer's content. The caller has confirmed crossing messages, and a split or the
/// warnings about a mail.
pub(crate) fn send_confirmed(desk: &mut Desk, context: &mut Context) {
    if desk.tab().compose_header().is_some() {
        return review::send_mail(desk, context);
    }
    let operations = reply_operations(desk, &context.settings);
    if !operations.is_empty() {
        send_operations(desk, operations, true, context);
    }
}

pub(crate) fn reply_operations(desk: &Desk, settings: &Settings) -> Vec<Operation> {
    let tab = desk.tab();
    let to = tab.history.as_ref().and_then(|history| history.row.as_ref()?.conversation.address.clone());
    let (Some(composer), Some(to)) = (&tab.composer, to) else { return Vec::new() };
    if !composer.attachments.is_empty() {
        return tab.attachment_operations(composer, &to, tab.link_preview(settings));
    }
    let mut quoted = composer.reply_to.clone();
    let parts = tab.split_messages(&composer.reply_text());
    let (by_phone, markup, preview) = (tab.is_phone(), tab.markup(), tab.link_preview(settings));
    let operation = |text| match by_phone {
        true => Operation::SendSms { to: to.clone(), body: text, via: None },
        false => Operation::chat_text(&to, text, markup, preview).with_quote(quoted.take()),
    };
    parts.into_iter().map(operation).collect()
}

pub(crate) fn is_window_closed(desk: &Desk) -> bool {
    desk.current_conversation()
        .is_some_and(|current_conversation| current_conversation.conversation.window == ServiceWindow::Closed)
}

/// Sends these in order. Returns true if it first asks about pausing the AI.
fn send_operations(
    desk: &mut Desk,
    operations: Vec<Operation>,
    clears_draft: bool,
    context: &mut Context,
) -> bool {
    let tab = desk.tab();
    let Some(row) = tab.history.as_ref().and_then(|history| history.row.as_ref()) else { return false };
    let asks = Tab::ai_may_answer(row) && !tab.send_without_pause.contains(&row.conversation.id);
    let hold = context.settings.hold;
    let sends: Option<Vec<Intent>> =
        operations.into_iter().map(|operation| new_intent(desk, operation, hold)).collect();
    let pause = new_intent(desk, Operation::SetAutomation { enabled: false }, 0);
    let (Some(sends), Some(pause)) = (sends, pause) else { return false };
    match context.settings.pause_on_reply {
        PauseOnReply::Ask if asks => {
            send_questions::ask_pause(context, pause, sends, clears_draft);
            return true;
        }
        PauseOnReply::Always if asks => pause_and_send(desk, pause, sends, clears_draft, context),
        _ => enqueue_sends(desk, sends, clears_draft, context),
    }
    false
}

/// Pauses the AI and claims the conversation, then sends, in one lane.
pub(super) fn pause_and_send(
    desk: &mut Desk,
    pause: Intent,
    mut sends: Vec<Intent>,
    clears_draft: bool,
    context: &mut Context,
) {
    let claim = Assignment { agent: context.settings.agent.clone(), at: context.now };
    let claim = LocalChange::Claim(vec![(pause.conversation.clone(), Some(claim))]);
    context.push(FileWrite::ChangeLocal(pause.channel.clone(), claim));
    sends.insert(0, pause);
    enqueue_sends(desk, sends, clears_draft, context);
}

/// Sends without pausing the AI, and does not ask again in this conversation until the AI is
/// switched or the text is undone.
pub(super) fn send_without_pause(
    desk: &mut Desk,
    sends: Vec<Intent>,
    clears_draft: bool,
    context: &mut Context,
) {
    let conversation = sends.first().map(|send| send.conversation.clone());
    desk.tab_mut().send_without_pause.extend(conversation);
    enqueue_sends(desk, sends, clears_draft, context);
}

/// Forgets "send beside the AI" in every conversation whose AI switch changes.
pub(crate) fn reset_switched_pause_answers(desk: &mut Desk, context: &Context) {
    let mut switched = Vec::new();
    for effect in &context.effects {
        let Effect::Write(FileWrite::Enqueue { intents, .. }) = effect else { continue };
        let switches =
            intents.iter().filter(|intent| matches!(intent.operation, Operation::SetAutomation { .. }));
        switched.extend(switches.map(|switch| (switch.channel.clone(), switch.conversation.clone())));
    }
    for (channel, conversation) in switched {
        reset_pause_answer(desk, &channel, &conversation);
    }
}

pub(crate) fn reset_pause_answer(desk: &mut Desk, channel: &ChannelId, conversation: &ConversationId) {
    if let Some(tab) = desk.tab_of(channel) {
        tab.send_without_pause.retain(|send_beside_ai| send_beside_ai != conversation);
    }
}

pub(crate) fn enqueue_sends(
    desk: &mut Desk,
    intents: Vec<Intent>,
    clears_draft: bool,
    context: &mut Context,
) {
    let intents: Vec<Intent> = intents.into_iter().map(|intent| desk.with_read_position(intent)).collect();
    context.push(FileWrite::Enqueue { intents, clears_draft });
    let tab = desk.tab_mut();
    if let Some(composer) = tab.composer.as_mut().filter(|_| clears_draft) {
        composer.clear();
    }
    if let Some(history) = &mut tab.history {
        history.follow_newest();
        history.drop_brief();
    }
    context.notice = None;
}

impl Changes {
    /// Rows of the open conversation with the latest hold.
    fn newest_held(&self, desk: &Desk) -> Option<Vec<RowId>> {
        let current = desk.current_conversation()?;
        let of_open = |held: &&HeldRow| {
            held.channel == current.channel && held.lane.conversation() == Some(&current.conversation.id)
        };
        let until = self.held.iter().rfind(of_open)?.held_until;
        let newest = self.held.iter().filter(|held| of_open(held) && held.held_until == until);
        Some(newest.map(|newest| newest.row.clone()).collect())
    }

    /// True if the key that ends a hold sends this row.
    pub(crate) fn ends_hold_on_send(&self, row: &OutboxRow, desk: &Desk) -> bool {
        self.newest_held(desk).is_some_and(|newest_held| newest_held.contains(&row.id))
    }

    /// True if something of the open conversation is held.
    pub(crate) fn has_held_rows(&self, desk: &Desk) -> bool {
        self.newest_held(desk).is_some() || self.pending_groups.has_held()
    }

    /// Ends the hold of the newest change in the open conversation.
    pub(crate) fn send_held_now(&mut self, desk: &Desk, context: &mut Context) {
        match self.newest_held(desk) {
            Some(rows) => {
                let (go, stay) = self.held.drain(..).partition(|held| rows.contains(&held.row));
                self.held = stay;
                let go: Vec<HeldRow> = go;
                context.push_all(go.into_iter().map(|held| FileWrite::SendNow(held.row)));
            }
            None if self.pending_groups.decide(EarlyDecision::SendNow) => (),
            None => context.show_warning("nothing to send: the text is empty"),
        }
    }
}

/// Sends the composer's content. With an empty composer it ends the hold of the last message if
/// `ends_hold`, otherwise it says how to.
pub(crate) fn send(inbox: &mut Inbox, ends_hold: bool) {
    let tab = inbox.desk.tab();
    let Some(composer) = &tab.composer else { return };
    let attached = !composer.attachments.is_empty();
    if composer.is_blank() && !attached {
        if !ends_hold && inbox.changes.has_held_rows(&inbox.desk) {
            return inbox.context.show_status(StatusNotice::MessageHeld);
        }
        return inbox.changes.send_held_now(&inbox.desk, &mut inbox.context);
    }
    if !check_may_send_later(inbox) {
        return;
    }
    if attached {
        return send_unless_conflict(&mut inbox.desk, &mut inbox.context);
    }
    let tab = inbox.desk.tab();
    let text = tab.composer.as_ref().map(|composer| composer.text()).unwrap_or_default();
    let parts = tab.split_messages(&text);
    let price = tab.text_price(parts.len());
    if parts.len() > 1 {
        let count = tab.measure_text(&text);
        let price = tab.describe_price(price);
        let parts: Vec<SafeText> = parts.iter().map(|part| SafeText::line(part)).collect();
        return send_questions::ask_split(&mut inbox.context, &parts, (count.length, count.limit), &price);
    }
    send_unless_conflict(&mut inbox.desk, &mut inbox.context);
}

/// True if the composer's content can be sent now or later; otherwise the reason is shown.
pub(crate) fn check_may_send_later(inbox: &mut Inbox) -> bool {
    if let Err(reason) = check_may_send(inbox) {
        inbox.context.show_warning(reason);
        return false;
    }
    if canned::open_field_error(&inbox.desk, &inbox.context).is_some() {
        inbox
            .context
            .record_refusal(&canned::open_field_error(&inbox.desk, &inbox.context).unwrap_or_default());
        inbox.context.show_status(StatusNotice::UnfilledPlaceholder);
        return false;
    }
    if let Some(why) = inbox.desk.tab_mut().composer.as_mut().and_then(|composer| composer.key_warning()) {
        inbox.context.show_warning(why);
        return false;
    }
    let tab = inbox.desk.tab();
    let Some(composer) = &tab.composer else { return false };
    if !composer.attachments.is_empty() {
        return attachments::check_attachment(&mut inbox.desk, &mut inbox.context);
    }
    let count = tab.measure_text(&composer.reply_text());
    if let Some(markup) = tab.markup().filter(|_| count.is_over()) {
        let (length, most, word) = (count.length, count.limit, markup.word());
        inbox
            .context
            .show_warning(format!("nothing was sent: {length} of {most}; {word} is not split, shorten it"));
        return false;
    }
    if let Some(why) = tab.payment_error(tab.reply_price().1) {
        inbox.context.push(SyncOrder::Refresh(tab.channel.id.clone()));
        inbox.context.show_warning(format!("nothing was sent: {why} · draft kept"));
        return false;
    }
    true
}

/// Sends the content of a form. The form stays open beneath a question, in case it is not answered.
pub(crate) fn send_form_operation(
    inbox: &mut Inbox,
    operation: Operation,
    form: &mut dyn Overlay,
) -> KeyOutcome {
    if send_operations(&mut inbox.desk, vec![operation], false, &mut inbox.context) {
        return KeyOutcome::Stay;
    }
    form.on_sent(inbox);
    KeyOutcome::Done
}

fn check_may_send(inbox: &Inbox) -> Result<(), String> {
    inbox.check_enabled(Command::Write)?;
    let row = inbox.desk.tab().history.as_ref().and_then(|history| history.row.as_ref());
    let row = row.ok_or("the conversation is still being read; the draft is kept")?;
    if let Some(words) = row.conversation.describe_no_messages() {
        return Err(format!("{words}; the draft is kept"));
    }
    if row.conversation.window == ServiceWindow::Closed {
        return Err(inbox
            .context
            .fill_in_keys("reply window closed: only templates can be sent ({menu} t); the draft is kept"));
    }
    Ok(())
}

/// Checks that the customer takes messages.
fn check_takes_messages(inbox: &Inbox) -> Result<(), String> {
    let row = inbox.desk.current_conversation();
    row.and_then(|row| row.conversation.describe_no_messages()).map_or(Ok(()), Err)
}

pub(crate) fn check_may_send_content(inbox: &Inbox) -> Result<(), String> {
    inbox.check_enabled(Command::Write)?;
    match inbox.desk.tab().platform() {
        Some(Platform::Whatsapp) if is_window_closed(&inbox.desk) => {
            Err("reply window closed: only templates can be sent".to_owned())
        }
        Some(Platform::Whatsapp) | None => Ok(()),
        Some(other) => Err(format!("{} has none of these", other.label())),
    }
}

/// [`check_may_send_content`] for buttons and lists, which messages on bot-chat can have, too, if the service
/// has the extension.
pub(crate) fn check_may_send_choices(inbox: &Inbox) -> Result<(), String> {
    let tab = inbox.desk.tab();
    let takes_buttons = tab.account.as_ref().is_some_and(|account| account.takes_buttons);
    match tab.platform() {
        Some(Platform::Telegram) if takes_buttons => {
            inbox.check_enabled(Command::Write)?;
            check_takes_messages(inbox)
        }
        _ => check_may_send_content(inbox),
    }
}

/// [`check_may_send_content`] for contact cards, which need a service with the extension.
pub(crate) fn check_may_send_contact(inbox: &Inbox) -> Result<(), String> {
    let tab = inbox.desk.tab();
    inbox.check_enabled(Command::Write)?;
    if !tab.account.as_ref().is_some_and(|account| account.takes_contacts) {
        return Err(contact_cards::missing_reason(tab.platform()));
    }
    match tab.platform() {
        Some(Platform::Whatsapp) => check_may_send_content(inbox),
        _ => check_takes_messages(inbox),
    }
}

pub(crate) fn undo_last(inbox: &mut Inbox) {
    // An act on its way to the disk is withdrawn as a whole once it is there.
    let is_newest = inbox.changes.journal.is_newest_awaiting_rows();
    if !is_newest && inbox.changes.pending_groups.decide(EarlyDecision::Recall) {
        return;
    }
    let Some(group) = inbox.changes.next_undo_group(&inbox.context) else { return };
    if let Some(words) = inbox.changes.describe_passed_over(group, &inbox.desk, &inbox.context) {
        return inbox.context.show_notice(words);
    }
    undo::undo_group(inbox, group);
}
