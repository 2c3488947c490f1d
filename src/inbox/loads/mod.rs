//! Failed reads of this desk's files: lists retry through their [`Resource`], single values through
//! this module, and loads requested by a key are given up with a message. The screen shows the
//! failure until a read succeeds.

pub(crate) mod update;

use crate::event::{Effect, Load};
use crate::resource::{LoadState, LoadTimeouts, Resource};
use model::text::SafeText;
use model::time::Moment;

impl Load {
    /// True if an answer to this load makes an answer to an older one useless.
    pub fn replaces(&self, older: &Self) -> bool {
        if let (Self::Conversations(new), Self::Conversations(old)) = (self, older) {
            return new.channel == old.channel;
        }
        if let (Self::History(new), Self::History(old)) = (self, older) {
            // Two of one channel can be shown side by side.
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
        | (Self::ViewMatches(_), Self::ViewMatches(_))
        | (Self::NeedsYou(_), Self::NeedsYou(_)) = (self, older)
        {
            return true;
        }
        self == older
    }
}

/// Single values whose last read failed, each with its retry.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    failed: Vec<Resource<Load>>,
}

impl Loads {
    fn record_failure(&mut self, load: Load, why: &SafeText, now: Moment) {
        let same = |resource: &&mut Resource<Load>| resource.query().is_some_and(|old| load.replaces(old));
        let failed = match self.failed.iter_mut().find(same) {
            Some(failed) => failed,
            None => {
                self.failed.push(Resource::new(LoadTimeouts::FILES));
                let last = self.failed.len() - 1;
                &mut self.failed[last]
            }
        };
        failed.set_query(load.clone());
        failed.fail(&load, why, now);
    }

    /// Removes the failures this answer makes obsolete.
    pub(crate) fn remove_obsolete(&mut self, load: &Load) {
        self.failed.retain(|resource| !resource.query().is_some_and(|old| load.replaces(old)));
    }

    pub(crate) fn retry(&mut self, now: Moment) -> impl Iterator<Item = Effect> {
        self.failed.iter_mut().filter_map(move |resource| resource.take_due_query(now)).map(Effect::Load)
    }

    fn due(&self, now: Moment) -> Option<Moment> {
        self.failed.iter().filter_map(|resource| resource.due(now)).min()
    }

    /// Loading state of the first matching value.
    fn state(&self, now: Moment, of: impl Fn(&Load) -> bool) -> LoadState<'_> {
        let found = self.failed.iter().find(|resource| resource.query().is_some_and(&of));
        found.map_or(LoadState::Current, |entry| entry.state(now))
    }
}

/// A part of the screen that is read from this desk's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    List,
    History,
    Card,
    Page,
    Overlay,
}

impl Pane {
    const ALL: [Self; 5] = [Self::Overlay, Self::List, Self::History, Self::Card, Self::Page];
}
