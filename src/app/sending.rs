//! Changing the server: the AI switch, sending, holding, closing, and what
//! becomes of a stopped message. Everything goes into the outbox.
//!
//! Knows nothing of moving about or of which key asked.

use crate::app::App;
use crate::app::commands::Command;
use crate::app::event::{Effect, Intent};
use crate::app::layers::Layer;
use crate::app::queueing::Early;
use crate::app::settings::PauseOnReply;
use crate::app::tab::Tab;
use crate::model::account::Platform;
use crate::model::bounds;
use crate::model::conversations::ServiceWindow;
use crate::model::outbox::Operation;
use crate::model::text::SafeText;
use crate::model::time::SECOND;

impl App {
    /// The intent of an operation on the conversation at hand.
    pub(super) fn intent(&self, operation: Operation, hold: i64) -> Option<Intent> {
        let tab = self.tab();
        Some(Intent {
            channel: tab.channel.id.clone(),
            platform: tab.platform()?.clone(),
            conversation: tab.at_hand()?.conversation.id.clone(),
            operation,
            hold,
            seen: None,
        })
    }

    pub(super) fn enqueue(&mut self, operation: Operation, hold: i64, effects: &mut Vec<Effect>) {
        if let Some(intent) = self.intent(operation, hold) {
            effects.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }

    pub(super) fn switch_ai(&mut self, enabled: bool, effects: &mut Vec<Effect>) {
        self.enqueue(Operation::SetAutomation { enabled }, 0, effects);
        if enabled {
            self.say("handing back: the AI answers the next message");
        }
    }

    pub(super) fn close(&mut self, effects: &mut Vec<Effect>) {
        let hold = self.settings.hold;
        self.enqueue(Operation::Close, hold, effects);
        match hold / SECOND {
            0 => self.say("closing"),
            seconds => self.say(format!("closing in {seconds} s · z keeps it open")),
        }
    }

    /// Sends what the composer holds, or ends the hold of what was sent.
    pub(super) fn send(&mut self, effects: &mut Vec<Effect>) {
        let tab = self.tab();
        let Some(composer) = &tab.composer else { return };
        if composer.is_blank() {
            return self.send_held_now(effects);
        }
        let text = composer.text();
        if let Err(reason) = self.may_send(&text) {
            return self.warn(reason);
        }
        let crossed = self.crossed();
        if !crossed.is_empty() {
            return self.open_layer(Layer::AskCrossed { crossed, text: SafeText::line(&text) });
        }
        self.send_seen(effects);
    }

    /// Sends what the composer holds; its writer has seen what came before.
    pub(super) fn send_seen(&mut self, effects: &mut Vec<Effect>) {
        let tab = self.tab();
        let Some(composer) = &tab.composer else { return };
        let Some(row) = tab.history.as_ref().and_then(|it| it.row.as_ref()) else { return };
        let Some(to) = row.conversation.address.clone() else { return };
        let operation =
            Operation::SendText { to, text: composer.text(), reply_to: composer.reply_to.clone() };
        let asks = Tab::ai_may_answer(row) && !tab.send_beside_ai.contains(&row.conversation.id);
        let hold = self.settings.hold;
        let (Some(send), Some(pause)) =
            (self.intent(operation, hold), self.intent(Operation::SetAutomation { enabled: false }, 0))
        else {
            return;
        };
        match self.settings.pause_on_reply {
            PauseOnReply::Ask if asks => {
                self.open_layer(Layer::AskPause { send: Box::new(send), pause: Box::new(pause) });
            }
            PauseOnReply::Always if asks => self.pause_and_send(pause, send, effects),
            _ => self.commit_send(vec![send], effects),
        }
    }

    /// Whether a text may leave now; the reason keeps it in the composer.
    fn may_send(&self, text: &str) -> Result<(), String> {
        crate::app::availability::check(self, Command::Write)?;
        let tab = self.tab();
        let row = tab.history.as_ref().and_then(|it| it.row.as_ref());
        let row = row.ok_or("the conversation is still being read; the draft is kept")?;
        if row.conversation.window == ServiceWindow::Closed {
            return Err("the service window is closed: only templates may be sent; the draft is kept".into());
        }
        let length = tab.counted_length(text);
        if length > bounds::TEXT {
            let over = length - bounds::TEXT;
            return Err(format!(
                "{over} characters too long ({length} of {}); nothing was sent",
                bounds::TEXT
            ));
        }
        Ok(())
    }

    /// The question whether to pause was answered. What crossed meanwhile is
    /// shown first; then it is asked again.
    pub(super) fn send_beside_or_pause(&mut self, layer: Layer, pauses: bool, effects: &mut Vec<Effect>) {
        let Layer::AskPause { send, pause } = layer else { return };
        if !self.crossed().is_empty() {
            self.send(effects);
        } else if pauses {
            self.pause_and_send(*pause, *send, effects);
        } else {
            self.send_beside_ai(*send, effects);
        }
    }

    /// Pauses the AI, then sends, in this order in one lane.
    pub(super) fn pause_and_send(&mut self, pause: Intent, send: Intent, effects: &mut Vec<Effect>) {
        self.commit_send(vec![pause, send], effects);
    }

    /// Sends beside the AI, and does not ask again in this conversation.
    pub(super) fn send_beside_ai(&mut self, send: Intent, effects: &mut Vec<Effect>) {
        let conversation = send.conversation.clone();
        self.tab_mut().send_beside_ai.push(conversation);
        self.commit_send(vec![send], effects);
    }

    fn commit_send(&mut self, intents: Vec<Intent>, effects: &mut Vec<Effect>) {
        let intents = intents.into_iter().map(|it| self.with_seen(it)).collect();
        effects.push(Effect::Enqueue { intents, clears_draft: true });
        let tab = self.tab_mut();
        if let Some(composer) = &mut tab.composer {
            composer.clear();
        }
        if let Some(history) = &mut tab.history {
            history.follow();
        }
        self.notice = None;
    }

    /// The newest held message of the open conversation leaves now.
    fn send_held_now(&mut self, effects: &mut Vec<Effect>) {
        let tab = self.tab();
        let at_hand = tab.composer.as_ref().map(|it| it.conversation.clone());
        let channel = tab.channel.id.clone();
        let held = self
            .undo
            .iter()
            .rposition(|it| it.channel == channel && it.lane.conversation() == at_hand.as_ref());
        match held {
            Some(index) => {
                let held = self.undo.remove(index);
                effects.push(Effect::SendNow(held.row));
            }
            None if self.queueing.decide(Early::SendNow) => (),
            None => self.warn("there is nothing to send: the composer is empty"),
        }
    }

    pub(super) fn undo(&mut self, effects: &mut Vec<Effect>) {
        if self.queueing.decide(Early::Recall) {
            return;
        }
        if let Some(group) = self.undoable() {
            self.undo_group(group, effects);
        }
    }
}

impl Tab {
    /// The length the channel's bound counts: bot-chat counts what is sent,
    /// in which three characters of plain text are escaped.
    pub fn counted_length(&self, text: &str) -> usize {
        let plain = bounds::length(text);
        if self.platform() == Some(&Platform::Telegram) {
            let extra: usize = text
                .chars()
                .map(|it| match it {
                    '&' => 4,
                    '<' | '>' => 3,
                    _ => 0,
                })
                .sum();
            return plain + extra;
        }
        plain
    }
}
