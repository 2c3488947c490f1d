//! Whether what is about broadcasts can be done now, and if not, why.

use crate::App;
use crate::availability::tab_writable;
use crate::commands::Command;
use crate::pages::PageKind;
use model::account::Platform;
use model::waves::Phase;

/// Whether a command about broadcasts can be done; `None` for others.
pub(crate) fn check(app: &App, command: Command) -> Option<Result<(), String>> {
    use Command as C;
    Some(match command {
        C::Broadcast | C::BroadcastPeople | C::NewBroadcast => {
            broadcasts(app).and_then(|()| tab_writable(app.tab()))
        }
        C::PauseBroadcast => app.steerable(Some(Phase::Running)).map(drop),
        C::ContinueBroadcast => app.steerable(Some(Phase::Paused)).map(drop),
        C::StopBroadcast => app.steerable(None).map(drop),
        C::ShowRecipients | C::RetryFailed | C::CopyFailed | C::ExportReport => chosen(app),
        C::GoToRow if app.page == PageKind::Broadcasts => chosen(app),
        _ => return None,
    })
}

/// Whether the tab at hand has broadcasts.
pub(crate) fn broadcasts(app: &App) -> Result<(), String> {
    if app.has_broadcasts() {
        return Ok(());
    }
    let label = app.tab().platform().map_or("this channel", Platform::label);
    Err(format!("{label} has no broadcasts; they go out on business chat"))
}

fn chosen(app: &App) -> Result<(), String> {
    app.board.rows.chosen().map(drop).ok_or_else(|| "no broadcast is chosen".to_owned())
}
