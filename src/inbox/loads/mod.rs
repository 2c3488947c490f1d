//! Reads of this desk's files that failed: those of lists go back to their
//! [`Resource`], single values are asked again from here, and what a key asked
//! for is given up in words. What is on screen says so until a read succeeds.

pub(crate) mod update;

use crate::event::{Effect, Load};
use crate::resource::{LoadState, LoadTimeouts, Resource};
use model::attention::AttentionRequest;
use model::text::SafeText;
use model::time::Moment;

impl Load {
    /// Whether an answer to this one makes an answer to an older one useless.
    pub fn replaces(&self, older: &Self) -> bool {
        if let (Self::Conversations(new), Self::Conversations(old)) = (self, older) {
            return new.channel == old.channel;
        }
        if let (Self::History(new), Self::History(old)) = (self, older) {
            // Two of one channel can stand side by side.
            return (&new.channel, &new.conversation) == (&old.channel, &old.conversation);
        }
        if let (Self::ContactWays(new), Self::ContactWays(old)) = (self, older) {
            return new.key == old.key;
        }
        if let (Self::People(new), Self::People(old)) = (self, older) {
            return new.channel == old.channel;
        }
        if let (Self::Search(new), Self::Search(old)) = (self, older) {
            return new.conversation.is_some() == old.conversation.is_some();
        }
        if let (Self::Correspondents(new, _), Self::Correspondents(old, _)) = (self, older) {
            return new == old;
        }
        if let (Self::Outbox(_), Self::Outbox(_))
        | (Self::Drafts(_), Self::Drafts(_))
        | (Self::Proposals(_), Self::Proposals(_))
        | (Self::Reviews(..), Self::Reviews(..))
        | (Self::Attention(AttentionRequest::List(_)), Self::Attention(AttentionRequest::List(_))) =
            (self, older)
        {
            return true;
        }
        self == older
    }
}

/// Single values whose last read failed, each with when it is asked again.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    failed: Vec<Resource<Load>>,
}

impl Loads {
    /// A value could not be read.
    fn note_failure(&mut self, load: Load, why: &SafeText, now: Moment) {
        let same = |resource: &&mut Resource<Load>| resource.desired().is_some_and(|old| load.replaces(old));
        let failed = match self.failed.iter_mut().find(same) {
            Some(failed) => failed,
            None => {
                self.failed.push(Resource::new(LoadTimeouts::FILES));
                let last = self.failed.len() - 1;
                &mut self.failed[last]
            }
        };
        failed.want(load.clone());
        failed.fail(&load, why, now);
    }

    /// A value was read: it, and what it makes useless, has not failed any
    /// more.
    pub(crate) fn answered(&mut self, load: &Load) {
        self.failed.retain(|resource| !resource.desired().is_some_and(|old| load.replaces(old)));
    }

    /// Asks again for what is due.
    pub(crate) fn retry(&mut self, now: Moment) -> impl Iterator<Item = Effect> {
        self.failed.iter_mut().filter_map(move |resource| resource.take_due_query(now)).map(Effect::Load)
    }

    /// When something is.
    fn due(&self, now: Moment) -> Option<Moment> {
        self.failed.iter().filter_map(|resource| resource.due(now)).min()
    }

    /// How it stands with the first value of these.
    fn shown(&self, now: Moment, of: impl Fn(&Load) -> bool) -> LoadState<'_> {
        let found = self.failed.iter().find(|resource| resource.desired().is_some_and(&of));
        found.map_or(LoadState::Well, |entry| entry.shown(now))
    }
}

/// A part of the screen that is read from this desk's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    List,
    History,
    /// The history kept beside it.
    Beside,
    Card,
    /// The page of rows, cards or tabs.
    Page,
    /// What lies over all of them.
    Layer,
}

impl Pane {
    const ALL: [Self; 6] = [Self::Layer, Self::List, Self::History, Self::Beside, Self::Card, Self::Page];
}
