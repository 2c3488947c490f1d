//! How threads of mails are filed, one or many at once: in words, whether it
//! fits a thread, and the change it is.

use crate::tab::Tab;
use model::conversations::{ConversationRow, ConversationStatus};
use model::email::Thread;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::text::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadFiling {
    /// Put into the archive, or taken out of it.
    Archived(bool),
    /// Marked as read, or as unread.
    Read(bool),
    /// Given a star, or without it.
    Starred(bool),
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

    /// What has been done to one thread, for its notice.
    pub(crate) fn notice(&self) -> String {
        match self {
            Self::Archived(false) => "back in the inbox".to_owned(),
            Self::Starred(false) => "star taken away".to_owned(),
            Self::Category(category) => format!("category {category}"),
            _ => self.past().to_owned(),
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

    pub(crate) fn change(&self) -> ThreadChange {
        match self {
            Self::Archived(it) => place(*it),
            Self::Read(it) => read_change(*it),
            Self::Starred(it) => ThreadChange { is_starred: Some(*it), ..ThreadChange::default() },
            Self::Category(it) => ThreadChange { category: Some(it.clone()), ..ThreadChange::default() },
        }
    }
}

/// Whether the server counts a thread as read.
fn is_read(row: &ConversationRow) -> bool {
    row.thread.as_ref().and_then(|it| it.is_read).unwrap_or(true)
}

/// Into the archive or out of it.
pub fn place(archived: bool) -> ThreadChange {
    // A person who puts a thread away has read it.
    let is_read = archived.then_some(true);
    ThreadChange { is_read, place: Some(ThreadPlace::Archived(archived)), ..ThreadChange::default() }
}

/// Read or unread.
pub fn read_change(read: bool) -> ThreadChange {
    ThreadChange { is_read: Some(read), ..ThreadChange::default() }
}

/// What brings a thread back to what it was before a change.
pub(crate) fn opposite(row: &ConversationRow, change: &ThreadChange) -> ThreadChange {
    let nothing = Thread::default();
    let before = row.thread.as_deref().unwrap_or(&nothing);
    let place = change.place.as_ref().map(|_| match &before.folder {
        Some(folder) if !before.is_archived() && folder.as_str() != "inbox" => {
            ThreadPlace::Folder(folder.to_string())
        }
        _ => ThreadPlace::Archived(row.conversation.status == ConversationStatus::Closed),
    });
    let text = |it: &Option<SafeText>, other: &str| {
        it.as_ref().map_or_else(|| other.to_owned(), ToString::to_string)
    };
    ThreadChange {
        is_read: change.is_read.map(|it| before.is_read.unwrap_or(!it)),
        is_starred: change.is_starred.map(|it| before.is_starred.unwrap_or(!it)),
        place,
        category: change.category.as_ref().map(|_| text(&before.category, "none")),
        priority: change.priority.as_ref().map(|_| text(&before.priority, "normal")),
        unasked: false,
    }
}
