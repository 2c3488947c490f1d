//! The time machine: list and history as they were at a time, only to be read.
//!
//! While it is on, each read of a list or a history is a read of that time
//! ([`Load::At`]), and what was read of any other time is dropped.

#[cfg(test)]
mod tests;
pub(crate) mod update;
pub(crate) mod view;

use crate::command::Command;
use crate::event::{Insight, Load};
use model::past::PastNote;
use model::time::Timestamp;

/// The time that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownPast {
    /// It.
    pub at: Timestamp,
    /// What the files can tell of it, once they were read.
    pub note: Option<PastNote>,
}

/// What is never recorded, and so is not shown.
pub(crate) const NOT_RECORDED: &str = "drafts, proposals, tags, reactions, the outbox, mail filing";

/// What the last line names while the past is looked at.
pub(crate) const HINTS: &[Command] = &[
    Command::PastBack,
    Command::PastForward,
    Command::PastHourBack,
    Command::PastHourForward,
    Command::Open,
    Command::FilterList,
    Command::Help,
];

/// What can be done while the past is looked at: all of it only reads.
const READS: &[Command] = &[
    Command::PastBack,
    Command::PastForward,
    Command::PastHourBack,
    Command::PastHourForward,
    Command::NextWaiting,
    Command::PreviousWaiting,
    Command::MostUrgent,
    Command::Card,
    Command::OpenOutside,
    Command::Elsewhere,
    Command::Raw,
    Command::Pipe,
    Command::Down,
    Command::Up,
    Command::Open,
    Command::FilterList,
    Command::ChooseView,
    Command::SortByActivity,
    Command::SortByWaiting,
    Command::SortByUrgency,
    Command::SortByWindow,
    Command::SortByName,
    Command::SortByCategory,
    Command::SortByPriority,
    Command::MessageDown,
    Command::MessageUp,
    Command::GoToQuoted,
    Command::HtmlView,
    Command::QuotedText,
    Command::OpenInBrowser,
    Command::SaveFile,
    Command::FirstUnseen,
    Command::NextConversation,
    Command::PreviousConversation,
    Command::ShowPicture,
    Command::FindInHistory,
    Command::OlderHit,
    Command::NewerHit,
    Command::Back,
    Command::CopyText,
    Command::CopyPhone,
    Command::CopyId,
    Command::CopyLink,
    Command::CopyTranscript,
    Command::CopyError,
    Command::ShowActions,
    Command::OpenPalette,
    Command::CommandLine,
    Command::GoToInbox,
    Command::HalfDown,
    Command::HalfUp,
    Command::PageDown,
    Command::PageUp,
    Command::Top,
    Command::Bottom,
    Command::NextPane,
    Command::PreviousPane,
    Command::NextTab,
    Command::PreviousTab,
    Command::GoToAll,
    Command::GoToTab,
    Command::KeepBeside,
    Command::SwapBeside,
    Command::Zoom,
    Command::Narrower,
    Command::Wider,
    Command::Mouse,
    Command::Footer,
    Command::Blur,
    Command::Redraw,
    Command::Suspend,
    Command::Help,
    Command::HelpInText,
    Command::Quit,
    Command::Interrupt,
];

/// The same of what is typed behind `:`.
const READING_VERBS: &[&str] = &["at", "filter", "view", "tab", "sort", "open", "find", "said", "pipe"];

/// Whether a read is of a time: what else is read is shown as it is now.
fn is_of_a_time(load: &Load) -> bool {
    match load {
        Load::Conversations(_)
        | Load::History(_)
        | Load::Ahead(_)
        | Load::Card(_)
        | Load::Insight(Insight::Person(_))
        | Load::Elsewhere(_)
        | Load::Needing(_)
        | Load::Depth(..)
        | Load::ViewCounts(..)
        | Load::Lookup(_) => true,
        Load::At(..)
        | Load::Insight(Insight::LeavePast)
        | Load::Counts(_)
        | Load::Draft(..)
        | Load::Account(_)
        | Load::Outbox(_)
        | Load::Question(..)
        | Load::Proposals(_)
        | Load::Reviews(..)
        | Load::DueDrafts(..)
        | Load::Drafts(_)
        | Load::Pauses(_)
        | Load::People(_)
        | Load::Person(..)
        | Load::Mailbox(_)
        | Load::Correspondents(..)
        | Load::Triage(_)
        | Load::Templates(_)
        | Load::Shelf(_)
        | Load::Spent
        | Load::ModelUsage(_)
        | Load::Attention(_)
        | Load::Unpaid
        | Load::Digest(_)
        | Load::ServiceLevels(..)
        | Load::Macros
        | Load::Echo(_)
        | Load::Spread(..)
        | Load::Marked(_)
        | Load::Fates(_)
        | Load::Paused(_)
        | Load::Tags(_)
        | Load::Search(_)
        | Load::Names
        | Load::Rules(_)
        | Load::Broadcasts(_) => false,
    }
}
