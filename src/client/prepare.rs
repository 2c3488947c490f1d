//! Turns what a person wants into the exact bytes that will leave.
//!
//! What is certain to be refused is refused here, with words; the rest is the
//! server's to judge.

use crate::{
    broadcasts, contacts, conversations, email, media, messages, reactions, telegram, voip, webhooks,
};
use model::account::Platform;
use model::outbox::{Lane, Operation, PreparedRequest, WriteMethod};
use model::secret::Secret;
use wire::body::Body;

/// Stands for an address that is not known before a file was uploaded.
const SOMEWHERE: &str = "https://media.invalid/file";

/// Why nothing can be sent, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Nothing visible is there.
    #[error("there is nothing to send: {0} is empty")]
    Empty(&'static str),
    /// Longer than the interface takes.
    #[error("{what} is {length} characters long as it is sent; at most {most} are taken")]
    TooLong { what: &'static str, length: usize, most: usize },
    /// More than the interface takes.
    #[error("there are {count} {what}; at most {most} are taken")]
    TooMany { what: &'static str, count: usize, most: usize },
    /// The address is not a phone number in E.164 form.
    #[error("{0:?} is not a phone number in the form +34600111222")]
    NotAPhone(String),
    /// The address is not a mail address.
    #[error("{0:?} is not a mail address such as maria@mail.example")]
    NotAMailAddress(String),
    /// The address is not one a service can fetch from or deliver to.
    #[error("{0:?} is not an https address")]
    NotALink(String),
    /// JSON was wanted.
    #[error("{what} must be {shape}")]
    NotJson {
        what: &'static str,
        /// An object or an array.
        shape: &'static str,
    },
    /// There is no address to send to.
    #[error("the server did not tell where replies to this conversation go")]
    NoAddress,
    /// It can only be done to a conversation.
    #[error("there is no conversation to do this to")]
    NoConversation,
    /// The files given are not those the operation names.
    #[error("the files to be sent are missing")]
    NoFiles,
    /// The interface has no such operation on this channel.
    #[error("{channel} has no way to {what}")]
    NotOnThisChannel {
        /// What people call the channel.
        channel: String,
        what: &'static str,
    },
    /// The body cannot be written as JSON.
    #[error("the request cannot be written as JSON")]
    Json,
}

/// What goes into the bytes and is not kept beside them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Enclosed<'a> {
    /// The files, in the order in which the operation names them.
    pub files: &'a [&'a [u8]],
    /// What a webhook's deliveries are signed with.
    pub secret: Option<&'a Secret>,
}

/// Makes the request for an operation of a lane.
///
/// # Errors
/// When it is certain to be refused; the words are for the person.
pub fn prepare(
    platform: &Platform,
    lane: &Lane,
    operation: &Operation,
) -> Result<PreparedRequest, PrepareError> {
    prepare_with(platform, lane, operation, Enclosed::default())
}

/// Makes the request for an operation that encloses files or a secret.
pub fn prepare_with(
    platform: &Platform,
    lane: &Lane,
    operation: &Operation,
    enclosed: Enclosed<'_>,
) -> Result<PreparedRequest, PrepareError> {
    if let Some(what) = lacks(platform, operation) {
        return Err(PrepareError::NotOnThisChannel { channel: platform.label().to_owned(), what });
    }
    let conversation = || lane.conversation().ok_or(PrepareError::NoConversation);
    let bot = *platform == Platform::Telegram;
    match operation {
        Operation::SendText { to, text, reply_to } if bot => {
            telegram::prepare_text(to, text, reply_to.as_ref())
        }
        Operation::SendText { to, text, reply_to } => messages::prepare_text(to, text, reply_to.as_ref()),
        Operation::SendContent { to, content, reply_to } if bot => {
            telegram::prepare_content(to, content, reply_to.as_ref())
        }
        Operation::SendContent { to, content, reply_to } => {
            messages::prepare_content(to, content, reply_to.as_ref())
        }
        Operation::React { message, emoji } => reactions::prepare(platform, message, emoji),
        Operation::SetAutomation { enabled } => {
            conversations::prepare_automation(platform, conversation()?, *enabled)
        }
        Operation::Close => Ok(conversations::prepare_close(conversation()?)),
        Operation::SendMail(mail) => email::prepare_mail(mail, enclosed.files),
        Operation::ChangeThread { thread, change } => email::prepare_change(thread, change),
        Operation::SendSms { to, body, via } => voip::prepare_sms(to, body, via.as_deref()),
        Operation::Call { to, via, context } => voip::prepare_call(to, via.as_deref(), context.as_ref()),
        Operation::Broadcast { to, content } => broadcasts::prepare(to, content),
        Operation::SaveContact(wish) => contacts::prepare_save(wish),
        Operation::ChangeTags { phone, add, .. } => contacts::prepare_tags(phone, add.clone()),
        Operation::ChangeContact(change) => contacts::prepare_change(change, None),
        Operation::DeleteContact { contact, .. } => Ok(contacts::prepare_delete(contact)),
        Operation::AddWebhook { url, events } => {
            webhooks::prepare_add(platform, url, events, enclosed.secret)
        }
        Operation::RemoveWebhook { webhook, .. } => Ok(webhooks::prepare_remove(platform, webhook)),
        Operation::SendFile(file) => {
            // What is certain to be refused after the upload is refused before it.
            prepare(platform, lane, &file.uploaded_to(SOMEWHERE))?;
            media::prepare(&file.name, &file.mime_type, file.size, enclosed.files)
        }
        Operation::Upload { filename, mime_type, size } => {
            media::prepare(filename, mime_type, *size, enclosed.files)
        }
    }
}

/// What a channel certainly cannot do; whatever is not certain, the server
/// says.
fn lacks(platform: &Platform, operation: &Operation) -> Option<&'static str> {
    let chat = platform.is_chat();
    let switch = platform.can_take_over();
    match operation {
        Operation::SendText { .. }
        | Operation::SendContent { .. }
        | Operation::SendFile(_)
        | Operation::React { .. } => (!chat).then_some("answer conversations here"),
        // Bot-chat has no pause of its own; the service tells one beside the interface.
        Operation::SetAutomation { enabled: false } => (!chat).then_some("pause the AI"),
        Operation::SetAutomation { enabled: true } => (!chat).then_some("hand back to the AI"),
        Operation::Close => (!switch).then_some("close a conversation"),
        Operation::SendMail(_) | Operation::ChangeThread { .. } => {
            (*platform != Platform::Email).then_some("work on mail")
        }
        _ => None,
    }
}

/// A request with a shape as its JSON body.
pub(crate) fn json(
    method: WriteMethod,
    path: impl Into<String>,
    body: &impl Body,
) -> Result<PreparedRequest, PrepareError> {
    let body = body.to_json().map_err(|_| PrepareError::Json)?;
    Ok(PreparedRequest::json(method, path, body))
}

#[cfg(test)]
mod tests;
