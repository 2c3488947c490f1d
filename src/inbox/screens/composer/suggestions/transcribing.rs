use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::keys::KeyPress;
use crate::overlays::outside_link::destination_lines;
use crate::screens::composer::suggestions::update::open_suggestion;
use crate::screens::history::voice;
use model::links;
use model::suggestions::SuggestionKind;

/// Requests a transcript; asks first if the host is not confirmed.
pub(crate) fn transcribe(inbox: &mut Inbox, _: KeyPress) {
    let Some(note) = voice::current_voice(&inbox.desk).and_then(voice::voice_note) else { return };
    let Some(host) = links::host_of(&note.url) else { return };
    if inbox.desk.pictures.is_voice_host_allowed(&host) {
        return open_suggestion(inbox, SuggestionKind::Transcript);
    }
    let mut lines = destination_lines("Download from", &note.url, &host);
    lines.push(DialogLine::plain(
        "Then it is sent to the model of [assist] for transcription. The host's owner sees the download, the \
         model's owner gets the recording. No further question for this host until frontdesk ends.",
    ));
    let hear = move |inbox: &mut Inbox| {
        inbox.desk.pictures.allow_voice_host(host);
        open_suggestion(inbox, SuggestionKind::Transcript);
    };
    let question = Confirm::new("Transcribe the voice note?", lines);
    inbox.context.open(question.answer('y', "FETCH and send to the model", hear).no("not"));
}
