//! Whether a command of mail can be done now, and if not, why.

use crate::Inbox;
use crate::availability;
use crate::availability::Reason;
use crate::commands::Command;
use crate::screens::mail::reading;
use crate::tab::Focus;

/// Whether a command can be done, where mail decides that; `None` where it
/// is decided as everywhere.
pub fn check(inbox: &Inbox, command: Command) -> Option<Result<(), Reason>> {
    use Command as C;
    let tab = inbox.tab();
    let is_own = matches!(
        command,
        C::Star
            | C::SetCategory
            | C::MailFolders
            | C::MailContacts
            | C::HtmlView
            | C::QuotedText
            | C::SaveFile
            | C::OpenInBrowser
            | C::ReplyAll
            | C::Forward
            | C::Triage
            | C::DecideLater
            | C::SameForAll
            | C::LeaveTriage
    );
    if !tab.is_mail() {
        return is_own.then(|| Err("only mail has this".into()));
    }
    match command {
        C::Triage => Some(availability::tab_writable(tab)),
        C::Undo if tab.is_in_triage() => Some(Ok(())),
        C::Close | C::CloseAndNext | C::Unseen | C::Star | C::SetCategory if inbox.acts_on_marks() => Some(Err(
            "mails are filed one by one, or in triage: {triage}, then {same-for-all} for all of one sender"
                .into(),
        )),
        C::Close | C::CloseAndNext | C::Unseen | C::Star | C::SetCategory => {
            Some(availability::writable_here(inbox).map(drop))
        }
        C::WriteNumber => Some(availability::tab_writable(tab)),
        C::Reply | C::Write | C::Canned | C::ReplyAll | C::Forward => {
            Some(availability::writable_here(inbox).map(drop))
        }
        C::PauseAi | C::HandBack => {
            Some(Err("the AI's answers to mail are a setting of the whole account, read only here".into()))
        }
        C::React | C::RemoveReaction => Some(Err("mails take no reactions".into())),
        C::HtmlView | C::QuotedText | C::SaveFile | C::OpenInBrowser => {
            let letter = reading::letter_at_hand(inbox).filter(|_| tab.focus != Focus::List);
            Some(letter.map(drop).ok_or_else(|| "open the mail first".into()))
        }
        _ => None,
    }
}
