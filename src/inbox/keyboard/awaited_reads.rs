//! Reads that the next input waits for.
//!
//! A read of this desk's files whose answer moves the focus, the selection or the marks, or opens a popup, is
//! answered before the next input acts: that input is meant for the place it leads to. Input waits in the
//! [`InputQueue`](crate::input_queue::InputQueue), never here. Such a read is
//!
//! - awaited: its answer acts;
//! - given up, once input that waited for it was dropped: its answer is dropped, too, so that nobody is led
//!   elsewhere later. Until it has come, input waits all the same;
//! - forgotten, at Ctrl-C: its answer is dropped, and input waits no longer.

use crate::Inbox;
use crate::context::Context;
use crate::event::{DroppedInput, Effect, Event, Load};
use crate::features::macros;
use crate::keys::{KeyCode, KeyPress, Pointer};
use crate::layout;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::mail::writing::update as writing;

/// Reason why the next input waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputWait {
    /// A macro is played.
    Macro,
    Read,
}

/// Reason why input that waited must not act.
#[derive(Debug, Clone, PartialEq, Eq)]
enum StaleInput {
    /// The read or the macro was refused, for this reason.
    Refused(String),
    /// The macro has opened a question, which nobody has seen yet.
    Question,
}

#[derive(Debug, Default)]
pub(crate) struct AwaitedReads {
    awaited: Vec<Load>,
    given_up: Vec<Load>,
    /// True if an awaited read has ended in this turn.
    has_ended: bool,
    /// True if input does not wait for the rows it acts on: somebody pressed Ctrl-C before they came.
    is_released: bool,
    stale: Option<StaleInput>,
}

impl AwaitedReads {
    /// Records a read that was asked for.
    pub(crate) fn record(&mut self, load: &Load) {
        if load.goes_elsewhere()
            || matches!(load, Load::ConversationNames | Load::Search(_) | Load::ViewMatches(_))
        {
            self.awaited.retain(|entry| !load.replaces(entry));
            self.given_up.retain(|entry| !load.replaces(entry));
            self.awaited.push(load.clone());
        }
    }

    /// Records the reads among these effects.
    pub(crate) fn record_asked(&mut self, context: &Context) {
        for effect in &context.effects {
            if let Effect::Load(load) = effect {
                self.record(load);
            }
        }
    }

    /// Records that a read has ended. Returns false if its answer must be dropped.
    pub(crate) fn end_read(&mut self, load: &Load) -> bool {
        let before = self.awaited.len();
        self.awaited.retain(|entry| entry != load);
        self.given_up.retain(|entry| entry != load);
        let is_awaited = self.awaited.len() < before;
        self.has_ended |= is_awaited;
        is_awaited || !load.goes_elsewhere()
    }

    /// Drops the answers of all reads that go elsewhere.
    fn give_up(&mut self) {
        let (gone, kept) = std::mem::take(&mut self.awaited).into_iter().partition(Load::goes_elsewhere);
        self.awaited = kept;
        self.given_up.extend::<Vec<Load>>(gone);
    }

    /// Forgets that input which waited is stale: the event loop has dropped it by now.
    pub(crate) fn forget_stale_input(&mut self) {
        self.stale = None;
    }

    fn go_elsewhere(&self) -> bool {
        !self.given_up.is_empty() || self.awaited.iter().any(Load::goes_elsewhere)
    }
}

impl Inbox {
    /// Reason why `next`, or input in general, has to wait.
    pub(crate) fn input_wait(&self, next: Option<&Event>) -> Option<InputWait> {
        // Keys do nothing there that could be meant for another place.
        if layout::is_too_small(self.context.size) {
            return None;
        }
        if self.features.macros.playback.is_some() {
            return Some(InputWait::Macro);
        }
        let reads = &self.keyboard.reads;
        let waits = match self.context.overlays.last() {
            _ if reads.go_elsewhere() => true,
            Some(top) => {
                let takes = next.is_some_and(takes_what_is_found);
                takes && top.accepts_text() && reads.awaited.iter().any(|entry| top.shows_load(entry))
            }
            None => !reads.is_released && self.desk.is_target_loading(),
        };
        waits.then_some(InputWait::Read)
    }

    /// True if input that waited until now must not act.
    pub(crate) fn is_waiting_input_stale(&self) -> bool {
        self.keyboard.reads.stale.is_some()
    }

    /// Decides whether input that waited before this turn may act. `waited`: the wait before.
    pub(crate) fn end_wait(&mut self, waited: Option<InputWait>) {
        let waits = self.input_wait(None);
        let lacks_target = self.desk.is_target_loading();
        let reads = &mut self.keyboard.reads;
        let read_ended = std::mem::take(&mut reads.has_ended);
        reads.is_released &= lacks_target;
        let macro_ended = waited == Some(InputWait::Macro) && waits != waited;
        if waited.is_none() || !(read_ended || macro_ended || waits.is_none()) {
            return;
        }
        match &self.context.refusal {
            Some(why) => reads.stale = Some(StaleInput::Refused(why.clone())),
            None if macro_ended && macros::is_question_open(&self.context) => {
                reads.stale = Some(StaleInput::Question);
            }
            None => (),
        }
    }

    /// Gives up the reads that dropped input waited for, and says that it was dropped.
    pub(crate) fn input_dropped(&mut self, why: DroppedInput) {
        if why != DroppedInput::Click {
            // The rest of a key sequence may be among the dropped keys.
            self.keyboard.pressed.clear();
        }
        match why {
            DroppedInput::Late => {
                self.keyboard.reads.give_up();
                let gave_up =
                    writing::give_up_mail(&mut self.desk) || !self.keyboard.reads.given_up.is_empty();
                let again = if gave_up { "repeat the last command" } else { "press them again" };
                self.context.show_warning(format!("keys were dropped: this desk's files are slow; {again}"));
            }
            DroppedInput::Stale => {
                if let Some(StaleInput::Refused(why)) = self.keyboard.reads.stale.take() {
                    self.keyboard.reads.give_up();
                    self.context.show_warning(format!("{why}; keys typed meanwhile were dropped"));
                }
            }
            DroppedInput::Click => self.context.show_warning(match self.input_wait(None) {
                Some(InputWait::Macro) => "click ignored while a macro plays; click again",
                _ => "click ignored while this desk's files are read; click again",
            }),
        }
    }

    /// Forgets all reads, so that input acts at once.
    pub(crate) fn stop_waiting(&mut self) {
        self.keyboard.reads = AwaitedReads { is_released: true, ..AwaitedReads::default() };
        writing::give_up_mail(&mut self.desk);
    }
}

/// True if an input takes a found entry of a popup or moves over the entries, rather than editing the search.
fn takes_what_is_found(input: &Event) -> bool {
    let Event::Key(key) = input else {
        return matches!(input, Event::LineBreak | Event::Line(_) | Event::Pointer(Pointer::Down(..)));
    };
    let edits = matches!(
        key.code,
        KeyCode::Backspace
            | KeyCode::Delete
            | KeyCode::Left
            | KeyCode::Right
            | KeyCode::Home
            | KeyCode::End
            | KeyCode::Esc
    );
    key.typed().is_none() && !edits && *key != KeyPress::ctrl('c')
}

impl Load {
    /// Returns true if its answer moves the focus, the selection or the marks, or opens a popup.
    fn goes_elsewhere(&self) -> bool {
        match self {
            Self::Lookup(_)
            | Self::NeedsPerson
            | Self::OpenWork(_)
            | Self::MarkList(..)
            | Self::SamePerson(_)
            | Self::NewerMessages(..)
            | Self::Marked(_)
            | Self::Question(..)
            | Self::Pauses(_)
            | Self::Person(..)
            | Self::Triage(_)
            | Self::Broadcasts(BroadcastQuery::Handover(..)) => true,
            // Without rows it only reports which ways there are.
            Self::ContactWays(_) => true,
            Self::Conversations(_)
            | Self::History(_)
            | Self::Counts(_)
            | Self::Draft(..)
            | Self::Account(_)
            | Self::Outbox(_)
            | Self::Proposals(_)
            | Self::Reviews(..)
            | Self::Drafts(_)
            | Self::Card(_)
            | Self::People(_)
            | Self::Mailbox(_)
            | Self::Correspondents(..)
            | Self::HistoryPrefetch(_)
            | Self::Rules(_)
            | Self::Templates(_)
            | Self::UploadedFiles(_)
            | Self::Spending
            | Self::ModelUsage(_)
            | Self::Unpaid
            | Self::NeedsYou(_)
            | Self::Alarms(..)
            | Self::ServiceLevels(..)
            | Self::Barrier(_)
            | Self::DueDrafts(..)
            | Self::RowOutcomes(_)
            | Self::PausedConversations(_)
            | Self::Tags(_)
            | Self::Search(_)
            | Self::ViewMatches(_)
            | Self::ConversationNames
            | Self::ViewCounts(..)
            | Self::Broadcasts(
                BroadcastQuery::Rows(_)
                | BroadcastQuery::Detail(_)
                | BroadcastQuery::Audience(_)
                | BroadcastQuery::Running,
            ) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::selector::Selector;

    #[test]
    fn answer_acts_only_if_its_read_is_awaited() {
        let lookup = |text: &str| Load::Lookup(Selector::from_command_line(text));
        let mut reads = AwaitedReads::default();
        reads.record(&lookup("dana"));
        reads.record(&Load::Spending);
        assert!(reads.go_elsewhere());
        assert!(reads.end_read(&Load::Spending) && !reads.has_ended, "it goes nowhere");
        assert!(!reads.end_read(&lookup("maria")), "nobody asked for it");
        assert!(reads.end_read(&lookup("dana")) && reads.has_ended);
        assert!(!reads.end_read(&lookup("dana")), "it came already");
        reads.record(&Load::ConversationNames);
        assert!(!reads.go_elsewhere() && reads.awaited == [Load::ConversationNames]);
    }

    #[test]
    fn answer_of_a_read_that_was_given_up_is_dropped() {
        let mut reads = AwaitedReads::default();
        reads.record(&Load::NeedsPerson);
        reads.record(&Load::ConversationNames);
        reads.give_up();
        assert!(reads.go_elsewhere(), "input waits until it has ended");
        assert!(!reads.end_read(&Load::NeedsPerson) && !reads.go_elsewhere());
        assert!(reads.end_read(&Load::ConversationNames), "what a popup shows still comes");
    }
}
