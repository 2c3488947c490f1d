//! Changing the server: the AI switch, sending, holding, closing, and what
//! becomes of a stopped message. Everything goes into the outbox.

use crate::commands::Command;
use crate::event::{Effect, Intent};
use crate::features::undo_send::Early;
use crate::notice::Fact;
use crate::overlays::Layer;
use crate::settings::PauseOnReply;
use crate::tab::Tab;
use crate::{Held, Inbox};
use model::account::Platform;
use model::conversations::ServiceWindow;
use model::ids::{ChannelId, ConversationId};
use model::outbox::Operation;
use model::outbox::content::ChatContent;
use model::text::SafeText;
use model::time::SECOND;

impl Inbox {
    /// The intent of an operation on the conversation at hand.
    pub(crate) fn intent(&self, operation: Operation, hold: i64) -> Option<Intent> {
        let tab = self.tab();
        Some(Intent {
            channel: tab.channel.id.clone(),
            platform: tab.platform()?.clone(),
            conversation: self.at_hand()?.conversation.id.clone(),
            operation,
            hold,
            seen: None,
            planned_at: None,
        })
    }

    pub(crate) fn enqueue(&mut self, operation: Operation, hold: i64) {
        if let Some(intent) = self.intent(operation, hold) {
            self.context.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }

    pub(crate) fn switch_ai(&mut self, enabled: bool) {
        self.enqueue(Operation::SetAutomation { enabled }, 0);
        if enabled {
            self.say("handing back: the AI answers the next message");
        }
    }

    pub(crate) fn close(&mut self) {
        let hold = self.context.settings.hold;
        self.enqueue(Operation::Close, hold);
        if hold < SECOND {
            return self.say("closing");
        }
        self.queueing.expect(&self.context.effects);
        let until = self.context.now.plus(hold);
        self.state(Fact::Held { until, what: "closing".to_owned(), back: "keeps it open" });
    }

    /// Sends what the composer holds, or ends the hold of what was sent.
    pub(crate) fn send(&mut self) {
        let tab = self.tab();
        let Some(composer) = &tab.composer else { return };
        let attached = composer.attachment.is_some();
        if composer.is_blank() && !attached {
            return self.send_held_now();
        }
        if !self.may_leave_later() {
            return;
        }
        if attached {
            return self.send_unless_crossed();
        }
        let tab = self.tab();
        let text = tab.composer.as_ref().map(|it| it.text()).unwrap_or_default();
        let parts = tab.messages_of(&text);
        let price = tab.text_price(parts.len());
        if parts.len() > 1 {
            let count = tab.count(&text);
            let price = tab.price_words(price);
            let parts = parts.iter().map(|it| SafeText::line(it)).collect();
            return self.open_layer(Layer::AskSplit { parts, length: count.length, most: count.most, price });
        }
        self.send_unless_crossed();
    }

    /// Whether what the composer holds may leave, now or later; why not is
    /// said.
    pub(crate) fn may_leave_later(&mut self) -> bool {
        if let Err(reason) = self.may_send() {
            self.warn(reason);
            return false;
        }
        if self.unfilled().is_some() {
            self.state(Fact::Unfilled);
            return false;
        }
        if let Some(why) = self.tab_mut().composer.as_mut().and_then(|it| it.asks_about_key()) {
            self.warn(why);
            return false;
        }
        let tab = self.tab();
        let Some(composer) = &tab.composer else { return false };
        if composer.attachment.is_some() {
            return self.may_attach();
        }
        let count = tab.count(&composer.reply_text());
        if let Some(markup) = tab.markup().filter(|_| count.is_over()) {
            let (length, most, word) = (count.length, count.most, markup.word());
            self.warn(format!("nothing was sent: {length} of {most}; {word} is not split, shorten it"));
            return false;
        }
        if let Some(why) = tab.cannot_pay(tab.reply_price().1) {
            self.context.push(Effect::Refresh(tab.channel.id.clone()));
            self.warn(format!("nothing was sent: {why} · draft kept"));
            return false;
        }
        true
    }

    /// Sends what the composer holds, unless others spoke since it was begun.
    pub(crate) fn send_unless_crossed(&mut self) {
        let crossed = self.crossed();
        if !crossed.is_empty() {
            let text = self.tab().composer.as_ref().map(|it| SafeText::line(&it.text())).unwrap_or_default();
            return self.open_layer(Layer::AskCrossed { crossed, text });
        }
        self.send_seen();
    }

    /// Sends what the composer holds; its writer has seen what came before,
    /// and agreed to several messages where one does not hold it.
    pub(crate) fn send_seen(&mut self) {
        let operations = self.reply_operations();
        if !operations.is_empty() {
            self.send_operations(operations, true);
        }
    }

    /// The wishes what the composer holds becomes.
    pub(crate) fn reply_operations(&self) -> Vec<Operation> {
        let tab = self.tab();
        let to = tab.history.as_ref().and_then(|it| it.row.as_ref()?.conversation.address.clone());
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

    /// Sends what a form made and the composer does not hold. The form waits
    /// beneath a question, and is there again if that is not answered.
    pub(crate) fn send_beside_draft(&mut self, operation: Operation, form: Layer) {
        self.send_operations(vec![operation], false);
        match self.layers.pop() {
            Some(question @ Layer::AskPause { .. }) => self.layers.extend([form, question]),
            other => {
                self.layers.extend(other);
                self.form_has_left(&form);
            }
        }
    }

    /// What a form held is on its way.
    fn form_has_left(&mut self, form: &Layer) {
        match form {
            Layer::Form(form) => {
                let now = self.context.now;
                let answer = self.tab_mut().composer.as_mut().filter(|it| form.has_text(&it.reply_text()));
                let words = match answer {
                    Some(answer) => {
                        answer.clear_reply(now);
                        "queued, with the answer that was begun as its text"
                    }
                    None => "queued; the answer that was begun stays",
                };
                self.say(words);
            }
            Layer::Json { .. } => self.tab_mut().json = None,
            _ => {}
        }
    }

    /// Whether only templates may be sent in the conversation at hand.
    pub(crate) fn window_is_closed(&self) -> bool {
        self.at_hand().is_some_and(|it| it.conversation.window == ServiceWindow::Closed)
    }

    /// Sends these in order, after asking what the AI shall do.
    fn send_operations(&mut self, operations: Vec<Operation>, clears_draft: bool) {
        let tab = self.tab();
        let Some(row) = tab.history.as_ref().and_then(|it| it.row.as_ref()) else { return };
        let asks = Tab::ai_may_answer(row) && !tab.send_beside_ai.contains(&row.conversation.id);
        let hold = self.context.settings.hold;
        let sends: Option<Vec<Intent>> = operations.into_iter().map(|it| self.intent(it, hold)).collect();
        let pause = self.intent(Operation::SetAutomation { enabled: false }, 0);
        let (Some(sends), Some(pause)) = (sends, pause) else { return };
        match self.context.settings.pause_on_reply {
            PauseOnReply::Ask if asks => {
                self.open_layer(Layer::AskPause { sends, clears_draft, pause: Box::new(pause) });
            }
            PauseOnReply::Always if asks => self.pause_and_send(pause, sends, clears_draft),
            _ => self.commit_send(sends, clears_draft),
        }
    }

    /// Whether anything may leave now; the reason keeps it in the composer.
    fn may_send(&self) -> Result<(), String> {
        crate::availability::check(self, Command::Write)?;
        let row = self.tab().history.as_ref().and_then(|it| it.row.as_ref());
        let row = row.ok_or("the conversation is still being read; the draft is kept")?;
        if row.conversation.window == ServiceWindow::Closed {
            return Err(
                self.keyed("the window is closed: only templates leave now ({menu} t); the draft is kept")
            );
        }
        Ok(())
    }

    /// Whether places, buttons and lists can leave here now.
    pub(crate) fn may_send_content(&self) -> Result<(), String> {
        crate::availability::check(self, Command::Write)?;
        match self.tab().platform() {
            Some(Platform::Whatsapp) if self.window_is_closed() => {
                Err("the window is closed: only templates leave now".to_owned())
            }
            Some(Platform::Whatsapp) | None => Ok(()),
            Some(other) => Err(format!("{} has none of these", other.label())),
        }
    }

    /// The question whether to pause was answered. What crossed meanwhile is
    /// shown first; then it is asked again.
    pub(crate) fn send_beside_or_pause(&mut self, layer: Layer, pauses: bool) {
        let Layer::AskPause { sends, clears_draft, pause } = layer else { return };
        // Only what the composer does not hold has a form beneath.
        let form = if clears_draft { None } else { self.layers.pop() };
        if clears_draft && !self.crossed().is_empty() {
            self.send_unless_crossed();
        } else if pauses {
            self.pause_and_send(*pause, sends, clears_draft);
        } else {
            self.send_beside_ai(sends, clears_draft);
        }
        if let Some(form) = form {
            self.form_has_left(&form);
        }
    }

    /// Pauses the AI, then sends, in this order in one lane.
    fn pause_and_send(&mut self, pause: Intent, mut sends: Vec<Intent>, clears_draft: bool) {
        sends.insert(0, pause);
        self.commit_send(sends, clears_draft);
    }

    /// Sends beside the AI, and does not ask again in this conversation until
    /// the AI is switched or the text taken back.
    fn send_beside_ai(&mut self, sends: Vec<Intent>, clears_draft: bool) {
        let conversation = sends.first().map(|it| it.conversation.clone());
        self.tab_mut().send_beside_ai.extend(conversation);
        self.commit_send(sends, clears_draft);
    }

    /// Whoever switches the AI, from here on it is asked about again.
    pub(crate) fn ask_again_of_ai(&mut self) {
        let mut switched = Vec::new();
        for effect in &self.context.effects {
            let Effect::Enqueue { intents, .. } = effect else { continue };
            let switches =
                intents.iter().filter(|it| matches!(it.operation, Operation::SetAutomation { .. }));
            switched.extend(switches.map(|it| (it.channel.clone(), it.conversation.clone())));
        }
        for (channel, conversation) in switched {
            self.forget_beside_ai(&channel, &conversation);
        }
    }

    /// What was answered for a conversation holds no longer.
    pub(crate) fn forget_beside_ai(&mut self, channel: &ChannelId, conversation: &ConversationId) {
        if let Some(tab) = self.tab_of(channel) {
            tab.send_beside_ai.retain(|it| it != conversation);
        }
    }

    pub(crate) fn commit_send(&mut self, intents: Vec<Intent>, clears_draft: bool) {
        let intents: Vec<Intent> = intents.into_iter().map(|it| self.with_seen(it)).collect();
        self.offer_after_sending(&intents);
        self.context.push(Effect::Enqueue { intents, clears_draft });
        let tab = self.tab_mut();
        if let Some(composer) = tab.composer.as_mut().filter(|_| clears_draft) {
            composer.clear();
        }
        if let Some(history) = &mut tab.history {
            history.follow();
        }
        self.notice = None;
    }

    /// The newest held message of the open conversation leaves now.
    fn send_held_now(&mut self) {
        let tab = self.tab();
        let at_hand = tab.composer.as_ref().map(|it| it.conversation.clone());
        let channel = tab.channel.id.clone();
        let held = |it: &Held| it.channel == channel && it.lane.conversation() == at_hand.as_ref();
        match self.undo.iter().rfind(|it| held(it)).map(|it| it.until) {
            Some(until) => {
                let (go, stay) = self.undo.drain(..).partition(|it| held(it) && it.until == until);
                self.undo = stay;
                let go: Vec<Held> = go;
                self.context.effects.extend(go.into_iter().map(|it| Effect::SendNow(it.row)));
            }
            None if self.queueing.decide(Early::SendNow) => (),
            None => self.warn("there is nothing to send: the composer is empty"),
        }
    }

    pub(crate) fn undo(&mut self) {
        self.let_be();
        if self.queueing.decide(Early::Recall) {
            return;
        }
        let Some(group) = self.undoable() else { return };
        if let Some(words) = self.passed_over(group) {
            return self.say(words);
        }
        self.undo_group(group);
    }
}
