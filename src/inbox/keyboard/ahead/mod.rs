//! What was typed before what the keys in front of it asked for is there. A key
//! that goes elsewhere may need a read of this desk's files first; the keys
//! behind it are meant for where it goes, so they wait for it, in their order.

pub(crate) mod update;

use std::collections::VecDeque;

use crate::event::Load;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::broadcasts::BroadcastQuery;
use model::time::{Moment, SECOND};

/// Keys and pastes kept at most.
const MOST: usize = 1_000;
/// Waiting longer is spoken of, and Esc ends it.
const SLOW: i64 = SECOND;
/// Nobody waits longer.
const PATIENCE: i64 = 5 * SECOND;

/// What a person typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TypedInput {
    Key(KeyPress),
    Paste(String),
    /// Text that came faster than a person types.
    Burst(String),
    /// A line break of a burst: Enter that sends nothing.
    LineBreak,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct TypedAhead {
    /// Reads under way that keys may have to wait for.
    awaited: Vec<Load>,
    queue: VecDeque<TypedInput>,
    /// Since when keys would have to wait.
    since: Option<Moment>,
    /// Whether one of those reads has ended in this turn.
    came: bool,
    /// Whether keys do not wait for the rows they act on any more, since these
    /// did not come.
    gave_up: bool,
}

/// What a key has to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyWait {
    Nothing,
    /// A macro is being played.
    Playing,
    /// This desk's files are read.
    Read,
}

/// What is done with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypedStep {
    Act,
    /// It acts once those before it have.
    Keep,
    /// The macro ends, for this reason.
    StopPlaying(&'static str),
    /// All that waits is dropped, for this reason.
    Drop(&'static str),
    /// The same, and this key acts at once.
    DropAndAct,
}

impl TypedInput {
    fn is(&self, key: KeyPress) -> bool {
        *self == Self::Key(key)
    }

    /// Whether it takes or moves over what a popup has found, rather than
    /// editing the text it is looked for by.
    fn takes_what_is_found(&self) -> bool {
        let Self::Key(key) = self else { return *self == Self::LineBreak };
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
}

impl TypedAhead {
    /// Whether keys wait.
    fn holds_any(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether what keys ask for goes elsewhere once it has been read.
    fn goes_elsewhere(&self) -> bool {
        self.awaited.iter().any(Load::goes_elsewhere)
    }

    /// What is done with what was typed just now.
    fn step(&self, typed: &TypedInput, wait: KeyWait, now: Moment) -> TypedStep {
        let (esc, interrupt) = (typed.is(KeyPress::plain(KeyCode::Esc)), typed.is(KeyPress::ctrl('c')));
        match wait {
            KeyWait::Nothing if !self.holds_any() => TypedStep::Act,
            KeyWait::Playing if esc || interrupt => TypedStep::StopPlaying("you stopped it"),
            KeyWait::Playing if matches!(typed, TypedInput::Paste(_) | TypedInput::Burst(_)) => {
                TypedStep::StopPlaying("text was pasted meanwhile, which was ignored")
            }
            _ if interrupt => TypedStep::DropAndAct,
            _ if esc && self.is_slow(now) => TypedStep::Drop("you stopped waiting"),
            _ if self.queue.len() >= MOST => TypedStep::Drop("too much was typed ahead"),
            _ => TypedStep::Keep,
        }
    }

    fn is_slow(&self, now: Moment) -> bool {
        self.since.is_some_and(|moment| now.since(moment) >= SLOW)
    }

    /// How many keys have been waiting for long.
    pub(crate) fn waiting(&self, now: Moment) -> usize {
        if self.is_slow(now) { self.queue.len() } else { 0 }
    }

    /// When the wait is to be spoken of, or ends.
    pub(crate) fn due(&self, now: Moment) -> Option<Moment> {
        let since = self.since.filter(|_| self.holds_any())?;
        Some(since.plus(if self.is_slow(now) { PATIENCE } else { SLOW }))
    }

    /// Notes a read that was asked for.
    pub(crate) fn note(&mut self, load: &Load) {
        if load.goes_elsewhere() || matches!(load, Load::Names | Load::Search(_)) {
            self.awaited.retain(|entry| !load.replaces(entry));
            self.awaited.push(load.clone());
        }
    }

    /// A read has ended. False if it would take a person elsewhere who does
    /// not wait for it any more.
    pub(crate) fn read_ended(&mut self, load: &Load) -> bool {
        let before = self.awaited.len();
        self.awaited.retain(|entry| entry != load);
        let came = self.awaited.len() < before;
        self.came |= came;
        came || !load.goes_elsewhere()
    }
}

impl Load {
    /// Whether its answer moves the focus, the selection or the marks, or opens
    /// a popup: what is typed after the key that asked is meant for that.
    fn goes_elsewhere(&self) -> bool {
        match self {
            Self::Lookup(_)
            | Self::Needing(_)
            | Self::Spread(..)
            | Self::Elsewhere(_)
            | Self::Depth(..)
            | Self::Marked(_)
            | Self::Question(..)
            | Self::Pauses(_)
            | Self::Person(..)
            | Self::Triage(_)
            | Self::Broadcasts(BroadcastQuery::Handover(..)) => true,
            // Without rows it only tells which ways there are.
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
            | Self::Ahead(_)
            | Self::Rules(_)
            | Self::Templates(_)
            | Self::Shelf(_)
            | Self::Spent
            | Self::ModelUsage(_)
            | Self::Unpaid
            | Self::Digest(_)
            | Self::Attention(_)
            | Self::ServiceLevels(..)
            | Self::Macros
            | Self::Echo(_)
            | Self::DueDrafts(..)
            | Self::Fates(_)
            | Self::Paused(_)
            | Self::Tags(_)
            | Self::Search(_)
            | Self::Names
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

    fn at(millis: i64) -> Moment {
        Moment::from_micros(1_700_000_000 * SECOND + millis * 1_000)
    }

    #[test]
    fn a_key_acts_waits_or_ends_the_wait() {
        let key = |character: char| TypedInput::Key(KeyPress::plain(KeyCode::Char(character)));
        let esc = || TypedInput::Key(KeyPress::plain(KeyCode::Esc));
        let interrupt = || TypedInput::Key(KeyPress::ctrl('c'));
        let paste = || TypedInput::Paste("Dear Dana".to_owned());
        use {KeyWait as W, TypedStep as S};
        let stopped = S::StopPlaying("you stopped it");
        let pasted = S::StopPlaying("text was pasted meanwhile, which was ignored");
        let cases = [
            (key('i'), W::Nothing, 0, 0, S::Act),
            (esc(), W::Nothing, 0, 0, S::Act),
            (paste(), W::Nothing, 0, 0, S::Act),
            // What came first acts first.
            (key('i'), W::Nothing, 1, 0, S::Keep),
            (key('i'), W::Read, 0, 0, S::Keep),
            (paste(), W::Read, 3, 900, S::Keep),
            (esc(), W::Read, 3, 900, S::Keep),
            (esc(), W::Read, 3, 1_000, S::Drop("you stopped waiting")),
            (esc(), W::Read, 0, 1_000, S::Drop("you stopped waiting")),
            (interrupt(), W::Read, 0, 0, S::DropAndAct),
            (interrupt(), W::Nothing, 3, 0, S::DropAndAct),
            (key('i'), W::Read, MOST, 0, S::Drop("too much was typed ahead")),
            (key('i'), W::Playing, 0, 0, S::Keep),
            (esc(), W::Playing, 2, 0, stopped),
            (interrupt(), W::Playing, 0, 0, stopped),
            (paste(), W::Playing, 0, 0, pasted),
        ];
        for (typed, wait, waiting, waited, wanted) in cases {
            let queue = (0..waiting).map(|_| key('x')).collect();
            let ahead = TypedAhead { queue, since: Some(at(0)), ..TypedAhead::default() };
            assert_eq!(ahead.step(&typed, wait, at(waited)), wanted, "{typed:?} {wait:?} {waiting} {waited}");
        }
    }

    #[test]
    fn what_nobody_waits_for_goes_nowhere() {
        let lookup = |text: &str| Load::Lookup(Selector::from_command_line(text));
        let mut ahead = TypedAhead::default();
        ahead.note(&lookup("dana"));
        ahead.note(&Load::Macros);
        assert!(ahead.goes_elsewhere());
        assert!(ahead.read_ended(&Load::Macros) && !ahead.came, "it goes nowhere anyway");
        assert!(!ahead.read_ended(&lookup("maria")), "nobody asked for it");
        assert!(ahead.read_ended(&lookup("dana")) && ahead.came);
        assert!(!ahead.read_ended(&lookup("dana")), "it came already");
        ahead.note(&Load::Names);
        assert!(!ahead.goes_elsewhere() && ahead.awaited == [Load::Names]);
    }
}
