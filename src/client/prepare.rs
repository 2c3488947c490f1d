//! Turns what a person wants into the exact bytes that will leave.
//!
//! Knows nothing of keys or queues. What is certain to be refused is refused
//! here, with words; the rest is the server's to judge.

use crate::client::{conversations, messages, reactions, telegram};
use crate::model::account::Platform;
use crate::model::bounds;
use crate::model::ids::MessageId;
use crate::model::outbox::{Lane, Operation, PreparedRequest};
use crate::wire::telegram::escape_html;

/// Why nothing can be sent, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Nothing visible is in the text.
    #[error("there is nothing to send: the text is empty")]
    EmptyText,
    /// The text is longer than the interface takes.
    #[error("the text is {length} characters long as it is sent; at most {} are taken", bounds::TEXT)]
    TooLong {
        /// Its length as sent.
        length: usize,
    },
    /// The address is not a phone number in E.164 form.
    #[error("{0:?} is not a phone number in the form +34600111222")]
    NotAPhone(String),
    /// There is no address to send to.
    #[error("the server did not tell where replies to this conversation go")]
    NoAddress,
    /// It can only be done to a conversation.
    #[error("there is no conversation to do this to")]
    NoConversation,
    /// The interface has no such operation on this channel.
    #[error("{channel} has no way to {what}")]
    NotOnThisChannel {
        /// What people call the channel.
        channel: String,
        /// The wish.
        what: &'static str,
    },
    /// The body cannot be written as JSON.
    #[error("the request cannot be written as JSON")]
    Json,
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
    let not_here = |what| Err(PrepareError::NotOnThisChannel { channel: platform.label().to_owned(), what });
    let conversation = || lane.conversation().ok_or(PrepareError::NoConversation);
    let request = match operation {
        _ if !platform.has_conversations() => return not_here("answer conversations here"),
        Operation::SendText { to, text, reply_to } => {
            return prepare_text(platform, to, text, reply_to.as_ref());
        }
        Operation::React { message, emoji } => reactions::prepare(platform, message, emoji),
        Operation::SetAutomation { enabled: false } if !platform.can_take_over() => {
            return not_here("pause the AI");
        }
        Operation::SetAutomation { enabled: true } if !platform.can_take_over() => {
            return not_here("hand back to the AI");
        }
        Operation::SetAutomation { enabled } => conversations::prepare_automation(conversation()?, *enabled),
        Operation::Close if !platform.can_take_over() => return not_here("close a conversation"),
        Operation::Close => Some(conversations::prepare_close(conversation()?)),
        _ => return not_here("make this change"),
    };
    request.ok_or(PrepareError::Json)
}

fn prepare_text(
    platform: &Platform,
    to: &str,
    text: &str,
    reply_to: Option<&MessageId>,
) -> Result<PreparedRequest, PrepareError> {
    if text.trim().is_empty() {
        return Err(PrepareError::EmptyText);
    }
    if to.is_empty() {
        return Err(PrepareError::NoAddress);
    }
    let request = if *platform == Platform::Telegram {
        let escaped = escape_html(text);
        bounded(&escaped)?;
        telegram::prepare_text(to, &escaped, reply_to)
    } else {
        if !bounds::is_e164(to) {
            return Err(PrepareError::NotAPhone(to.to_owned()));
        }
        bounded(text)?;
        messages::prepare_text(to, text, reply_to)
    };
    request.ok_or(PrepareError::Json)
}

fn bounded(sent: &str) -> Result<(), PrepareError> {
    let length = bounds::length(sent);
    if length > bounds::TEXT { Err(PrepareError::TooLong { length }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(to: &str, text: &str) -> Operation {
        Operation::SendText { to: to.into(), text: text.into(), reply_to: None }
    }

    fn made(platform: &Platform, operation: &Operation) -> Result<(String, String), PrepareError> {
        let request = prepare(platform, &Lane::Conversation("c/1".into()), operation)?;
        let body = String::from_utf8(request.body).expect("text");
        Ok((format!("{} {}", request.method.word(), request.path), body))
    }

    #[test]
    fn exact_bytes() {
        let quoting = Operation::SendText {
            to: "+34600111222".into(),
            text: "a < b".into(),
            reply_to: Some(MessageId::from("m1")),
        };
        let react = Operation::React { message: MessageId::from("m1"), emoji: String::new() };
        let whatsapp = Platform::Whatsapp;
        let telegram = Platform::Telegram;
        let cases = [
            (
                &whatsapp,
                &quoting,
                "POST /messages/send",
                r#"{"to":"+34600111222","type":"text","text":{"body":"a < b"},"replyTo":"m1"}"#,
            ),
            (
                &telegram,
                &send("48211", "a < b & c"),
                "POST /telegram/send",
                r#"{"chatId":"48211","type":"text","text":"a &lt; b &amp; c"}"#,
            ),
            (&whatsapp, &react, "POST /messages/m1/react", r#"{"emoji":""}"#),
            (&telegram, &react, "POST /telegram/messages/m1/react", r#"{"emoji":""}"#),
            (
                &whatsapp,
                &Operation::SetAutomation { enabled: false },
                "PATCH /conversations/c%2F1",
                r#"{"automationEnabled":false}"#,
            ),
            (&whatsapp, &Operation::Close, "POST /conversations/c%2F1/close", ""),
        ];
        for (platform, operation, path, body) in cases {
            let wanted = (path.to_owned(), body.to_owned());
            assert_eq!(made(platform, operation), Ok(wanted), "{operation:?}");
        }
    }

    #[test]
    fn what_is_certain_to_be_refused() {
        let whatsapp = Platform::Whatsapp;
        let telegram = Platform::Telegram;
        let phone = "+34600111222";
        assert_eq!(made(&whatsapp, &send(phone, " \n")), Err(PrepareError::EmptyText));
        assert_eq!(made(&whatsapp, &send("", "hi")), Err(PrepareError::NoAddress));
        assert_eq!(made(&whatsapp, &send("600", "hi")), Err(PrepareError::NotAPhone("600".into())));
        assert!(made(&whatsapp, &send(phone, &"é".repeat(4096))).is_ok());
        assert_eq!(
            made(&whatsapp, &send(phone, &"é".repeat(4097))),
            Err(PrepareError::TooLong { length: 4097 })
        );
        assert!(made(&whatsapp, &send(phone, &"<".repeat(4096))).is_ok());
        assert_eq!(
            made(&telegram, &send("1", &"<".repeat(1025))),
            Err(PrepareError::TooLong { length: 4100 })
        );
        let pause = Operation::SetAutomation { enabled: false };
        let error = made(&telegram, &pause).expect_err("refused");
        assert_eq!(error.to_string(), "bot-chat has no way to pause the AI");
        assert!(made(&telegram, &Operation::Close).is_err());
        assert!(made(&Platform::Email, &send("a@b.example", "hi")).is_err());
    }
}
