//! Handles results of files, commands and the editor.

use crate::Inbox;
use crate::features::team;
use crate::outside::OutsideAnswer;
use crate::screens::composer::attachments;
use crate::screens::composer::suggestions::update as suggesting;
use crate::screens::conversations::draft_only::update as draft_only;
use crate::screens::history::pictures::update as pictures;
use crate::screens::history::pipe;
use crate::screens::mail::review;
use crate::screens::webhooks::form;
use model::suggestions::SuggestionKind;

pub(crate) fn handle_answer(inbox: &mut Inbox, answered: OutsideAnswer) {
    inbox.features.macros.record_answer();
    match answered {
        OutsideAnswer::Secret(secret) => form::receive_secret(&mut inbox.context, secret),
        OutsideAnswer::Connections(outcome) => inbox.connections.receive_result(outcome, &mut inbox.context),
        OutsideAnswer::FooterSaved(Ok(())) => (),
        OutsideAnswer::FooterSaved(Err(why)) => {
            inbox.context.show_warning(format!("not kept for the next time: {why}"))
        }
        OutsideAnswer::Replies(canned) => inbox.desk.canned = canned,
        OutsideAnswer::ReplyShared(done) => team::report_shared_reply(inbox, done),
        OutsideAnswer::Suggested(id, told) => {
            draft_only::record_draft_result(inbox, &id);
            let is_below = matches!(id.kind, SuggestionKind::Translation | SuggestionKind::Transcript);
            let is_kept = is_below && told.is_ok();
            suggesting::receive_suggestion(&id, told, inbox);
            if is_kept {
                inbox.history_changed(id.key.channel.clone(), &id.key.conversation);
            }
        }
        OutsideAnswer::Cancelled => (),
        OutsideAnswer::FileSized(path, size) => {
            review::receive_file_size(&mut inbox.desk, path, size, &mut inbox.context)
        }
        OutsideAnswer::Saved(Ok(path)) => inbox.context.show_notice(format!("saved as {path}")),
        OutsideAnswer::Shown(Ok(())) => {
            inbox.context.show_notice("opening in the browser, without scripts and pictures")
        }
        OutsideAnswer::Saved(Err(why)) | OutsideAnswer::Shown(Err(why)) => inbox.context.show_warning(why),
        OutsideAnswer::Piped(command, told) => {
            pipe::show_pipe_output(&mut inbox.desk, &command, told, &mut inbox.context)
        }
        OutsideAnswer::Picture(url, fetched) => pictures::picture_fetched(&mut inbox.desk, &url, fetched),
        OutsideAnswer::File { path, pasted, found, longer } => {
            attachments::receive_file_check(&mut inbox.desk, path, pasted, found, longer, &mut inbox.context)
        }
    }
}
