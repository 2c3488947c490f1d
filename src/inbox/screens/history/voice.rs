//! Voice notes in a history.

use crate::Inbox;
use crate::command::Reason;
use crate::desk::Desk;
use crate::screens::history::message_of;
use model::links;
use model::messages::{GeneratedTextKind, MessageRow};
use model::suggestions::VoiceNote;

const AUDIO_EXTENSIONS: [&str; 7] = [".ogg", ".oga", ".opus", ".mp3", ".m4a", ".wav", ".amr"];

/// The selected voice note, or the newest one.
pub(crate) fn current_voice(desk: &Desk) -> Option<&MessageRow> {
    let history = desk.current_history()?;
    match &history.selected {
        Some(_) => history.selected_message().filter(|selected_message| is_voice(selected_message)),
        None => history.items.iter().rev().filter_map(message_of).find(|message_row| is_voice(message_row)),
    }
}

fn is_voice(row: &MessageRow) -> bool {
    let Some(url) = &row.message.media_url else { return false };
    let name = links::file_name(url.as_str()).unwrap_or_default().to_lowercase();
    let speaks = matches!(row.message.content_type.as_str(), "audio" | "voice")
        || AUDIO_EXTENSIONS.iter().any(|ending| name.ends_with(ending));
    speaks && links::host_of(url.as_str()).is_some()
}

pub(crate) fn may_transcribe(inbox: &Inbox) -> Result<(), Reason> {
    if !inbox.context.settings.transcribes {
        return Err("no model for it is configured ([assist] transcribe_model in config.toml)".into());
    }
    let row = current_voice(&inbox.desk).ok_or("this message is not a voice note")?;
    match row.generated.iter().any(|entry| entry.kind == GeneratedTextKind::Transcript) {
        true => Err("already shown below the message".into()),
        false => Ok(()),
    }
}

pub(crate) fn voice_note(row: &MessageRow) -> Option<VoiceNote> {
    let url = row.message.media_url.as_ref()?.to_string();
    Some(VoiceNote { url, mime: row.media.mime.as_ref().map(ToString::to_string) })
}
