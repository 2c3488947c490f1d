//! Voice notes, written down by the model of `[assist]`: asked for by a key, after
//! a person agreed to their host, and kept below their message.

use crate::Inbox;
use crate::command::Reason;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::desk::Desk;
use crate::event::Effect;
use crate::keys::KeyPress;
use crate::outside::OutsideRequest;
use crate::overlays::outside_link::destination;
use crate::screens::composer::suggesting::update::current_history;
use crate::screens::history::message_of;
use model::links;
use model::messages::{MadeKind, MessageRow};
use model::suggestions::VoiceRequest;

/// Endings of files in which somebody speaks.
const ENDINGS: [&str; 7] = [".ogg", ".oga", ".opus", ".mp3", ".m4a", ".wav", ".amr"];

/// The selected voice note, or the newest one.
fn current(desk: &Desk) -> Option<&MessageRow> {
    let history = current_history(desk)?;
    match &history.selected {
        Some(_) => history.selected_message().filter(|it| is_voice(it)),
        None => history.items.iter().rev().filter_map(message_of).find(|it| is_voice(it)),
    }
}

fn is_voice(row: &MessageRow) -> bool {
    let Some(url) = &row.message.media_url else { return false };
    let name = links::file_name(url.as_str()).unwrap_or_default().to_lowercase();
    let speaks = matches!(row.message.content_type.as_str(), "audio" | "voice")
        || ENDINGS.iter().any(|it| name.ends_with(it));
    speaks && links::host_of(url.as_str()).is_some()
}

pub(crate) fn may_transcribe(inbox: &Inbox) -> Result<(), Reason> {
    if !inbox.context.settings.transcribes {
        return Err("no model for it is configured ([assist] transcribe_model in config.toml)".into());
    }
    let row = current(&inbox.desk).ok_or("this message is no voice note")?;
    match row.made.iter().any(|it| it.kind == MadeKind::Transcript) {
        true => Err("it stands below the message already".into()),
        false => Ok(()),
    }
}

/// Asks whether the file may be fetched and sent to the model, where its host was
/// never agreed to.
pub(crate) fn transcribe(inbox: &mut Inbox, _: KeyPress) {
    let Some(request) = request(inbox) else { return };
    let Some(host) = links::host_of(&request.url) else { return };
    if inbox.desk.pictures.may_hear(&host) {
        return ask(inbox, request);
    }
    let mut lines = destination("It would be fetched from", &request.url, &host);
    lines.push(DialogLine::plain(
        "Then it is sent to the model of [assist], which writes it down. Whoever runs the host learns that it was \
         listened to, and whoever runs the model hears it. Later ones of this host are not asked about, until \
         frontdesk ends.",
    ));
    let hear = move |inbox: &mut Inbox| {
        inbox.desk.pictures.hear(host);
        ask(inbox, request);
    };
    let question = Confirm::new("Write the voice note down?", lines);
    inbox.context.open(question.answer('y', "FETCH and send to the model", hear).no("not"));
}

fn request(inbox: &Inbox) -> Option<VoiceRequest> {
    let row = current(&inbox.desk)?;
    Some(VoiceRequest {
        key: inbox.desk.current_conversation()?.key(),
        message: row.message.id.clone(),
        url: row.message.media_url.as_ref()?.to_string(),
        mime: row.media.mime.as_ref().map(ToString::to_string),
        asked_at: inbox.context.now,
    })
}

fn ask(inbox: &mut Inbox, request: VoiceRequest) {
    inbox.context.say("the voice note is being written down; it will stand below its message");
    inbox.context.push(Effect::Ask(OutsideRequest::Transcribe(Box::new(request))));
}

/// A voice note was written down, or why not.
pub(crate) fn transcribed(inbox: &mut Inbox, request: &VoiceRequest, told: Result<(), String>) {
    match told {
        Ok(()) => inbox.history_changed(request.key.channel.clone(), &request.key.conversation),
        Err(why) => inbox.context.warn(format!("the voice note was not written down: {why}")),
    }
}
