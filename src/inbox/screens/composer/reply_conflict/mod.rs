//! What the writer has had on screen, and what came in between: no text
//! leaves before its writer has seen what the AI or a colleague said since the
//! text was begun.
//!
//! Its lane looks once more before a byte leaves.

pub(crate) mod update;

use crate::screens::history::lines;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::{History, message_of};
use model::messages::{Direction, HistoryPosition, Message, MessageRow, Sender};
use model::text::SafeText;
use model::time::Timestamp;

/// How far the writer of a conversation has looked.
#[derive(Debug, Default)]
pub struct ReadProgress {
    /// The newest message that was drawn.
    shown: Option<HistoryPosition>,
    /// How far the writer had looked when the text was begun.
    began: Option<HistoryPosition>,
}

/// Where the text of a composer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOrigin {
    /// It was begun since the conversation was opened.
    Typed,
    Draft,
}

/// Before every message.
fn nothing() -> HistoryPosition {
    (Timestamp::default(), model::ids::MessageId::default())
}

fn place(row: &MessageRow) -> Option<HistoryPosition> {
    Some((row.message.created_at?, row.message.id.clone()))
}

impl ReadProgress {
    /// The newest message that was drawn.
    pub fn shown(&self) -> Option<HistoryPosition> {
        self.shown.clone()
    }

    /// What the writer knows: all that was drawn, or what was there when the text
    /// was begun.
    fn known_place(&self) -> HistoryPosition {
        self.shown.clone().or_else(|| self.began.clone()).unwrap_or_else(nothing)
    }

    /// The writer has seen everything up to here.
    fn has_seen(&mut self, until: HistoryPosition) {
        self.shown = self.shown.take().max(Some(until.clone()));
        if self.began.is_some() {
            self.began = self.began.take().max(Some(until));
        }
    }

    /// A frame with this history was drawn.
    fn drawn(&mut self, history: &History) {
        let drawn = history.window().iter().filter_map(lines::item_of);
        let newest =
            drawn.filter_map(|drawn| history.items.get(drawn)).filter_map(message_of).filter_map(place);
        self.shown = newest.chain(self.shown.take()).max();
    }

    /// Notes how far the writer had looked when the current text was begun;
    /// without one, nothing.
    fn follow(&mut self, history: &History, text: Option<TextOrigin>, now: Timestamp) {
        let Some(origin) = text else {
            self.began = None;
            return;
        };
        if self.began.is_none() {
            self.began = self.shown.clone().or_else(|| match origin {
                // What is older than a text is no news to its writer.
                TextOrigin::Typed => Some((now, model::ids::MessageId::default())),
                // A draft was begun at the last look, which the history knows.
                TextOrigin::Draft => history.loaded.then(|| history.seen_before().unwrap_or_else(nothing)),
            });
        }
    }

    /// What the AI or a colleague said since the text was begun.
    fn crossed(&self, history: &History) -> Vec<Message> {
        let Some(began) = &self.began else { return Vec::new() };
        // By position: what has no readable time stands where it arrived.
        let known = |history_item: &HistoryItem| {
            message_of(history_item).and_then(place).is_some_and(|pair| pair <= *began)
        };
        let after = history.items.iter().rposition(known).map_or(0, |rposition| rposition + 1);
        let rows = history.items[after..].iter().filter_map(message_of);
        let others = rows.filter(|row| {
            let answers = row.message.sender != Sender::Broadcast;
            row.message.direction == Direction::Outbound && !row.sent_here && answers
        });
        others.map(|message_row| message_row.message.clone()).collect()
    }
}

/// Shows what the AI or a colleague said since a text was begun, and asks
/// whether to send it all the same.
#[derive(Debug)]
pub(crate) struct CrossedReply {
    /// What they said, oldest first.
    pub(crate) crossed: Vec<Message>,
    pub(crate) text: SafeText,
}

impl CrossedReply {
    fn title(&self) -> &'static str {
        let ai = self.crossed.iter().any(|message| message.sender == Sender::Ai);
        let other = self.crossed.iter().any(|message| message.sender != Sender::Ai);
        match (ai, other) {
            (true, true) => "The AI and a colleague answered while you wrote",
            (true, false) => "The AI answered while you wrote",
            _ => "A colleague answered while you wrote",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{answer, at, history};
    use model::ids::{ChannelId, ConversationId};
    use model::time::Zone;

    fn empty() -> History {
        let mut history = History::new(ChannelId::from("chat"), ConversationId::from("a"));
        history.set_shape(crate::screens::history::lines::TextWidths::default(), 10, &Zone::UTC);
        history
    }

    /// How many of its messages crossed, were all of them the AI's.
    fn crossed(looked: &ReadProgress, mut history: History) -> usize {
        for item in &mut history.items {
            if let HistoryItem::Message(row) = item {
                row.message.direction = Direction::Outbound;
            }
        }
        looked.crossed(&history).len()
    }

    #[test]
    fn a_text_crosses_what_was_written_since_it_was_begun() {
        // (whether three messages were drawn first, where the text comes from,
        // how many of five crossed); the text was begun just after minute 4.
        let cases = [
            (true, TextOrigin::Typed, 2),
            (true, TextOrigin::Draft, 2),
            // Typed faster than the messages came: what is older is no news.
            (false, TextOrigin::Typed, 1),
            // Nobody has looked at any since the draft was kept.
            (false, TextOrigin::Draft, 5),
        ];
        for (drawn, origin, expected) in cases {
            let mut looked = ReadProgress::default();
            let mut read = if drawn { history(1..=3) } else { empty() };
            looked.drawn(&read);
            looked.follow(&read, Some(origin), at(4).plus(1));
            answer(&mut read, 1..=5);
            looked.follow(&read, Some(origin), at(6));
            // Its lane, which looks once more, agrees.
            let since = read.items.iter().filter_map(message_of).filter_map(place);
            assert_eq!(
                since.filter(|pair| *pair > looked.known_place()).count(),
                expected,
                "{drawn} {origin:?}"
            );
            assert_eq!(crossed(&looked, read), expected, "{drawn} {origin:?}");
        }
    }
}
