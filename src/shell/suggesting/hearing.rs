//! Voice notes: fetched as pictures are, written down by the model, and kept by
//! their message.

use assist::VoiceFile;
use model::links;
use model::model_costs::ModelUsage;
use model::suggestions::{SuggestedBy, Suggestion, VoiceRequest};
use store::Store;

use crate::shell::pictures::Viewer;
use crate::shell::suggesting::DeskSuggestions;
use crate::shell::suggesting::asking::{Suggester, lines_of};

/// Bytes of a second of speech at least: what is longer for its bytes is no speech.
const BYTES_A_SECOND: u64 = 500;
/// The word under which transcripts are kept.
const KIND: &str = "transcript";

impl DeskSuggestions {
    /// Writes a voice note down and keeps the text, on a thread of its own.
    pub(in crate::shell) fn begin_hearing(
        self,
        viewer: Viewer,
        request: VoiceRequest,
        tell: impl FnOnce(VoiceRequest, Result<(), String>) + Send + 'static,
    ) {
        let Some(suggester) = self.suggester.clone() else {
            let told = self.hear(&viewer, &request);
            return tell(request, told);
        };
        suggester.beside(move || {
            let told = self.hear(&viewer, &request);
            tell(request, told);
        });
    }

    /// Writes a voice note down and keeps the text.
    ///
    /// # Errors
    /// In words, when nothing was kept.
    pub fn hear(&self, viewer: &Viewer, request: &VoiceRequest) -> Result<(), String> {
        let (Some(suggester), Some(store)) = (&self.suggester, &self.store) else {
            return Err("no model is configured ([assist] in config.toml)".to_owned());
        };
        let unkept = |error: store::StoreError| format!("it cannot be kept: {error}");
        let known = store.kept_suggestion(&request.key, KIND, &request.message).map_err(unkept)?;
        if known.is_some() {
            return Ok(());
        }
        let bytes = viewer.file(&request.key.channel, &request.url)?;
        let made = Ok(suggester.write_down(store, request, &bytes)?);
        store.keep_suggestion(&request.key, KIND, &request.message, &made, request.asked_at).map_err(unkept)
    }
}

impl Suggester {
    fn write_down(&self, store: &Store, request: &VoiceRequest, bytes: &[u8]) -> Result<Suggestion, String> {
        let setup = self.setup();
        let model = setup.transcribe_model.as_deref();
        let model = model.ok_or("no model for it is configured ([assist] transcribe_model)")?;
        let name = links::file_name(&request.url).unwrap_or("note.ogg");
        let mime =
            request.mime.as_deref().filter(|it| is_media_type(it)).unwrap_or("application/octet-stream");
        let file = VoiceFile { name, content_type: mime, bytes };
        let longest = (u64::try_from(bytes.len()).unwrap_or(u64::MAX) / BYTES_A_SECOND).max(1);
        let of = |seconds: u64| ModelUsage {
            cost: setup.prices.minute.of_seconds(seconds),
            ..ModelUsage::default()
        };
        let (heard, percent) = self.counted(store, &request.key.channel, &of(longest), || {
            let heard = self.wait(self.client().transcribe(model, &file));
            let seconds = heard.as_ref().ok().and_then(|it| it.seconds).unwrap_or(longest);
            (heard, of(seconds))
        })?;
        let text = heard.map_err(|why| why.to_string())?.text;
        let text = if text.is_empty() { "(nothing is said)".to_owned() } else { text };
        Ok(Suggestion {
            sentences: lines_of(&text),
            by: SuggestedBy::Model(percent),
            instead: None,
            remark: None,
        })
    }
}

/// Whether a text of a server is a media type and nothing else.
fn is_media_type(text: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '/' | '-' | '.' | '+');
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
