//! What suggests itself after something else: one key does it, any other
//! thing lets it be. It lies over nothing and takes no key from anything.

pub(crate) mod update;

use model::queries::ConversationKey;
use model::time::{MINUTE, Moment};

/// How long an offer stands.
const STANDS: i64 = 2 * MINUTE;
/// How long it stands for who came back.
const STANDS_AFTER_ABSENCE: i64 = 10 * MINUTE;

/// What one key would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    what: OfferedAction,
    until: Moment,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OfferedAction {
    /// Only the customer can open the window again: out of sight until then.
    SnoozeUntilReply(ConversationKey),
    /// So much happened while nobody was here.
    ShowDigest(usize),
}
