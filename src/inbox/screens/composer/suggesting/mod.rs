//! What a model or the rules suggest: a draft beside the composer, or a brief of
//! the conversation. Nothing of it is in a text before a key takes it over.

pub(crate) mod update;
pub(crate) mod view;

use crate::screens::history::{History, message_of};
use model::ids::MessageId;
use model::suggestions::{SuggestedSentence, Suggestion, SuggestionId, SuggestionKind};
use model::text::SafeText;

/// A suggestion that is waited for or shown.
#[derive(Debug)]
pub(crate) struct SuggestionPopup {
    id: SuggestionId,
    state: SuggestionState,
    /// The sentence that can be taken by itself.
    chosen: usize,
}

#[derive(Debug)]
enum SuggestionState {
    Waiting,
    Ready(Suggestion),
    Failed(SafeText),
}

impl SuggestionPopup {
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

    fn sentences(&self) -> &[SuggestedSentence] {
        match &self.state {
            SuggestionState::Ready(found) => &found.sentences,
            SuggestionState::Waiting | SuggestionState::Failed(_) => &[],
        }
    }
}

/// The newest message of a history.
fn newest(history: &History) -> Option<MessageId> {
    history.items.iter().filter_map(message_of).next_back().map(|it| it.message.id.clone())
}
