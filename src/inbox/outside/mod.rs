//! Requests to the person's own files, editor and commands. Plain data.

pub(crate) mod update;

use crate::screens::composer::canned::CannedReplies;
use crate::screens::connections::requests::{ConnectionRequest, ConnectionResult};
use crate::settings::Footer;
use model::attachments::ReplyAttachment;
use model::ids::ChannelId;
use model::outbox::content::MailAttachmentSource;
use model::pictures::{FetchedPicture, PictureRequest};
use model::secret::Secret;
use model::suggestions::{Suggestion, SuggestionId, SuggestionRequest};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsideRequest {
    Secret,
    Connections(Box<ConnectionRequest>),
    SaveFooter(Footer),
    /// Reads the canned replies if they have changed.
    Replies,
    /// Shares a canned reply of this desk with the team, or removes a shared one.
    ShareReply {
        name: String,
        is_shared: bool,
    },
    /// Saves a mail attachment under a new name, fetching it if it is only linked.
    SaveFile {
        /// Channel of the mail; files on its own server are fetched even from a private address.
        channel: ChannelId,
        /// File name, safe in any folder.
        name: String,
        raw: String,
        source: MailAttachmentSource,
    },
    FileSize(String),
    /// Suggests an answer or a brief, or transcribes a voice note.
    Suggest(Box<SuggestionRequest>),
    CancelSuggestion(Box<SuggestionId>),
    /// Shows a mail in the browser, without scripts or remote content.
    ShowMail(String),
    /// Fetches a picture and scales it down.
    Picture(PictureRequest),
    /// Pipes JSON into a command of the person.
    Pipe {
        command: String,
        json: String,
    },
    WriteText {
        file: String,
        text: String,
    },
    /// Finds the files of a path, or of a list of paths, patterns and links.
    File {
        /// As typed.
        path: String,
        /// True if the path was pasted as text.
        pasted: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsideAnswer {
    Secret(Secret),
    Connections(ConnectionResult),
    FooterSaved(Result<(), String>),
    Replies(CannedReplies),
    /// Notice about a shared reply; an error if it was neither shared nor removed.
    ReplyShared(Result<String, String>),
    Suggested(SuggestionId, Result<Suggestion, String>),
    Cancelled,
    /// Absolute path and size of a file.
    FileSized(String, Result<(String, u64), String>),
    /// Path of the saved file.
    Saved(Result<String, String>),
    Shown(Result<(), String>),
    Piped(String, Result<String, String>),
    Picture(String, FetchedPicture),
    File {
        path: String,
        pasted: bool,
        /// At least one.
        found: Result<Vec<ReplyAttachment>, String>,
        /// Completion of the last path, if there is only one.
        longer: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyMethod {
    /// A clipboard program took the text.
    Program,
    /// Sent to the terminal, which does not confirm it.
    Terminal,
}
