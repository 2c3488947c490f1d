//! Builds the exact request bytes of each operation.
//!
//! Operations that the server is certain to refuse fail here.

use crate::{
    broadcasts, contacts, conversations, email, media, messages, telegram, templates, voip, webhooks,
};
use api::body::Body;
use model::account::Platform;
use model::outbox::{Lane, Operation, PreparedRequest, WriteMethod};
use model::secret::Secret;

/// Placeholder for the URL of a file that is not uploaded yet.
const PLACEHOLDER_URL: &str = "https://media.invalid/file";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Empty or only white space.
    #[error("there is nothing to send: {0} is empty")]
    Empty(&'static str),
    #[error("{what} has {length} characters as sent; at most {most} are allowed")]
    TooLong { what: &'static str, length: usize, most: usize },
    #[error("{count} {what} are too many; at most {most} are allowed")]
    TooMany { what: &'static str, count: usize, most: usize },
    /// Not in E.164 form.
    #[error("{0:?} is not a phone number in the form +34600111222")]
    NotAPhone(String),
    #[error("{0:?} is not a mail address such as maria@mail.example")]
    NotAMailAddress(String),
    /// Not an `http` or `https` URL.
    #[error("{0:?} is not an https address")]
    NotALink(String),
    #[error("{what} must be {shape}")]
    NotJson {
        what: &'static str,
        /// An object or an array.
        shape: &'static str,
    },
    #[error("the server gave no address for replies to this conversation")]
    NoAddress,
    /// The operation needs a conversation lane.
    #[error("this needs a conversation")]
    NoConversation,
    #[error("the files to send are missing")]
    NoFiles,
    #[error("{channel} cannot {what}")]
    NotOnThisChannel {
        /// Display name of the platform.
        channel: String,
        what: &'static str,
    },
    #[error("the request cannot be written as JSON")]
    Json,
}

/// Inputs that become part of the request bytes but are not stored with the operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attachments<'a> {
    /// In the order in which the operation names them.
    pub files: &'a [&'a [u8]],
    /// Signing secret of a webhook.
    pub secret: Option<&'a Secret>,
}

/// Builds the request for an operation of a lane.
///
/// # Errors
/// Fails if the server is certain to refuse the request; the message is for display.
pub fn prepare(
    platform: &Platform,
    lane: &Lane,
    operation: &Operation,
) -> Result<PreparedRequest, PrepareError> {
    prepare_with(platform, lane, operation, Attachments::default())
}

/// Builds the request for an operation that carries files or a secret.
pub fn prepare_with(
    platform: &Platform,
    lane: &Lane,
    operation: &Operation,
    enclosed: Attachments<'_>,
) -> Result<PreparedRequest, PrepareError> {
    if let Some(what) = missing_capability(platform, operation) {
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
        Operation::React { message, emoji } => messages::prepare_reaction(platform, message, emoji),
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
        Operation::SubmitTemplate(new) => templates::prepare_submission(new),
        Operation::SendFile(file) => {
            // Checks the message before the file is uploaded.
            prepare(platform, lane, &file.to_send_operation(PLACEHOLDER_URL))?;
            media::prepare(&file.name, &file.mime_type, file.size, enclosed.files)
        }
        Operation::Upload { filename, mime_type, size } => {
            media::prepare(filename, mime_type, *size, enclosed.files)
        }
    }
}

/// Names the action if the platform certainly does not support the operation.
fn missing_capability(platform: &Platform, operation: &Operation) -> Option<&'static str> {
    let chat = platform.is_chat();
    let switch = platform.can_take_over();
    match operation {
        Operation::SendText { .. }
        | Operation::SendContent { .. }
        | Operation::SendFile(_)
        | Operation::React { .. } => (!chat).then_some("answer conversations here"),
        // Bot-chat has no pause in the API; the service adds one.
        Operation::SetAutomation { enabled: false } => (!chat).then_some("pause the AI"),
        Operation::SetAutomation { enabled: true } => (!chat).then_some("hand back to the AI"),
        Operation::Close => (!switch).then_some("close a conversation"),
        Operation::SendMail(_) | Operation::ChangeThread { .. } => {
            (*platform != Platform::Email).then_some("change mail")
        }
        Operation::SubmitTemplate(_) => (*platform != Platform::Whatsapp).then_some("submit templates"),
        _ => None,
    }
}

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
