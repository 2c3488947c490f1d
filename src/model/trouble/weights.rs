//! What a person taught of trouble: how much each rule weighs on this desk.

use crate::trouble::{TROUBLE, TroubleReason, TroubleScore};

/// What a reason comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TroubleRule {
    /// The customer asks for a person.
    WantsPerson,
    /// The customer says the same again and again.
    RepeatsQuestion,
    /// The AI says the same again and again.
    RepeatsAnswer,
    /// Words of anger or despair.
    Upset,
    /// Capitals, or many marks.
    Shouts,
    /// Something could not be delivered.
    Failed,
    /// A long to and fro.
    Long,
}

impl TroubleRule {
    /// All, with the words they are stored and called by.
    pub const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::WantsPerson, "person", "the customer asks for a person"),
        (Self::RepeatsQuestion, "question", "the customer asks the same again"),
        (Self::RepeatsAnswer, "answer", "the AI says the same again"),
        (Self::Upset, "upset", "words of anger or despair"),
        (Self::Shouts, "shouts", "capitals and many ! or ?"),
        (Self::Failed, "failed", "a message was not delivered"),
        (Self::Long, "long", "many turns with the AI"),
    ];

    /// The word it is stored by.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// The rule of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == word).map(|entry| entry.0)
    }

    fn place(self) -> usize {
        Self::ALL.iter().position(|entry| entry.0 == self).unwrap_or(0)
    }
}

/// What a person says of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleVerdict {
    /// It is in trouble.
    Trouble,
    /// It is not.
    NotTrouble,
}

/// How much each rule weighs, in percent of what it weighs untaught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TroubleWeights([u32; TroubleRule::ALL.len()]);

impl Default for TroubleWeights {
    fn default() -> Self {
        Self([100; TroubleRule::ALL.len()])
    }
}

impl TroubleWeights {
    /// Percent at least: no rule is silenced for good.
    pub const LEAST: u32 = 20;
    /// Percent at most.
    pub const MOST: u32 = 200;

    /// Percent of a rule.
    pub fn of(&self, rule: TroubleRule) -> u32 {
        self.0[rule.place()]
    }

    /// The same with another percentage of a rule, within the bounds.
    #[must_use]
    pub fn with(mut self, rule: TroubleRule, percent: u32) -> Self {
        self.0[rule.place()] = percent.clamp(Self::LEAST, Self::MOST);
        self
    }

    /// Each rule that does not weigh what it weighs untaught.
    pub fn taught_rules(&self) -> impl Iterator<Item = (TroubleRule, u32)> {
        TroubleRule::ALL.iter().map(|entry| (entry.0, self.of(entry.0))).filter(|pair| pair.1 != 100)
    }

    /// What is learnt from one conversation: each rule that saw something there
    /// weighs a fifth less, or a quarter more; one undoes the other.
    #[must_use]
    pub fn learning(self, from: &TroubleScore, verdict: TroubleVerdict) -> Self {
        from.reasons.iter().filter_map(|reason| reason.rule).fold(self, |weights, rule| {
            let percent = weights.of(rule);
            let learnt = match verdict {
                TroubleVerdict::NotTrouble => percent * 4 / 5,
                TroubleVerdict::Trouble => (percent * 5).div_ceil(4),
            };
            weights.with(rule, learnt)
        })
    }
}

/// What a lesson would change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonPreview {
    /// The weights as they are.
    pub before: TroubleWeights,
    /// The conversation's reasons as they weigh now.
    pub score: TroubleScore,
    /// Conversations that would be in trouble and are not, and the reverse, of
    /// those that were looked at.
    pub more: usize,
    /// See above.
    pub fewer: usize,
    /// Whether there are more than were looked at.
    pub is_cut: bool,
}

/// Counts how many of these scores cross the line either way.
pub fn crossing<'a>(
    scores: impl Iterator<Item = &'a TroubleScore>,
    before: &TroubleWeights,
    after: &TroubleWeights,
) -> (usize, usize) {
    let (mut more, mut fewer) = (0, 0);
    for score in scores {
        let is_trouble = |weights| score.clone().weighed(weights).score() >= TROUBLE;
        match (is_trouble(before), is_trouble(after)) {
            (false, true) => more += 1,
            (true, false) => fewer += 1,
            _ => (),
        }
    }
    (more, fewer)
}

impl TroubleScore {
    /// The same as the rules weigh on this desk, the heaviest first.
    #[must_use]
    pub fn weighed(mut self, weights: &TroubleWeights) -> Self {
        for reason in &mut self.reasons {
            let percent = reason.rule.map_or(100, |rule| weights.of(rule));
            reason.weight = ((reason.untaught * percent + 50) / 100).max(1);
        }
        self.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.weight));
        self
    }

    /// The reasons with their weights in words: `wants a human 55, shouts 12`.
    pub fn words(&self) -> String {
        let one =
            |trouble_reason: &TroubleReason| format!("{} {}", trouble_reason.words, trouble_reason.weight);
        self.reasons.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(rules: &[(TroubleRule, u32)]) -> TroubleScore {
        let reason = |(rule, weight): &(TroubleRule, u32)| {
            TroubleReason::new(Some(*rule), rule.word().to_owned(), *weight)
        };
        TroubleScore { reasons: rules.iter().map(reason).collect() }
    }

    #[test]
    fn lessons_weigh_what_they_are_about() {
        use TroubleRule::{Shouts, Upset, WantsPerson};
        use TroubleVerdict::{NotTrouble, Trouble};
        let both = score(&[(WantsPerson, 55), (Shouts, 12)]);
        let cases: [(&[TroubleVerdict], u32, u32); 5] = [
            (&[], 55, 12),
            (&[NotTrouble], 44, 10),
            (&[NotTrouble, Trouble], 55, 12),
            (&[Trouble], 69, 15),
            (&[NotTrouble; 30], 11, 2),
        ];
        for (lessons, person, shouts) in cases {
            let weights = lessons
                .iter()
                .fold(TroubleWeights::default(), |lesson, verdict| lesson.learning(&both, *verdict));
            let weighed = both.clone().weighed(&weights);
            let of = |rule| {
                weighed.reasons.iter().find(|reason| reason.rule == Some(rule)).map(|reason| reason.weight)
            };
            assert_eq!((of(WantsPerson), of(Shouts)), (Some(person), Some(shouts)), "{lessons:?}");
            assert_eq!(weights.of(Upset), 100, "it was not seen");
            assert_eq!(TroubleScore::read(&weighed.line()), weighed);
        }
    }

    #[test]
    fn weights_stay_in_bounds_whatever_is_taught() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut weights = TroubleWeights::default();
        for _ in 0..10_000 {
            let rules: Vec<_> =
                TroubleRule::ALL.iter().filter(|_| draw(2) == 0).map(|entry| (entry.0, 30)).collect();
            let verdict = if draw(3) == 0 { TroubleVerdict::Trouble } else { TroubleVerdict::NotTrouble };
            weights = weights.learning(&score(&rules), verdict);
            for (rule, ..) in TroubleRule::ALL {
                let percent = weights.of(rule);
                assert!(
                    (TroubleWeights::LEAST..=TroubleWeights::MOST).contains(&percent),
                    "{rule:?} {percent}"
                );
            }
            let heard = score(&[(TroubleRule::Long, 1)]).weighed(&weights);
            assert!(heard.score() >= 1, "no rule falls silent");
        }
    }

    #[test]
    fn rows_that_cross_the_line_are_counted() {
        let scores = [30, 35, 37, 38, 60].map(|entry| score(&[(TroubleRule::Upset, entry)]));
        let (before, after) =
            (TroubleWeights::default(), TroubleWeights::default().with(TroubleRule::Upset, 80));
        assert_eq!(crossing(scores.iter(), &before, &after), (0, 2));
        assert_eq!(crossing(scores.iter(), &after, &before), (2, 0));
    }
}
