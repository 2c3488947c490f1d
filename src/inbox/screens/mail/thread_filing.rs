//! Filing of mail threads, one or many at once: wording, applicability and the resulting change.

use crate::tab::Tab;
use model::conversations::ConversationRow;
use model::email::Thread;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::text::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadFiling {
    /// True archives, false takes out of the archive.
    Archived(bool),
    /// True marks as read, false as unread.
    Read(bool),
    /// True adds the star, false removes it.
    Starred(bool),
    Category(String),
    Moved(String),
}

const SPAM_FOLDER: &str = "spam";
const TRASH_FOLDER: &str = "trash";
const INBOX_FOLDER: &str = "inbox";

impl ThreadFiling {
    /// Moves to the trash, or back to the inbox.
    pub(crate) fn trash(on: bool) -> Self {
        Self::Moved(if on { TRASH_FOLDER } else { INBOX_FOLDER }.to_owned())
    }

    /// Moves to spam, or back to the inbox.
    pub(crate) fn spam(on: bool) -> Self {
        Self::Moved(if on { SPAM_FOLDER } else { INBOX_FOLDER }.to_owned())
    }

    /// Verb for the confirmation and the list of results.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Archived(true) => "archive",
            Self::Archived(false) => "unarchive",
            Self::Read(true) => "mark as read",
            Self::Read(false) => "mark as unread",
            Self::Starred(true) => "star",
            Self::Starred(false) => "unstar",
            Self::Category(_) => "categorize",
            Self::Moved(folder) => match folder.as_str() {
                SPAM_FOLDER => "mark as spam",
                TRASH_FOLDER => "delete",
                INBOX_FOLDER => "move to the inbox",
                _ => "move",
            },
        }
    }

    /// Past form for notices.
    pub fn past_verb(&self) -> &'static str {
        match self {
            Self::Archived(true) => "archived",
            Self::Archived(false) => "unarchived",
            Self::Read(true) => "marked as read",
            Self::Read(false) => "marked as unread",
            Self::Starred(true) => "starred",
            Self::Starred(false) => "unstarred",
            Self::Category(_) => "categorized",
            Self::Moved(folder) => match folder.as_str() {
                SPAM_FOLDER => "marked as spam",
                TRASH_FOLDER => "deleted",
                INBOX_FOLDER => "moved to the inbox",
                _ => "moved",
            },
        }
    }

    pub(crate) fn notice(&self) -> String {
        match self {
            Self::Archived(false) => "back in the inbox".to_owned(),
            Self::Starred(false) => "star removed".to_owned(),
            Self::Category(category) => format!("category {category}"),
            Self::Moved(folder) => match folder.as_str() {
                TRASH_FOLDER => "moved to the trash".to_owned(),
                INBOX_FOLDER => "back in the inbox".to_owned(),
                SPAM_FOLDER => self.past_verb().to_owned(),
                folder => format!("moved to {folder}"),
            },
            _ => self.past_verb().to_owned(),
        }
    }

    /// Returns the reason if the filing would not change the thread.
    pub(crate) fn check_applicable(&self, row: &ConversationRow) -> Result<(), String> {
        let Some(thread) = row.thread.as_ref().filter(|_| !row.conversation.id.is_stand_in()) else {
            return Err("not a mail thread".to_owned());
        };
        let starred = thread.is_starred == Some(true);
        let same = match self {
            Self::Archived(archived) => (Tab::is_closed(row) == *archived)
                .then_some(["not in the archive", "already archived"][usize::from(*archived)]),
            Self::Read(read) => {
                (is_read(row) == *read).then_some(["already unread", "already read"][usize::from(*read)])
            }
            Self::Starred(wanted) => {
                (starred == *wanted).then_some(["not starred", "already starred"][usize::from(*wanted)])
            }
            Self::Category(category) => {
                let has = thread.category.as_ref().is_some_and(|has| has.as_str() == category);
                has.then_some("already in this category")
            }
            Self::Moved(folder) => folder_of(row).eq_ignore_ascii_case(folder).then_some("already there"),
        };
        same.map_or(Ok(()), |text| Err(text.to_owned()))
    }

    pub(crate) fn to_change(&self, row: &ConversationRow) -> ThreadChange {
        match self {
            // Threads in spam or trash go to the inbox, not out of the archive.
            Self::Archived(false) if matches!(folder_of(row), SPAM_FOLDER | TRASH_FOLDER) => {
                folder_change(INBOX_FOLDER)
            }
            Self::Archived(archived) => archive_change(*archived),
            Self::Moved(folder) => folder_change(folder),
            Self::Read(read) => read_change(*read),
            Self::Starred(starred) => ThreadChange { is_starred: Some(*starred), ..ThreadChange::default() },
            Self::Category(category) => {
                ThreadChange { category: Some(category.clone()), ..ThreadChange::default() }
            }
        }
    }
}

/// Folder of a thread; guessed from its status if the server names none.
pub(crate) fn folder_of(row: &ConversationRow) -> &str {
    let told = row.thread.as_ref().and_then(|thread| thread.folder.as_ref());
    let known = if Tab::is_closed(row) { "archive" } else { INBOX_FOLDER };
    told.map_or(known, SafeText::as_str)
}

fn folder_change(name: &str) -> ThreadChange {
    // Moving to spam or trash also marks as read.
    let is_read = matches!(name, SPAM_FOLDER | TRASH_FOLDER).then_some(true);
    ThreadChange { is_read, place: Some(ThreadPlace::Folder(name.to_owned())), ..ThreadChange::default() }
}

fn is_read(row: &ConversationRow) -> bool {
    row.thread.as_ref().and_then(|thread| thread.is_read).unwrap_or(true)
}

pub fn archive_change(archived: bool) -> ThreadChange {
    // Archiving also marks as read.
    let is_read = archived.then_some(true);
    ThreadChange { is_read, place: Some(ThreadPlace::Archived(archived)), ..ThreadChange::default() }
}

pub fn read_change(read: bool) -> ThreadChange {
    ThreadChange { is_read: Some(read), ..ThreadChange::default() }
}

/// Returns the change that undoes `change`; `row` is the thread before it.
pub(crate) fn undo_change(row: &ConversationRow, change: &ThreadChange) -> ThreadChange {
    let nothing = Thread::default();
    let before = row.thread.as_deref().unwrap_or(&nothing);
    let lay = folder_of(row);
    let place = change.place.as_ref().map(|place| match (place, lay) {
        (ThreadPlace::Folder(_), _) => ThreadPlace::Folder(lay.to_owned()),
        (ThreadPlace::Archived(_), "archive" | INBOX_FOLDER) => ThreadPlace::Archived(lay != INBOX_FOLDER),
        // Another folder, or an archive with another name.
        (ThreadPlace::Archived(_), _)
            if before.is_archived() && !matches!(lay, SPAM_FOLDER | TRASH_FOLDER) =>
        {
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
