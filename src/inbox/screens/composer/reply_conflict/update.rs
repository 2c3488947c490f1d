//! Tracks what the writer has seen, and asks before a reply crosses a message.

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Intent;
use crate::keys::{KeyCode, KeyPress};
use crate::layout;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::quoted_messages::{MAX_MESSAGE_CELLS, quote_lines};
use crate::overlays::view::OverlayView;
use crate::screens::composer::Composer;
use crate::screens::composer::reply_conflict::ReplyConflictPrompt;
use crate::screens::composer::sending;
use crate::screens::history::History;
use crate::screens::mail::compose_header::ComposeHeader;
use crate::wrap;
use model::messages::Message;
use model::time::Moment;

impl Overlay for ReplyConflictPrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match key.code {
            _ if key.typed() == Some('y') => {
                inbox.desk.resolve_reply_conflict(&self.newer_messages, true, &mut inbox.context)
            }
            KeyCode::Esc => {
                inbox.desk.resolve_reply_conflict(&self.newer_messages, false, &mut inbox.context)
            }
            _ => return KeyOutcome::Ignored,
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Answer
    }
}

impl OverlayView for ReplyConflictPrompt {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let mut lines = quote_lines(inbox, &self.newer_messages);
        let yours = format!("Yours: {}", wrap::cut(self.text.as_str(), MAX_MESSAGE_CELLS));
        lines.extend([
            DialogLine::blank(),
            DialogLine::new(yours, Tone::Own),
            DialogLine::blank(),
            DialogLine::keys(&[("y", "send anyway"), ("Esc", "keep editing")]),
        ]);
        Dialog::new(self.title(), lines)
    }
}

impl Desk {
    pub fn record_drawn(&mut self, now: Moment, context: &mut Context) {
        // If the terminal is too small, no question is on screen.
        if layout::is_too_small(context.size) {
            return context.guard.raise();
        }
        context.guard.record_frame(now);
        self.list_mut().request_full_window();
        let seen = self.areas(context).history.is_some() && self.is_inbox_shown();
        let tab = self.tab_mut();
        if let Some(history) = tab.history.as_ref().filter(|_| seen) {
            tab.read_progress.record_drawn(history);
        }
    }

    /// Updates the read positions of open texts, and adds new messages to an open question.
    pub(crate) fn update_read_progress(&mut self, context: &mut Context) {
        for tab in &mut self.tabs {
            let origin = tab.composer.as_mut().and_then(Composer::update_origin);
            if let Some(history) = &tab.history {
                tab.read_progress.update(history, origin, context.now);
            }
        }
        let crossed = self.newer_messages();
        if let Some(question) = context.overlays.top_mut::<ReplyConflictPrompt>()
            && question.newer_messages.len() < crossed.len()
        {
            question.newer_messages = crossed;
            // Keys pressed before the question changed do not answer it.
            context.guard.raise();
        }
    }

    /// Returns the answers of the AI or colleagues since the open text was begun. A forward crosses none.
    pub(crate) fn newer_messages(&self) -> Vec<Message> {
        let tab = self.tab();
        let history = tab.history.as_ref().filter(|_| !self.is_forwarding());
        history.map(|history| tab.read_progress.newer_messages(history)).unwrap_or_default()
    }

    /// True if a mail is being forwarded, which answers nobody in its thread.
    pub(crate) fn is_forwarding(&self) -> bool {
        self.tab().compose_header().is_some_and(ComposeHeader::is_forward)
    }

    /// Marks the crossing messages as seen, and sends if `sends`.
    fn resolve_reply_conflict(&mut self, crossed: &[Message], sends: bool, context: &mut Context) {
        let newest =
            crossed.iter().filter_map(|message| Some((message.created_at?, message.id.clone()))).max();
        // Without a readable time, use the newest message of the history.
        let newest = newest.or_else(|| self.tab().history.as_ref().and_then(History::newest_position));
        if let Some(newest) = newest {
            self.tab_mut().read_progress.mark_seen(newest);
        }
        if sends {
            sending::send_confirmed(self, context);
        }
    }

    /// Adds the writer's read position to an intent that sends a message.
    pub(crate) fn with_read_position(&self, mut intent: Intent) -> Intent {
        if intent.operation.may_cross() && !self.is_forwarding() {
            intent.seen = Some(self.tab().read_progress.known_position());
        }
        intent
    }
}
