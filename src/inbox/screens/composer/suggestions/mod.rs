//! Suggestions by a model or rules: a draft or a summary, shown between messages and composer.
//! A suggestion enters the text only when the person accepts it.

pub(crate) mod transcribing;
pub(crate) mod update;
pub(crate) mod view;

use crate::components::dialog::Tone;
use crate::wrap;
use model::ids::MessageId;
use model::suggestions::{SuggestedSentence, Suggestion, SuggestionId, SuggestionKind};
use model::text::SafeText;

/// Columns for the frame and its padding.
const FRAME_COLUMNS: u16 = 4;
/// Columns of the mark before a sentence.
const MARK_COLUMNS: usize = 2;

/// A suggestion that is awaited or shown. A draft has the keyboard; a summary takes no keys.
#[derive(Debug)]
pub(crate) struct SuggestionPanel {
    id: SuggestionId,
    state: SuggestionState,
    /// The chosen sentence of a draft, otherwise the first line shown.
    chosen: usize,
    /// True for a brief above the composer that shows what is asked and what is known, a row each.
    is_folded: bool,
}

struct SuggestionLine {
    /// `Some` for a sentence that can be taken alone: true if it is chosen.
    chosen: Option<bool>,
    text: String,
    tone: Tone,
}

impl SuggestionLine {
    fn new(words: impl Into<String>, tone: Tone) -> Self {
        Self { chosen: None, text: words.into(), tone }
    }

    /// Rows at this width, in columns.
    fn rows(&self, width: u16) -> usize {
        let mark = if self.chosen.is_some() { MARK_COLUMNS } else { 0 };
        wrap::wrap(&self.text, usize::from(width).saturating_sub(mark)).len().max(1)
    }
}

#[derive(Debug)]
enum SuggestionState {
    Waiting,
    Ready(Suggestion),
    Failed(SafeText),
}

/// Returns what a brief says was asked last, and what is known or else open.
fn asked_and_known(sentences: &[SuggestedSentence]) -> Vec<&SuggestedSentence> {
    let starts =
        |word: &'static str| move |sentence: &&SuggestedSentence| sentence.text.as_str().starts_with(word);
    let asked = sentences.iter().rfind(starts("Asked")).or(sentences.first());
    let known = sentences.iter().find(starts("Known")).or(sentences.last());
    asked.into_iter().chain(known.filter(|known| Some(*known) != asked)).collect()
}

impl SuggestionPanel {
    fn waiting(id: SuggestionId) -> Self {
        Self { id, state: SuggestionState::Waiting, chosen: 0, is_folded: false }
    }

    fn is_draft(&self) -> bool {
        self.id.kind == SuggestionKind::Draft
    }

    fn is_text(&self) -> bool {
        matches!(self.id.kind, SuggestionKind::Draft | SuggestionKind::OwnText)
    }

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
    /// Rows including the frame, at this width in columns.
    pub(crate) fn rows(&self, newest: Option<&MessageId>, width: u16) -> u16 {
        let width = width.saturating_sub(FRAME_COLUMNS);
        let rows: usize =
            self.lines(newest).iter().map(|line| if self.is_folded { 1 } else { line.rows(width) }).sum();
        u16::try_from(rows + 2).unwrap_or(u16::MAX)
    }

    fn lines(&self, newest: Option<&MessageId>) -> Vec<SuggestionLine> {
        let found = match &self.state {
            SuggestionState::Waiting => {
                return vec![SuggestionLine::new("Thinking… Esc cancels.", Tone::Dim)];
            }
            SuggestionState::Failed(why) => {
                let words = match self.id.kind {
                    SuggestionKind::Translation | SuggestionKind::OwnText => "No translation",
                    SuggestionKind::Transcript => "No transcript",
                    SuggestionKind::Draft | SuggestionKind::Brief | SuggestionKind::Summary => {
                        "No suggestion"
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
        let is_outdated = self.is_outdated(newest);
        if is_outdated {
            lines.push(SuggestionLine::new("Outdated: new messages since. r suggests again.", Tone::Dim));
        }
        let shown =
            if self.is_folded { asked_and_known(&found.sentences) } else { found.sentences.iter().collect() };
        for (at, sentence) in shown.into_iter().enumerate() {
            let chosen = self.is_draft().then_some(at == self.chosen);
            let doubt = if sentence.is_unsupported { "? " } else { "" };
            let tone = match chosen {
                _ if is_outdated => Tone::Dim,
                _ if sentence.is_unsupported => Tone::NeedsAttention,
                Some(true) => Tone::Strong,
                _ => Tone::Plain,
            };
            let words = format!("{doubt}{}", sentence.text.as_str().trim_end());
            lines.push(SuggestionLine { chosen, text: words, tone });
        }
        if let Some(remark) = &found.remark {
            lines.push(SuggestionLine::new(remark.as_str(), Tone::Dim));
        }
        if found.sentences.iter().any(|sentence| sentence.is_unsupported) {
            lines.push(SuggestionLine::new("", Tone::Plain));
            let words = "? not found in messages, card or canned replies: check it.";
            lines.push(SuggestionLine::new(words, Tone::Dim));
        }
        lines
    }

    /// Number of sentences to choose from, or of lines to scroll.
    fn step_count(&self) -> usize {
        if self.is_draft() { self.sentences().len() } else { self.lines(self.source_message()).len() }
    }

    pub(crate) fn source_message(&self) -> Option<&MessageId> {
        self.id.newest.as_ref()
    }

    /// True if a newer message arrived after it was made.
    fn is_outdated(&self, newest: Option<&MessageId>) -> bool {
        let is_of_one = matches!(self.id.kind, SuggestionKind::Translation | SuggestionKind::Transcript);
        !is_of_one && newest != self.source_message()
    }
}
