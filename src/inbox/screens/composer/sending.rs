//! Changing the server: the AI switch, sending, holding, closing, and what
//! becomes of a stopped message. Everything goes into the outbox.

use crate::changes::Changes;
use crate::command::Command;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, SyncOrder};
use crate::features::undo::update as undo;
use crate::features::undo_send::Early;
use crate::notice::Fact;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::reply_conflict::CrossedReply;
use crate::screens::composer::send_questions;
use crate::settings::PauseOnReply;
use crate::tab::Tab;
use crate::{Held, Inbox};
use model::account::Platform;
use model::conversations::ServiceWindow;
use model::ids::{ChannelId, ConversationId, RowId};
use model::outbox::content::ChatContent;
use model::outbox::{Operation, OutboxRow};
use model::text::SafeText;
use model::time::SECOND;

impl Desk {
    /// The intent of an operation on the current conversation.
    pub(crate) fn intent(&self, operation: Operation, hold: i64) -> Option<Intent> {
        let tab = self.tab();
        Some(Intent {
            channel: tab.channel.id.clone(),
            platform: tab.platform()?.clone(),
            conversation: self.current_conversation()?.conversation.id.clone(),
            operation,
            hold,
            seen: None,
            planned_at: None,
        })
    }

    pub(crate) fn enqueue(&mut self, operation: Operation, hold: i64, context: &mut Context) {
        if let Some(intent) = self.intent(operation, hold) {
            context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }

    pub(crate) fn switch_ai(&mut self, enabled: bool, context: &mut Context) {
        self.enqueue(Operation::SetAutomation { enabled }, 0, context);
        if enabled {
            context.say("handing back: the AI answers the next message");
        }
    }

    /// Sends what the composer holds, unless others spoke since it was begun.
    pub(crate) fn send_unless_crossed(&mut self, context: &mut Context) {
        let crossed = self.crossed();
        if !crossed.is_empty() {
            let text = self
                .tab()
                .composer
                .as_ref()
                .map(|composer| SafeText::line(&composer.text()))
                .unwrap_or_default();
            return context.open(CrossedReply { crossed, text });
        }
        self.send_seen(context);
    }

    /// Sends what the composer holds; its writer has seen what came before,
    /// and agreed to several messages where one does not hold it.
    pub(crate) fn send_seen(&mut self, context: &mut Context) {
        let operations = self.reply_operations();
        if !operations.is_empty() {
            self.send_operations(operations, true, context);
        }
    }

    /// The wishes what the composer holds becomes.
    pub(crate) fn reply_operations(&self) -> Vec<Operation> {
        let tab = self.tab();
        let to = tab.history.as_ref().and_then(|history| history.row.as_ref()?.conversation.address.clone());
        let (Some(composer), Some(to)) = (&tab.composer, to) else { return Vec::new() };
        if let Some(attachment) = &composer.attachment {
            return tab.attached_operations(composer, attachment, &to);
        }
        let mut quoted = composer.reply_to.clone();
        let parts = tab.messages_of(&composer.reply_text());
        let (by_phone, markup) = (tab.is_phone(), tab.markup());
        let operation = |text| match (by_phone, markup) {
            (true, _) => Operation::SendSms { to: to.clone(), body: text, via: None },
            (false, Some(markup)) => {
                let content = ChatContent::Marked { text, markup };
                Operation::SendContent { to: to.clone(), content, reply_to: quoted.take() }
            }
            (false, None) => Operation::SendText { to: to.clone(), text, reply_to: quoted.take() },
        };
        parts.into_iter().map(operation).collect()
    }

    /// Whether only templates may be sent in the current conversation.
    pub(crate) fn window_is_closed(&self) -> bool {
        self.current_conversation().is_some_and(|current_conversation| {
            current_conversation.conversation.window == ServiceWindow::Closed
        })
    }

    /// Sends these in order; true if it asks first what the AI shall do.
    fn send_operations(
        &mut self,
        operations: Vec<Operation>,
        clears_draft: bool,
        context: &mut Context,
    ) -> bool {
        let tab = self.tab();
        let Some(row) = tab.history.as_ref().and_then(|history| history.row.as_ref()) else { return false };
        let asks = Tab::ai_may_answer(row) && !tab.send_beside_ai.contains(&row.conversation.id);
        let hold = context.settings.hold;
        let sends: Option<Vec<Intent>> =
            operations.into_iter().map(|operation| self.intent(operation, hold)).collect();
        let pause = self.intent(Operation::SetAutomation { enabled: false }, 0);
        let (Some(sends), Some(pause)) = (sends, pause) else { return false };
        match context.settings.pause_on_reply {
            PauseOnReply::Ask if asks => {
                send_questions::ask_pause(context, pause, sends, clears_draft);
                return true;
            }
            PauseOnReply::Always if asks => self.pause_and_send(pause, sends, clears_draft, context),
            _ => self.commit_send(sends, clears_draft, context),
        }
        false
    }

    /// Pauses the AI, then sends, in this order in one lane.
    pub(super) fn pause_and_send(
        &mut self,
        pause: Intent,
        mut sends: Vec<Intent>,
        clears_draft: bool,
        context: &mut Context,
    ) {
        sends.insert(0, pause);
        self.commit_send(sends, clears_draft, context);
    }

    /// Sends beside the AI, and does not ask again in this conversation until
    /// the AI is switched or the text taken back.
    pub(super) fn send_beside_ai(&mut self, sends: Vec<Intent>, clears_draft: bool, context: &mut Context) {
        let conversation = sends.first().map(|send| send.conversation.clone());
        self.tab_mut().send_beside_ai.extend(conversation);
        self.commit_send(sends, clears_draft, context);
    }

    /// Whoever switches the AI, from here on it is asked about again.
    pub(crate) fn ask_again_of_ai(&mut self, context: &Context) {
        let mut switched = Vec::new();
        for effect in &context.effects {
            let Effect::Write(FileWrite::Enqueue { intents, .. }) = effect else { continue };
            let switches =
                intents.iter().filter(|intent| matches!(intent.operation, Operation::SetAutomation { .. }));
            switched.extend(switches.map(|switch| (switch.channel.clone(), switch.conversation.clone())));
        }
        for (channel, conversation) in switched {
            self.forget_beside_ai(&channel, &conversation);
        }
    }

    /// What was answered for a conversation holds no longer.
    pub(crate) fn forget_beside_ai(&mut self, channel: &ChannelId, conversation: &ConversationId) {
        if let Some(tab) = self.tab_of(channel) {
            tab.send_beside_ai.retain(|send_beside_ai| send_beside_ai != conversation);
        }
    }

    pub(crate) fn commit_send(&mut self, intents: Vec<Intent>, clears_draft: bool, context: &mut Context) {
        let intents: Vec<Intent> = intents.into_iter().map(|intent| self.with_seen(intent)).collect();
        self.offer_after_sending(&intents, context);
        context.push(FileWrite::Enqueue { intents, clears_draft });
        let tab = self.tab_mut();
        if let Some(composer) = tab.composer.as_mut().filter(|_| clears_draft) {
            composer.clear();
        }
        if let Some(history) = &mut tab.history {
            history.follow();
            history.brief = None;
        }
        context.notice = None;
    }
}

impl Changes {
    pub(crate) fn close(&mut self, desk: &mut Desk, context: &mut Context) {
        let hold = context.settings.hold;
        desk.enqueue(Operation::Close, hold, context);
        if hold < SECOND {
            return context.say("closing");
        }
        self.queueing.expect(&context.effects);
        let until = context.moment.plus(hold);
        context.state(Fact::Held { until, what: "closing".to_owned(), back: "keeps it open" });
    }

    /// What is held of the open conversation, the newest alone.
    fn newest_held(&self, desk: &Desk) -> Option<Vec<RowId>> {
        let tab = desk.tab();
        let open = tab.composer.as_ref().map(|composer| &composer.conversation);
        let of_open = |held: &&Held| held.channel == tab.channel.id && held.lane.conversation() == open;
        let until = self.held.iter().rfind(of_open)?.until;
        let newest = self.held.iter().filter(|held| of_open(held) && held.until == until);
        Some(newest.map(|newest| newest.row.clone()).collect())
    }

    /// Whether sending with an empty composer ends the hold of this row.
    pub(crate) fn is_sent_now(&self, row: &OutboxRow, desk: &Desk) -> bool {
        self.newest_held(desk).is_some_and(|newest_held| newest_held.contains(&row.id))
    }

    /// The newest held message of the open conversation leaves now.
    fn send_held_now(&mut self, desk: &Desk, context: &mut Context) {
        match self.newest_held(desk) {
            Some(rows) => {
                let (go, stay) = self.held.drain(..).partition(|held| rows.contains(&held.row));
                self.held = stay;
                let go: Vec<Held> = go;
                context.push_all(go.into_iter().map(|held| FileWrite::SendNow(held.row)));
            }
            None if self.queueing.decide(Early::SendNow) => (),
            None => context.warn("there is nothing to send: the composer is empty"),
        }
    }
}

/// Sends what the composer holds, or ends the hold of what was sent.
pub(crate) fn send(inbox: &mut Inbox) {
    let tab = inbox.desk.tab();
    let Some(composer) = &tab.composer else { return };
    let attached = composer.attachment.is_some();
    if composer.is_blank() && !attached {
        return inbox.changes.send_held_now(&inbox.desk, &mut inbox.context);
    }
    if !may_leave_later(inbox) {
        return;
    }
    if attached {
        return inbox.desk.send_unless_crossed(&mut inbox.context);
    }
    let tab = inbox.desk.tab();
    let text = tab.composer.as_ref().map(|composer| composer.text()).unwrap_or_default();
    let parts = tab.messages_of(&text);
    let price = tab.text_price(parts.len());
    if parts.len() > 1 {
        let count = tab.count(&text);
        let price = tab.price_words(price);
        let parts: Vec<SafeText> = parts.iter().map(|part| SafeText::line(part)).collect();
        return send_questions::ask_split(&mut inbox.context, &parts, (count.length, count.limit), &price);
    }
    inbox.desk.send_unless_crossed(&mut inbox.context);
}

/// Whether what the composer holds may leave, now or later; why not is
/// said.
pub(crate) fn may_leave_later(inbox: &mut Inbox) -> bool {
    if let Err(reason) = may_send(inbox) {
        inbox.context.warn(reason);
        return false;
    }
    if inbox.desk.unfilled(&inbox.context).is_some() {
        inbox.context.refuse(&inbox.desk.unfilled(&inbox.context).unwrap_or_default());
        inbox.context.state(Fact::Unfilled);
        return false;
    }
    if let Some(why) = inbox.desk.tab_mut().composer.as_mut().and_then(|composer| composer.asks_about_key()) {
        inbox.context.warn(why);
        return false;
    }
    let tab = inbox.desk.tab();
    let Some(composer) = &tab.composer else { return false };
    if composer.attachment.is_some() {
        return inbox.desk.may_attach(&mut inbox.context);
    }
    let count = tab.count(&composer.reply_text());
    if let Some(markup) = tab.markup().filter(|_| count.is_over()) {
        let (length, most, word) = (count.length, count.limit, markup.word());
        inbox.context.warn(format!("nothing was sent: {length} of {most}; {word} is not split, shorten it"));
        return false;
    }
    if let Some(why) = tab.cannot_pay(tab.reply_price().1) {
        inbox.context.push(SyncOrder::Refresh(tab.channel.id.clone()));
        inbox.context.warn(format!("nothing was sent: {why} · draft kept"));
        return false;
    }
    true
}

/// Sends what a form made and the composer does not hold. The form waits
/// beneath a question, and is there again if that is not answered.
pub(crate) fn send_beside_draft(
    inbox: &mut Inbox,
    operation: Operation,
    form: &mut dyn Overlay,
) -> KeyOutcome {
    if inbox.desk.send_operations(vec![operation], false, &mut inbox.context) {
        return KeyOutcome::Stay;
    }
    form.has_left(inbox);
    KeyOutcome::Done
}

/// Whether anything may leave now; the reason keeps it in the composer.
fn may_send(inbox: &Inbox) -> Result<(), String> {
    inbox.enabled(Command::Write)?;
    let row = inbox.desk.tab().history.as_ref().and_then(|history| history.row.as_ref());
    let row = row.ok_or("the conversation is still being read; the draft is kept")?;
    if row.conversation.window == ServiceWindow::Closed {
        return Err(inbox
            .context
            .keyed("the window is closed: only templates leave now ({menu} t); the draft is kept"));
    }
    Ok(())
}

/// Whether places, buttons and lists can leave here now.
pub(crate) fn may_send_content(inbox: &Inbox) -> Result<(), String> {
    inbox.enabled(Command::Write)?;
    match inbox.desk.tab().platform() {
        Some(Platform::Whatsapp) if inbox.desk.window_is_closed() => {
            Err("the window is closed: only templates leave now".to_owned())
        }
        Some(Platform::Whatsapp) | None => Ok(()),
        Some(other) => Err(format!("{} has none of these", other.label())),
    }
}

pub(crate) fn undo(inbox: &mut Inbox) {
    inbox.context.let_be();
    if inbox.changes.queueing.decide(Early::Recall) {
        return;
    }
    let Some(group) = inbox.changes.undoable(&inbox.context) else { return };
    if let Some(words) = inbox.changes.passed_over(group, &inbox.desk, &inbox.context) {
        return inbox.context.say(words);
    }
    undo::undo_group(inbox, group);
}
