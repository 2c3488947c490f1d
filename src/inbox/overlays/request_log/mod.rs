//! The newest requests as a list, and one of them as a shell command.

pub(crate) mod update;

use model::calls::Call;
use model::ids::ChannelId;

/// Microseconds.
const MILLISECOND: i64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RequestFilter {
    #[default]
    All,
    FailuresAndChanges,
    Failures,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLogView {
    requests: Vec<Call>,
    filter: RequestFilter,
    /// Only requests of this tab.
    channel: Option<ChannelId>,
    /// True if the newest is copied once loaded.
    copies_newest: bool,
}

impl RequestLogView {
    pub fn failed_requests(&self, channel: &ChannelId) -> impl Iterator<Item = &Call> {
        self.requests.iter().filter(move |call| call.channel == *channel && !call.is_success())
    }

    pub fn title_and_keys(&self) -> (String, &'static str) {
        let (title, keys) = match self.filter {
            RequestFilter::All => ("newest first", "y curl · f fewer · r refresh · Esc back"),
            RequestFilter::FailuresAndChanges => {
                ("failures and changes", "y curl · f failures · r refresh · Esc back")
            }
            RequestFilter::Failures => ("failures", "y curl · f all · r refresh · Esc back"),
        };
        (format!("Requests · {title}"), keys)
    }

    fn filtered_requests(&self) -> impl Iterator<Item = &Call> {
        let only = self.channel.as_ref();
        let wanted = move |call: &&Call| only.is_none_or(|channel| call.channel == *channel);
        let telling = |call: &&Call| match self.filter {
            RequestFilter::All => true,
            RequestFilter::FailuresAndChanges => is_write_or_failure(call),
            RequestFilter::Failures => !call.is_success(),
        };
        self.requests.iter().filter(telling).filter(wanted)
    }
}

fn is_write_or_failure(call: &Call) -> bool {
    call.method != "GET" || !call.is_success()
}
