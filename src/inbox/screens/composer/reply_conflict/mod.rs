//! What the writer has had on screen, and what came in between: no text
//! leaves before its writer has seen what the AI or a colleague said since the
//! text was begun.
//!
//! Its lane looks once more before a byte leaves.

pub(crate) mod update;

use crate::screens::history::lines;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::{History, message_of};
use model::messages::{Direction, Message, MessageRow, Place, Sender};
use model::text::SafeText;
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

    /// Notes where the current text was begun, or that there is none.
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

/// Shows what the AI or a colleague said since a text was begun, and asks
/// whether to send it all the same.
#[derive(Debug)]
pub(crate) struct CrossedReply {
    /// What they said, oldest first.
    pub(crate) crossed: Vec<Message>,
    /// The text.
    pub(crate) text: SafeText,
}

impl CrossedReply {
    fn title(&self) -> &'static str {
        let ai = self.crossed.iter().any(|it| it.sender == Sender::Ai);
        let other = self.crossed.iter().any(|it| it.sender != Sender::Ai);
        match (ai, other) {
            (true, true) => "The AI and a colleague answered while you wrote",
            (true, false) => "The AI answered while you wrote",
            _ => "A colleague answered while you wrote",
        }
    }
}
