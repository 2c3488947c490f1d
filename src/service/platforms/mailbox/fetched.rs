//! What is kept of an answer about a mail. The reader's own rows hold a buffer
//! of at least 4 KiB each, which is too much for a line per mail of a mailbox.

use async_imap::types::{Fetch, Flag};

/// An answer about one mail.
#[derive(Debug, Clone, Default)]
pub struct FetchedMail {
    pub uid: Option<u32>,
    /// Size of the mail, in bytes.
    pub size: Option<u32>,
    flags: Vec<Flag<'static>>,
    internal_date: Option<InternalDate>,
    header: Option<Vec<u8>>,
    body: Option<Vec<u8>>,
}

/// When a mail came into the mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InternalDate(i64);

impl InternalDate {
    /// Seconds of the epoch.
    pub fn timestamp(self) -> i64 {
        self.0
    }
}

impl FetchedMail {
    pub fn of(told: &Fetch) -> Self {
        Self {
            uid: told.uid,
            size: told.size,
            flags: told.flags().filter_map(known_flag).collect(),
            internal_date: told.internal_date().map(|date| InternalDate(date.timestamp())),
            header: told.header().map(<[u8]>::to_vec),
            body: told.body().map(<[u8]>::to_vec),
        }
    }

    /// Returns the flags that the protocol itself defines.
    pub fn flags(&self) -> impl Iterator<Item = Flag<'static>> {
        self.flags.iter().cloned()
    }

    pub fn internal_date(&self) -> Option<InternalDate> {
        self.internal_date
    }

    pub fn header(&self) -> Option<&[u8]> {
        self.header.as_deref()
    }

    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }
}

/// Leaves out keywords, which are words of the users of the mailbox.
fn known_flag(flag: Flag<'_>) -> Option<Flag<'static>> {
    match flag {
        Flag::Seen => Some(Flag::Seen),
        Flag::Answered => Some(Flag::Answered),
        Flag::Flagged => Some(Flag::Flagged),
        Flag::Deleted => Some(Flag::Deleted),
        Flag::Draft => Some(Flag::Draft),
        Flag::Recent => Some(Flag::Recent),
        Flag::MayCreate | Flag::Custom(_) => None,
    }
}
