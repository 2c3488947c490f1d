//! Transcription of voice notes by an endpoint with the common transcriptions API.

use serde_json::Value;

use crate::assist::{COMPLETIONS_PATH, ModelClient, ModelError, completions_url, multipart, vet_exact};
use crate::guard::Request;

const TRANSCRIPTIONS_PATH: &str = "/audio/transcriptions";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VoiceFile<'a> {
    /// Includes the extension, from which the endpoint may infer the format.
    pub name: &'a str,
    pub content_type: &'a str,
    pub bytes: &'a [u8],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    pub text: String,
    /// Length of the recording, if reported.
    pub seconds: Option<u64>,
}

impl ModelClient {
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

/// Rounds a duration up to seconds; `None` if it is not valid.
fn whole_seconds(duration: f64) -> Option<u64> {
    let length = std::time::Duration::try_from_secs_f64(duration).ok()?;
    Some(length.as_secs() + u64::from(length.subsec_nanos() > 0))
}
