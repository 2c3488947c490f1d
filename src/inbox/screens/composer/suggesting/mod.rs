//! What a model or the rules suggest: a draft beside the composer, or a brief of
//! the conversation. Nothing of it is in a text before a key takes it over. It
//! stands above the composer, below the messages it is about.

pub(crate) mod transcribing;
pub(crate) mod update;
pub(crate) mod view;

use crate::components::dialog::Tone;
use crate::wrap;
use model::ids::MessageId;
use model::suggestions::{SuggestedSentence, Suggestion, SuggestionId, SuggestionKind};
use model::text::SafeText;

/// Columns beside its lines: the frame, and a space at each side.
const BESIDE: u16 = 4;
/// Columns of the mark before what can be taken by itself.
const MARK: usize = 2;

/// A suggestion that is waited for or shown: with the keyboard, or as a brief
/// that takes no keys.
#[derive(Debug)]
pub(crate) struct SuggestionPanel {
    id: SuggestionId,
    state: SuggestionState,
    /// The sentence that can be taken by itself; else the first line that is shown.
    chosen: usize,
}

/// A line of it.
struct SuggestionLine {
    /// Of what can be taken by itself: whether it is chosen.
    chosen: Option<bool>,
    words: String,
    tone: Tone,
}

impl SuggestionLine {
    fn new(words: impl Into<String>, tone: Tone) -> Self {
        Self { chosen: None, words: words.into(), tone }
    }

    /// Rows it takes within so many columns.
    fn rows(&self, width: u16) -> usize {
        let mark = if self.chosen.is_some() { MARK } else { 0 };
        wrap::wrap(&self.words, usize::from(width).saturating_sub(mark)).len().max(1)
    }
}

#[derive(Debug)]
enum SuggestionState {
    Waiting,
    Ready(Suggestion),
    Failed(SafeText),
}

impl SuggestionPanel {
    fn waiting(id: SuggestionId) -> Self {
        Self { id, state: SuggestionState::Waiting, chosen: 0 }
    }

    fn is_draft(&self) -> bool {
        self.id.kind == SuggestionKind::Draft
    }

    /// Whether it can become a text.
    fn is_text(&self) -> bool {
        matches!(self.id.kind, SuggestionKind::Draft | SuggestionKind::OwnText)
    }

    /// The language of the suggested text, if known.
    fn language(&self) -> Option<&SafeText> {
        match &self.state {
            SuggestionState::Ready(found) => found.language.as_ref(),
            SuggestionState::Waiting | SuggestionState::Failed(_) => None,
        }
    }

    fn sentences(&self) -> &[SuggestedSentence] {
        match &self.state {
            SuggestionState::Ready(found) => &found.sentences,
            SuggestionState::Waiting | SuggestionState::Failed(_) => &[],
        }
    }
}

impl SuggestionPanel {
    /// Rows it wants within so many columns, with its frame.
    pub(crate) fn rows(&self, newest: Option<&MessageId>, width: u16) -> u16 {
        let width = width.saturating_sub(BESIDE);
        let rows: usize = self.lines(newest).iter().map(|line| line.rows(width)).sum();
        u16::try_from(rows + 2).unwrap_or(u16::MAX)
    }

    fn lines(&self, newest: Option<&MessageId>) -> Vec<SuggestionLine> {
        let found = match &self.state {
            SuggestionState::Waiting => {
                return vec![SuggestionLine::new("Thinking… Esc cancels.", Tone::Dim)];
            }
            SuggestionState::Failed(why) => {
                let words = match self.id.kind {
                    SuggestionKind::Translation | SuggestionKind::OwnText => "Nothing is translated",
                    SuggestionKind::Transcript => "Nothing is written down",
                    SuggestionKind::Draft | SuggestionKind::Brief | SuggestionKind::Summary => {
                        "Nothing is suggested"
                    }
                };
                return vec![SuggestionLine::new(format!("{words}: {why}"), Tone::Error)];
            }
            SuggestionState::Ready(found) => found,
        };
        let mut lines = Vec::new();
        if let Some(why) = &found.instead {
            lines.push(SuggestionLine::new(format!("The model did not answer: {why}"), Tone::Error));
        }
        if self.is_overtaken(newest) {
            let words = "OUT OF DATE: somebody wrote meanwhile. r suggests anew.";
            lines.push(SuggestionLine::new(words, Tone::Waiting));
        }
        for (at, sentence) in found.sentences.iter().enumerate() {
            let chosen = self.is_draft().then_some(at == self.chosen);
            let (doubt, tone) = match (sentence.is_unsupported, chosen) {
                (true, _) => ("? ", Tone::Waiting),
                (false, Some(true)) => ("", Tone::Strong),
                (false, _) => ("", Tone::Plain),
            };
            let words = format!("{doubt}{}", sentence.text.as_str().trim_end());
            lines.push(SuggestionLine { chosen, words, tone });
        }
        if let Some(remark) = &found.remark {
            lines.push(SuggestionLine::new(remark.as_str(), Tone::Dim));
        }
        if found.sentences.iter().any(|sentence| sentence.is_unsupported) {
            lines.push(SuggestionLine::new("", Tone::Plain));
            let words = "? stands in no message, on no card and in no canned reply: check it.";
            lines.push(SuggestionLine::new(words, Tone::Dim));
        }
        lines
    }

    /// Sentences that can be chosen, or lines that can be scrolled to.
    fn steps(&self) -> usize {
        if self.is_draft() { self.sentences().len() } else { self.lines(self.made_from()).len() }
    }

    /// The newest message it was made from.
    pub(crate) fn made_from(&self) -> Option<&MessageId> {
        self.id.newest.as_ref()
    }

    /// Whether somebody wrote after it was made.
    fn is_overtaken(&self, newest: Option<&MessageId>) -> bool {
        let is_of_one = matches!(self.id.kind, SuggestionKind::Translation | SuggestionKind::Transcript);
        !is_of_one && newest != self.made_from()
    }
}
