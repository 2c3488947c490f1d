//! How threads of mails are filed, one or many at once: in words, whether it
//! fits a thread, and the change it is.

use crate::screens::mail::filing::{is_read, place, read_change};
use crate::tab::Tab;
use model::conversations::ConversationRow;
use model::outbox::content::ThreadChange;

/// How threads are filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadFiling {
    /// Put into the archive, or taken out of it.
    Archived(bool),
    /// Marked as read, or as unread.
    Read(bool),
    /// Given a star, or without it.
    Starred(bool),
    /// Said to be about this.
    Category(String),
}

impl ThreadFiling {
    /// The verb of the question, and of the list of results.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Archived(true) => "archive",
            Self::Archived(false) => "take out of the archive",
            Self::Read(true) => "mark as read",
            Self::Read(false) => "mark as unread",
            Self::Starred(true) => "star",
            Self::Starred(false) => "take the star from",
            Self::Category(_) => "set the category of",
        }
    }

    /// What has been done, for notices.
    pub fn past(&self) -> &'static str {
        match self {
            Self::Archived(true) => "archived",
            Self::Archived(false) => "took out of the archive",
            Self::Read(true) => "marked as read",
            Self::Read(false) => "marked as unread",
            Self::Starred(true) => "starred",
            Self::Starred(false) => "took the star from",
            Self::Category(_) => "set the category of",
        }
    }

    /// Whether it changes a thread, or why not.
    pub(crate) fn fits(&self, row: &ConversationRow) -> Result<(), String> {
        let Some(thread) = row.thread.as_ref().filter(|_| !row.conversation.id.is_stand_in()) else {
            return Err("no thread of mails".to_owned());
        };
        let starred = thread.is_starred == Some(true);
        let same = match self {
            Self::Archived(it) => (Tab::is_closed(row) == *it)
                .then_some(["not in the archive", "archived already"][usize::from(*it)]),
            Self::Read(it) => {
                (is_read(row) == *it).then_some(["unread already", "read already"][usize::from(*it)])
            }
            Self::Starred(it) => {
                (starred == *it).then_some(["without a star", "starred already"][usize::from(*it)])
            }
            Self::Category(it) => {
                let has = thread.category.as_ref().is_some_and(|has| has.as_str() == it);
                has.then_some("of this category already")
            }
        };
        same.map_or(Ok(()), |it| Err(it.to_owned()))
    }

    /// The change it is.
    pub(crate) fn change(&self) -> ThreadChange {
        match self {
            Self::Archived(it) => place(*it),
            Self::Read(it) => read_change(*it),
            Self::Starred(it) => ThreadChange { is_starred: Some(*it), ..ThreadChange::default() },
            Self::Category(it) => ThreadChange { category: Some(it.clone()), ..ThreadChange::default() },
        }
    }
}
