//! Knowledge about the business for the model: instructions, tone, facts, and those entries of a question
//! file that match the customer's words (docs/assistant.md).

use std::collections::{BTreeMap, BTreeSet};

use unicode_segmentation::UnicodeSegmentation;

use crate::assistant::{ChatTranscript, Speaker};

const MAX_QUESTIONS: usize = 500;
/// Maximum lengths of a question and an answer, in characters.
const MAX_QUESTION_CHARS: usize = 300;
const MAX_ANSWER_CHARS: usize = 2_000;
/// Maximum number of entries given to the model.
const MAX_FOUND_ANSWERS: usize = 4;
/// Number of the customer's latest messages that are searched for words.
const SEARCHED_MESSAGES: usize = 3;
/// Minimum length of a common beginning for two words to match, in characters.
const MIN_STEM_LETTERS: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knowledge {
    /// Name of the business; `None` for the workspace's name.
    pub business: Option<String>,
    pub instructions: String,
    pub tone: String,
    pub facts: Vec<String>,
    pub questions: QuestionFile,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionFile(Vec<QuestionEntry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct QuestionEntry {
    line: usize,
    question: String,
    answer: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionError {
    /// Counted from 1.
    pub line: usize,
    /// Includes the remedy.
    pub problem: String,
}

impl QuestionFile {
    /// Parses a text in which each question is a heading `## …` followed by its answer. A heading `# …` is
    /// ignored.
    pub fn parse(text: &str) -> Result<Self, Vec<QuestionError>> {
        let mut entries: Vec<QuestionEntry> = Vec::new();
        let mut mistakes = Vec::new();
        let mut in_answer = false;
        for (line, words) in (1..).zip(text.lines()) {
            let mut wrong =
                |problem: &str| mistakes.push(QuestionError { line, problem: problem.to_owned() });
            if let Some(question) = words.strip_prefix("##") {
                let question = question.trim_start_matches('#').trim().to_owned();
                if question.is_empty() {
                    wrong("a question is empty; write it behind ##");
                }
                entries.push(QuestionEntry { line, question, answer: String::new() });
                in_answer = true;
            } else if words.starts_with("# ") {
                in_answer = false;
            } else if let Some(entry) = entries.last_mut().filter(|_| in_answer) {
                entry.answer.push_str(words);
                entry.answer.push('\n');
            } else if !words.trim().is_empty() {
                wrong("this text belongs to no question; begin each question with ##");
            }
        }
        for entry in &mut entries {
            entry.answer = entry.answer.trim().to_owned();
        }
        mistakes.extend(entries.iter().filter_map(check_entry));
        if entries.is_empty() {
            let problem = "there is no question; begin each with ## and write its answer below it".to_owned();
            mistakes.push(QuestionError { line: 1, problem });
        }
        if let Some(entry) = entries.get(MAX_QUESTIONS) {
            let problem =
                format!("there are more than {MAX_QUESTIONS} questions; keep those that customers ask");
            mistakes.push(QuestionError { line: entry.line, problem });
        }
        mistakes.sort_by_key(|mistake| mistake.line);
        if mistakes.is_empty() { Ok(Self(entries)) } else { Err(mistakes) }
    }

    /// Appends the questions of another file.
    ///
    /// # Errors
    /// The maximum number of questions, if the sum exceeds it.
    pub fn add(&mut self, other: Self) -> Result<(), usize> {
        if self.0.len() + other.0.len() > MAX_QUESTIONS {
            return Err(MAX_QUESTIONS);
        }
        self.0.extend(other.0);
        Ok(())
    }

    /// Returns the entries that match `said` best, best first. Rare words count more than common ones, and
    /// words of a question more than those of an answer.
    fn find(&self, said: &str) -> Vec<&QuestionEntry> {
        let words: Vec<_> = self
            .0
            .iter()
            .map(|question_entry| {
                (search_words(&question_entry.question), search_words(&question_entry.answer))
            })
            .collect();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in self::search_words(said) {
            let is_in = |all: &BTreeSet<String>| all.iter().any(|text| has_same_stem(text, &word));
            let found: Vec<(usize, f64)> = words
                .iter()
                .enumerate()
                .filter_map(|(at, (question, answer))| match (is_in(question), is_in(answer)) {
                    (true, _) => Some((at, 2.0)),
                    (false, true) => Some((at, 1.0)),
                    (false, false) => None,
                })
                .collect();
            let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            let rarity = (number(self.0.len()) / number(found.len().max(1))).ln_1p();
            for (at, weight) in found {
                *scores.entry(at).or_default() += weight * rarity;
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
        ranked.into_iter().take(MAX_FOUND_ANSWERS).filter_map(|(at, _)| self.0.get(at)).collect()
    }
}

fn check_entry(entry: &QuestionEntry) -> Option<QuestionError> {
    let problem = if entry.answer.is_empty() {
        "this question has no answer; write it below".to_owned()
    } else if entry.question.chars().count() > MAX_QUESTION_CHARS {
        format!(
            "this question is longer than {MAX_QUESTION_CHARS} characters; write it as a customer would ask"
        )
    } else if entry.answer.chars().count() > MAX_ANSWER_CHARS {
        format!("this answer is longer than {MAX_ANSWER_CHARS} characters; split it into several questions")
    } else {
        return None;
    };
    Some(QuestionError { line: entry.line, problem })
}

/// Returns the words of a text that are worth searching for: those of three or more characters, and any that
/// is not ASCII, since some scripts have short words only.
fn search_words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let is_wanted = |text: &&str| text.chars().count() >= 3 || !text.is_ascii();
    lower.unicode_words().filter(is_wanted).map(str::to_owned).collect()
}

/// Returns true if two words share a stem, such as open and opening.
fn has_same_stem(one: &str, other: &str) -> bool {
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (short, long) =
        (one.chars().count().min(other.chars().count()), one.chars().count().max(other.chars().count()));
    one == other || (alike >= MIN_STEM_LETTERS && (alike == short || alike * 3 >= long * 2))
}

impl Knowledge {
    /// Returns the knowledge that applies to a conversation; ends with an empty line unless it is empty.
    pub(super) fn describe_business(&self, turn: &ChatTranscript) -> String {
        let customers = turn.messages.iter().rev().filter(|(speaker, _)| *speaker == Speaker::Customer);
        let said: Vec<&str> = customers.take(SEARCHED_MESSAGES).map(|(_, text)| text.as_str()).collect();
        let found = self.questions.find(&said.join("\n"));
        let mut brief = String::new();
        let mut part = |head: &str, text: &str| {
            if !text.is_empty() {
                brief.push_str(&format!("{head}\n{text}\n\n"));
            }
        };
        part("Instructions of the business:", self.instructions.trim());
        part("Write in this tone:", self.tone.trim());
        let facts: Vec<String> = self.facts.iter().map(|fact| format!("- {}", fact.trim())).collect();
        part("Facts about the business:", &facts.join("\n"));
        let answers: Vec<String> = found
            .iter()
            .map(|question_entry| format!("Q: {}\nA: {}", question_entry.question, question_entry.answer))
            .collect();
        part("What the business answers to questions like this one:", &answers.join("\n"));
        brief
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Shop\n\n## When are you open?\nMonday to Friday, 9 to 17.\n\n\
                        ## Where is my order?\nOrders take three days.\nAsk with the number.\n\n\
                        ## Do you repair bicycles?\nYes, in the shop at the pier.\n";

    fn find_answers<'a>(file: &'a QuestionFile, said: &str) -> Vec<&'a str> {
        file.find(said).into_iter().map(|question_entry| question_entry.question.as_str()).collect()
    }

    #[test]
    fn answers_are_found_by_the_words_of_the_customer() {
        let file = QuestionFile::parse(FILE).expect("it is well");
        assert_eq!(file.0.len(), 3);
        assert_eq!(file.0[1].answer, "Orders take three days.\nAsk with the number.");
        assert_eq!(find_answers(&file, "hi, what are your opening hours")[0], "When are you open?");
        assert_eq!(find_answers(&file, "my ORDERS???")[0], "Where is my order?");
        assert_eq!(find_answers(&file, "a repair of my bicycle")[0], "Do you repair bicycles?");
        assert_eq!(find_answers(&file, "pier"), ["Do you repair bicycles?"], "words of an answer count, too");
        assert!(find_answers(&file, "zzz qqq").is_empty() && find_answers(&file, "").is_empty());
        let other = QuestionFile::parse("## 営業時間は？\n平日九時から。\n").expect("it is well");
        assert_eq!(find_answers(&other, "営業していますか"), ["営業時間は？"]);
    }

    #[test]
    fn each_mistake_says_its_line_and_what_to_do() {
        let wrong = |text: &str| {
            let mistakes = QuestionFile::parse(text).expect_err(text);
            mistakes
                .into_iter()
                .map(|mistake| format!("{}: {}", mistake.line, mistake.problem))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let cases = [
            ("", "1: there is no question"),
            ("hello\n## A?\nB\n", "1: this text belongs to no question"),
            ("## A?\n\n## B?\nC\n", "1: this question has no answer"),
            ("## A?\nB\n##\nC\n", "3: a question is empty"),
            ("## A?\nB\n# Title\nC\n", "4: this text belongs to no question"),
        ];
        for (text, words) in cases {
            assert!(wrong(text).starts_with(words), "{text}: {}", wrong(text));
        }
        assert!(wrong(&format!("## A?\n{}", "b".repeat(2_001))).contains("longer than 2000 characters"));
        assert!(wrong(&"## A?\nB\n".repeat(501)).contains("1001: there are more than 500"));
    }

    #[test]
    fn a_brief_holds_what_is_known_and_nothing_else() {
        let turn = ChatTranscript {
            language: None,
            messages: vec![(Speaker::Customer, "when is it open?".to_owned())],
            last: String::new(),
        };
        assert_eq!(Knowledge::default().describe_business(&turn), "");
        let knowledge = Knowledge {
            instructions: "Offer a visit.".to_owned(),
            tone: "warm".to_owned(),
            facts: vec!["We are at the pier.".to_owned()],
            questions: QuestionFile::parse(FILE).expect("it is well"),
            ..Knowledge::default()
        };
        let brief = knowledge.describe_business(&turn);
        for part in ["Offer a visit.", "warm", "- We are at the pier.", "Q: When are you open?\nA: Monday"] {
            assert!(brief.contains(part), "{part}: {brief}");
        }
        assert!(!brief.contains("bicycles"), "{brief}");
    }
}
