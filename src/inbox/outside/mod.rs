//! What the inbox asks of the world outside beyond stores and servers: files
//! of the person's own, and an editor. Plain data.

pub(crate) mod update;

use crate::screens::composer::canned::Canned;
use crate::screens::connections::errands::{ConnectionRequest, ConnectionResult};
use crate::settings::Footer;
use model::attachments::FileFacts;
use model::ids::ChannelId;
use model::outbox::content::MailAttachmentSource;
use model::pictures::{FetchedPicture, PictureRequest};
use model::secret::Secret;
use model::suggestions::{Suggestion, SuggestionId, SuggestionRequest};

/// Something asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsideRequest {
    Secret,
    /// Something of a connection, which may take its time.
    Connections(Box<ConnectionRequest>),
    /// Keep what the last line says in the configuration.
    KeepFooter(Footer),
    /// Read the canned replies, if they have changed.
    Replies,
    /// Save a file of a mail under a name that is not there yet; one behind an
    /// address is fetched.
    SaveFile {
        /// Where the mail came in: its own server is fetched from where it is
        /// no public one, too.
        channel: ChannelId,
        /// The name, safe in any folder.
        name: String,
        /// The mail as it came.
        raw: String,
        source: MailAttachmentSource,
    },
    /// How large a file of the person's is.
    FileSize(String),
    /// Suggest an answer or a brief, or write down a voice note, which may take its time.
    Suggest(Box<SuggestionRequest>),
    /// What is suggested is not waited for any more.
    CancelSuggestion(Box<SuggestionId>),
    /// Show a mail in the browser: without scripts, fetching nothing.
    ShowMail(String),
    /// Fetch a picture and make it small.
    Picture(PictureRequest),
    /// Give a text to a command of the person's.
    Pipe {
        /// The command, for the shell.
        command: String,
        json: String,
    },
    /// Write a text into a file that is not there yet.
    WriteText {
        /// Where.
        file: String,
        /// What.
        text: String,
    },
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
    /// A secret nobody else knows.
    Secret(Secret),
    /// What came of a connection.
    Connections(ConnectionResult),
    /// The last line's setting is kept, or why not.
    FooterKept(Result<(), String>),
    Replies(Canned),
    /// What is suggested, or why nothing is.
    Suggested(SuggestionId, Result<Suggestion, String>),
    /// Nobody waits for an answer.
    Cancelled,
    /// A file's whole path and size, or why it cannot be read.
    FileSized(String, Result<(String, u64), String>),
    /// A file was saved there, or why not.
    Saved(Result<String, String>),
    /// A mail is being shown, or why not.
    Shown(Result<(), String>),
    /// What a command said, or why it failed.
    Piped(String, Result<String, String>),
    /// A picture by its address, or why there is none.
    Picture(String, FetchedPicture),
    File {
        path: String,
        pasted: bool,
        /// The file, or why it cannot be sent.
        found: Result<FileFacts, String>,
        /// How the path goes on, where there is one way only.
        longer: Option<String>,
    },
}

/// Where a copied text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// A program took it.
    Taken,
    /// It was sent to the terminal, which does not say whether it took it.
    Sent,
}
