//! Whether a conversation with the AI is in trouble: a score of rules that
//! each say in words what they have seen. Nothing of it leaves this desk.
//!
//! Pure: messages and the time come in as values.

use crate::messages::{DeliveryStatus, Direction, Sender};
use crate::text::SafeText;
use crate::time::{MINUTE, format_short_span};
use crate::trouble::phrases::FoldedText;

pub mod phrases;
pub mod similar;
#[cfg(test)]
mod tests;

/// Messages looked at, counted from the newest.
pub const MAX_MESSAGES: usize = 14;
/// Characters of a message that are looked at.
const MAX_MESSAGE_CHARS: usize = 600;
/// From this score on a conversation is in trouble.
pub const TROUBLE_THRESHOLD: u32 = 30;
/// A customer who has waited so many microseconds has waited long.
pub const LONG_WAIT: i64 = 3 * MINUTE;

/// What is looked at of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSummary {
    pub direction: Direction,
    pub sender: Sender,
    pub text: String,
    /// Whether it could not be delivered.
    pub failed: bool,
}

impl MessageSummary {
    /// From the words of a stored message.
    pub fn new(direction: Direction, sender: Sender, text: &str, delivery: &DeliveryStatus) -> Self {
        let text = text.chars().take(MAX_MESSAGE_CHARS).collect();
        Self { direction, sender, text, failed: *delivery == DeliveryStatus::Failed }
    }
}

/// What a rule saw, and how much it weighs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TroubleReason {
    /// In words for the list.
    pub words: String,
    pub weight: u32,
}

/// What the newest messages tell, whatever the time is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TroubleScore {
    /// The heaviest first.
    pub reasons: Vec<TroubleReason>,
}

impl TroubleScore {
    /// How much all of it weighs.
    pub fn score(&self) -> u32 {
        self.reasons.iter().map(|reason| reason.weight).sum()
    }

    /// As it is kept: a reason a line, its weight before its words.
    pub fn to_stored(&self) -> String {
        let lines = self
            .reasons
            .iter()
            .map(|reason| format!("{} {}", reason.weight, reason.words.replace('\n', " ")));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// From what [`TroubleScore::line`] made; what is not of its making is left out.
    pub fn from_stored(kept: &str) -> Self {
        let reason = |line: &str| {
            let (weight, words) = line.split_once(' ')?;
            // Earlier versions wrote `weight/rule/weight`.
            let weight = weight.split('/').next()?.parse().ok()?;
            Some(TroubleReason { words: SafeText::line(words).to_string(), weight })
        };
        Self { reasons: kept.lines().filter_map(reason).collect() }
    }
}

/// Looks at the newest messages of a conversation, oldest first. What was
/// said before a person of this or another desk answered is settled.
pub fn score_messages(messages: &[MessageSummary]) -> TroubleScore {
    let settled = messages.iter().rposition(is_person).map_or(0, |rposition| rposition + 1);
    let open = &messages[settled.max(messages.len().saturating_sub(MAX_MESSAGES))..];
    let (asked, said) = (texts_of(open, Direction::Inbound), texts_of(open, Direction::Outbound));
    let plain = |texts: &[&str]| texts.iter().map(|text| FoldedText::fold(text)).collect::<Vec<_>>();
    let (plain_asked, plain_said) = (plain(&asked), plain(&said));
    let rules = [
        detect_person_request(&plain_asked),
        detect_repeated_question(&plain_asked),
        detect_repeated_answer(&plain_said),
        detect_anger(&plain_asked),
        detect_shouting(&asked),
        failed_delivery(open),
        detect_long_exchange(&asked, &said),
    ];
    let mut reasons: Vec<TroubleReason> = rules.into_iter().flatten().collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.weight));
    TroubleScore { reasons }
}

/// What waiting adds, in a conversation that the AI should answer.
pub fn score_waiting(waiting: i64) -> Option<TroubleReason> {
    let minutes = waiting / MINUTE;
    (waiting >= LONG_WAIT).then(|| {
        let weight = u32::try_from((10 + minutes).min(30)).unwrap_or(30);
        TroubleReason { words: format!("no answer for {}", format_short_span(waiting)), weight }
    })
}

fn is_person(message: &MessageSummary) -> bool {
    message.direction == Direction::Outbound && matches!(message.sender, Sender::Human | Sender::Api)
}

fn texts_of(messages: &[MessageSummary], direction: Direction) -> Vec<&str> {
    let mine = messages.iter().filter(|message| message.direction == direction);
    mine.map(|message_summary| message_summary.text.as_str()).filter(|text| !text.trim().is_empty()).collect()
}

fn detect_person_request(asked: &[FoldedText]) -> Option<TroubleReason> {
    let times = asked.iter().filter(|folded_text| folded_text.asks_for_person()).count();
    let words = match times {
        0 => return None,
        1 => "wants a human".to_owned(),
        times => format!("asked {times}x for a human"),
    };
    let weight = 45 + 10 * u32::try_from(times.min(3)).unwrap_or(3);
    Some(TroubleReason { words, weight })
}

/// The customer says the same again and again.
fn detect_repeated_question(asked: &[FoldedText]) -> Option<TroubleReason> {
    let times = similar::count_most_similar(asked);
    let weight = if times == 2 { 25 } else { 45 };
    let words = format!("asked {times}x the same");
    (times >= 2).then_some(TroubleReason { words, weight })
}

/// The AI says the same again and again.
fn detect_repeated_answer(said: &[FoldedText]) -> Option<TroubleReason> {
    let times = similar::count_most_similar(said);
    let weight = if times == 2 { 20 } else { 35 };
    let words = format!("AI said {times}x the same");
    (times >= 2).then_some(TroubleReason { words, weight })
}

/// Words of anger or despair.
fn detect_anger(asked: &[FoldedText]) -> Option<TroubleReason> {
    let found: Vec<&str> = asked.iter().filter_map(FoldedText::negative_phrase).collect();
    let weight = if found.len() == 1 { 20 } else { 35 };
    let found = found.last()?;
    Some(TroubleReason { words: format!("upset: \"{found}\""), weight })
}

/// Capitals, or more than one mark of exclamation or question at the end.
fn detect_shouting(asked: &[&str]) -> Option<TroubleReason> {
    let shouting = |text: &&&str| {
        let letters = text.chars().filter(|character| character.is_alphabetic()).count();
        let capitals = text.chars().filter(|character| character.is_uppercase()).count();
        let marks =
            text.chars().rev().take_while(|character| matches!(character, '!' | '?' | '¡' | '¿')).count();
        (letters >= 8 && capitals * 10 >= letters * 7) || marks >= 2
    };
    let times = asked.iter().filter(shouting).count();
    let weight = if times == 1 { 12 } else { 20 };
    (times > 0).then(|| TroubleReason { words: "shouts".to_owned(), weight })
}

/// Something could not be delivered.
fn failed_delivery(open: &[MessageSummary]) -> Option<TroubleReason> {
    let times = open.iter().filter(|message_summary| message_summary.failed).count();
    let words = match times {
        0 => return None,
        1 => "a message was not delivered".to_owned(),
        times => format!("{times} messages were not delivered"),
    };
    Some(TroubleReason { words, weight: 30 })
}

/// A long to and fro that ends nowhere.
fn detect_long_exchange(asked: &[&str], said: &[&str]) -> Option<TroubleReason> {
    let turns = asked.len().min(said.len());
    let words = format!("{turns} turns with the AI");
    (turns >= 6).then_some(TroubleReason { words, weight: 10 })
}
