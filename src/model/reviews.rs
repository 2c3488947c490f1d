//! Reviews of AI answers by people: sampling, verdicts, and the weekly rate of approval.

use serde::{Deserialize, Serialize};

use crate::ids::{ChannelId, ConversationId, MessageId};
use crate::text::SafeText;
use crate::time::{DAY, Timestamp};

pub const MAX_QUEUED_ANSWERS: usize = 50;
/// Maximum age of sampled answers, in microseconds.
pub const SAMPLE_PERIOD: i64 = 14 * DAY;
/// One in this many answers is sampled, unless configured otherwise.
pub const DEFAULT_SAMPLE_RATE: u32 = 10;
pub const CHART_WEEKS: usize = 12;

/// True if an answer belongs to the sample of one in `one_in`. Depends on the id only, so every
/// desk draws the same sample.
pub fn is_sampled(message: &MessageId, one_in: u32) -> bool {
    // FNV-1a with a final mixing step that spreads the bits evenly.
    let hash = message.as_str().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed >> 33).is_multiple_of(u64::from(one_in.max(1)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RejectionReason {
    Wrong,
    /// Not supported by any source.
    MadeUp,
    /// Omits part of the question.
    Incomplete,
    /// Does not match the style of the business.
    Tone,
    /// The AI should have asked for a person.
    NeedsPerson,
    Other,
}

impl RejectionReason {
    /// In the order of the menu.
    pub const ALL: [Self; 6] =
        [Self::Wrong, Self::MadeUp, Self::Incomplete, Self::Tone, Self::NeedsPerson, Self::Other];

    pub fn label(self) -> &'static str {
        match self {
            Self::Wrong => "it is wrong",
            Self::MadeUp => "it is made up",
            Self::Incomplete => "it leaves out what was asked",
            Self::Tone => "it does not sound like us",
            Self::NeedsPerson => "a person was needed",
            Self::Other => "something else",
        }
    }

    /// Word for files and database columns.
    pub fn word(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::MadeUp => "made-up",
            Self::Incomplete => "incomplete",
            Self::Tone => "tone",
            Self::NeedsPerson => "needs-person",
            Self::Other => "other",
        }
    }

    /// Unknown words become `Other`.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|bad_reason| bad_reason.word() == word).unwrap_or(Self::Other)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewVerdict {
    Good,
    Bad {
        reason: RejectionReason,
        /// The correct answer; empty if none was written.
        corrected: String,
    },
}

/// An AI answer with the question before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewEntry {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub message: MessageId,
    pub title: SafeText,
    pub question: SafeText,
    pub answer: SafeText,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedAnswer {
    pub entry: ReviewEntry,
    pub verdict: ReviewVerdict,
    pub reviewer: SafeText,
    pub reviewed_at: Timestamp,
}

impl ReviewedAnswer {
    /// Returns the approved or corrected answer, if there is one.
    pub fn expected_answer(&self) -> Option<&str> {
        match &self.verdict {
            ReviewVerdict::Good => Some(self.entry.answer.as_str()),
            ReviewVerdict::Bad { corrected, .. } => {
                Some(corrected.as_str()).filter(|text| !text.trim().is_empty())
            }
        }
    }
}

/// Limits of the service's assistant: characters of a question and of an answer, and questions in a
/// file.
const MAX_FILE_QUESTION_CHARS: usize = 300;
const MAX_FILE_ANSWER_CHARS: usize = 2_000;
const MAX_FILE_QUESTIONS: usize = 500;

/// Writes a file of questions and answers for the service's assistant. Keeps the newest answer to a
/// repeated question and, above the limit, the newest questions.
pub fn write_question_file(reviewed: &[ReviewedAnswer]) -> String {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for review in reviewed.iter().rev() {
        let question = review.entry.question.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
        let question: String =
            question.trim_start_matches('#').trim().chars().take(MAX_FILE_QUESTION_CHARS).collect();
        let answer = review.expected_answer().unwrap_or_default().trim();
        let is_known = pairs.iter().any(|(known, _)| known.to_lowercase() == question.to_lowercase());
        let fits =
            !question.is_empty() && !answer.is_empty() && answer.chars().count() <= MAX_FILE_ANSWER_CHARS;
        if fits && !is_known && pairs.len() < MAX_FILE_QUESTIONS {
            pairs.push((question, answer.to_owned()));
        }
    }
    let mut file = "# Reviewed answers\n".to_owned();
    for (question, answer) in pairs.iter().rev() {
        file.push_str(&format!("\n## {question}\n"));
        for line in answer.lines() {
            // A leading `#` would start a new question.
            let escape = if line.starts_with('#') { " " } else { "" };
            file.push_str(&format!("{escape}{line}\n"));
        }
    }
    file
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReviewWeek {
    /// Number of the week since 1970.
    pub week: i64,
    pub good: u32,
    pub bad: u32,
}

impl ReviewWeek {
    /// Percentage of good answers; `None` without reviews.
    pub fn good_percent(&self) -> Option<u32> {
        (self.good * 100).checked_div(self.good + self.bad)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewPage {
    /// Unreviewed answers of the sample, newest first.
    pub entries: Vec<ReviewEntry>,
    /// Weeks with reviews, oldest first.
    pub weeks: Vec<ReviewWeek>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_follows_from_the_ids_and_has_its_share() {
        let id = |number: u32| MessageId::from(format!("msg_{number}").as_str());
        for one_in in [1, 5, 10, 40] {
            let drawn = (0..10_000).filter(|number| is_sampled(&id(*number), one_in)).count();
            let wanted = 10_000 / one_in as usize;
            assert!(drawn.abs_diff(wanted) <= wanted / 5, "{drawn} of 10000, one in {one_in}");
        }
        assert_eq!(is_sampled(&id(7), 10), is_sampled(&id(7), 10));
        assert!(is_sampled(&id(7), 0), "nothing divides by nothing");
    }

    fn asked(question: &str, answer: &str, verdict: ReviewVerdict) -> ReviewedAnswer {
        ReviewedAnswer {
            entry: ReviewEntry {
                channel: "harbor".into(),
                conversation: "c".into(),
                message: "m".into(),
                title: SafeText::default(),
                question: SafeText::block(question),
                answer: SafeText::block(answer),
                at: Timestamp::default(),
            },
            verdict,
            reviewer: SafeText::default(),
            reviewed_at: Timestamp::default(),
        }
    }

    #[test]
    fn a_file_of_questions_holds_each_once_and_no_other_heading() {
        let bad = |corrected: &str| ReviewVerdict::Bad {
            reason: RejectionReason::Wrong,
            corrected: corrected.into(),
        };
        let all = [
            asked("Open?", "At 8.", ReviewVerdict::Good),
            asked("## Where\nare you?", "# At the pier\n## Gate 4", ReviewVerdict::Good),
            asked("open?", "At 8.", bad("From 9.")),
            asked("Unknown?", "Maybe.", bad("")),
            asked("", "Hello.", ReviewVerdict::Good),
        ];
        assert_eq!(
            write_question_file(&all),
            "# Reviewed answers\n\n## Where are you?\n # At the pier\n ## Gate 4\n\n## open?\nFrom 9.\n"
        );
    }

    #[test]
    fn what_a_question_should_be_answered_with() {
        let answer = |verdict| asked("Open?", "Yes.", verdict);
        let bad = |corrected: &str| ReviewVerdict::Bad {
            reason: RejectionReason::Wrong,
            corrected: corrected.into(),
        };
        assert_eq!(answer(ReviewVerdict::Good).expected_answer(), Some("Yes."));
        assert_eq!(answer(bad("From 9.")).expected_answer(), Some("From 9."));
        assert_eq!(answer(bad(" ")).expected_answer(), None);
        assert!(RejectionReason::ALL.iter().all(|entry| RejectionReason::from_word(entry.word()) == *entry));
        assert_eq!(ReviewWeek { week: 0, good: 3, bad: 1 }.good_percent(), Some(75));
    }
}
