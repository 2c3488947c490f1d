//! Drafts, briefs, summaries, translations and transcripts, by the configured model or else by rules. The
//! model runs in the background within its daily caps.
//!
//! `asking.rs` holds one request to the model, `summing.rs` summaries of whole conversations,
//! `transcription.rs` voice notes.

pub(super) mod asking;
mod summing;
mod transcription;

pub use asking::{Suggester, SuggesterSetup};

use crate::shell::pictures::PictureLoader;
use model::replies::CannedReply;
use model::suggestions::{AskedBy, Suggestion, SuggestionKind, SuggestionRequest};
use model::text::SafeText;
use net::assist::rules;
use store::{Store, StoreError};

/// Sources of suggestions, and their storage.
#[derive(Debug, Clone, Default)]
pub struct DeskSuggestions {
    pub suggester: Option<Suggester>,
    pub store: Option<Store>,
    /// Fetches voice notes.
    pub(super) viewer: Option<PictureLoader>,
}

impl DeskSuggestions {
    /// Answers on a thread of its own and passes the result to `tell`.
    pub(super) fn begin(
        self,
        request: SuggestionRequest,
        replies: Vec<CannedReply>,
        tell: impl FnOnce(Result<Suggestion, String>) + Send + 'static,
    ) {
        let Some(suggester) = self.suggester.clone() else { return tell(self.suggest(&request, &replies)) };
        suggester.spawn(move || tell(self.suggest(&request, &replies)));
    }

    /// Brief by rules that is shown until the model has answered.
    pub(super) fn interim_suggestion(
        request: &SuggestionRequest,
        replies: &[CannedReply],
    ) -> Option<Suggestion> {
        let is_brief = request.id.kind == SuggestionKind::Brief && request.id.asked_by == AskedBy::Person;
        let found = rules::suggestion(request, replies).filter(|_| is_brief)?;
        Some(Suggestion { remark: Some(SafeText::line("Asking your model for a better one…")), ..found })
    }

    /// Returns the stored suggestion, else a new one by the model or by rules.
    ///
    /// # Errors
    /// As text, if there is none.
    pub fn suggest(
        &self,
        request: &SuggestionRequest,
        replies: &[CannedReply],
    ) -> Result<Suggestion, String> {
        let id = &request.id;
        let place = self.kind(id.kind).zip(id.newest.as_ref()).zip(self.store.as_ref());
        let Some(((kind, message), store)) = place else { return self.answer_request(request, replies) };
        let unread = |error: StoreError| format!("could not read earlier suggestions: {error}");
        let now = id.asked_at;
        if id.asked_by == AskedBy::Desk
            && !store.begin_suggestion(&id.key, &kind, message, now).map_err(unread)?
        {
            return Err("made by another process".to_owned());
        }
        let kept = store.stored_suggestion(&id.key, &kind, message).map_err(unread)?;
        if let (AskedBy::Person, Some(kept)) = (id.asked_by, &kept) {
            return Ok(kept.clone());
        }
        let made = self.answer_request(request, replies);
        let is_draft = id.kind == SuggestionKind::Draft;
        // One by rules is made again as quickly.
        let is_by_model = made.as_ref().is_ok_and(|suggestion| suggestion.instead.is_none());
        let is_kept = id.asked_by == AskedBy::Desk || (is_by_model && (!is_draft || kept.is_some()));
        if is_kept && let Err(error) = store.store_suggestion(&id.key, &kind, message, &made, now) {
            tracing::error!(%error, "a suggestion could not be stored");
        }
        made
    }

    /// Word under which a suggestion is stored with its message, `None` if it is not stored.
    fn kind(&self, kind: SuggestionKind) -> Option<String> {
        let language = self.suggester.as_ref().map(Suggester::language);
        match kind {
            SuggestionKind::Draft => Some("draft".to_owned()),
            SuggestionKind::Translation => language.map(|language| format!("translation {language}")),
            SuggestionKind::Summary => language.map(|language| format!("summary {language}")),
            SuggestionKind::Transcript => Some("transcript".to_owned()),
            SuggestionKind::Brief | SuggestionKind::OwnText => None,
        }
    }

    fn answer_request(
        &self,
        request: &SuggestionRequest,
        replies: &[CannedReply],
    ) -> Result<Suggestion, String> {
        let why = match self.model_suggestion(request, replies) {
            Some(Ok(found)) => return Ok(found),
            Some(Err(why)) => Some(why),
            None => None,
        };
        let nothing = || {
            let model = why.as_ref().map_or_else(
                || "no model is configured ([assist] in config.toml)".to_owned(),
                |text| format!("the model did not answer: {text}"),
            );
            match request.id.kind {
                SuggestionKind::Translation | SuggestionKind::OwnText | SuggestionKind::Transcript => model,
                SuggestionKind::Draft | SuggestionKind::Brief | SuggestionKind::Summary => {
                    format!("no canned reply fits, and {model}")
                }
            }
        };
        let found = rules::suggestion(request, replies).ok_or_else(nothing)?;
        Ok(Suggestion { instead: why.map(|entry| SafeText::line(&entry)), ..found })
    }

    /// Suggestion by the model, if one is configured.
    fn model_suggestion(
        &self,
        request: &SuggestionRequest,
        replies: &[CannedReply],
    ) -> Option<Result<Suggestion, String>> {
        let suggester = self.suggester.as_ref()?;
        let Some(store) = &self.store else {
            return Some(Err("this desk's files are not open yet".to_owned()));
        };
        Some(match request.id.kind {
            SuggestionKind::Summary => suggester.summarize(store, request),
            SuggestionKind::Transcript => match &self.viewer {
                Some(viewer) => suggester.transcribe(store, viewer, request),
                None => Err("nothing is fetched here".to_owned()),
            },
            SuggestionKind::Translation => suggester.suggest(store, request, &[]),
            SuggestionKind::Draft | SuggestionKind::Brief | SuggestionKind::OwnText => {
                suggester.suggest(store, request, replies)
            }
        })
    }
}
