//! Notes what the writer has seen, and asks before an answer crosses a message.

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Intent;
use crate::keys::{KeyCode, KeyPress};
use crate::layout;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::quoted_messages::{CUT, quoted};
use crate::overlays::view::OverlayView;
use crate::screens::composer::Composer;
use crate::screens::composer::reply_conflict::CrossedReply;
use crate::screens::history::History;
use crate::wrap;
use model::messages::Message;
use model::time::Moment;

impl Overlay for CrossedReply {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match key.code {
            _ if key.typed() == Some('y') => {
                inbox.desk.send_after_crossing(&self.crossed, true, &mut inbox.context)
            }
            KeyCode::Esc => inbox.desk.send_after_crossing(&self.crossed, false, &mut inbox.context),
            _ => return KeyOutcome::Ignored,
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Answer
    }
}

impl OverlayView for CrossedReply {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let mut lines = quoted(inbox, &self.crossed);
        let yours = format!("Yours: {}", wrap::cut(self.text.as_str(), CUT));
        lines.extend([
            DialogLine::gap(),
            DialogLine::new(yours, Tone::Own),
            DialogLine::gap(),
            DialogLine::keys(&[("y", "send anyway"), ("Esc", "keep editing")]),
        ]);
        Dialog::new(self.title(), lines)
    }
}

impl Desk {
    /// The frame that shows the inbox as it is has been drawn.
    pub fn drawn(&mut self, now: Moment, context: &mut Context) {
        // A question that does not fit is not on screen, even if it was before.
        if layout::is_too_small(context.size) {
            return context.guard.raise();
        }
        context.guard.drawn(now);
        self.list_mut().widen();
        let seen = self.areas(context).history.is_some() && self.is_inbox_shown();
        let tab = self.tab_mut();
        if let Some(history) = tab.history.as_ref().filter(|_| seen) {
            tab.looked.drawn(history);
        }
    }

    /// Keeps up with what is written, and with a question that has more to
    /// show by now.
    pub(crate) fn follow_writing(&mut self, context: &mut Context) {
        for tab in &mut self.tabs {
            let origin = tab.composer.as_mut().and_then(Composer::follow_origin);
            if let Some(history) = &tab.history {
                tab.looked.follow(history, origin, context.now);
            }
        }
        let crossed = self.crossed();
        if let Some(question) = context.layers.top_mut::<CrossedReply>()
            && question.crossed.len() < crossed.len()
        {
            question.crossed = crossed;
            // Keys that were meant for the question before do not answer it.
            context.guard.raise();
        }
    }

    /// What crossed with the current text.
    pub(crate) fn crossed(&self) -> Vec<Message> {
        let tab = self.tab();
        tab.history.as_ref().map(|history| tab.looked.crossed(history)).unwrap_or_default()
    }

    /// The writer has been shown these and sends all the same.
    fn send_after_crossing(&mut self, crossed: &[Message], sends: bool, context: &mut Context) {
        let newest =
            crossed.iter().filter_map(|message| Some((message.created_at?, message.id.clone()))).max();
        // What carries no readable time is told by standing last.
        let newest = newest.or_else(|| self.tab().history.as_ref().and_then(History::newest));
        if let Some(newest) = newest {
            self.tab_mut().looked.has_seen(newest);
        }
        if sends {
            self.send_seen(context);
        }
    }

    /// Notes on a text how far its writer has looked.
    pub(crate) fn with_seen(&self, mut intent: Intent) -> Intent {
        if intent.operation.is_customer_message() {
            intent.seen = Some(self.tab().looked.known_place());
        }
        intent
    }
}
