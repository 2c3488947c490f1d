//! The requests of the last while as a list, and one of them as a command for
//! a shell.

pub(crate) mod update;

use model::calls::Call;
use model::ids::ChannelId;

/// Microseconds.
const MILLISECOND: i64 = 1_000;

/// What is known of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLogView {
    all: Vec<Call>,
    /// Whether only failures and changes are shown.
    few: bool,
    /// Whether only those of one tab are.
    only: Option<ChannelId>,
    /// Whether the newest is copied once they have come.
    copies: bool,
}

impl RequestLogView {
    /// The requests of a tab that were not answered as wished.
    pub fn failed_calls(&self, channel: &ChannelId) -> impl Iterator<Item = &Call> {
        self.all.iter().filter(move |it| it.channel == *channel && !it.is_fine())
    }

    /// The title of the list, and what its keys do.
    pub fn calls_head(&self) -> (String, &'static str) {
        match self.few {
            true => ("Requests · failures and changes".to_owned(), "y curl · f all · r anew · Esc back"),
            false => ("Requests · newest first".to_owned(), "y curl · f fewer · r anew · Esc back"),
        }
    }

    fn shown_calls(&self) -> impl Iterator<Item = &Call> {
        let only = self.only.as_ref();
        let wanted = move |it: &&Call| only.is_none_or(|channel| it.channel == *channel);
        self.all.iter().filter(|it| !self.few || is_telling(it)).filter(wanted)
    }
}

/// Whether it changed something or was not answered as wished.
fn is_telling(call: &Call) -> bool {
    call.method != "GET" || !call.is_fine()
}
