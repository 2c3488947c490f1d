//! What the app asks of the world outside beyond stores and servers: files
//! of the person's own, and an editor. Plain data.
//!
//! Knows nothing of how it is done.

use crate::app::App;
use crate::app::canned::Canned;
use crate::model::attachments::FileFacts;
use crate::model::pictures::{Fetched, Wanted};

/// Something asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Read the canned replies, if they have changed.
    Replies,
    /// Fetch a picture and make it small.
    Picture(Wanted),
    /// Look at the file of a path.
    File {
        /// As it was typed.
        path: String,
        /// Whether it was pasted as a text.
        pasted: bool,
    },
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The canned replies as they are now.
    Replies(Canned),
    /// A picture by its address, or why there is none.
    Picture(String, Fetched),
    /// What the file of a path is.
    File {
        /// As it was asked.
        path: String,
        /// As it was asked.
        pasted: bool,
        /// The file, or why it cannot be sent.
        found: Result<FileFacts, String>,
        /// How the path goes on, where there is one way only.
        longer: Option<String>,
    },
}

impl App {
    /// What was asked has come back.
    pub(super) fn answered(&mut self, answered: Answered) {
        self.ask_answered();
        match answered {
            Answered::Replies(canned) => self.canned = canned,
            Answered::Picture(url, fetched) => self.picture_fetched(&url, fetched),
            Answered::File { path, pasted, found, longer } => self.file_seen(path, pasted, found, longer),
        }
    }
}
