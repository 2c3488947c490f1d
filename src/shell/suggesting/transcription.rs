//! Voice notes: fetched like pictures, transcribed by the model, and stored with their message.

use model::links;
use model::model_costs::ModelUsage;
use model::suggestions::{SuggestedBy, Suggestion, SuggestionRequest};
use net::assist::VoiceFile;
use store::Store;

use crate::shell::pictures::PictureLoader;
use crate::shell::suggesting::asking::{CANCELLED_MESSAGE, Suggester, plain_sentences};

/// Minimum bytes a second of speech; a longer duration for its bytes is no speech.
const MIN_BYTES_PER_SECOND: u64 = 500;
/// Duration in seconds accepted whatever the size.
const MAX_UNCHECKED_SECONDS: u64 = 60;

impl Suggester {
    /// Fetches and transcribes a voice note.
    ///
    /// # Errors
    /// As text; also for a cancelled request.
    pub(super) fn transcribe(
        &self,
        store: &Store,
        viewer: &PictureLoader,
        request: &SuggestionRequest,
    ) -> Result<Suggestion, String> {
        let tab = &request.id.key.channel;
        let note = request.voice.as_ref().ok_or("not a voice note")?;
        let bytes = viewer.file(tab, &note.url)?;
        if self.is_cancelled(&request.id) {
            return Err(CANCELLED_MESSAGE.to_owned());
        }
        let setup = self.setup();
        let model = setup.transcribe_model.as_deref();
        let model = model.ok_or("no model for it is configured ([assist] transcribe_model)")?;
        let name = links::file_name(&note.url).unwrap_or("note.ogg");
        let mime =
            note.mime.as_deref().filter(|mime| is_media_type(mime)).unwrap_or("application/octet-stream");
        let file = VoiceFile { name, content_type: mime, bytes: &bytes };
        let longest = (u64::try_from(bytes.len()).unwrap_or(u64::MAX) / MIN_BYTES_PER_SECOND)
            .max(MAX_UNCHECKED_SECONDS);
        let of = |seconds: u64| ModelUsage {
            cost: setup.prices.minute.cost_of_seconds(seconds),
            ..ModelUsage::default()
        };
        let (heard, percent) = self.with_daily_limit(store, tab, &of(longest), || {
            let heard = self.block_on(self.client().transcribe(model, &file));
            let taken = match &heard {
                Ok(heard) => of(heard.seconds.unwrap_or(longest)),
                Err(why) if why.may_be_charged() => of(longest),
                Err(_) => ModelUsage::default(),
            };
            (heard, taken)
        })?;
        let text = heard.map_err(|why| why.to_string())?.text;
        let text = if text.is_empty() { "(no speech)".to_owned() } else { text };
        Ok(Suggestion {
            sentences: plain_sentences(&text),
            by: SuggestedBy::Model(percent),
            instead: None,
            remark: None,
            language: None,
        })
    }
}

/// True if a server's text is a plain media type.
fn is_media_type(text: &str) -> bool {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '/' | '-' | '.' | '+');
    text.len() < 100 && text.contains('/') && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_media_types_are_told_as_such() {
        for (text, is_one) in
            [("audio/ogg", true), ("audio/ogg\r\nx: y", false), ("ogg", false), ("a/b; c=\"", false)]
        {
            assert_eq!(is_media_type(text), is_one, "{text:?}");
        }
    }
}
