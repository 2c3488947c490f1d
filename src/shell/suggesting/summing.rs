//! Summary of a whole conversation in parts: each request holds one part and the summary of all before it, so
//! that its size does not grow.

use model::queries::HistoryQuery;
use model::suggestions::{
    MAX_MESSAGES, SpeakerRole, SuggestedBy, Suggestion, SuggestionRequest, speaker_and_text,
};
use model::text::SafeText;
use net::assist::claims::SupportedWords;
use net::assist::prompts;
use store::Store;

use crate::shell::suggesting::asking::{CANCELLED_MESSAGE, ModelAnswer, Suggester};

/// Maximum messages summarised, newest first.
const MAX_SUMMARIZED_MESSAGES: u32 = 900;
const MAX_SUMMARY_LINES: usize = 40;

impl Suggester {
    /// Summarises the stored conversation.
    ///
    /// # Errors
    /// As text; also for a cancelled request.
    pub(super) fn summarize(&self, store: &Store, request: &SuggestionRequest) -> Result<Suggestion, String> {
        let id = &request.id;
        let query = HistoryQuery {
            channel: id.key.channel.clone(),
            conversation: id.key.conversation.clone(),
            limit: MAX_SUMMARIZED_MESSAGES,
        };
        let unread = |error: store::StoreError| format!("could not read its messages: {error}");
        let page = store.reader().and_then(|reader| reader.history(&query)).map_err(unread)?;
        let all: Vec<(SpeakerRole, String)> =
            page.messages.iter().map(|message| speaker_and_text(&message.message)).collect();
        let mut so_far = ModelAnswer { text: String::new(), is_cut: false, percent: 0 };
        let parts: Vec<_> = all.chunks(MAX_MESSAGES).collect();
        for (number, part) in parts.iter().enumerate() {
            if self.is_cancelled(id) {
                return Err(CANCELLED_MESSAGE.to_owned());
            }
            let request = SuggestionRequest { conversation: part.to_vec(), ..request.clone() };
            let place = (number + 1, parts.len());
            let mut body = prompts::summary(&request, &so_far.text, place, self.language());
            so_far = self.ask_model(store, &id.key.channel, &mut body, prompts::answer_tokens(&request))?;
        }
        let whole = SuggestionRequest { conversation: all, ..request.clone() };
        let known = SupportedWords::from_request(&whole, &[]);
        let sentences = so_far.text.lines().take(MAX_SUMMARY_LINES).map(|line| known.line(line)).collect();
        let is_part = page.more_stored || page.more_on_server;
        let older = SafeText::line("older messages are not stored here and are left out");
        let by = SuggestedBy::Model(so_far.percent);
        Ok(Suggestion { sentences, by, instead: None, remark: is_part.then_some(older), language: None })
    }
}
