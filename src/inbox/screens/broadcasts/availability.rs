//! Whether what is about broadcasts can be done now, and if not, why.

use crate::Inbox;
use crate::availability::tab_writable;
use crate::commands::Command;
use crate::pages::PageKind;
use model::account::Platform;
use model::waves::Phase;

/// Whether a command about broadcasts can be done; `None` for others.
pub(crate) fn check(inbox: &Inbox, command: Command) -> Option<Result<(), String>> {
    use Command as C;
    Some(match command {
        C::Broadcast | C::BroadcastPeople | C::NewBroadcast => {
            broadcasts(inbox).and_then(|()| tab_writable(inbox.tab()))
        }
        C::PauseBroadcast => inbox.steerable(Some(Phase::Running)).map(drop),
        C::ContinueBroadcast => inbox.steerable(Some(Phase::Paused)).map(drop),
        C::StopBroadcast => inbox.steerable(None).map(drop),
        C::ShowRecipients | C::RetryFailed | C::CopyFailed | C::ExportReport => chosen(inbox),
        C::GoToRow if inbox.page == PageKind::Broadcasts => chosen(inbox),
        _ => return None,
    })
}

/// Whether the tab at hand has broadcasts.
pub(crate) fn broadcasts(inbox: &Inbox) -> Result<(), String> {
    if inbox.has_broadcasts() {
        return Ok(());
    }
    let label = inbox.tab().platform().map_or("this channel", Platform::label);
    Err(format!("{label} has no broadcasts; they go out on business chat"))
}

fn chosen(inbox: &Inbox) -> Result<(), String> {
    inbox.board.rows.chosen().map(drop).ok_or_else(|| "no broadcast is chosen".to_owned())
}
