//! How threads of mails are filed, one or many at once: in words, whether it
//! fits a thread, and the change it is.

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
    /// Put into the folder of this name.
    Moved(String),
}

/// The folder of what nobody asked for.
const SPAM: &str = "spam";
/// The folder of what was deleted.
const TRASH: &str = "trash";
/// The folder of what is to be read.
const INBOX: &str = "inbox";

impl ThreadFiling {
    /// Into the trash, or back.
    pub(crate) fn trash(on: bool) -> Self {
        Self::Moved(if on { TRASH } else { INBOX }.to_owned())
    }

    /// Among spam, or back.
    pub(crate) fn spam(on: bool) -> Self {
        Self::Moved(if on { SPAM } else { INBOX }.to_owned())
    }

    /// The verb of the question, and of the list of results.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Archived(true) => "archive",
            Self::Archived(false) => "take out of the archive",
            Self::Read(true) => "mark as read",
            Self::Read(false) => "mark as unread",
            Self::Starred(true) => "star",
            Self::Starred(false) => "take the star from",
            Self::Category(_) => "categorize",
            Self::Moved(it) => match it.as_str() {
                SPAM => "mark as spam",
                TRASH => "delete",
                INBOX => "move to the inbox",
                _ => "move",
            },
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
            Self::Category(_) => "categorized",
            Self::Moved(it) => match it.as_str() {
                SPAM => "marked as spam",
                TRASH => "deleted",
                INBOX => "moved to the inbox",
                _ => "moved",
            },
        }
    }

    /// What has been done to one thread, for its notice.
    pub(crate) fn notice(&self) -> String {
        match self {
            Self::Archived(false) => "back in the inbox".to_owned(),
            Self::Starred(false) => "star taken away".to_owned(),
            Self::Category(category) => format!("category {category}"),
            Self::Moved(it) => match it.as_str() {
                TRASH => "moved to the trash".to_owned(),
                INBOX => "back in the inbox".to_owned(),
                SPAM => self.past().to_owned(),
                folder => format!("moved to {folder}"),
            },
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
            Self::Archived(it) => (is_closed(row) == *it)
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
            Self::Moved(it) => folder_of(row).eq_ignore_ascii_case(it).then_some("there already"),
        };
        same.map_or(Ok(()), |text| Err(text.to_owned()))
    }

    pub(crate) fn change(&self, row: &ConversationRow) -> ThreadChange {
        match self {
            // Spam and trash are no archive to be taken out of.
            Self::Archived(false) if matches!(folder_of(row), SPAM | TRASH) => folder(INBOX),
            Self::Archived(it) => place(*it),
            Self::Moved(it) => folder(it),
            Self::Read(it) => read_change(*it),
            Self::Starred(it) => ThreadChange { is_starred: Some(*it), ..ThreadChange::default() },
            Self::Category(it) => ThreadChange { category: Some(it.clone()), ..ThreadChange::default() },
        }
    }
}

/// Whether a thread is put away or about to be.
fn is_closed(row: &ConversationRow) -> bool {
    row.conversation.status == ConversationStatus::Closed || row.close_pending
}

/// Where a thread lies, as far as is known.
pub(crate) fn folder_of(row: &ConversationRow) -> &str {
    let told = row.thread.as_ref().and_then(|thread| thread.folder.as_ref());
    let known = if is_closed(row) { "archive" } else { INBOX };
    told.map_or(known, SafeText::as_str)
}

/// Into a folder by its name.
fn folder(name: &str) -> ThreadChange {
    // Whoever throws a thread away has read it.
    let is_read = matches!(name, SPAM | TRASH).then_some(true);
    ThreadChange { is_read, place: Some(ThreadPlace::Folder(name.to_owned())), ..ThreadChange::default() }
}

/// Whether the server counts a thread as read.
fn is_read(row: &ConversationRow) -> bool {
    row.thread.as_ref().and_then(|thread| thread.is_read).unwrap_or(true)
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
    let lay = folder_of(row);
    let place = change.place.as_ref().map(|place| match (place, lay) {
        (ThreadPlace::Folder(_), _) => ThreadPlace::Folder(lay.to_owned()),
        (ThreadPlace::Archived(_), "archive" | INBOX) => ThreadPlace::Archived(lay != INBOX),
        // In another folder, or in an archive by another name.
        (ThreadPlace::Archived(_), _) if before.is_archived() && !matches!(lay, SPAM | TRASH) => {
            ThreadPlace::Archived(true)
        }
        (ThreadPlace::Archived(_), _) => ThreadPlace::Folder(lay.to_owned()),
    });
    let text = |text: &Option<SafeText>, other: &str| {
        text.as_ref().map_or_else(|| other.to_owned(), ToString::to_string)
    };
    ThreadChange {
        is_read: change.is_read.map(|flag| before.is_read.unwrap_or(!flag)),
        is_starred: change.is_starred.map(|flag| before.is_starred.unwrap_or(!flag)),
        place,
        category: change.category.as_ref().map(|_| text(&before.category, "none")),
        priority: change.priority.as_ref().map(|_| text(&before.priority, "normal")),
        unasked: false,
    }
}
