//! Reply conflicts: a text is not sent before its writer has seen the AI's and colleagues' messages
//! since the text was begun. The lane checks again before it sends.

pub(crate) mod update;

use crate::screens::history::lines;
use crate::screens::history::lines::HistoryItem;
use crate::screens::history::{History, message_of};
use model::messages::{AnswerPlace, Direction, HistoryPosition, Message, MessageRow, Sender};
use model::text::SafeText;
use model::time::Timestamp;

/// Position up to which the writer of a conversation has read.
#[derive(Debug, Default)]
pub struct ReadProgress {
    /// Newest message that was drawn.
    newest_shown: Option<HistoryPosition>,
    /// Position the writer had read to when the text was begun.
    read_at_start: Option<HistoryPosition>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOrigin {
    /// Begun after the conversation was opened.
    Typed,
    Draft,
}

fn history_start() -> HistoryPosition {
    (Timestamp::default(), model::ids::MessageId::default())
}

fn position_of(row: &MessageRow) -> Option<HistoryPosition> {
    Some((row.message.created_at?, row.message.id.clone()))
}

impl ReadProgress {
    pub fn newest_shown(&self) -> Option<HistoryPosition> {
        self.newest_shown.clone()
    }

    /// Position up to which the writer knows the conversation.
    fn known_position(&self) -> HistoryPosition {
        self.newest_shown.clone().or_else(|| self.read_at_start.clone()).unwrap_or_else(history_start)
    }

    fn mark_seen(&mut self, until: HistoryPosition) {
        self.newest_shown = self.newest_shown.take().max(Some(until.clone()));
        if self.read_at_start.is_some() {
            self.read_at_start = self.read_at_start.take().max(Some(until));
        }
    }

    fn record_drawn(&mut self, history: &History) {
        let drawn = history.visible_lines().iter().filter_map(lines::item_index);
        let newest =
            drawn.filter_map(|drawn| history.items.get(drawn)).filter_map(message_of).filter_map(position_of);
        self.newest_shown = newest.chain(self.newest_shown.take()).max();
    }

    /// Records the read position when a text is begun, and forgets it when the text is gone.
    fn update(&mut self, history: &History, text: Option<TextOrigin>, now: Timestamp) {
        let Some(origin) = text else {
            self.read_at_start = None;
            return;
        };
        if self.read_at_start.is_none() {
            self.read_at_start = self.newest_shown.clone().or_else(|| match origin {
                // Older messages are not new to the writer of a fresh text.
                TextOrigin::Typed => Some((now, model::ids::MessageId::default())),
                // A draft dates from the previous visit, which the history knows.
                TextOrigin::Draft => {
                    history.loaded.then(|| history.seen_before().unwrap_or_else(history_start))
                }
            });
        }
    }

    /// Returns the messages of the AI or colleagues since the text was begun.
    fn newer_messages(&self, history: &History) -> Vec<Message> {
        let Some(began) = &self.read_at_start else { return Vec::new() };
        // By position: a message without a readable time keeps its place of arrival.
        let known = |history_item: &HistoryItem| {
            message_of(history_item).and_then(position_of).is_some_and(|pair| pair <= *began)
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

/// Shows the crossing messages and asks whether to send anyway.
#[derive(Debug)]
pub(crate) struct ReplyConflictPrompt {
    pub(crate) newer_messages: Vec<Message>,
    pub(crate) text: SafeText,
}

impl ReplyConflictPrompt {
    fn title(&self) -> String {
        let (ai, others): (Vec<_>, Vec<_>) =
            self.newer_messages.iter().partition(|message| message.sender == Sender::Ai);
        let agent = others.first().and_then(|message| message.agent.as_ref());
        let agent = agent.filter(|agent| others.iter().all(|message| message.agent.as_ref() == Some(*agent)));
        if let Some(place) = common_place(&others) {
            let place = place.describe();
            return match ai.is_empty() {
                true => format!("Somebody answered {place} while you wrote"),
                false => format!("Somebody {place} and the AI answered while you wrote"),
            };
        }
        match (ai.is_empty(), others.is_empty(), agent) {
            (_, true, _) => "The AI answered while you wrote".to_owned(),
            (true, false, Some(agent)) if agent.is_self => "You answered at another machine".to_owned(),
            (false, false, Some(agent)) if agent.is_self => {
                "The AI, and you at another machine, answered".to_owned()
            }
            (true, false, Some(agent)) => format!("{} answered while you wrote", agent.name),
            (false, false, Some(agent)) => format!("{} and the AI answered while you wrote", agent.name),
            (true, false, None) => "A colleague answered while you wrote".to_owned(),
            (false, false, None) => "The AI and a colleague answered while you wrote".to_owned(),
        }
    }
}

/// Place from which all these messages were sent, if none was sent through the service.
fn common_place(messages: &[&Message]) -> Option<AnswerPlace> {
    let place = messages.first()?.answer_place()?;
    messages.iter().all(|message| message.answer_place() == Some(place)).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{answer, at, history};
    use model::ids::{ChannelId, ConversationId};
    use model::time::Zone;

    fn empty() -> History {
        let mut history = History::new(ChannelId::from("chat"), ConversationId::from("a"));
        history.set_layout(crate::screens::history::lines::TextWidths::default(), 10, &Zone::UTC);
        history
    }

    /// Counts the crossing messages if all of them were the AI's.
    fn crossed(looked: &ReadProgress, mut history: History) -> usize {
        for item in &mut history.items {
            if let HistoryItem::Message(row) = item {
                row.message.direction = Direction::Outbound;
            }
        }
        looked.newer_messages(&history).len()
    }

    #[test]
    fn a_text_crosses_what_was_written_since_it_was_begun() {
        // (True if three messages were drawn first, origin of the text, crossing messages of five);
        // the text is begun just after minute 4.
        let cases = [
            (true, TextOrigin::Typed, 2),
            (true, TextOrigin::Draft, 2),
            // Messages older than the text are not new.
            (false, TextOrigin::Typed, 1),
            // No message was on screen since the draft was stored.
            (false, TextOrigin::Draft, 5),
        ];
        for (drawn, origin, expected) in cases {
            let mut looked = ReadProgress::default();
            let mut read = if drawn { history(1..=3) } else { empty() };
            looked.record_drawn(&read);
            looked.update(&read, Some(origin), at(4).plus(1));
            answer(&mut read, 1..=5);
            looked.update(&read, Some(origin), at(6));
            // The lane's check agrees.
            let since = read.items.iter().filter_map(message_of).filter_map(position_of);
            assert_eq!(
                since.filter(|pair| *pair > looked.known_position()).count(),
                expected,
                "{drawn} {origin:?}"
            );
            assert_eq!(crossed(&looked, read), expected, "{drawn} {origin:?}");
        }
    }

    #[test]
    fn question_says_where_the_other_answer_was_sent() {
        let answer = |sender: Sender, place: Option<AnswerPlace>| {
            let mut message = Message::stand_in("m".into(), ConversationId::from("a"));
            (message.direction, message.sender) = (Direction::Outbound, sender);
            message.marks.sent_from = place;
            message
        };
        let phone = || answer(Sender::Human, Some(AnswerPlace::Phone));
        let cases = [
            (vec![phone()], "Somebody answered on the phone while you wrote"),
            (
                vec![phone(), answer(Sender::Ai, None)],
                "Somebody on the phone and the AI answered while you wrote",
            ),
            (vec![phone(), answer(Sender::Api, None)], "A colleague answered while you wrote"),
        ];
        for (newer_messages, expected) in cases {
            let prompt = ReplyConflictPrompt { newer_messages, text: SafeText::default() };
            assert_eq!(prompt.title(), expected);
        }
    }
}
