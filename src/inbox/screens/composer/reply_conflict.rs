//! What the writer has had on screen, and what came in between: no text
//! leaves before its writer has seen what the AI or a colleague said since the
//! text was begun.
//!
//! Its lane looks once more before a byte leaves.

use crate::Inbox;
use crate::event::Intent;
use crate::overlays::Layer;
use crate::screens::composer::Composer;
use crate::screens::history::lines;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::{History, message_of};
use model::messages::{Direction, Message, MessageRow, Place};
use model::time::Timestamp;

/// How far the writer of a conversation has looked.
#[derive(Debug, Default)]
pub struct ReadProgress {
    /// The newest message that was drawn.
    shown: Option<Place>,
    /// The newest message that was drawn when the text was begun.
    began: Option<Place>,
}

/// Before every message.
fn nothing() -> Place {
    (Timestamp::default(), model::ids::MessageId::default())
}

fn place(row: &MessageRow) -> Option<Place> {
    Some((row.message.created_at?, row.message.id.clone()))
}

impl ReadProgress {
    /// The newest message that was drawn.
    pub fn shown(&self) -> Option<Place> {
        self.shown.clone()
    }

    /// The writer has seen everything up to here.
    fn has_seen(&mut self, until: Place) {
        self.shown = self.shown.take().max(Some(until.clone()));
        if self.began.is_some() {
            self.began = self.began.take().max(Some(until));
        }
    }

    /// A frame with this history was drawn.
    fn drawn(&mut self, history: &History) {
        let drawn = history.window().iter().filter_map(lines::item_of);
        let newest = drawn.filter_map(|it| history.items.get(it)).filter_map(message_of).filter_map(place);
        self.shown = newest.chain(self.shown.take()).max();
    }

    /// Notes where the text at hand was begun, or that there is none.
    fn follow(&mut self, history: &History, has_text: bool) {
        if !has_text {
            self.began = None;
        } else if self.began.is_none() && history.loaded {
            // A text that was there before anything was drawn is an old
            // draft: it was begun at the last look.
            let before = self.shown.clone().or_else(|| history.seen_before());
            self.began = Some(before.unwrap_or_else(nothing));
        }
    }

    /// What the AI or a colleague said since the text was begun.
    fn crossed(&self, history: &History) -> Vec<Message> {
        let Some(began) = &self.began else { return Vec::new() };
        // By position: what has no readable time stands where it arrived.
        let known = |it: &HistoryItem| message_of(it).and_then(place).is_some_and(|it| it <= *began);
        let after = history.items.iter().rposition(known).map_or(0, |it| it + 1);
        let rows = history.items[after..].iter().filter_map(message_of);
        let others = rows.filter(|it| it.message.direction == Direction::Outbound && !it.sent_here);
        others.map(|it| it.message.clone()).collect()
    }
}

impl Inbox {
    /// The frame that shows the inbox as it is has been drawn.
    pub fn drawn(&mut self, now: Timestamp) {
        self.guard.drawn(now);
        let seen = self.areas().history.is_some() && self.is_inbox_shown();
        let tab = self.tab_mut();
        if let Some(history) = tab.history.as_ref().filter(|_| seen) {
            tab.looked.drawn(history);
        }
    }

    /// Keeps up with what is written, and with a question that has more to
    /// show by now.
    pub(crate) fn follow_writing(&mut self) {
        for tab in &mut self.tabs {
            let has_text = tab.composer.as_ref().is_some_and(Composer::has_reply);
            if let Some(history) = &tab.history {
                tab.looked.follow(history, has_text);
            }
        }
        let crossed = self.crossed();
        if let Some(Layer::AskCrossed { crossed: shown, .. }) = self.layers.last_mut()
            && shown.len() < crossed.len()
        {
            *shown = crossed;
            // Keys that were meant for the question before do not answer it.
            self.guard.raise();
        }
    }

    /// What crossed with the text at hand.
    pub(crate) fn crossed(&self) -> Vec<Message> {
        let tab = self.tab();
        tab.history.as_ref().map(|it| tab.looked.crossed(it)).unwrap_or_default()
    }

    /// The writer has been shown these and sends all the same.
    pub(crate) fn send_after_crossing(&mut self, crossed: &[Message], sends: bool) {
        let newest = crossed.iter().filter_map(|it| Some((it.created_at?, it.id.clone()))).max();
        // What carries no readable time is told by standing last.
        let newest = newest.or_else(|| self.tab().history.as_ref().and_then(History::newest));
        if let Some(newest) = newest {
            self.tab_mut().looked.has_seen(newest);
        }
        if sends {
            self.send_seen();
        }
    }

    /// Notes on a text how far its writer has looked.
    pub(crate) fn with_seen(&self, mut intent: Intent) -> Intent {
        if intent.operation.speaks() {
            intent.seen = Some(self.tab().looked.shown().unwrap_or_else(nothing));
        }
        intent
    }
}
