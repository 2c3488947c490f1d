//! The requests of the last while as a list, and one of them as a command for
//! a shell.

pub(crate) mod update;

use model::calls::Call;
use model::ids::ChannelId;

/// Microseconds.
const MILLISECOND: i64 = 1_000;

/// Which of them the list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RequestsShown {
    #[default]
    All,
    FailuresAndChanges,
    Failures,
}

/// What is known of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLogView {
    all: Vec<Call>,
    shown: RequestsShown,
    /// Whether only those of one tab are.
    only: Option<ChannelId>,
    /// Whether the newest is copied once they have come.
    copies: bool,
}

impl RequestLogView {
    /// The requests of a tab that were not answered as wished.
    pub fn failed_calls(&self, channel: &ChannelId) -> impl Iterator<Item = &Call> {
        self.all.iter().filter(move |call| call.channel == *channel && !call.is_success())
    }

    /// The title of the list, and what its keys do.
    pub fn calls_head(&self) -> (String, &'static str) {
        let (title, keys) = match self.shown {
            RequestsShown::All => ("newest first", "y curl · f fewer · r anew · Esc back"),
            RequestsShown::FailuresAndChanges => {
                ("failures and changes", "y curl · f failures · r anew · Esc back")
            }
            RequestsShown::Failures => ("failures", "y curl · f all · r anew · Esc back"),
        };
        (format!("Requests · {title}"), keys)
    }

    fn shown_calls(&self) -> impl Iterator<Item = &Call> {
        let only = self.only.as_ref();
        let wanted = move |call: &&Call| only.is_none_or(|channel| call.channel == *channel);
        let telling = |call: &&Call| match self.shown {
            RequestsShown::All => true,
            RequestsShown::FailuresAndChanges => is_telling(call),
            RequestsShown::Failures => !call.is_success(),
        };
        self.all.iter().filter(telling).filter(wanted)
    }
}

/// Whether it changed something or was not answered as wished.
fn is_telling(call: &Call) -> bool {
    call.method != "GET" || !call.is_success()
}
