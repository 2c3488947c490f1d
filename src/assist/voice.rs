//! The text of a voice note, from an endpoint that speaks the common form of
//! transcriptions.

use serde_json::Value;

use crate::{COMPLETIONS_PATH, ModelClient, ModelError, completions_url, multipart, vet_exact};
use connections::guard::Request;

/// What is asked below an endpoint's version.
const TRANSCRIPTIONS_PATH: &str = "/audio/transcriptions";

/// A file in which somebody speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VoiceFile<'a> {
    /// Its name, whose ending says what it is.
    pub name: &'a str,
    /// What it is.
    pub content_type: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// What was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The text.
    pub text: String,
    /// How long the note is, where that is told.
    pub seconds: Option<u64>,
}

impl ModelClient {
    /// Has a voice note written down by a model of this name.
    ///
    /// # Errors
    /// When no text came.
    pub async fn transcribe(&self, model: &str, file: &VoiceFile<'_>) -> Result<Transcript, ModelError> {
        let url = vet_exact(&completions_url(&self.endpoint.url).replacen(
            COMPLETIONS_PATH,
            TRANSCRIPTIONS_PATH,
            1,
        ))?;
        let fields = [("model", model), ("response_format", "verbose_json")];
        let (body, content_type) = multipart::form(&fields, (file.name, file.content_type, file.bytes));
        let request = self.authorized_as(Request::post(body), &content_type)?;
        let answer = self.send(&url, request).await?;
        if answer.status != 200 {
            return Err(ModelError::Status(answer.status));
        }
        let told: Value = serde_json::from_slice(&answer.body).map_err(|_| ModelError::NotJson)?;
        let text = told["text"].as_str().map(str::trim).ok_or(ModelError::NoText)?.to_owned();
        let duration = told["duration"].as_f64().or_else(|| told["duration"].as_str()?.parse().ok());
        Ok(Transcript { text, seconds: duration.and_then(whole_seconds) })
    }
}

/// Seconds that were begun; none where it is no length of a note.
fn whole_seconds(duration: f64) -> Option<u64> {
    let length = std::time::Duration::try_from_secs_f64(duration).ok()?;
    Some(length.as_secs() + u64::from(length.subsec_nanos() > 0))
}
