//! Detects trouble in a conversation with the AI: a score from rules, each with a reason in words.
//! Pure; results stay on this desk.

use crate::messages::{DeliveryStatus, Direction, Sender};
use crate::text::SafeText;
use crate::time::{MINUTE, format_short_span};
use crate::trouble::phrases::FoldedText;

pub mod phrases;
pub mod similar;
#[cfg(test)]
mod tests;

/// Number of newest messages examined.
pub const MAX_MESSAGES: usize = 14;
/// Number of characters examined per message.
const MAX_MESSAGE_CHARS: usize = 600;
/// Score from which a conversation is in trouble.
pub const TROUBLE_THRESHOLD: u32 = 30;
/// Wait from which waiting adds to the score, in microseconds.
pub const LONG_WAIT: i64 = 3 * MINUTE;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSummary {
    pub direction: Direction,
    pub sender: Sender,
    pub text: String,
    pub failed: bool,
}

impl MessageSummary {
    pub fn new(direction: Direction, sender: Sender, text: &str, delivery: &DeliveryStatus) -> Self {
        let text = text.chars().take(MAX_MESSAGE_CHARS).collect();
        Self { direction, sender, text, failed: *delivery == DeliveryStatus::Failed }
    }
}

crate::words! {
    /// Kind of trouble, most telling first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum TroubleKind {
        AsksForPerson = "asks_for_person",
        RepeatedAnswer = "repeated_answer",
        RepeatedQuestion = "repeated_question",
        Undelivered = "undelivered",
        Upset = "upset",
        LongExchange = "long_exchange",
    }
}

impl TroubleKind {
    pub fn label(self) -> &'static str {
        match self {
            Self::AsksForPerson => "asked for a person",
            Self::RepeatedAnswer => "AI repeats itself",
            Self::RepeatedQuestion => "asks the same again",
            Self::Undelivered => "not delivered",
            Self::Upset => "customer is upset",
            Self::LongExchange => "long without a result",
        }
    }
}

/// A match of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TroubleReason {
    pub kind: TroubleKind,
    pub words: String,
    pub weight: u32,
}

/// Weight of the wait for an answer, with the wait in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingScore {
    pub words: String,
    pub weight: u32,
}

/// Score of the newest messages, without the waiting time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TroubleScore {
    /// Heaviest first.
    pub reasons: Vec<TroubleReason>,
}

impl TroubleScore {
    pub fn score(&self) -> u32 {
        self.reasons.iter().map(|reason| reason.weight).sum()
    }

    /// Returns the most telling kind of the reasons.
    pub fn kind(&self) -> Option<TroubleKind> {
        self.reasons.iter().map(|reason| reason.kind).min()
    }

    /// Stored format: one reason a line, with weight, kind and words.
    pub fn to_stored(&self) -> String {
        let lines = self.reasons.iter().map(|reason| {
            format!("{} {} {}", reason.weight, reason.kind.word(), reason.words.replace('\n', " "))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Parses [`TroubleScore::to_stored`]; ignores malformed lines.
    pub fn from_stored(stored: &str) -> Self {
        let reason = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let weight = parts.next()?.parse().ok()?;
            let kind = TroubleKind::from_word(parts.next()?)?;
            Some(TroubleReason { kind, words: SafeText::line(parts.next()?).to_string(), weight })
        };
        Self { reasons: stored.lines().filter_map(reason).collect() }
    }
}

/// Scores the messages, oldest first. Messages before the last answer of a person are ignored.
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

/// Score of the waiting time, in a conversation that the AI should answer.
pub fn score_waiting(waiting: i64) -> Option<WaitingScore> {
    let minutes = waiting / MINUTE;
    (waiting >= LONG_WAIT).then(|| {
        let weight = u32::try_from((10 + minutes).min(30)).unwrap_or(30);
        WaitingScore { words: format!("no answer for {}", format_short_span(waiting)), weight }
    })
}

fn is_person(message: &MessageSummary) -> bool {
    message.direction == Direction::Outbound && matches!(message.sender, Sender::Human | Sender::Api)
}

fn texts_of(messages: &[MessageSummary], direction: Direction) -> Vec<&str> {
    let mine = messages.iter().filter(|message| message.direction == direction);
    mine.map(|message_summary| message_summary.text.as_str()).filter(|text| !text.trim().is_empty()).collect()
}

fn times_text(times: usize) -> String {
    if times == 2 { "twice".to_owned() } else { format!("{times} times") }
}

fn detect_person_request(asked: &[FoldedText]) -> Option<TroubleReason> {
    let times = asked.iter().filter(|folded_text| folded_text.asks_for_person()).count();
    let words = match times {
        0 => return None,
        1 => "asked for a person".to_owned(),
        times => format!("asked for a person {}", times_text(times)),
    };
    let weight = 45 + 10 * u32::try_from(times.min(3)).unwrap_or(3);
    Some(TroubleReason { kind: TroubleKind::AsksForPerson, words, weight })
}

fn detect_repeated_question(asked: &[FoldedText]) -> Option<TroubleReason> {
    let times = similar::count_most_similar(asked);
    let weight = if times == 2 { 25 } else { 45 };
    let words = format!("asked the same {}", times_text(times));
    (times >= 2).then_some(TroubleReason { kind: TroubleKind::RepeatedQuestion, words, weight })
}

fn detect_repeated_answer(said: &[FoldedText]) -> Option<TroubleReason> {
    let times = similar::count_most_similar(said);
    let weight = if times == 2 { 20 } else { 35 };
    let words = format!("AI repeats itself, {}", times_text(times));
    (times >= 2).then_some(TroubleReason { kind: TroubleKind::RepeatedAnswer, words, weight })
}

fn detect_anger(asked: &[FoldedText]) -> Option<TroubleReason> {
    let found: Vec<&str> = asked.iter().filter_map(FoldedText::negative_phrase).collect();
    let weight = if found.len() == 1 { 20 } else { 35 };
    let found = found.last()?;
    Some(TroubleReason { kind: TroubleKind::Upset, words: format!("upset: \"{found}\""), weight })
}

/// Detects capitals, or several exclamation or question marks at the end.
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
    (times > 0).then(|| TroubleReason { kind: TroubleKind::Upset, words: "shouts".to_owned(), weight })
}

fn failed_delivery(open: &[MessageSummary]) -> Option<TroubleReason> {
    let times = open.iter().filter(|message_summary| message_summary.failed).count();
    let words = match times {
        0 => return None,
        1 => "a message was not delivered".to_owned(),
        times => format!("{times} messages were not delivered"),
    };
    Some(TroubleReason { kind: TroubleKind::Undelivered, words, weight: 30 })
}

fn detect_long_exchange(asked: &[&str], said: &[&str]) -> Option<TroubleReason> {
    let turns = asked.len().min(said.len());
    let words = format!("{turns} turns with the AI");
    (turns >= 6).then_some(TroubleReason { kind: TroubleKind::LongExchange, words, weight: 10 })
}
