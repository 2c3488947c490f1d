//! Takes in what came back from files, commands and the editor.

use crate::Inbox;
use crate::outside::Answered;
use crate::screens::composer::suggesting::update as suggesting;
use crate::screens::conversations::draft_only::update as draft_only;
use crate::screens::webhooks::form;
use model::suggestions::SuggestionKind;

/// What was asked has come back.
pub(crate) fn answered(inbox: &mut Inbox, answered: Answered) {
    inbox.features.macros.ask_answered();
    match answered {
        Answered::Secret(secret) => form::secret_made(&mut inbox.context, secret),
        Answered::Connections(outcome) => inbox.connections.errand_done(outcome, &mut inbox.context),
        Answered::FooterKept(Ok(())) => (),
        Answered::FooterKept(Err(why)) => inbox.context.warn(format!("not kept for the next time: {why}")),
        Answered::Replies(canned) => inbox.desk.canned = canned,
        Answered::Suggested(id, told) => {
            draft_only::draft_arrived(inbox, &id);
            let is_below = matches!(id.kind, SuggestionKind::Translation | SuggestionKind::Transcript);
            let is_kept = is_below && told.is_ok();
            suggesting::suggested(&id, told, inbox);
            if is_kept {
                inbox.history_changed(id.key.channel.clone(), &id.key.conversation);
            }
        }
        Answered::Cancelled => (),
        Answered::FileSized(path, size) => inbox.desk.file_sized(path, size, &mut inbox.context),
        Answered::Saved(Ok(path)) => inbox.context.say(format!("saved as {path}")),
        Answered::Shown(Ok(())) => inbox.context.say("opening in the browser, without scripts and pictures"),
        Answered::Saved(Err(why)) | Answered::Shown(Err(why)) => inbox.context.warn(why),
        Answered::Piped(command, told) => inbox.desk.piped(&command, told, &mut inbox.context),
        Answered::Picture(url, fetched) => inbox.desk.picture_fetched(&url, fetched),
        Answered::File { path, pasted, found, longer } => {
            inbox.desk.file_seen(path, pasted, found, longer, &mut inbox.context)
        }
    }
}
