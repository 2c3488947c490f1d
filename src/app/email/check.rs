//! Whether a command of mail can be done now, and if not, why.

use crate::App;
use crate::availability::{self, Reason};
use crate::commands::Command;
use crate::email::reading;
use crate::tab::Focus;

/// Whether a command can be done, where mail decides that; `None` where it
/// is decided as everywhere.
pub fn check(app: &App, command: Command) -> Option<Result<(), Reason>> {
    use Command as C;
    let tab = app.tab();
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
        C::Close | C::CloseAndNext | C::Unseen | C::Star | C::SetCategory if app.acts_on_marks() => Some(Err(
            "mails are filed one by one, or in triage: {triage}, then {same-for-all} for all of one sender"
                .into(),
        )),
        C::Close | C::CloseAndNext | C::Unseen | C::Star | C::SetCategory => {
            Some(availability::writable_here(app).map(drop))
        }
        C::WriteNumber => Some(availability::tab_writable(tab)),
        C::Reply | C::Write | C::Canned | C::ReplyAll | C::Forward => {
            Some(availability::writable_here(app).map(drop))
        }
        C::PauseAi | C::HandBack => {
            Some(Err("the AI's answers to mail are a setting of the whole account, read only here".into()))
        }
        C::React | C::RemoveReaction => Some(Err("mails take no reactions".into())),
        C::HtmlView | C::QuotedText | C::SaveFile | C::OpenInBrowser => {
            let letter = reading::letter_at_hand(app).filter(|_| tab.focus != Focus::List);
            Some(letter.map(drop).ok_or_else(|| "open the mail first".into()))
        }
        _ => None,
    }
}
